#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The proxies that a session uses.
public enum ProxyChoice: Sendable, Hashable {
    /// The proxies of the configuration's `connectionProxyDictionary`, even if the dictionary is empty. If there is no
    /// dictionary, the proxies of the environment are used.
    ///
    /// The environment's variables are `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`. The last three may also
    /// be in capital letters. `HTTP_PROXY` is ignored, because the clients of a web server can set it for the programs
    /// that the server runs. The variables are read when the session is created.
    case automatic
    /// No proxy. The configuration and the environment are ignored.
    case direct
    /// The given proxy.
    ///
    /// The exceptions are hosts for which no proxy is used. A name includes all subdomains: "example.com",
    /// "*.example.com" and ".example.com" mean the same. An exception may also be an address ("10.0.0.1"), a network
    /// ("10.0.0.0/8"), "<local>" for all names without a dot, or "*" for all hosts. Names and addresses may have a port
    /// ("localhost:8080").
    case server(ProxyServer, exceptions: [String] = [])
}

/// The proxies for requests. It is a value without I/O.
struct ProxySettings: Sendable, Equatable {
    /// The reason why no proxy can be chosen for a request.
    struct Failure: Error, Equatable {
        let sentence: String
    }

    private enum Entry: Sendable, Equatable {
        case direct
        case proxy(ProxyServer)
        case invalid(Failure)
    }

    private var http = Entry.direct
    private var https = Entry.direct
    private var exceptions: [HostException] = []

    /// Whether all requests are sent without a proxy.
    var isDirect: Bool { http == .direct && https == .direct }

    private init() {}

    /// - Parameters:
    ///   - choice: The choice in the session's options.
    ///   - dictionary: The configuration's `connectionProxyDictionary`.
    ///   - environment: Returns the value of an environment variable; nil if there is none.
    init(_ choice: ProxyChoice, dictionary: [AnyHashable: Any]?, environment: (String) -> String?) {
        switch choice {
        case .direct: self.init()
        case .automatic:
            if let dictionary { self.init(dictionary) } else { self.init(environment) }
        case .server(let server, let exceptions):
            self.init()
            http = Self.entry(server, name: "proxy")
            https = http
            self.exceptions = exceptions.compactMap { HostException($0) }
        }
    }

    /// Returns the proxy for a URL; nil for a direct connection.
    func proxy(for url: URL) throws(Failure) -> ProxyServer? {
        let isSecure = url.scheme?.inLowercase == "https"
        let entry = isSecure ? https : http
        if entry == .direct { return nil }
        let port = url.port ?? (isSecure ? 443 : 80)
        // If a host has no canonical form, the exceptions are not searched: the request fails with and without a proxy.
        if !exceptions.isEmpty, let host = try? CanonicalHost(of: url),
            exceptions.contains(where: { $0.matches(host, port: port) })
        {
            return nil
        }
        switch entry {
        case .direct: return nil
        case .proxy(let proxy): return proxy
        case .invalid(let failure): throw failure
        }
    }

    private static func entry(_ server: ProxyServer, name: String) -> Entry {
        server.isValid ? .proxy(server) : .invalid(Failure(sentence: "The \(name) has no valid host and port."))
    }

    // MARK: The environment

    private init(_ environment: (String) -> String?) {
        self.init()
        func entry(_ names: String...) -> Entry? {
            for name in names {
                guard let text = environment(name) else { continue }
                // An empty variable means that there is no proxy. The more general variables are then ignored.
                guard !text.isEmpty else { return .direct }
                return ProxyServer(text).map(Entry.proxy)
                    ?? .invalid(Failure(sentence: "The environment variable \(name) names no proxy that can be used."))
            }
            return nil
        }
        let all = entry("all_proxy", "ALL_PROXY") ?? .direct
        http = entry("http_proxy") ?? all
        https = entry("https_proxy", "HTTPS_PROXY") ?? all
        let names = environment("no_proxy") ?? environment("NO_PROXY") ?? ""
        // The text is split by Unicode scalars, because some letters form one character with the comma after them.
        exceptions = names.unicodeScalars.split { $0 == "," || $0 == " " }.compactMap { HostException(String($0)) }
    }

    // MARK: The configuration

