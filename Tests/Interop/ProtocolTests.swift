#if canImport(FoundationNetworking)
import Foundation
import Larkspur
import LarkspurTransport
import Testing

/// Which protocol and which TLS a session and nginx agree on.
@Suite("Protocols", .needsServers, .timeLimit(.minutes(5)))
struct ProtocolTests {
    let servers: Servers

    init() throws { servers = try Servers() }

    @Test("HTTP/2 and TLS 1.3 are used if the server offers them")
    func http2() async throws {
        let reply = try await servers.makeSession().reply(to: servers.url(.h2, "/echo"))
        #expect(reply.status == 200)
        #expect(reply.text == "GET ")
        let metrics = try reply.last
        #expect(metrics.protocolName == "h2")
        #expect(metrics.tlsVersion == "TLSv1.3")
        #expect(metrics.tlsCipherSuite?.hasPrefix("TLS_") == true)
        #expect(metrics.secureConnectEnd != nil)
        #expect(!metrics.isReusedConnection)
    }

    @Test(
        "HTTP/1.1 is used if the server has no newer version, or if the session requires it",
        arguments: [true, false]
    )
    func http1(allowsHTTP2: Bool) async throws {
        var options = servers.options
        options.http2 = allowsHTTP2 ? .whereTrusted : .never
        let session = servers.makeSession(options: options)
        let reply = try await session.reply(to: servers.url(allowsHTTP2 ? .http1 : .h2, "/echo"))
        #expect(reply.status == 200)
        #expect(try reply.last.protocolName == "http/1.1")
    }

    @Test("Without TLS the protocol is HTTP/1.1, and the metrics have no values for TLS")
    func plain() async throws {
        let metrics = try await servers.makeSession().reply(to: servers.url(.http, "/echo")).last
        #expect(metrics.protocolName == "http/1.1")
        #expect(metrics.tlsVersion == nil)
        #expect(metrics.tlsCipherSuite == nil)
        #expect(metrics.secureConnectEnd == nil)
    }

    @Test("TLS 1.2 is used if the server has no newer version")
    func tls12() async throws {
        let metrics = try await servers.makeSession().reply(to: servers.url(.tls12, "/echo")).last
        #expect(metrics.protocolName == "h2")
        #expect(metrics.tlsVersion == "TLSv1.2")
        #expect(metrics.tlsCipherSuite?.hasPrefix("ECDHE-ECDSA-") == true)
    }

    @Test("A certificate for an IP address is valid for that address")
    func address() async throws {
        let reply = try await servers.makeSession().reply(to: servers.url(.h2, "/echo", host: "127.0.0.1"))
        #expect(reply.status == 200)
    }

    @Test("The requests of a session manager use HTTP/2 too")
    func sessionManager() async throws {
        let manager = SessionManager(configuration: .ephemeral, transport: .curl(servers.options))
        let url = try servers.url(.h2, "/echo").absoluteString
        let (text, metrics) = try await withCheckedThrowingContinuation { continuation in
            manager.post(url, headers: ["X-Test": "from a manager"], as: .string) { task, text in
                continuation.resume(returning: (text, task.timeline.transactions))
            } failure: { _, error in
                continuation.resume(throwing: error)
            }
        }
        #expect(text == "POST from a manager")
        #expect(metrics.map(\.protocolName) == ["h2"])
    }

    @Test("A server without TLS leads to a failed secure connection")
    func noTLS() async throws {
        let port = try servers.url(.http, "").port ?? 0
        let url = try #require(URL(string: "https://localhost:\(port)/echo"))
        #expect(try await servers.makeSession().failure(of: url).code == .secureConnectionFailed)
    }
}
#endif
