/// Builds requests: puts headers, request properties and parameters into a `URLRequest`.
///
/// It consists of ``settings``, whose properties can be used as if they were the builder's own, and of a serializer
/// that writes content:
///
/// ```swift
/// var builder = RequestBuilder(.json)
/// builder.headers["X-API-Version"] = "2"
/// builder.timeoutInterval = 5
/// ```
///
/// A builder is a value: a copy has its own settings, and requests can be built on any thread. A session manager has
/// one as ``SessionManager/requestBuilder``.
@dynamicMemberLookup
public struct RequestBuilder: Sendable {
    /// Headers, request properties, and how parameters become a query.
    public var settings: RequestSettings
    /// Writes parameters into the content of requests.
    public var serializer: any RequestSerializer

    /// Makes a builder.
    /// - Parameters:
    ///   - serializer: Writes parameters into the content of requests. Default: ``HTTPRequestSerializer``.
    ///   - settings: Headers, request properties, and how parameters become a query. Default: those of
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
