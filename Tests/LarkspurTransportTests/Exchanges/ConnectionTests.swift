#if canImport(FoundationNetworking)
import LarkspurTesting
import Testing

@testable import LarkspurTransport

@Suite("Connections of the engine", .timeLimit(.minutes(5)))
struct ConnectionTests {
    let server: LoopbackServer

    init() throws { server = try LoopbackServer() }

    @Test("A host has no more connections at a time than the limit", arguments: [1, 2, 6])
    func limit(count: Int) async throws {
        let gate = LoopbackServer.Gate()
        server.route("/held", .text("held").held(until: gate))
        let session = CurlURLSession(configuration: .testing { $0.httpMaximumConnectionsPerHost = count })
        defer { session.finishTasksAndInvalidate() }
        let outcomes = Recorder<Outcome>()
        for _ in 0..<30 {
            session.dataTask(with: server.url("/held")) {
                outcomes.record(Outcome(data: $0, response: $1, error: $2))
            }.resume()
        }
        try await server.waitForRequests(count)
        gate.open()
        #expect(try await outcomes.wait(for: 30).allSatisfy { $0.status == 200 })
        #expect(server.acceptedConnectionCount == count)
    }

    @Test("A limit below one counts as one", arguments: [0, -5])
    func oddLimit(count: Int) async throws {
        let configuration = URLSessionConfiguration.testing { $0.httpMaximumConnectionsPerHost = count }
        let outcome = try await Style.handler.send(URLRequest(url: server.url("/get")), configuration: configuration)
        #expect(outcome.status == 200)
    }

    @Test("Waiting tasks get a connection by their current priority, and then by age")
    func priorities() async throws {
        let gate = LoopbackServer.Gate()
        server.route("/held", .text("held").held(until: gate))
        let session = CurlURLSession(configuration: .testing { $0.httpMaximumConnectionsPerHost = 1 })
        defer { session.finishTasksAndInvalidate() }
        let outcomes = Recorder<Outcome>()
        func makeTask(_ path: String, _ priority: Float = URLSessionTask.defaultPriority) -> URLSessionTask {
            let task = session.dataTask(with: server.url(path)) {
                outcomes.record(Outcome(data: $0, response: $1, error: $2))
            }
            task.priority = priority
            task.resume()
            return task
        }
        _ = makeTask("/held")
        try await server.waitForRequests(1)
        _ = makeTask("/anything/low", URLSessionTask.lowPriority)
        _ = makeTask("/anything/first")
        let raised = makeTask("/anything/raised", URLSessionTask.lowPriority)
        _ = makeTask("/anything/second")
        let cancelled = makeTask("/anything/cancelled", 1)
        let suspended = makeTask("/anything/suspended", 1)
        _ = makeTask("/anything/high", URLSessionTask.highPriority)
        raised.priority = 1
        cancelled.cancel()
        suspended.suspend()
        // Every command before this one has been taken.
        #expect(try await outcomes.first().code == .cancelled)
        let barrier = Recorder<Void>()
        session.core.loop.post(.run { barrier.record(()) })
        try await barrier.wait()
        gate.open()
        try await outcomes.wait(for: 7)
        suspended.resume()
        try await outcomes.wait(for: 8)
        let names = server.requests.dropFirst().map { $0.path.split(separator: "/").last ?? "" }
        #expect(names == ["raised", "high", "first", "second", "low", "suspended"])
    }

    @Test("A connection is reused, also after a redirect and a 404")
    func reuse() async throws {
        let session = CurlURLSession(configuration: .testing)
        defer { session.finishTasksAndInvalidate() }
        for path in ["/get", "/status/404", "/redirect/3", "/bytes/100000", "/status/204"] {
            _ = try await session.outcome(of: server.url(path))
        }
        #expect(server.acceptedConnectionCount == 1)
    }

    @Test("A reused connection that the server has closed leads to no failure")
    func closedMeanwhile() async throws {
        let session = CurlURLSession(configuration: .testing)
        defer { session.finishTasksAndInvalidate() }
        for _ in 0..<5 {
            #expect(try await session.outcome(of: server.url("/fault/unannounced-close")).status == 200)
            try await server.waitForOpenConnections(0)
        }
    }

    @Test("Bytes beyond the length of a response are not part of the content", arguments: Style.allCases)
    func longBody(style: Style) async throws {
        let outcome = try await style.send(URLRequest(url: server.url("/fault/long-body")))
        #expect(outcome.text == LoopbackServer.Fault.body)
        #expect(outcome.error == nil)
    }

    @Test("A flush closes the connections")
    func flush() async throws {
        let session = CurlURLSession(configuration: .testing)
        defer { session.finishTasksAndInvalidate() }
        _ = try await session.outcome(of: server.url("/get"))
        let done = Recorder<Void>()
        session.flush { done.record(()) }
        try await done.wait()
        try await server.waitForOpenConnections(0)
        #expect(try await session.outcome(of: server.url("/get")).status == 200)
        #expect(server.acceptedConnectionCount == 2)
    }

    @Test("A cancelled transfer closes its connection, and gives its place to another")
    func cancelled() async throws {
        let session = CurlURLSession(configuration: .testing { $0.httpMaximumConnectionsPerHost = 1 })
        defer { session.finishTasksAndInvalidate() }
        let task = session.dataTask(with: server.url("/fault/no-response")) { _, _, _ in }
        task.resume()
        try await server.waitForRequests(1)
        async let next = session.outcome(of: server.url("/get"))
        task.cancel()
        #expect(try await next.status == 200)
    }

    @Test("A session whose delegate blocks does not delay other sessions", .timeLimit(.minutes(5)))
    func blockedDelegate() async throws {
        let gate = LoopbackServer.Gate()
        let log = DelegateLog(.with { $0.data = { _, _ in gate.wait(timeout: .seconds(170)) } })
        let blocked = CurlURLSession(configuration: .testing, delegate: log, delegateQueue: nil)
        defer { blocked.finishTasksAndInvalidate() }
        blocked.dataTask(with: server.url("/bytes/10")).resume()
        try await log.events.wait(for: 2)
        let other = CurlURLSession(configuration: .testing)
        defer { other.finishTasksAndInvalidate() }
        for _ in 0..<5 { #expect(try await other.outcome(of: server.url("/get")).status == 200) }
        #expect(log.names == ["response", "data"])
        gate.open()
        try await log.ends.wait()
    }
}
#endif
