#if canImport(FoundationNetworking)
import Foundation
import LarkspurTransport
import Testing

/// Proxies that we did not write: tinyproxy, Dante and microsocks.
@Suite(.needsServers, .timeLimit(.minutes(2))) struct ProxyTests {
    let servers: Servers

    init() throws { servers = try Servers() }

    private func reply(
        _ kind: ProxyServer.Kind,
        _ port: Servers.Port,
        password: String? = nil,
        for target: Servers.Port
    ) async throws -> Reply {
        var options = servers.options
        options.proxy = .server(
            ProxyServer(
                kind: kind,
                host: "127.0.0.1",
                port: try servers.number(of: port),
                user: password.map { _ in "ada" },
                password: password
            )
        )
        let session = servers.makeSession(options: options)
        defer { session.finishTasksAndInvalidate() }
        return try await session.reply(to: servers.url(target, "/echo"))
    }

    @Test(
        "A request gets through a proxy for HTTP and through one for SOCKS",
        arguments: [Servers.Port.http, .http1, .h2],
        [(ProxyServer.Kind.http, Servers.Port.proxy), (.socks5, .socks)]
    )
    func open(target: Servers.Port, proxy: (kind: ProxyServer.Kind, port: Servers.Port)) async throws {
        let reply = try await reply(proxy.kind, proxy.port, for: target)
        #expect(reply.status == 200)
        #expect(reply.text == "GET ")
    }

    @Test("A SOCKS proxy gets the credentials that it wants", arguments: [Servers.Port.http, .h2])
    func protectedSocks(target: Servers.Port) async throws {
        #expect(try await reply(.socks5, .protectedSocks, password: "secret", for: target).status == 200)
        for password in ["wrong", nil] {
            await #expect(throws: URLError.self) {
                try await reply(.socks5, .protectedSocks, password: password, for: target)
            }
        }
    }

    @Test("An HTTP proxy gets the credentials that it wants", arguments: [Servers.Port.http, .h2])
    func protectedProxy(target: Servers.Port) async throws {
        #expect(try await reply(.http, .protectedProxy, password: "secret", for: target).status == 200)
    }

    @Test("What a proxy gets the server behind its tunnel does not see, and gets its own")
    func ownCredentials() async throws {
        var options = servers.options
        let port = try servers.number(of: .protectedProxy)
        options.proxy = .server(ProxyServer(host: "127.0.0.1", port: port, user: "ada", password: "secret"))
        let session = servers.makeSession(options: options)
        defer { session.finishTasksAndInvalidate() }
        var request = URLRequest(url: try servers.url(.http1, "/credentials"))
        request.setValue("Bearer token", forHTTPHeaderField: "Authorization")
        // The second time on the same tunnel, and what the proxy has taken is known.
        for _ in 0..<2 { #expect(try await session.reply(to: request).text == "[Bearer token] []") }
        request.url = try servers.url(.h2, "/credentials")
        let reply = try await session.reply(to: request)
        #expect(reply.text == "[Bearer token] []")
        #expect(reply.metrics.count == 1)
    }

    @Test("An HTTP proxy that gets the wrong credentials, or none, lets nothing through", arguments: ["wrong", nil])
    func wrongPassword(password: String?) async throws {
        // tinyproxy says 401 of credentials that are wrong, and 407 of none.
        let plain = try await reply(.http, .protectedProxy, password: password, for: .http)
        #expect(plain.status == 401 || plain.status == 407)
        let tunnel = try? await reply(.http, .protectedProxy, password: password, for: .h2)
        #expect(tunnel?.status != 200)
    }

    @Test("A server on a Unix-domain socket answers")
    func socket() async throws {
        let session = servers.makeSession()
        defer { session.finishTasksAndInvalidate() }
        let url = try #require(URL(unixSocket: servers.socketPath, resource: "/echo?a=b"))
        #expect(try await session.reply(to: url).text == "GET ")
    }
}
#endif