    private init(_ dictionary: [AnyHashable: Any]) {
        self.init()
        let values = ProxyDictionary(dictionary)
        func entry(_ kind: ProxyServer.Kind, _ name: String) -> Entry? {
            values.server(kind, name).map { Self.entry($0, name: "\(name) proxy of the configuration") }
        }
        let needsScript = values.isOn("ProxyAutoConfigEnable") || values.isOn("ProxyAutoDiscoveryEnable")
        let script = Failure(sentence: "Proxies cannot be configured by a script: name them in the configuration.")
        let otherwise = entry(.socks5, "SOCKS") ?? (needsScript ? .invalid(script) : .direct)
        http = entry(.http, "HTTP") ?? otherwise
        https = entry(.http, "HTTPS") ?? otherwise
        exceptions = values.exceptions.compactMap { HostException($0) }
    }
}

/// A `connectionProxyDictionary`, with CFNetwork's keys.
struct ProxyDictionary {
    private let values: [String: Any]

    init(_ dictionary: [AnyHashable: Any]) {
        let pairs = dictionary.compactMap { key, value in (key.base as? String).map { ($0, value) } }
        values = Dictionary(pairs) { first, _ in first }
    }

    func isOn(_ key: String) -> Bool {
        switch values[key] {
        case let flag as Bool: flag
        case let number as NSNumber: number.boolValue
        case let number as Int: number != 0
        default: false
        }
    }

    /// Returns the proxy for keys with a prefix, such as "HTTPEnable", "HTTPProxy" and "HTTPPort". Returns nil if this
    /// proxy is not enabled.
    func server(_ kind: ProxyServer.Kind, _ prefix: String) -> ProxyServer? {
        guard isOn(prefix + "Enable") else { return nil }
        return ProxyServer(
            kind: kind,
            host: values[prefix + "Proxy"] as? String ?? "",
            port: port(prefix + "Port"),
            user: text(prefix + "User", "kCFProxyUsernameKey"),
            password: text(prefix + "Password", "kCFProxyPasswordKey")
        )
    }

    /// The hosts for which no proxy is used.
    var exceptions: [String] {
        (values["ExceptionsList"] as? [String] ?? []) + (isOn("ExcludeSimpleHostnames") ? ["<local>"] : [])
    }

    private func port(_ key: String) -> Int? {
        switch values[key] {
        case nil: nil
        case let number as Int: number
        case let number as NSNumber: number.intValue
        case let text as String: Int(text) ?? 0
        // The port 0 is invalid, so the request fails.
        default: 0
        }
    }

    private func text(_ keys: String...) -> String? {
        keys.lazy.compactMap { values[$0] as? String }.first
    }
}

/// Hosts for which no proxy is used.
struct HostException: Sendable, Equatable {
    private enum Hosts: Sendable, Equatable {
        case all
        /// All names without a dot.
        case local
        /// A name in its canonical form, and all its subdomains.
        case domain(String)
        case network(IPNetwork)
    }

    private let hosts: Hosts
    private let port: Int?

    /// Parses an exception. Returns nil if the text is not a valid exception.
    init?(_ text: String) {
        let text = text.trimmingCharacters(in: .whitespaces)
        if let network = IPNetwork(text) {
            (hosts, port) = (.network(network), nil)
            return
        }
        var (name, port) = Self.split(text)
        if name.begins(with: "*.") { name.unicodeScalars.removeFirst(2) }
        if name.begins(with: ".") { name.unicodeScalars.removeFirst() }
        self.port = port
        if name.utf8.elementsEqual("*".utf8) {
            hosts = .all
        } else if name.hasSameLetters(as: "<local>") {
            hosts = .local
        } else if let host = try? CanonicalHost(named: name) {
            hosts = host.address.map { .network(IPNetwork($0)) } ?? .domain(host.name)
        } else {
            return nil
        }
    }

    func matches(_ host: CanonicalHost, port: Int) -> Bool {
        if let own = self.port, own != port { return false }
        switch hosts {
        case .all: return true
        case .local: return host.address == nil && !host.name.utf8.contains(UInt8(ascii: "."))
        case .domain(let domain):
            guard host.address == nil else { return false }
            guard host.name.utf8.count > domain.utf8.count else { return host.name == domain }
            return host.name.utf8.dropLast(domain.utf8.count).last == UInt8(ascii: ".") && host.name.ends(with: domain)
        case .network(let network): return host.address.map(network.contains) ?? false
        }
    }

    private static func split(_ text: String) -> (String, Int?) {
        guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")),
            let port = UInt16(text[text.utf8.index(after: colon)...])
        else { return (text, nil) }
        return (String(text[..<colon]), Int(port))
    }
}
#endif
