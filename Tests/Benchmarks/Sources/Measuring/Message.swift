#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// What is posted.
package struct Message: Encodable, Sendable {
    package var id = 1
    package var text = String(repeating: "a", count: 1024 - #"{"id":1,"text":""}"#.utf8.count)

    /// The message that is posted. Making one takes longer than a request.
    package static let example = Message()
    /// The 1 KiB of JSON of ``example``, for requests that are prepared.
    package static let exampleJSON = Data(#"{"id":\#(example.id),"text":"\#(example.text)"}"#.utf8)

    private static let encoder = JSONEncoder()

    private init() {}

    /// Encodes ``example``. All requests share an encoder.
    package static func encodeExample() throws -> Data { try encoder.encode(example) }
}
