package import Foundation

/// What is posted.
package struct Message: Encodable, Sendable {
    package var id = 1
    package var text = String(repeating: "a", count: 1024 - #"{"id":1,"text":""}"#.utf8.count)

    /// The message that is posted. Making one takes longer than a request.
    package static let example = Message()
    /// The JSON of ``example``, for clients that take bytes as they are.
    package static let exampleData = Data(example.json.utf8)

    private init() {}

    /// The message as 1 KiB of JSON, for clients that take bytes.
    package var json: String { #"{"id":\#(id),"text":"\#(text)"}"# }
}
