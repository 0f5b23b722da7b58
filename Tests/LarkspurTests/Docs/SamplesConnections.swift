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
