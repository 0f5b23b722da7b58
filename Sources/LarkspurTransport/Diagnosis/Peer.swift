#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The server or proxy to which a transfer connects, as error messages name it. It has no credentials.
struct Peer: Sendable, Hashable {
    enum Kind: String, Sendable {
        case server, proxy, socket
    }

    let kind: Kind
    /// The host and the port, or the path of a Unix-domain socket.
    let name: String
    /// The addresses to which connections were tried; empty if the host itself is an address.
    let addresses: [String]
}

extension Peer {
    /// Creates the peer of a URL; nil for a URL without a host.
    /// - Parameters:
    ///   - url: The URL of a request.
    ///   - addresses: The addresses that were tried. Default: none.
    init?(_ url: URL, addresses: [String] = []) {
        if let target = try? UnixSocketTarget(url) {
            self.init(kind: .socket, name: target.socketPath, addresses: [])
        } else if let origin = URLReference(url.absoluteString).origin {
            let host = try? CanonicalHost(inURL: origin.host)
            let others = addresses.filter { $0 != host?.name }
            self.init(kind: .server, name: "\(origin.host):\(origin.port)", addresses: others)
        } else {
            return nil
        }
    }

    init(_ proxy: ProxyServer, addresses: [String] = []) {
        self.init(kind: .proxy, name: proxy.hostAndPort, addresses: addresses.filter { $0 != proxy.host })
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
