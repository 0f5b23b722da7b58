#if canImport(FoundationNetworking)
import Foundation
import LarkspurTransport
import Testing

/// How connections are shared, kept and replaced.
@Suite("Connections", .needsServers, .timeLimit(.minutes(5)))
struct ConnectionTests {
    let servers: Servers

    init() throws { servers = try Servers() }

    private func replies(_ count: Int, from url: URL, in session: URLSession) async throws -> [Reply] {
        try await withThrowingTaskGroup(of: Reply.self) { group in
            for _ in 0..<count { group.addTask { try await session.reply(to: url) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test("Forty requests at once to an unknown server share one connection")
    func multiplexing() async throws {
        let replies = try await replies(40, from: servers.url(.h2, "/medium"), in: servers.makeSession())
        let original = try servers.contents(of: "content/medium")
        #expect(replies.allSatisfy { $0.content == original })
        #expect(Set(try replies.map { try $0.last.localPort }).count == 1)
        #expect(try replies.filter { try !$0.last.isReusedConnection }.count == 1)
    }

    @Test(
        "Over HTTP/1.1, no more connections than the limit are opened",
        arguments: [Servers.Port.http, .http1]
    )
    func limit(_ port: Servers.Port) async throws {
        let session = servers.makeSession()
        let replies = try await replies(40, from: servers.url(port, "/medium"), in: session)
        let original = try servers.contents(of: "content/medium")
        #expect(replies.allSatisfy { $0.content == original })
        let connections = Set(try replies.map { try $0.last.localPort }).count
        #expect((1...session.configuration.httpMaximumConnectionsPerHost).contains(connections))
    }

    @Test("A connection is reused", arguments: [Servers.Port.http, .http1, .h2])
    func reuse(_ port: Servers.Port) async throws {
        let session = servers.makeSession()
        let first = try await session.reply(to: servers.url(port, "/small")).last
        let second = try await session.reply(to: servers.url(port, "/small")).last
        #expect(!first.isReusedConnection)
        #expect(second.isReusedConnection)
        #expect(first.localPort == second.localPort)
    }

    @Test("Requests succeed while the server closes its idle connections")
    func reload() async throws {
        let process = try servers.reloadingProcess()
        let url = try servers.url(.reloading, "/worker")
        let session = servers.makeSession()
        var connections: Set<Int?> = []
        for _ in 0..<3 {
            let first = try await session.reply(to: url)
            connections.insert(try first.last.localPort)
            let worker = try #require(Int32(first.text))
            #expect(kill(process, SIGHUP) == 0)
            // A worker that was replaced closes idle connections and ends; others tell of the new one's requests until
            // then.
            repeat {
                _ = try await session.reply(to: url)
            } while kill(worker, 0) == 0
        }
        #expect(connections.count == 3)
    }
}
#endif
