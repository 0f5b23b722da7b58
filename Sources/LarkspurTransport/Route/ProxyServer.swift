#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// A proxy server: its address, its protocol and its credentials.
///
/// Its descriptions do not show the password.
public struct ProxyServer: Sendable, Hashable {
    /// The protocol of a proxy.
    ///
    /// It is a struct and not an enum, so that a new protocol does not break existing `switch` statements. Give every
    /// `switch` a `default`.
    public struct Kind: Sendable, Hashable, CustomStringConvertible {
        enum Code: String, Sendable {
            case http
            case https
            case socks5
        }

        let code: Code

        /// HTTP. http requests are sent to the proxy, and https requests through a tunnel (RFC 9110, section 9.3.6).
        public static let http = Self(code: .http)
        /// HTTP over TLS. The connection to the proxy is encrypted. http requests are sent to the proxy, and https
        /// requests through a tunnel (RFC 9110, section 9.3.6).
        public static let https = Self(code: .https)
        /// SOCKS version 5 (RFC 1928). The proxy resolves the names of hosts.
        public static let socks5 = Self(code: .socks5)

        /// The name of the protocol: `http`, `https` or `socks5`.
        public var description: String { code.rawValue }
    }

    /// The protocol of the proxy.
    public var kind: Kind
    /// The proxy's name or address. An IPv6 address has no brackets.
    public var host: String
    /// The proxy's port, from 1 to 65535.
    public var port: Int
    /// The user name if the proxy requires one; otherwise nil.
    public var user: String?
    /// The password that belongs to ``user``.
    public var password: String?

    /// Creates a proxy.
    /// - Parameters:
    ///   - kind: The protocol of the proxy. Default: HTTP.
    ///   - host: The proxy's name or address. An IPv6 address has no brackets.
    ///   - port: The proxy's port, from 1 to 65535. Default: 80 for HTTP, 443 for HTTPS and 1080 for SOCKS.
    ///   - user: The user name if the proxy requires one. Default: nil.
    ///   - password: The password that belongs to the user. Default: nil.
    public init(
        kind: Kind = .http,
        host: String,
        port: Int? = nil,
        user: String? = nil,
        password: String? = nil
    ) {
        self.kind = kind
        self.host = host
        self.port = port ?? kind.standardPort
        self.user = user
        self.password = password
    }

    /// Creates a proxy from a text in the form that environment variables have: `http://user:password@host:port`. Only
    /// the host is required. Nil if the text has another form.
    ///
    /// The schemes are http, https, socks5 and socks5h. The last two have the same meaning.
    public init?(_ text: String) {
        let whole = text.utf8.firstRange(of: "://".utf8) == nil ? "http://" + text : text
        guard let url = try? URLReference(reading: whole), let scheme = url.scheme?.inLowercase,
            let code = Kind.Code(rawValue: scheme == "socks5h" ? "socks5" : scheme),
            let authority = url.authority.map(URLReference.Authority.init),
            let host = try? CanonicalHost(inURL: authority.host),
            url.path.isEmpty || url.path == "/", url.query == nil, url.fragment == nil
        else { return nil }
        let port = authority.port.flatMap { $0.isEmpty ? nil : $0.utf8.decimalNumber(atMost: 65536) ?? 0 }
        let credentials = authority.credentials
        self.init(
            kind: Kind(code: code),
            host: host.plainText,
            port: port,
            user: credentials?.user,
            password: credentials?.password
        )
        guard isValid else { return nil }
    }

    /// The host in its canonical form; nil if there is none. The proxy's host has no zone.
    var canonicalHost: CanonicalHost? { (try? CanonicalHost(named: host)).flatMap { $0.zone == nil ? $0 : nil } }

    /// Whether the proxy can be passed to libcurl, which does not validate it.
    var isValid: Bool {
        (1...65535).contains(port) && canonicalHost != nil
            && (user ?? "").utf8.allSatisfy { $0 != 0 } && (password ?? "").utf8.allSatisfy { $0 != 0 }
    }

    /// The proxy in libcurl's notation, without user and password.
    var curlName: String { "\(scheme)://\(hostAndPort)" }

    private var scheme: String { kind == .socks5 ? "socks5h" : kind.description }

    var hostAndPort: String { "\(canonicalHost?.fieldText ?? host):\(port)" }
}

extension ProxyServer: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The proxy without its password.
    public var description: String {
        user.map { "\(scheme)://\($0)@\(hostAndPort)" } ?? curlName
    }

    /// The proxy without its password.
    public var debugDescription: String { description }

    /// The proxy without its password.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension ProxyServer.Kind {
    fileprivate var standardPort: Int {
        switch code {
        case .http: 80
        case .https: 443
        case .socks5: 1080
        }
    }
}
#endif
