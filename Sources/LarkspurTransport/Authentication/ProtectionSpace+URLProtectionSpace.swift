#if canImport(FoundationNetworking)
extension ProtectionSpace {
    /// The space as delegates see it.
    var urlProtectionSpace: URLProtectionSpace {
        let method = scheme.authenticationMethod
        return server.isProxy
            ? URLProtectionSpace(
                proxyHost: server.host,
                port: server.port,
                type: server.scheme == "https" ? NSURLProtectionSpaceHTTPSProxy : NSURLProtectionSpaceHTTPProxy,
                realm: realm,
                authenticationMethod: method
            )
            : URLProtectionSpace(
                host: server.host,
                port: server.port,
                protocol: server.scheme,
                realm: realm,
                authenticationMethod: method
            )
    }

    /// Creates the space for a key of a credential storage; nil if its method is none of HTTP.
    ///
    /// The method of a space without one, `NSURLAuthenticationMethodDefault`, stands for Basic, and a protocol may be
    /// written as one of the constants.
    init?(_ space: URLProtectionSpace) {
        switch space.authenticationMethod {
        case NSURLAuthenticationMethodDefault, NSURLAuthenticationMethodHTTPBasic: scheme = .basic
        case NSURLAuthenticationMethodHTTPDigest: scheme = .digest
        case NSURLAuthenticationMethodNegotiate: scheme = .negotiate
        case NSURLAuthenticationMethodNTLM: scheme = .ntlm
        default: return nil
        }
        let isProxy = space.isProxy()
        let name =
            switch isProxy ? space.proxyType : space.protocol {
            case NSURLProtectionSpaceHTTP, NSURLProtectionSpaceHTTPProxy: "http"
            case NSURLProtectionSpaceHTTPS, NSURLProtectionSpaceHTTPSProxy: "https"
            case let other: other ?? "http"
            }
        let port = space.port == 0 ? (name == "https" ? 443 : 80) : space.port
        server = Server(scheme: name, host: space.host, port: port, isProxy: isProxy)
        realm = space.realm ?? (scheme == .basic ? server.host : "")
    }
}

extension ProtectionSpace.Scheme {
    fileprivate var authenticationMethod: String {
        switch self {
        case .basic: NSURLAuthenticationMethodHTTPBasic
        case .digest: NSURLAuthenticationMethodHTTPDigest
        case .negotiate: NSURLAuthenticationMethodNegotiate
        case .ntlm: NSURLAuthenticationMethodNTLM
        }
    }
}

extension URLProtectionSpace {
    /// Whether the connection is challenged and not a request. The session's delegate receives such a challenge first.
    var isOfConnection: Bool {
        switch authenticationMethod {
        case NSURLAuthenticationMethodDefault, NSURLAuthenticationMethodHTTPBasic, NSURLAuthenticationMethodHTTPDigest,
            NSURLAuthenticationMethodHTMLForm:
            false
        default: true
        }
    }
}
#endif
