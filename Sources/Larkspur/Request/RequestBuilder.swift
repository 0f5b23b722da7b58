/// A builder of requests. It sets headers, request properties and parameters on a `URLRequest`.
///
/// It consists of ``settings``, whose properties can also be used as properties of the builder, and of a serializer
/// that writes content:
///
/// ```swift
/// var builder = RequestBuilder(.json)
/// builder.headers["X-API-Version"] = "2"
/// builder.timeoutInterval = 5
/// ```
///
/// A builder is a value: a copy has its own settings, and requests can be built on any thread. The builder of a session
/// manager is ``SessionManager/requestBuilder``.
@dynamicMemberLookup
public struct RequestBuilder: Sendable {
    /// The headers, the request properties, and the encoding of parameters as a query.
    public var settings: RequestSettings
    /// The serializer that writes parameters into the content of requests.
    public var serializer: any RequestSerializer

    /// Creates a builder.
    /// - Parameters:
    ///   - serializer: The serializer that writes parameters into the content of requests. Default:
    ///     ``HTTPRequestSerializer``.
    ///   - settings: The headers, the request properties, and the encoding of parameters as a query. Default: those of
    ///     ``RequestSettings``.
    public init(
        _ serializer: any RequestSerializer = HTTPRequestSerializer(),
        settings: RequestSettings = RequestSettings()
    ) {
        self.serializer = serializer
        self.settings = settings
    }

    /// A property of ``settings``: `builder.headers`, `builder.timeoutInterval`, `builder.queryEncoder` …
    public subscript<Value>(dynamicMember property: WritableKeyPath<RequestSettings, Value>) -> Value {
        get { settings[keyPath: property] }
        set { settings[keyPath: property] = newValue }
    }
}
