/// Encodes values into content: `JSONEncoder`, `PropertyListEncoder`, or another encoder that is made to conform.
public protocol DataEncoder: Sendable {
    /// The media type of what it encodes, as a request's `Content-Type` names it.
    var contentType: String { get }

    /// Encodes a value.
    ///
    /// It is called on the thread that builds the request, at the same time for different requests.
    /// - Parameter value: The value.
    /// - Returns: The content.
    /// - Throws: ``LarkspurError``, which is reported as it is; or any other error, which is reported underneath one
    ///   with the code `parameterEncodingFailed`.
    func encode<Value: Encodable>(_ value: Value) throws -> Data
}

extension JSONEncoder: DataEncoder {
    /// `application/json`.
    public var contentType: String { "application/json" }
}

extension PropertyListEncoder: DataEncoder {
    /// `application/x-plist`.
    public var contentType: String { "application/x-plist" }
}
