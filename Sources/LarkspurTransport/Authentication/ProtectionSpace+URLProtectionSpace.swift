#if canImport(FoundationNetworking)
import HTTPSyntax

extension ProtectionSpace {
    /// The space for delegates.
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

    /// Creates the space for a key of a credential storage; nil if its method does not belong to HTTP.
    ///
    /// The default method, `NSURLAuthenticationMethodDefault`, stands for Basic. The protocol may be one of
    /// Foundation's constants.
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
    /// Whether the challenge is about the connection and not about a request. The session's delegate then receives it
    /// first.
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
