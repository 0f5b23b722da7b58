/// A serializer that writes parameters into the content of requests.
///
/// The serializers differ in their format: ``HTTPRequestSerializer`` (`.form`), ``JSONRequestSerializer`` (`.json`) and
/// ``PropertyListRequestSerializer`` (`.propertyList`). Header fields, timeouts and the rules of queries belong to the
/// session manager's ``SessionManager/requestSettings`` rather than to a serializer, so that they stay when the
/// serializer is replaced.
@dynamicMemberLookup
public protocol RequestSerializer: Sendable {
    /// Writes the content of a request whose method does not encode its parameters into the URI, and its `Content-Type`
    /// if it has none.
    ///
    /// Called on the thread that builds the request, concurrently for different requests.
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

/// Members that serializers had while headers and settings belonged to them. The compiler's message says what to write
/// instead.
extension RequestSerializer {
    /// Not available: request settings belong to the session manager.
    @available(
        *,
        unavailable,
        message: "Headers and settings belong to the manager: manager.headers, manager.requestSettings."
    )
    public subscript<Value>(dynamicMember property: WritableKeyPath<RequestSettings, Value>) -> Value {
        get { RequestSettings()[keyPath: property] }
        set {}
    }

    /// Not available: request settings belong to the session manager.
    @available(*, unavailable, message: "Settings belong to the manager: manager.requestSettings.")
    public var settings: RequestSettings {
        get { RequestSettings() }
        set {}
    }

    /// Not available: header fields belong to the session manager.
    @available(*, unavailable, message: "Header fields belong to the manager: manager.headers[field] = value.")
    public func setValue(_ value: String?, forHTTPHeaderField field: String) {}

    /// Not available: authorization belongs to the session manager.
    @available(*, unavailable, message: "Authorization belongs to the manager: manager.setAuthorization(bearerToken:).")
    public func setAuthorization(bearerToken: String) {}

    /// Not available: authorization belongs to the session manager.
    @available(
        *,
        unavailable,
        message: "Authorization belongs to the manager: manager.setAuthorization(username:password:)."
    )
    public func setAuthorization(username: String, password: String) {}

    /// Not available: authorization belongs to the session manager.
    @available(*, unavailable, message: "Authorization belongs to the manager: manager.clearAuthorization().")
    public func clearAuthorization() {}

    /// Not available: a request builder creates requests.
    @available(
        *,
        unavailable,
        message: "Use manager.makeRequest, manager.requestBuilder.makeRequest or RequestBuilder(serializer)."
    )
    public func makeRequest(
        _ method: HTTPMethod,
        url: URL,
        parameters: Parameters? = nil,
        headers: HTTPHeaders = HTTPHeaders()
    ) throws -> URLRequest { URLRequest(url: url) }
}

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
