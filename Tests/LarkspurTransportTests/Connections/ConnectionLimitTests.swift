#if canImport(FoundationNetworking)
import Foundation
import LarkspurTesting
import Testing

@testable import LarkspurTransport

/// The options for connections, and the snapshot that shows them.
@Suite("Limits of connections", .timeLimit(.minutes(5)))
struct ConnectionLimitTests {
    private func session(
        connectionsPerHost: Int = 6,
        _ change: (inout CurlURLSession.Options) -> Void = { _ in }
    ) -> CurlURLSession {
        let configuration = URLSessionConfiguration.testing
        configuration.httpMaximumConnectionsPerHost = connectionsPerHost
        var options = CurlURLSession.Options()
        options.proxy = .direct
        change(&options)
        return CurlURLSession(configuration: configuration, options: options)
    }

    private func isReused(_ url: URL, in session: CurlURLSession) async throws -> Bool {
        let ends = Recorder<(any Error)?>()
        let task = session.dataTask(with: url) { ends.record($2) }
        task.resume()
        #expect(try await ends.first() == nil)
        return try #require(task.transactionMetrics.last).isReusedConnection
    }

    // MARK: Times

    @Test("A connection that has been idle for longer than the option says is not used again")
    func idleTime() async throws {
        let (server, other) = (try LoopbackServer(), try LoopbackServer())
        let session = session { $0.idleConnectionTime = .seconds(1) }
        defer { session.invalidateAndCancel() }
        #expect(try await !isReused(server.url("/get"), in: session))
        // Another request keeps the shard of the connection.
        let gate = LoopbackServer.Gate()
        other.route("/wait", .stream([.wait(gate), .bytes(Data("done".utf8))]))
        let waiting = session.dataTask(with: other.url("/wait")) { _, _, _ in }
        waiting.resume()
        try await passTime(2.5, by: server)
        #expect(try await !isReused(server.url("/get"), in: session))
        gate.open()
    }

    @Test("The connections of a session without requests are closed after the time of the option")
    func idleSession() async throws {
        let server = try LoopbackServer()
        let session = session { $0.idleConnectionTime = .seconds(1) }
        defer { session.invalidateAndCancel() }
        #expect(try await !isReused(server.url("/get"), in: session))
        try await eventually { server.openConnectionCount == 0 }
    }

    @Test("By default, connections are used again")
    func defaults() async throws {
        let server = try LoopbackServer()
        let session = session()
        defer { session.invalidateAndCancel() }
        #expect(try await !isReused(server.url("/get"), in: session))
        #expect(try await isReused(server.url("/get"), in: session))
        #expect(session.core.settings.idleConnectionTime == 60)
        #expect(CurlURLSession.Options().addressFamilyDelay == .milliseconds(200))
        #expect(CurlURLSession.Options().maximumConnectionAge == nil)
        #expect(CurlURLSession.Options().maximumConnections == nil)
        #expect(CurlURLSession.Options().nameCacheTime == .seconds(60))
    }

    @Test(
        "A connection that is older than the option says gets no more requests",
        .enabled(if: Libcurl.isAtLeast(7, 80))
    )
    func age() async throws {
        let server = try LoopbackServer()
        let session = session { $0.maximumConnectionAge = .seconds(1) }
        defer { session.invalidateAndCancel() }
        #expect(try await !isReused(server.url("/get"), in: session))
        try await passTime(2.5, by: server)
        #expect(try await !isReused(server.url("/get"), in: session))
    }

    @Test(
        "Durations that libcurl cannot represent are rounded to those that it can",
        arguments: [.seconds(-1), .zero, .milliseconds(1), .seconds(1e9), .seconds(Int64.max)] as [Duration]
    )
    func extremes(_ time: Duration) async throws {
        let server = try LoopbackServer()
        let session = session {
            $0.idleConnectionTime = time
            $0.addressFamilyDelay = time
            $0.nameCacheTime = time
            if Libcurl.isAtLeast(7, 80) { $0.maximumConnectionAge = time }
        }
        defer { session.invalidateAndCancel() }
        #expect(try await session.outcome(of: server.url("/get")).status == 200)
    }

    @Test(
        "The addresses of the other family are tried after the delay of the option",
        arguments: [(Duration.milliseconds(10), true), (.seconds(600), false)]
    )
    func addressFamilies(_ delay: Duration, _ triesBoth: Bool) async throws {
        // Nothing is accepted at the port, in neither family. Some versions of libcurl begin with IPv6.
        let silent = try SilentServer(isFull: true)
        guard let other = silent.fillSixthVersion() else { return }
        defer { withExtendedLifetime(other) {} }
        let session = session {
            $0.addressFamilyDelay = delay
            let port = Int(silent.port)
            $0.hostAddresses = [HostAddress(host: "both.test", port: port, addresses: ["127.0.0.1", "::1"])]
        }
        defer { session.invalidateAndCancel() }
        let url = try #require(URL(string: "http://both.test:\(silent.port)/"))
        let error = try await session.outcome(of: URLRequest(url, "GET", timeout: 3)).error as? URLError
        let sentence = error?.localizedDescription ?? ""
        let tried = ["127.0.0.1", "::1"].filter { sentence.contains($0) }
        #expect(tried.count == (triesBoth ? 2 : 1), "\(sentence)")
    }

    // MARK: Numbers

