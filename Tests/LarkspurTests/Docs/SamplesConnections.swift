#if canImport(FoundationNetworking)
import Larkspur

/// The samples of `Docs/Connections.md`, each between two markers.
struct ConnectionSamples {
    func dictionary() -> URLSessionConfiguration {
        // sample: proxy dictionary
        let configuration = URLSessionConfiguration.default
        configuration.connectionProxyDictionary = [
            "HTTPEnable": true, "HTTPProxy": "proxy.example.com", "HTTPPort": 3128,
        ]
        // end
        return configuration
    }

    func proxy() -> SessionManager {
        // sample: proxy of a session
        var options = CurlURLSession.Options()
        options.proxy = .server(
            ProxyServer(kind: .socks5, host: "127.0.0.1", port: 1080, user: "ada", password: "secret"),
            exceptions: ["example.com", "10.0.0.0/8", "localhost:8080", "<local>"]
        )
        let manager = SessionManager(transport: .curl(options))
        // end
        return manager
    }

    func resending() -> CurlURLSession.Options {
        // sample: requests that are sent again
        var options = CurlURLSession.Options()
        options.resendsNonIdempotentRequests = true
        // end
        return options
    }

    func socket() -> URL? {
        // sample: URL of a socket
        let version = URL(unixSocket: "/var/run/docker.sock", resource: "/v1.41/version")
        // end
        return version
    }

    func dnsOverHTTPS() -> CurlURLSession.Options {
        // sample: DNS over HTTPS
        var options = CurlURLSession.Options()
        options.dnsOverHTTPS = URL(string: "https://dns.example.com/dns-query")
        // end
        return options
    }

    /// A registry of services.
    struct Registry {
        struct Instance {
            let address: String
        }

        let addresses: [String: [String]]

        func instances(of host: String) async throws -> [Instance] {
            guard let found = addresses[host] else { throw URLError(.cannotFindHost) }
            return found.map { Instance(address: $0) }
        }
    }

    func resolver(registry: Registry) -> CurlURLSession.Options {
        // sample: resolver
        var options = CurlURLSession.Options()
        options.resolver = { host in
            let instances = try await registry.instances(of: host)
            return instances.map { ResolvedAddress($0.address, timeToLive: .seconds(30)) }
        }
        // end
        return options
    }

    func limits() -> CurlURLSession.Options {
        // sample: limits of connections
        var options = CurlURLSession.Options()
        options.idleConnectionTime = .seconds(30)
        options.maximumConnectionAge = .seconds(600)
        options.maximumConnections = 100
        // end
        return options
    }

    func snapshot(of session: CurlURLSession, print: (Any...) -> Void) async {
        // sample: open connections
        for origin in await session.connections {
            print(origin.origin, origin.open, "open,", origin.idle, "idle,", origin.waitingRequests, "waiting")
        }
        // end
    }

    func connect(_ session: CurlURLSession, to url: URL) async throws {
        // sample: connection in advance
        try await session.connect(to: url)
        // end
    }

    func addresses() -> CurlURLSession.Options {
        // sample: addresses
        var options = CurlURLSession.Options()
        options.hostAddresses = [
            HostAddress(host: "api.example.com", port: 443, addresses: ["192.0.2.7", "2001:db8::7"])
        ]
        options.localAddress = "192.0.2.1"
        // end
        return options
    }
}
#endif
