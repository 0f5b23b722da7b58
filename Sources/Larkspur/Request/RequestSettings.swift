/// The headers of requests, their properties, and how parameters become a query.
///
/// A session manager has them as ``SessionManager/requestSettings``, whatever its request serializer is.
public struct RequestSettings: Sendable {
    /// The fields of every request that does not bring its own of that name. Default: ``HTTPHeaders/default``.
    public var headers: HTTPHeaders = .default

    /// The methods whose parameters go into the URL's query rather than into a body. Default: GET, HEAD and DELETE, as
    /// in AFNetworking.
    ///
    /// They are compared without regard to case.
    public var methodsEncodingParametersInURI: Set<HTTPMethod> = [.get, .head, .delete]
    /// The rules by which parameters become a query or a form body. Default: AFNetworking's rules.
    public var queryEncoder = QueryEncoder()
    /// Makes the query or the form body in place of ``queryEncoder``. Default: none.
    ///
    /// It is called on the thread that builds the request, with the request as it is so far, and not at all where there
    /// are no parameters. Its text is taken as it is; only what may not stand in a URL's query is escaped. Its error is
    /// the `underlyingError` of a ``LarkspurError`` with the code `parameterEncodingFailed`, or is reported as it is if
    /// it is a ``LarkspurError``.
    public var customQuery: (@Sendable (_ request: URLRequest, _ parameters: Parameters) throws -> String)?
    /// The encoding of the text of a form body. Default: UTF-8.
    ///
    /// Percent-encoding is always in UTF-8, so this shows only for a ``customQuery`` and for encodings that are no
    /// superset of ASCII.
    public var stringEncoding: String.Encoding = .utf8

    /// The seconds that a request may wait for data. Default: nil, which leaves what `URLRequest` and the session have.
    public var timeoutInterval: TimeInterval?
    /// The use of the cache. Default: nil, which leaves what `URLRequest` and the session have.
    public var cachePolicy: URLRequest.CachePolicy?
    /// The purpose of the request. Default: nil, which leaves what `URLRequest` has.
    public var networkServiceType: URLRequest.NetworkServiceType?
    /// True to allow cellular networks. Default: nil, which leaves what `URLRequest` and the session have.
    public var allowsCellularAccess: Bool?
    /// True to send and store cookies. Default: nil, which leaves what `URLRequest` and the session have.
    public var httpShouldHandleCookies: Bool?
    /// True to send the request before the response to an earlier one. Default: nil, which leaves what `URLRequest`
    /// and the session have.
    public var httpShouldUsePipelining: Bool?

    /// Makes settings with the defaults.
    public init() {}

    /// Sends credentials with every request by the Basic scheme, in UTF-8 (RFC 7617).
    /// - Parameters:
    ///   - username: The user's name; by the scheme's rules it can hold no colon.
    ///   - password: The password.
    public mutating func setAuthorization(username: String, password: String) {
        headers.set(.authorization(username: username, password: password))
    }

    /// Sends an access token with every request by the Bearer scheme (RFC 6750).
    /// - Parameter bearerToken: The token.
    public mutating func setAuthorization(bearerToken: String) {
        headers.set(.authorization(bearerToken: bearerToken))
    }

    /// Sends no credentials any more.
    public mutating func clearAuthorization() {
        headers.remove("Authorization")
    }

    /// Sets what was set here on a request; everything else stays as it is there.
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

    /// Says whether parameters go into the URL for a method.
    func encodesParametersInURI(_ method: String) -> Bool {
        methodsEncodingParametersInURI.contains(HTTPMethod(rawValue: method))
            || methodsEncodingParametersInURI.contains { $0.rawValue.uppercased() == method.uppercased() }
    }

    /// Makes the text of a query or a form body, by ``customQuery`` if there is one, else by ``queryEncoder``.
    /// - Parameters:
    ///   - parameters: The parameters.
    ///   - request: The request that it is for, as it is so far.
    /// - Throws: ``LarkspurError`` with the code `parameterEncodingFailed`, or the one that ``customQuery`` throws.
    public func query(_ parameters: Parameters, for request: URLRequest) throws(LarkspurError) -> String {
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

/// Reaches `URLRequest.httpShouldUsePipelining`, which Foundation advises against but still has, without its warning.
private protocol PipeliningRequest {
    var httpShouldUsePipelining: Bool { get set }
}

extension URLRequest: PipeliningRequest {}
