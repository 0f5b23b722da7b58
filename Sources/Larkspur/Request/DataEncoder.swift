/// An encoder of values into content: `JSONEncoder`, `PropertyListEncoder`, or another encoder that conforms.
public protocol DataEncoder: Sendable {
    /// The media type of the encoded content, for the request's `Content-Type`.
    var contentType: String { get }

    /// Encodes a value.
    ///
    /// Called on the thread that builds the request, concurrently for different requests.
    /// - Parameter value: The value.
    /// - Returns: The content.
    /// - Throws: ``LarkspurError``, which is reported unchanged; or any other error, which becomes the
    ///   `underlyingError` of one with the code `parameterEncodingFailed`.
    func encode<Value: Encodable>(_ value: Value) throws -> Data
}

extension JSONEncoder: DataEncoder {
    /// The media type `application/json`.
    public var contentType: String { "application/json" }
}

extension PropertyListEncoder: DataEncoder {
    /// The media type `application/x-plist`.
    public var contentType: String { "application/x-plist" }
}
