#if canImport(FoundationNetworking)
import LarkspurTesting
import Testing

@testable import LarkspurTransport

@Suite("The end of a session", .timeLimit(.minutes(5)))
struct InvalidationTests {
    let server: LoopbackServer

    init() throws { server = try LoopbackServer() }

    @Test("Finishing lets tasks end, and then reports once that the session is invalid")
    func finish() async throws {
        let gate = LoopbackServer.Gate()
        server.route("/held", .text("held").held(until: gate))
        let log = DelegateLog()
        let session = CurlURLSession(configuration: .testing, delegate: log, delegateQueue: nil)
        for _ in 0..<10 { session.dataTask(with: server.url("/held")).resume() }
        try await server.waitForRequests(1)
        session.finishTasksAndInvalidate()
        session.finishTasksAndInvalidate()
        #expect(session.delegate === log)
        gate.open()
        try await log.ends.wait(for: 10)
        try await eventually { session.delegate == nil }
        let events = log.events.values
        #expect(events.filter { if case .completed(nil) = $0 { true } else { false } }.count == 10)
        guard case .invalid(nil)? = events.last else {
            Issue.record("The session's end is not what comes last.")
            return
        }
        #expect(log.invalidations == 1)
        try await server.waitForOpenConnections(0)
    }

    @Test("Cancelling a session ends all tasks, including those that were never resumed")
    func cancel() async throws {
        let log = DelegateLog()
        let session = CurlURLSession(configuration: .testing, delegate: log, delegateQueue: nil)
        let tasks = (0..<10).map { _ in session.dataTask(with: server.url("/fault/no-response")) }
        for task in tasks.prefix(5) { task.resume() }
        try await server.waitForRequests(1)
        session.invalidateAndCancel()
        try await log.ends.wait(for: 10)
        try await eventually { session.delegate == nil }
        #expect(tasks.allSatisfy { ($0.error as? URLError)?.code == .cancelled })
        #expect(log.invalidations == 1)
        try await server.waitForOpenConnections(0)
    }

    @Test("A released task that was never resumed does not keep its session alive")
    func neverResumed() async throws {
        let log = DelegateLog()
        let session = CurlURLSession(configuration: .testing, delegate: log, delegateQueue: nil)
        do {
            let task = session.dataTask(with: server.url("/get"))
            session.finishTasksAndInvalidate()
            #expect(session.delegate === log)
            #expect(task.state == .suspended)
        }
        try await eventually(1) { log.invalidations }
    }

    @Test("A session keeps its delegate until it is invalid")
    func delegate() async throws {
        weak var log: DelegateLog?
        let session: CurlURLSession
        do {
            let delegate = DelegateLog()
            log = delegate
            session = CurlURLSession(configuration: .testing, delegate: delegate, delegateQueue: nil)
        }
        #expect(log != nil)
        session.invalidateAndCancel()
        try await eventually { log == nil }
    }

    @Test("A task has its requests after its session has released the delegate and was released")
    func requests() async throws {
        server.route("/away", .redirect(to: "/there"))
        server.route("/there", .text("there"))
        weak var log: DelegateLog?
        let tasks: [URLSessionTask]
        do {
            let delegate = DelegateLog()
            log = delegate
            let session = CurlURLSession(configuration: .testing, delegate: delegate, delegateQueue: nil)
            // One that ends by itself, one that is cancelled, and one that was never resumed.
            tasks = ["/away", "/fault/no-response", "/get"].map { session.dataTask(with: server.url($0)) }
            _ = try await delegate.outcome(of: tasks[0])
            tasks[1].resume()
            session.invalidateAndCancel()
        }
        try await eventually { log == nil }
        #expect(tasks.map(\.originalRequest?.url?.path) == ["/away", "/fault/no-response", "/get"])
        #expect(tasks.map(\.currentRequest?.url?.path) == ["/there", "/fault/no-response", "/get"])
    }

    @Test("A released session ends its thread and its connections", arguments: [false, true])
    func release(isInvalidated: Bool) async throws {
        weak var core: SessionCore?
        do {
            let session = CurlURLSession(configuration: .testing)
            core = session.core
            _ = try await session.outcome(of: server.url("/get"))
            if isInvalidated { session.finishTasksAndInvalidate() }
        }
        try await server.waitForOpenConnections(0)
        // Its thread has the loop, and whoever has the loop's commands the core.
        try await eventually { core == nil }
    }

    @Test("A session that is released while a task runs lives until the task ends")
    func releaseWhileRunning() async throws {
        let gate = LoopbackServer.Gate()
        server.route("/held", .text("held").held(until: gate))
        let outcomes = Recorder<Outcome>()
        weak var session: CurlURLSession?
        do {
            let made = CurlURLSession(configuration: .testing)
            session = made
            made.dataTask(with: server.url("/held")) {
                outcomes.record(Outcome(data: $0, response: $1, error: $2))
            }.resume()
        }
        try await server.waitForRequests(1)
        gate.open()
        #expect(try await outcomes.first().status == 200)
        try await eventually { session == nil }
        try await server.waitForOpenConnections(0)
    }

    @Test("Two hundred used sessions leave no threads and no descriptors")
    func many() async {
        // In a process of its own, where nobody else has threads and descriptors.
        await #expect(processExitsWith: .success) {
            let server = try LoopbackServer()
            func use(_ count: Int, isInvalidated: Bool) async throws {
                for _ in 0..<count {
                    let session = CurlURLSession(configuration: .testing)
                    try #require(try await session.outcome(of: server.url("/status/204")).status == 204)
                    if isInvalidated { session.invalidateAndCancel() }
                }
                try await eventually(0, Self.loopThreads)
                try await server.waitForOpenConnections(0)
            }
            for isInvalidated in [true, false] {
                // The runtime opens descriptors of its own once, some of them late.
                try await use(20, isInvalidated: isInvalidated)
                let descriptors = try Self.descriptors()
                try await use(200, isInvalidated: isInvalidated)
                // One that each session left would be 200.
                try await eventually(in: ...(descriptors + 10), Self.descriptors)
            }
        }
    }

    @Test("A session that was never used has no thread, also at its end")
    func unused() {
        for _ in 0..<20 {
            let session = CurlURLSession(configuration: .testing)
            #expect(!session.core.loop.isRunning)
            session.core.abandon()
            #expect(!session.core.loop.isRunning)
        }
    }

    private static func loopThreads() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count { thread in
            (try? String(contentsOfFile: "/proc/self/task/\(thread)/comm", encoding: .utf8)) == "larkspur.loop\n"
        }
    }

    private static func descriptors() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    }
}
#endif
