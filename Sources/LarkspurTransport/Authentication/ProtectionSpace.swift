#if canImport(FoundationNetworking)

/// A realm on a server, within which credentials are valid (RFC 9110, section 11.5).
///
/// `URLProtectionSpace` compares by identity, so it cannot serve as a key.
struct ProtectionSpace: Sendable, Hashable {
    enum Scheme: Sendable, Hashable {
        case basic, digest, negotiate, ntlm
    }

    /// A server or a proxy.
    struct Server: Sendable, Hashable {
        /// The URL's scheme in lower case; of a proxy, its type.
        let scheme: String
        /// The host in lower case, or the path of a Unix-domain socket.
        let host: String
        let port: Int
        let isProxy: Bool

        init(scheme: String, host: String, port: Int, isProxy: Bool = false) {
            self.scheme = scheme.lowercased()
            self.host = host.lowercased()
            self.port = port
            self.isProxy = isProxy
        }

        /// - Parameter socketPath: The path of a Unix-domain socket; its case is significant.
        private init(scheme: String, socketPath: String) {
            self.scheme = scheme
            host = socketPath
            port = 0
            isProxy = false
        }

        /// Creates the server of an http or https URL, also on a Unix-domain socket; nil for any other URL.
        init?(url: URL) {
            guard let scheme = url.scheme?.lowercased(), let host = url.host(percentEncoded: false), !host.isEmpty
            else { return nil }
            if UnixSocketTarget.schemes.contains(scheme) {
                self.init(scheme: scheme, socketPath: host)
                return
            }
            guard scheme == "http" || scheme == "https" else { return nil }
            self.init(scheme: scheme, host: host, port: url.port ?? (scheme == "https" ? 443 : 80))
        }
    }

    let server: Server
    /// The realm, or the host if the server names none: Alamofire's tests expect that of `URLSession` on Apple
    /// platforms.
    let realm: String
    let scheme: Scheme

    init(server: Server, realm: String, scheme: Scheme) {
        self.server = server
        self.realm = realm
        self.scheme = scheme
    }

    init(server: Server, challenge: AnswerableChallenge) {
        self.init(server: server, realm: challenge.realm ?? server.host, scheme: challenge.scheme)
    }

    init(server: Server, offer: ChallengeOffer) {
        self.init(server: server, realm: offer.realm ?? server.host, scheme: offer.scheme)
    }
}
#endif

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

extension URLAuthenticationChallenge {
    /// Creates a challenge as delegates see it; its sender answers it.
    /// - Parameters:
    ///   - failureCount: The number of times that credentials were refused already.
    ///   - response: The response with the challenge, a 401 or 407.
    ///   - answer: Called once, on the thread that uses the sender, if the delegate uses the sender instead of a
    ///     completion handler.
    static func http(
        _ space: ProtectionSpace,
        proposedCredential: URLCredential?,
        failureCount: Int,
        response: URLResponse?,
        answer: @escaping ChallengeSender.Answer
    ) -> URLAuthenticationChallenge {
        URLAuthenticationChallenge(
            protectionSpace: space.urlProtectionSpace,
            proposedCredential: proposedCredential,
            previousFailureCount: failureCount,
            failureResponse: response,
            error: nil,
            sender: ChallengeSender(answer)
        )
    }
}
#endif
