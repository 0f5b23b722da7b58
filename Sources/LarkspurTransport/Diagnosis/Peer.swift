#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The server or proxy that a transfer connects to, as errors name it: without credentials.
struct Peer: Sendable, Hashable {
    enum Kind: String, Sendable {
        case server, proxy, socket
    }

    let kind: Kind
    /// The host and the port, or the path of a Unix-domain socket.
    let name: String
    /// The addresses of the host to which a connection was tried, unless the host is an address itself.
    let addresses: [String]
}

extension Peer {
    /// Creates the peer that a URL names; nil for a URL that names none.
    /// - Parameters:
    ///   - url: The URL of a request.
    ///   - addresses: The addresses that were tried. Default: none.
    init?(_ url: URL, addresses: [String] = []) {
        if let target = try? UnixSocketTarget(url) {
            self.init(kind: .socket, name: target.socketPath, addresses: [])
        } else if let origin = URLReference(url.absoluteString).origin {
            self.init(kind: .server, host: origin.host, port: origin.port, addresses: addresses)
        } else {
            return nil
        }
    }

    init(_ proxy: ProxyServer, addresses: [String] = []) {
        let host = proxy.host.utf8.contains(UInt8(ascii: ":")) ? "[\(proxy.host)]" : proxy.host
        self.init(kind: .proxy, host: host, port: proxy.port, addresses: addresses)
    }

    private init(kind: Kind, host: String, port: Int, addresses: [String]) {
        self.init(
            kind: kind,
            name: "\(host):\(port)",
            addresses: addresses.filter { $0 != host && "[\($0)]" != host }
        )
    }
}

extension Peer: CustomStringConvertible {
    /// The kind and the name, and the addresses in parentheses: "server example.com:443 (192.0.2.1, 192.0.2.2)".
    var description: String {
        guard !addresses.isEmpty else { return "\(kind) \(name)" }
        let shown = addresses.prefix(4).joined(separator: ", ")
        return "\(kind) \(name) (\(shown)\(addresses.count > 4 ? ", …" : ""))"
    }
}
#endif
