/// Builds requests: puts headers, request properties and parameters into a `URLRequest`.
///
/// The kinds differ in the body that they write; what they have in common is their ``settings``, whose properties can be used as if they were
/// the serializer's own:
///
/// ```swift
/// var serializer = JSONRequestSerializer()
/// serializer.headers["X-API-Version"] = "2"
/// serializer.timeoutInterval = 5
/// ```
///
/// A serializer is a value: a copy has its own settings, and requests can be built on any thread.
@dynamicMemberLookup
public protocol RequestSerializer: Sendable {
    /// Headers, request properties, and how parameters become a query.
    var settings: RequestSettings { get set }

    /// Writes the body of a request whose method does not encode its parameters into the URI, and its Content-Type if it has none.
    /// - Parameters:
    ///   - parameters: What to encode; nil if the caller gave none.
    ///   - request: The request, with its URL, method and headers in place.
    /// - Throws: ``LarkspurError`` with the code `parameterEncodingFailed`.
    func encodeBody(_ parameters: Parameters?, into request: inout URLRequest) throws(LarkspurError)
}

extension RequestSerializer {
    /// A property of ``settings``: `serializer.headers`, `serializer.timeoutInterval`, `serializer.queryEncoder` …
    public subscript<Value>(dynamicMember property: WritableKeyPath<RequestSettings, Value>) -> Value {
        get { settings[keyPath: property] }
        set { settings[keyPath: property] = newValue }
    }

    /// Sends credentials with every request by the Basic scheme, in UTF-8 (RFC 7617).
    /// - Parameters:
    ///   - username: The user's name; by the scheme's rules it can hold no colon.
    ///   - password: The password.
    public mutating func setAuthorization(username: String, password: String) {
        settings.headers.set(.authorization(username: username, password: password))
    }

    /// Sends an access token with every request by the Bearer scheme (RFC 6750).
    /// - Parameter bearerToken: The token.
    public mutating func setAuthorization(bearerToken: String) {
        settings.headers.set(.authorization(bearerToken: bearerToken))
    }

    /// Sends no credentials any more.
    public mutating func clearAuthorization() {
        settings.headers.remove("Authorization")
    }
}
