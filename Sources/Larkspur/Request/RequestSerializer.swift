/// A serializer that writes parameters into the content of requests.
///
/// The serializers differ in their format: ``HTTPRequestSerializer`` (`.form`), ``JSONRequestSerializer`` (`.json`) and
/// ``PropertyListRequestSerializer`` (`.propertyList`). Header fields, timeouts and the rules of queries do not belong
/// to a serializer, but to the session manager's ``SessionManager/requestSettings``. So they stay when the serializer
/// is replaced.
public protocol RequestSerializer: Sendable {
    /// Writes the content of a request whose method does not encode parameters into the URI. Sets the `Content-Type` if
    /// the request has none.
    ///
    /// The method is called on the thread that builds the request, and concurrently for different requests.
    /// - Parameters:
    ///   - parameters: The parameters; nil if the caller passed none.
    ///   - request: The request, whose URL, method and headers are set.
    ///   - settings: The settings that the request is built with, among them the rules of queries and forms.
    /// - Throws: ``LarkspurError`` with the code `parameterEncodingFailed`.
    func encodeBody(
        _ parameters: Parameters?,
        into request: inout URLRequest,
        with settings: RequestSettings
    ) throws(LarkspurError)
}

/// An encoder of values into content: `JSONEncoder`, `PropertyListEncoder`, or another encoder that conforms.
public protocol DataEncoder: Sendable {
    /// The media type of the encoded content, for the request's `Content-Type`.
    var contentType: String { get }

    /// Encodes a value.
    ///
    /// The method is called on the thread that builds the request, and concurrently for different requests.
    /// - Parameter value: The value.
    /// - Returns: The content.
    /// - Throws: ``LarkspurError``, which is reported unchanged; or another error, which becomes the `underlyingError`
    ///   of a ``LarkspurError`` with the code `parameterEncodingFailed`.
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
