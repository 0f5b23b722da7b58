#if canImport(FoundationNetworking)
import LarkspurTesting
import Testing

@testable import LarkspurTransport

/// Uses of `resume()` and `suspend()` that end a process, hang or come out wrong with FoundationNetworking's own
/// engine.
@Suite("Suspending and resuming tasks", .timeLimit(.minutes(5)))
struct TaskSuspensionTests {
    let server: LoopbackServer
    let log = DelegateLog()
    let session: CurlURLSession

    init() throws {
        server = try LoopbackServer()
        session = CurlURLSession(configuration: .testing, delegate: log, delegateQueue: nil)
    }

    @Test("A task that is suspended during its content gets nothing until it is resumed, and then gets the rest")
    func suspendInContent() async throws {
        let gate = LoopbackServer.Gate()
        let halves = [Data(repeating: 1, count: 500), Data(repeating: 2, count: 500)]
        server.route("/halves", .stream([.bytes(halves[0]), .wait(gate), .bytes(halves[1])]))
        let task = session.dataTask(with: server.url("/halves"))
        task.resume()
        try await log.wait(forBytes: 500)
        task.suspend()
        gate.open()
        // Others of the session come and go meanwhile.
        for _ in 0..<3 { #expect(try await session.outcome(of: server.url("/get")).status == 200) }
        #expect(log.data.count == 500)
        #expect(task.state == .suspended)
        task.resume()
        try await log.ends.wait()
        #expect(log.data == halves[0] + halves[1])
        #expect(server.requests(to: "/halves").count == 1)
        #expect(log.names == ["response", "data", "completed"])
    }

    @Test("Many suspensions and resumptions do not change the content")
    func hammer() async throws {
        let body = (0..<64).map { Data(repeating: UInt8($0), count: 4096) }
        server.route("/body", .chunked(body))
        let tasks = (0..<20).map { _ in session.dataTask(with: server.url("/body")) }
        for task in tasks { task.resume() }
        await withTaskGroup { group in
            for task in tasks {
                group.addTask {
                    for _ in 0..<200 {
                        task.suspend()
                        task.resume()
                    }
                }
            }
        }
        try await log.ends.wait(for: 20)
        #expect(log.data.count == 20 * 64 * 4096)
        #expect(server.requests.count == 20)
        #expect(log.events.values.allSatisfy { if case .completed(let error) = $0 { error == nil } else { true } })
    }

    @Test("A task that is suspended and resumed as it ends is not sent again")
    func suspendAtEnd() async throws {
        let gate = LoopbackServer.Gate()
        let blocking = DelegateLog(.with { $0.data = { _, _ in gate.wait(timeout: .seconds(170)) } })
        // With it a request arrives only when the transfer before it is over.
        let oneConnection = URLSessionConfiguration.testing { $0.httpMaximumConnectionsPerHost = 1 }
        let session = CurlURLSession(configuration: oneConnection, delegate: blocking, delegateQueue: nil)
        let task = session.dataTask(with: server.url("/bytes/10"))
        task.resume()
        session.dataTask(with: server.url("/bytes/20")).resume()
        // The second has the connection when the first is over, whose delegate is still busy.
        try await server.waitForRequests(1, to: "/bytes/20")
        task.suspend()
        task.resume()
        gate.open()
        try await blocking.ends.wait(for: 2)
        session.finishTasksAndInvalidate()
        try await eventually(1) { blocking.invalidations }
        #expect(server.requests.count == 2)
    }

    @Test("A task that is resumed, suspended and resumed is sent once")
    func resumeSuspendResume() async throws {
        let task = session.dataTask(with: server.url("/get"))
        task.resume()
        task.suspend()
        task.resume()
        try await log.ends.wait()
        #expect(log.outcome.status == 200)
        #expect(server.requests.count == 1)
    }

    @Test("A task that is suspended before it is resumed needs two resumptions to begin")
    func suspendFirst() async throws {
        let task = session.dataTask(with: server.url("/get"))
        task.suspend()
        task.resume()
        #expect(task.state == .suspended)
        task.resume()
        try await log.ends.wait()
        #expect(log.outcome.status == 200)
    }

    @Test("A task that several threads resume is sent once")
    func resumeFromThreads() async throws {
        for round in 1...50 {
            let task = session.dataTask(with: server.url("/get"))
            await withTaskGroup { group in for _ in 0..<4 { group.addTask { task.resume() } } }
            try await log.ends.wait(for: round)
        }
        #expect(server.requests.count == 50)
    }

    @Test("A task that one thread resumes and another cancels ends once, and sends nothing afterwards")
    func resumeAgainstCancel() async throws {
        for round in 1...200 {
            let task = session.dataTask(with: server.url("/get"))
            await withTaskGroup { group in
                group.addTask { task.resume() }
                group.addTask { task.cancel() }
            }
            try await log.ends.wait(for: round)
        }
        session.finishTasksAndInvalidate()
        try await eventually(1) { log.invalidations }
        #expect(log.ends.values.count == 200)
        #expect(Set(log.ends.values).count == 200)
    }

    @Test("A task begins no earlier than it may, even if it is suspended meanwhile")
    func earliestBeginDate() async throws {
        func makeTask(_ path: String, in seconds: TimeInterval) throws -> URLSessionTask {
            let task = session.dataTask(with: server.url(path))
            // FoundationNetworking deprecates the property because its own tasks do not heed it.
            let core = try #require(task as? any EngineTask).core
            core.withStorage { $0.course.earliestBeginDate = Date(timeIntervalSinceNow: seconds) }
            task.resume()
            task.suspend()
            task.resume()
            return task
        }
        let late = try makeTask("/anything/late", in: 3600)
        let soon = try makeTask("/anything/soon", in: 0.05)
        try await log.ends.wait()
        #expect(log.ends.values == [soon.taskIdentifier])
        late.cancel()
        try await log.ends.wait(for: 2)
        #expect(server.requests.map(\.path) == ["/anything/soon"])
    }

    @Test("Suspensions nest, and surplus resumptions have no effect")
    func nesting() async throws {
        let task = session.dataTask(with: server.url("/get"))
        task.suspend()
        task.suspend()
        for _ in 0..<2 {
            task.resume()
            #expect(task.state == .suspended)
        }
        for _ in 0..<3 {
            task.resume()
            #expect(task.state != .suspended)
        }
        try await log.ends.wait()
        #expect(log.outcome.status == 200)

        let other = session.dataTask(with: server.url("/fault/no-response"))
        for _ in 0..<3 { other.resume() }
        other.suspend()
        #expect(other.state == .suspended)
        other.resume()
        #expect(other.state == .running)
        other.cancel()
        try await log.ends.wait(for: 2)
    }
}
#endif