    @Test("All origins together have no more connections than the option allows, idle ones included")
    func total() async throws {
        let gate = LoopbackServer.Gate()
        let servers = try (0..<4).map { _ in try LoopbackServer() }
        for server in servers { server.route("/wait", .stream([.wait(gate), .bytes(Data("done".utf8))])) }
        let session = session { $0.maximumConnections = 2 }
        defer { session.invalidateAndCancel() }
        let outcomes = Recorder<String?>()
        for server in servers {
            session.dataTask(with: server.url("/wait")) { data, _, _ in
                outcomes.record(data.map { String(decoding: $0, as: UTF8.self) })
            }.resume()
        }
        try await eventually { servers.map(\.requests.count).reduce(0, +) == 2 }
        let connections = await session.connections
        #expect(connections.map(\.open).reduce(0, +) == 2)
        #expect(connections.map(\.activeRequests).reduce(0, +) == 2)
        #expect(connections.map(\.waitingRequests).reduce(0, +) == 2)
        gate.open()
        #expect(try await outcomes.wait(for: 4) == ["done", "done", "done", "done"])
        let idle = await session.connections
        #expect((1...2).contains(idle.map(\.open).reduce(0, +)))
        #expect(idle.map(\.busy).reduce(0, +) == 0)
    }

    /// libcurl from 8.12 on would let the requests wait for the first response, because they might share a connection
    /// of HTTP/2.
    @Test("HTTP/1.1 requests over TLS do not wait for each other's responses")
    func heldOverTLS() async throws {
        let server = try LoopbackServer(tls: .selfSigned())
        let gate = LoopbackServer.Gate()
        server.route("/held", .text("done").held(until: gate))
        let root = try TLSCertificate(#require(server.certificate).der)
        let session = session {
            $0.http2 = .always
            $0.tls.trustedRoots = .only([root])
        }
        defer { session.invalidateAndCancel() }
        let ends = Recorder<(any Error)?>()
        // The later ones begin when the version is known.
        for count in [4, 6] {
            for _ in ends.values.count..<(count == 4 ? 4 : 2) {
                session.dataTask(with: server.url("/held")) { ends.record($2) }.resume()
            }
            try await server.waitForRequests(count)
        }
        gate.open()
        #expect(try await ends.wait(for: 6).allSatisfy { $0 == nil })
        #expect(server.openConnectionCount == 6)
    }

    // MARK: The snapshot

    @Test("A snapshot has the connections and requests of each origin")
    func snapshot() async throws {
        let server = try LoopbackServer()
        let gate = LoopbackServer.Gate()
        server.route("/wait", .stream([.wait(gate), .bytes(Data("done".utf8))]))
        let session = session(connectionsPerHost: 2)
        defer { session.invalidateAndCancel() }
        #expect(await session.connections.isEmpty)
        let url = try #require(URL(string: "http://ada:secret@127.0.0.1:\(server.port)/get"))
        #expect(try await session.outcome(of: url).status == 200)
        let first = try #require(await session.connections.first)
        #expect(first.origin == "http://127.0.0.1:\(server.port)")
        #expect(
            first.open == 1 && first.idle == 1 && first.busy == 0 && first.activeRequests == 0
                && first.waitingRequests == 0
        )
        #expect(first.protocolName == "http/1.1")
        #expect(try #require(first.oldestAge) > .zero)

        let ends = Recorder<(any Error)?>()
        for _ in 0..<5 { session.dataTask(with: server.url("/wait")) { ends.record($2) }.resume() }
        try await server.waitForRequests(3)
        let busy = try #require(await session.connections.first)
        #expect(
            busy.open == 2 && busy.idle == 0 && busy.busy == 2 && busy.activeRequests == 2 && busy.waitingRequests == 3
        )
        #expect(try #require(busy.oldestAge) > #require(first.oldestAge))

        gate.open()
        #expect(try await ends.wait(for: 5).allSatisfy { $0 == nil })
        let last = try #require(await session.connections.first)
        #expect(last.open == 2 && last.idle == 2 && last.activeRequests == 0 && last.waitingRequests == 0)
        session.flush {}
        try await eventually { server.openConnectionCount == 0 }
        #expect(await session.connections.isEmpty)
    }

    @Test("A connection that is being opened counts as busy, and has no protocol yet")
    func opening() async throws {
        let silent = try SilentServer(isFull: false)
        let session = session()
        defer { session.invalidateAndCancel() }
        let task = session.dataTask(with: try silent.url(scheme: "https")) { _, _, _ in }
        task.resume()
        var connections: [OriginConnections] = []
        repeat { connections = await session.connections } while connections.first?.open != 1
        let origin = try #require(connections.first)
        #expect(origin.busy == 1 && origin.activeRequests == 1 && origin.protocolName == nil)
        task.cancel()
    }

    @Test("A WebSocket counts as a connection")
    func webSocket() async throws {
        let server = try LoopbackServer()
        let gate = LoopbackServer.Gate()
        server.webSocket("/socket") { _ in gate.wait() }
        let session = session()
        defer { session.invalidateAndCancel() }
        let socket = session.webSocket(with: server.url("/socket"))
        try await socket.open()
        let origin = try #require(await session.connections.first)
        #expect(origin.open == 1 && origin.busy == 1 && origin.activeRequests == 1 && origin.waitingRequests == 0)
        gate.open()
        socket.cancel()
    }

    @Test("A snapshot of the connections is not activity, and does not keep an idle thread alive")
    func activity() {
        #expect(!LoopMailbox.Command.snapshot { _ in }.isActivity)
        #expect(LoopMailbox.Command.run {}.isActivity)
    }
}
#endif
