#if canImport(FoundationNetworking)
import HTTPSyntax

/// A realm of a server, in which credentials are valid (RFC 9110, section 11.5).
///
/// `URLProtectionSpace` cannot be a key, because it is compared by identity.
struct ProtectionSpace: Sendable, Hashable {
    enum Scheme: Sendable, Hashable {
        case basic, digest, negotiate, ntlm
    }

    /// A server or a proxy.
    struct Server: Sendable, Hashable {
        /// The URL's scheme in lower case. For a proxy, the type of the proxy.
        let scheme: String
        /// The host in its canonical form (``CanonicalHost/plainText``), or the path of a Unix-domain socket.
        let host: String
        let port: Int
        let isProxy: Bool

        init(scheme: String, host: String, port: Int, isProxy: Bool = false) {
            self.scheme = scheme.inLowercase
            self.host = (try? CanonicalHost(named: host))?.plainText ?? host.inLowercase
            self.port = port
            self.isProxy = isProxy
        }

        /// Creates the server of an http or https URL, which may be on a Unix-domain socket; nil for any other URL.
        init?(url: URL) {
            guard let scheme = url.scheme?.inLowercase else { return nil }
            let isOnSocket = UnixSocketTarget.schemes.contains(scheme)
            guard isOnSocket || scheme == "http" || scheme == "https" else { return nil }
            // In the path of a socket, the case is significant.
            let host = isOnSocket ? url.host(percentEncoded: false) : (try? CanonicalHost(of: url))?.plainText
            guard let host, !host.isEmpty else { return nil }
            self.scheme = scheme
            self.host = host
            port = isOnSocket ? 0 : url.port ?? (scheme == "https" ? 443 : 80)
            isProxy = false
        }
    }

    let server: Server
    /// The realm. If the server specifies no realm, this is the host. Alamofire's tests show the same behavior of
    /// `URLSession` on Apple platforms.
    let realm: String
    let scheme: Scheme
}

extension ProtectionSpace {
    init(server: Server, offer: ChallengeOffer) {
        self.init(server: server, realm: offer.realm?.readable ?? server.host, scheme: offer.scheme)
    }
}

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

    /// Creates the space for a key of a credential storage. Returns nil if the key's method does not belong to HTTP.
    ///
    /// The default method, `NSURLAuthenticationMethodDefault`, means Basic. The protocol may be one of Foundation's
    /// constants.
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
    /// Whether the challenge is about the connection, not about a request. The session's delegate receives such a
    /// challenge first.
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
