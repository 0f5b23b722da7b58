import HTTPSyntax

/// The headers and properties of requests, and the encoding of parameters as a query.
///
/// The settings of a session manager are ``SessionManager/requestSettings``. They do not depend on its request
/// serializer.
public struct RequestSettings: Sendable {
    /// The header fields that are added to every request, unless the request has a field with the same name. Default:
    /// ``HTTPHeaders/default``.
    ///
    /// If the session manager has a base URL, the fields that carry credentials are added only to requests to the
    /// origin of the base URL, and to the origins of ``credentialOrigins``. These fields are `Authorization`, `Cookie`,
    /// `Proxy-Authorization`, and those whose names suggest a token, key, session, secret or password, such as
    /// `X-Api-Key`.
    public var headers: HTTPHeaders = .default
    /// The URLs to whose origins (scheme, host and port) credentials are sent, in addition to the origin of the session
    /// manager's ``SessionManager/baseURL``. Default: none.
    ///
    ///     manager.requestSettings.credentialOrigins = [uploadURL]
    ///
    /// Credentials are the fields of ``headers`` and of the configuration's `httpAdditionalHeaders` whose names
    /// indicate credentials, such as `Authorization`, `Cookie` and `X-Api-Key`. A path and a query of the URLs do not
    /// count. If the manager has no base URL, the property has no effect: credentials are then sent to every origin
    /// that a call names. A redirect, a next page or an upload's resource at another origin than that of the request
    /// before it gets no credentials of ``headers``, even if the origin is named here.
    public var credentialOrigins: [URL] = []

    /// The methods whose parameters become the URL's query rather than the body. Default: GET, HEAD and DELETE, as in
    /// AFNetworking.
    ///
    /// Upper and lower case are not distinguished.
    public var methodsEncodingParametersInURI: Set<HTTPMethod> = [.get, .head, .delete]
    /// The rules by which parameters become a query or a form body. Default: AFNetworking's rules.
    public var queryEncoder = QueryEncoder()
    /// The closure that creates the query or the form body instead of ``queryEncoder``. Default: none.
    ///
    /// The closure runs on the thread that builds the request, and receives the request in its current state. If there
    /// are no parameters, it is not called. In its text, the characters that a URL's query must not contain are
    /// escaped. The rest of the text stays unchanged. A ``LarkspurError`` that it throws is reported unchanged. Another
    /// error becomes the `underlyingError` of a ``LarkspurError`` with the code `parameterEncodingFailed`.
    public var customQuery: (@Sendable (_ request: URLRequest, _ parameters: Parameters) throws -> String)?
    /// The encoding of the text of a form body. Default: UTF-8.
    ///
    /// Percent-encoding always uses UTF-8, and its result is ASCII. So the property has an effect only on the text of a
    /// ``customQuery``, and with encodings that are not a superset of ASCII.
    public var stringEncoding: String.Encoding = .utf8

    /// The time in seconds for which a request may wait for data. Default: nil, which keeps the value of `URLRequest`
    /// and of the session.
    public var timeoutInterval: TimeInterval?
    /// The cache policy of the request. Default: nil, which keeps the value of `URLRequest` and of the session.
    public var cachePolicy: URLRequest.CachePolicy?
    /// The network service type, which is the purpose of the request. Default: nil, which keeps the value of
    /// `URLRequest`.
    public var networkServiceType: URLRequest.NetworkServiceType?
    /// Whether cellular networks are allowed. Default: nil, which keeps the value of `URLRequest` and of the session.
    public var allowsCellularAccess: Bool?
    /// Whether cookies are sent and stored. Default: nil, which keeps the value of `URLRequest` and of the session.
    public var httpShouldHandleCookies: Bool?
    /// Whether the request may be sent before the response to an earlier request has arrived. Default: nil, which keeps
    /// the value of `URLRequest` and of the session.
    public var httpShouldUsePipelining: Bool?

    /// Creates settings with the defaults.
    public init() {}

    /// Adds credentials to requests with the Basic scheme, in UTF-8 (RFC 7617).
    ///
    /// The credentials become the field `Authorization` of ``headers``. If the session manager has a base URL, they are
    /// sent only to the origin of the base URL, and to the origins of ``credentialOrigins``.
    /// - Parameters:
    ///   - username: The user's name. By the rules of the scheme it must not contain a colon.
    ///   - password: The password.
    public mutating func setAuthorization(username: String, password: String) {
        headers.set(.authorization(username: username, password: password))
    }

    /// Adds an access token to requests with the Bearer scheme (RFC 6750).
    ///
    /// The token becomes the field `Authorization` of ``headers``. If the session manager has a base URL, the token is
    /// sent only to the origin of the base URL, and to the origins of ``credentialOrigins``.
    /// - Parameter bearerToken: The token.
    public mutating func setAuthorization(bearerToken: String) {
        headers.set(.authorization(bearerToken: bearerToken))
    }

    /// Removes the credentials or the token from ``headers``.
    public mutating func clearAuthorization() {
        headers.remove("Authorization")
    }

    /// Applies the properties that are not nil to a request. Other properties of the request stay unchanged.
    func applyProperties(to request: inout URLRequest) {
        if let timeoutInterval { request.timeoutInterval = timeoutInterval }
        if let cachePolicy { request.cachePolicy = cachePolicy }
        if let networkServiceType { request.networkServiceType = networkServiceType }
        if let allowsCellularAccess { request.allowsCellularAccess = allowsCellularAccess }
        if let httpShouldHandleCookies { request.httpShouldHandleCookies = httpShouldHandleCookies }
        if let httpShouldUsePipelining { Self.setPipelining(httpShouldUsePipelining, on: &request) }
    }

    private static func setPipelining(_ isOn: Bool, on request: inout some PipeliningRequest) {
        request.httpShouldUsePipelining = isOn
    }

    /// Returns whether the parameters of a method become the URL's query.
    func encodesParametersInURI(_ method: String) -> Bool {
        // The usual spelling is found by its hash, without a search through the set.
        methodsEncodingParametersInURI.contains(HTTPMethod(rawValue: method))
            || methodsEncodingParametersInURI.contains { $0.rawValue.uppercased() == method.uppercased() }
    }

    /// Returns the text of a query or a form body, from ``customQuery`` if it is set, otherwise from ``queryEncoder``.
    /// - Parameters:
    ///   - parameters: The parameters.
    ///   - request: The request in its current state.
    /// - Throws: ``LarkspurError`` with the code `parameterEncodingFailed`, or the ``LarkspurError`` that
    ///   ``customQuery`` throws.
    func query(_ parameters: Parameters, for request: URLRequest) throws(LarkspurError) -> String {
        guard let customQuery else { return try queryEncoder.encode(parameters) }
        do {
            return try customQuery(request, parameters)
        } catch let error as LarkspurError {
            throw error
        } catch {
            throw LarkspurError(
                .parameterEncodingFailed,
                "The custom query threw \(type(of: error)).",
                underlyingError: error,
                request: request
            )
        }
    }
}

/// A protocol with the property `httpShouldUsePipelining` of `URLRequest`. Foundation has deprecated the property, and
/// access through a protocol gives no warning.
private protocol PipeliningRequest {
    var httpShouldUsePipelining: Bool { get set }
}

extension URLRequest: PipeliningRequest {}
