#if canImport(FoundationNetworking)
import LarkspurTesting
import Testing

@testable import LarkspurTransport

/// The sentences of errors of connections, which have the address, the port and the reason.
@Suite("Errors of connections", .timeLimit(.minutes(5)))
struct ConnectionErrorTests {
    private func error(
        of url: String,
        through proxy: ProxyServer? = nil,
        timeout: TimeInterval = 60,
        _ change: (inout CurlURLSession.Options) -> Void = { _ in }
    ) async throws -> URLError {
        var options = CurlURLSession.Options()
        options.proxy = proxy.map { .server($0) } ?? .direct
        change(&options)
        let session = CurlURLSession(configuration: .testing, options: options)
        defer { session.invalidateAndCancel() }
        let request = URLRequest(try #require(URL(string: url)), "GET", timeout: timeout)
        let error = try #require(try await session.outcome(of: request).error as? URLError)
        #expect(!"\(error) \(error.userInfo)".contains("secret"))
        return error
    }

    /// A proxy with credentials, which no error shows.
    private func proxy(_ kind: ProxyServer.Kind = .http, _ host: String = "127.0.0.1", port: Int) -> ProxyServer {
        ProxyServer(kind: kind, host: host, port: port, user: "secretary", password: "secret")
    }

    // Port 1 is no port that a system gives to a server.
    @Test("A refused connection names the server that refused it")
    func refused() async throws {
        let direct = try await error(of: "http://ada:secret@127.0.0.1:1/path?key=1")
        #expect(direct.code == .cannotConnectToHost)
        #expect(direct.localizedDescription == "The server 127.0.0.1:1 refused the connection.")
        #expect(direct.curlError?.systemError == ECONNREFUSED)
        let secure = try await error(of: "https://[::ffff:127.0.0.1]:1/")
        #expect(secure.localizedDescription == "The server [::ffff:127.0.0.1]:1 refused the connection.")
        let given = try await error(of: "http://given.test:1/") {
            $0.hostAddresses = [HostAddress(host: "given.test", port: 1, addresses: ["127.0.0.1", "127.0.0.2"])]
        }
        let sentence = "The server given.test:1 (127.0.0.1, 127.0.0.2) refused the connection."
        #expect(given.localizedDescription == sentence)
    }

    @Test("A refused connection to a proxy names the proxy", arguments: ["http", "https"])
    func refusedByProxy(scheme: String) async throws {
        for kind in [ProxyServer.Kind.http, .https, .socks5] {
            let error = try await error(of: "\(scheme)://example.com/", through: proxy(kind, port: 1))
            #expect(error.code == .cannotConnectToHost)
            #expect(error.localizedDescription == "The proxy 127.0.0.1:1 refused the connection.")
        }
        let named = try await error(of: "\(scheme)://example.com/", through: proxy(.http, "localhost", port: 1))
        let text = named.localizedDescription
        #expect(text.hasPrefix("The proxy localhost:1 (") && text.hasSuffix(") refused the connection."))
        #expect(text.contains("127.0.0.1") || text.contains("::1"))
        let unknown = try await error(of: "\(scheme)://example.com/", through: proxy(.http, "nowhere.invalid", port: 1))
        #expect(unknown.localizedDescription.contains("proxy could not be found"))
        #expect(unknown.localizedDescription.contains("nowhere.invalid"))
    }

    @Test("A URL for DNS over HTTPS that does not begin with https is an error", arguments: ["http", "ftp"])
    func dnsOverHTTPS(scheme: String) async throws {
        let server = try #require(URL(string: "\(scheme)://127.0.0.1/dns-query"))
        let error = try await error(of: "http://127.0.0.1:1/") { $0.dnsOverHTTPS = server }
        #expect(error.code == .cannotFindHost)
        #expect(error.localizedDescription == "The URL for DNS over HTTPS does not begin with https.")
    }

    @Test("A missing socket is named, with the system's reason")
    func socket() async throws {
        let url = try #require(URL(unixSocket: "/tmp/none-such.sock"))
        let error = try await error(of: url.absoluteString)
        let sentence = "The socket /tmp/none-such.sock could not be connected to: No such file or directory."
        #expect(error.localizedDescription == sentence)
    }

    static let tunnelAnswers: [(answer: String, status: Int)] = [
        ("HTTP/1.1 501 Not Implemented\r\nContent-Length: 0\r\n\r\n", 501),
        ("HTTP/1.0 403 \r\nContent-Length: 6\r\n\r\nsecret", 403),
        ("HTTP/1.1 503 secret\r\nX-Reason: secret\r\n\r\n", 503),
        ("HTTP/1.1 302 No\r\nLocation: http://x/\r\n\r\n", 302),
    ]

    @Test("A proxy that refuses a tunnel is named, with its status", arguments: tunnelAnswers)
    func tunnel(answer: String, status: Int) async throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.write(answer)
        }
        defer { server.stop() }
        let error = try await error(of: "https://example.com:8443/a", through: proxy(port: server.port))
        #expect(error.code == .cannotConnectToHost)
        #expect(
            error.localizedDescription
                == "The proxy 127.0.0.1:\(server.port) made no tunnel to the server example.com:8443: CONNECT was answered with \(status)."
        )
    }

    @Test("A lost connection names the server or proxy at its other end", arguments: [true, false])
    func lost(isProxied: Bool) async throws {
        let server = try RawServer { $0.readHead() }
        defer { server.stop() }
        let proxy = isProxied ? proxy(port: server.port) : nil
        let url = isProxied ? "http://example.com/" : server.url.absoluteString
        let plain = try await error(of: url, through: proxy)
        let peer = "The connection to the \(isProxied ? "proxy" : "server") 127.0.0.1:\(server.port) was lost"
        #expect(plain.localizedDescription.hasPrefix(peer), "\(plain.localizedDescription)")
        guard isProxied else { return }
        let secure = try await error(of: "https://example.com/", through: proxy)
        #expect(secure.localizedDescription.contains("through the proxy 127.0.0.1:\(server.port) was lost"))
    }

    @Test(
        "A handshake with a plain-text response fails with a hint at the server or proxy",
        arguments: ["server", "proxy", "tunnelled"]
    )
    func plainText(peer: String) async throws {
        let server = try RawServer { connection in
            if peer == "tunnelled" {
                connection.readHead()
                connection.write("HTTP/1.1 200 OK\r\n\r\n")
            }
            connection.read(atLeast: 1)
            connection.write("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
        }
        defer { server.stop() }
        let address = "127.0.0.1:\(server.port)"
        var (url, name, proxy) = ("https://\(address)/", "server \(address)", nil as ProxyServer?)
        if peer == "proxy" {
            (url, name) = ("http://example.com/", "proxy \(address)")
            proxy = self.proxy(.https, port: server.port)
        } else if peer == "tunnelled" {
            (url, name) = ("https://example.com/", "server example.com:443")
            proxy = self.proxy(port: server.port)
        }
        let error = try await error(of: url, through: proxy)
        #expect(error.code == .secureConnectionFailed)
        let text = error.localizedDescription
        #expect(text.hasPrefix("No secure connection to the \(name) could be made: is this plain http? ("), "\(text)")
        #expect(text.components(separatedBy: "secure connection").count == 2)
    }

    @Test("A handshake without a response names the server")
    func silentHandshake() async throws {
        let server = try RawServer { $0.read(atLeast: .max) }
        defer { server.stop() }
        let error = try await error(of: "https://127.0.0.1:\(server.port)/", timeout: 1)
        #expect(error.code == .timedOut)
        let sentence = "No connection to the server 127.0.0.1:\(server.port) was made within 1.0 seconds."
        #expect(error.localizedDescription == sentence)
        let silent = try await self.error(of: "http://127.0.0.1:\(server.port)/", timeout: 1)
        #expect(silent.localizedDescription == "Not a byte was sent or received for 1.0 seconds.")
        guard Self.seesSendings else { return }
        #expect(wasSent(error) == false)
        #expect(wasSent(silent) == true)
    }

    /// Whether libcurl reports that it begins to send a request (7.80 and later).
    private static let seesSendings = Libcurl.versionNumber >= 0x075000

    private func wasSent(_ error: URLError) -> Bool? { error.userInfo[RequestSending.userInfoKey] as? Bool }

    @Test("An error tells whether a request was sent", .enabled(if: seesSendings))
    func sending() async throws {
        let server = try RawServer { connection in
            connection.read(atLeast: 16)
            connection.write("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n")
        }
        defer { server.stop() }
        // A request without a connection, or without a handshake, was not sent.
        let address = "127.0.0.1:\(server.port)"
        for url in ["http://127.0.0.1:1/", "http://nowhere.invalid/", "https://\(address)/"] {
            let error = try await error(of: url)
            #expect(wasSent(error) == false, "\(url)")
        }
        // Before a redirect, a request was sent.
        let error = try await error(of: "http://\(address)/")
        #expect(error.code == .cannotConnectToHost && wasSent(error) == true)
    }
}

