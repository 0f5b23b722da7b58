#if canImport(FoundationNetworking)
import Foundation
import LarkspurTransport
import Testing

/// Proxies that we did not write: tinyproxy, Dante and microsocks.
@Suite(.needsServers, .timeLimit(.minutes(5))) struct ProxyTests {
    let servers: Servers

    init() throws { servers = try Servers() }

    private func options(
        _ kind: ProxyServer.Kind,
        _ port: Servers.Port,
        user: String? = nil,
        password: String? = nil
    ) throws -> CurlURLSession.Options {
        var options = servers.options
        options.proxy = .server(
            ProxyServer(
                kind: kind,
                host: "127.0.0.1",
                port: try servers.number(of: port),
                user: user,
                password: password
            )
        )
        return options
    }

    private func reply(
        _ kind: ProxyServer.Kind,
        _ port: Servers.Port,
        password: String? = nil,
        for target: Servers.Port
    ) async throws -> Reply {
        let options = try options(kind, port, user: password.map { _ in "ada" }, password: password)
        let session = servers.makeSession(options: options)
        defer { session.finishTasksAndInvalidate() }
        return try await session.reply(to: servers.url(target, "/echo"))
    }

    @Test(
        "Requests pass through an HTTP proxy and a SOCKS proxy",
        arguments: [Servers.Port.http, .http1, .h2],
        [(ProxyServer.Kind.http, Servers.Port.proxy), (.socks5, .socks)]
    )
    func open(target: Servers.Port, proxy: (kind: ProxyServer.Kind, port: Servers.Port)) async throws {
        let reply = try await reply(proxy.kind, proxy.port, for: target)
        #expect(reply.status == 200)
        #expect(reply.text == "GET ")
    }

    @Test("A SOCKS proxy gets the credentials that it requires", arguments: [Servers.Port.http, .h2])
    func protectedSocks(target: Servers.Port) async throws {
        #expect(try await reply(.socks5, .protectedSocks, password: "secret", for: target).status == 200)
        for password in ["wrong", nil] {
            await #expect(throws: URLError.self) {
                try await reply(.socks5, .protectedSocks, password: password, for: target)
            }
        }
    }

    @Test("An HTTP proxy gets the credentials that it requires", arguments: [Servers.Port.http, .h2])
    func protectedProxy(target: Servers.Port) async throws {
        #expect(try await reply(.http, .protectedProxy, password: "secret", for: target).status == 200)
    }

    @Test("A server behind a tunnel gets its own credentials, and not those of the proxy")
    func ownCredentials() async throws {
        let session = servers.makeSession(options: try options(.http, .protectedProxy, user: "ada", password: "secret"))
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

    @Test("An HTTP proxy forwards nothing with wrong or missing credentials", arguments: ["wrong", nil])
    func wrongPassword(password: String?) async throws {
        // tinyproxy says 401 of credentials that are wrong, and 407 of none.
        let plain = try await reply(.http, .protectedProxy, password: password, for: .http)
        #expect(plain.status == 401 || plain.status == 407)
        let tunnel = try? await reply(.http, .protectedProxy, password: password, for: .h2)
        #expect(tunnel?.status != 200)
    }

    @Test("A server behind a tunnel that responds with a 407 gets no credentials, and no hook is called")
    func falseProxy() async throws {
        let session = servers.makeSession(options: try options(.http, .proxy, user: "ada", password: "secret"))
        defer { session.finishTasksAndInvalidate() }
        for target in [Servers.Port.http1, .h2] {
            let reply = try await session.reply(to: servers.url(target, "/proxy-refusal"))
            #expect(reply.status == 407)
            // With an answer to a challenge there would be two.
            #expect(reply.metrics.count == 1)
        }
    }

    @Test("The limits for the versions of TLS apply to a proxy")
    func versions() async throws {
        var options = try options(.https, .tls12)
        let url = try servers.url(.h2, "/echo")
        // The handshake with the proxy is made, which is nginx and does not know CONNECT.
        let unbounded = try await servers.makeSession(options: options).failure(of: url)
        #expect(unbounded.code != .secureConnectionFailed)
        options.tls.minimumVersion = .tls13
        let bounded = try await servers.makeSession(options: options).failure(of: url)
        #expect(bounded.code == .secureConnectionFailed)
    }

    @Test("A server on a Unix-domain socket responds")
    func socket() async throws {
        let session = servers.makeSession()
        defer { session.finishTasksAndInvalidate() }
        let url = try #require(URL(unixSocket: servers.socketPath, resource: "/echo?a=b"))
        #expect(try await session.reply(to: url).text == "GET ")
    }
}
#endif
