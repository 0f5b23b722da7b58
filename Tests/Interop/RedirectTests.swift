#if canImport(FoundationNetworking)
import Foundation
import LarkspurTransport
import Testing

/// Redirects that begin or end with TLS.
@Suite("Redirects to and from https", .needsServers, .timeLimit(.minutes(5)))
struct RedirectTests {
    let servers: Servers

    init() throws { servers = try Servers() }

    @Test("A redirect from http to https is followed")
    func upgrade() async throws {
        let reply = try await servers.makeSession().reply(to: servers.url(.http, "/to-https"))
        #expect(reply.text == "GET ")
        #expect(reply.response.url == (try servers.url(.h2, "/echo")))
        #expect(reply.metrics.map(\.protocolName) == ["http/1.1", "h2"])
        #expect(reply.metrics.map(\.response?.statusCode) == [302, 200])
    }

    @Test("A redirect from https to http fails the task")
    func downgrade() async throws {
        let error = try await servers.makeSession().failure(of: servers.url(.h2, "/to-http"))
        #expect(error.code == .appTransportSecurityRequiresSecureConnection)
    }

    @Test("A redirect from https to http is followed if an option allows it")
    func allowedDowngrade() async throws {
        var options = servers.options
        options.allowsInsecureRedirects = true
        let reply = try await servers.makeSession(options: options).reply(to: servers.url(.h2, "/to-http"))
        #expect(reply.text == "GET ")
        #expect(reply.response.url == (try servers.url(.http, "/echo")))
        #expect(reply.metrics.map(\.protocolName) == ["h2", "http/1.1"])
    }
}
#endif