@Suite("The names of servers and proxies in errors")
struct PeerTests {
    @Test(
        "A peer is a host and a port, or a path, without credentials",
        arguments: [
            ("http://ada:secret@example.com/a?b#c", "server example.com:80"),
            ("HTTPS://Example.com", "server example.com:443"),
            ("https://[2001:DB8::1]:8443/", "server [2001:db8::1]:8443"),
            ("http+unix://%2Frun%2Fx.sock/a", "socket /run/x.sock"), ("mailto:a@b", nil), ("http:///x", nil),
        ]
    )
    func servers(url: String, expected: String?) throws {
        let peer = Peer(try #require(URL(string: url)))
        #expect(peer?.description == expected)
    }

    @Test("Up to four addresses follow the name, unless the name is the address")
    func addresses() throws {
        let named = try #require(URL(string: "http://h:81/"))
        #expect(Peer(named, addresses: ["::1", "127.0.0.1"])?.description == "server h:81 (::1, 127.0.0.1)")
        let many = (1...9).map { "192.0.2.\($0)" }
        #expect(
            Peer(named, addresses: many)?.description
                == "server h:81 (192.0.2.1, 192.0.2.2, 192.0.2.3, 192.0.2.4, …)"
        )
        let literal = try #require(URL(string: "http://[::1]:81/"))
        #expect(Peer(literal, addresses: ["::1"])?.description == "server [::1]:81")
        let proxy = ProxyServer(kind: .socks5, host: "::1", user: "secretary", password: "secret")
        #expect(Peer(proxy, addresses: ["::1"]).description == "proxy [::1]:1080")
    }
}
#endif
