import LarkspurTesting
import Testing

@testable import Larkspur

@Suite("Invalidation and lifetime", .timeLimit(.minutes(5)))
struct InvalidationTests {
    let server: LoopbackServer

    init() throws { server = try LoopbackServer() }

    @Test("Without a reset, the manager always has the same session", arguments: TestTransport.allCases)
    func sameSession(_ transport: TestTransport) {
        let manager = transport.makeManager(for: server)
        let session = manager.session

        manager.invalidate(cancelingTasks: true, resettingSession: false)

        #expect(manager.session === session)
    }

    @Test("After a reset, the manager has another session, which carries requests", arguments: TestTransport.allCases)
    func reset(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let session = manager.session

        manager.invalidate(cancelingTasks: true, resettingSession: true)

        #expect(manager.session !== session)
        #expect(try await manager.call(.get, "get").error == nil)
    }

    @Test("A task that is created after an invalidation fails through its closure", arguments: TestTransport.allCases)
    func invalidated(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        manager.invalidate(cancelingTasks: false)

        let call = try await manager.call(.get, "get")
        let ends = Recorder<LarkspurError?>()
        let request = URLRequest(url: server.url("/get"))
        manager.downloadTask(with: request) { ends.record($0.error) }.resume()
        manager.uploadTask(with: request, from: .data(Data())) { ends.record($0.error) }.resume()
        manager.uploadTask(with: request) { ends.record($0.error) }.resume()
        try await manager.finishAll()

        #expect(call.task == nil && call.error?.code == .sessionInvalidated)
        #expect(ends.values.map { $0?.code } == [.sessionInvalidated, .sessionInvalidated, .sessionInvalidated])
        #expect(server.requests.isEmpty)
    }

    @Test("If only the session was invalidated, the tasks of its manager fail", arguments: TestTransport.allCases)
    func invalidatedDirectly(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let notifications = NotificationRecorder(manager, names: [SessionManager.didInvalidateNotification])

        manager.session.finishTasksAndInvalidate()
        try await notifications.events.wait()

        #expect(try await manager.call(.get, "get").error?.code == .sessionInvalidated)
    }

    @Test(
        "An invalidation that cancels ends the tasks under way, and is then notified once",
        arguments: TestTransport.allCases
    )
    func canceling(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let invalidations = NotificationRecorder(manager, names: [SessionManager.didInvalidateNotification])
        let hooks = Recorder<Bool>()
        manager.hooks.didBecomeInvalid = { hooks.record($0 == nil) }
        let codes = Recorder<LarkspurError.Code?>()
        for _ in 0..<3 {
            manager.get("fault/no-response") { _, _ in
                codes.record(nil)
            } failure: {
                codes.record($1.code)
            }
        }
        let neverResumed = manager.dataTask(with: URLRequest(url: server.url("/get"))) { codes.record($0.error?.code) }
        try await server.waitForRequests(3)

        manager.invalidate(cancelingTasks: true)
        try await invalidations.events.wait()
        try await manager.finishAll()

        #expect(codes.values == [.cancelled, .cancelled, .cancelled, .cancelled])
        #expect(neverResumed.state == .completed)
        #expect(invalidations.events.values.count == 1)
        #expect(hooks.values == [true])
        #expect(manager.tasks.isEmpty)
    }

    @Test("The notification of an invalidation follows the hook")
    func order() async throws {
        let manager = SessionManager()
        let invalidations = NotificationRecorder(manager, names: [SessionManager.didInvalidateNotification])
        let hooks = Recorder<Int>()
        manager.hooks.didBecomeInvalid = { _ in hooks.record(invalidations.events.values.count) }
        let queue = manager.sessions.hooks.queue

        queue.suspend()
        // Without a session the manager is invalid at once.
        manager.invalidate(cancelingTasks: true)
        manager.completionQueue.sync {}
        let early = invalidations.events.values.count
        queue.resume()
        try await invalidations.events.wait()

        #expect(early == 0)
        #expect(hooks.values == [0])
    }

    @Test("With an invalidation that does not cancel, tasks finish", arguments: TestTransport.allCases)
    func finishing(_ transport: TestTransport) async throws {
        let gate = LoopbackServer.Gate()
        server.route("/held", .json("[]").held(until: gate))
        let manager = transport.makeManager(for: server)
        let invalidations = NotificationRecorder(manager, names: [SessionManager.didInvalidateNotification])
        let ends = Recorder<Bool>()
        manager.get("held") { _, _ in
            ends.record(true)
        } failure: { _, _ in
            ends.record(false)
        }
        try await server.waitForRequests(1)

        manager.invalidate(cancelingTasks: false)
        #expect(invalidations.events.values.isEmpty)
        gate.open()
        try await invalidations.events.wait()
        try await manager.finishAll()

        #expect(ends.values == [true])
    }

    @Test(
        "Tasks of an earlier session end correctly, even if the next session uses the same identifiers",
        arguments: TestTransport.allCases
    )
    func identifiersAfterReset(_ transport: TestTransport) async throws {
        let gate = LoopbackServer.Gate()
        server.route("/old", .json(#"["old"]"#).held(until: gate))
        server.route("/new", .json(#"["new"]"#))
        let manager = transport.makeManager(for: server)
        let objects = Recorder<[String]>()
        let old = manager.get("old") { _, object in objects.record(object as? [String] ?? []) }
        try await server.waitForRequests(1)

        manager.invalidate(cancelingTasks: false, resettingSession: true)
        let new = manager.get("new") { _, object in objects.record(object as? [String] ?? []) }
        try await objects.wait(for: 1)
        gate.open()
        try await objects.wait(for: 2)

        #expect(old.taskIdentifier == new.taskIdentifier)
        #expect(objects.values == [["new"], ["old"]])
    }

    @Test(
        "The tasks of a released manager finish, and nothing is left",
        arguments: TestTransport.allCases
    )
    func release(_ transport: TestTransport) async throws {
        let ends = Recorder<Bool>()
        weak var released: SessionManager?
        weak var task: SessionTask?
        weak var handlerCapture: Recorder<Void>?
        let group = DispatchGroup()
        do {
            let manager = transport.makeManager(for: server)
            manager.completionGroup = group
            let capture = Recorder<Void>()
            handlerCapture = capture
            task = manager.get("get") { [capture] _, _ in
                _ = capture
                ends.record(true)
            } failure: { _, _ in
                ends.record(false)
            }
            released = manager
        }
        let left = Recorder<Void>()
        group.notify(queue: .global()) { left.record(()) }
        try await left.wait()

        #expect(ends.values == [true])
        #expect(released == nil)
        try await eventually { task == nil && handlerCapture == nil }
    }

    @Test("A stub session is released with its manager")
    func stubSessionDies() async throws {
        weak var session: URLSession?
        weak var task: SessionTask?
        do {
            let manager = SessionManager.stubbed()
            session = manager.session
            task = manager.get("/") { _, _ in }
            try await manager.finishAll()
        }

        try await eventually { session == nil && task == nil }
    }

    @Test("A copy of a manager has the same settings and a separate session")
    func copy() throws {
        let manager = SessionManager.stubbed(baseURL: URL(string: "http://stub.test/v1"))
        manager.headers["field"] = "value"
        manager.responseSerializer = StringResponseSerializer()
        manager.hooks.didBecomeInvalid = { _ in }
        manager.maximumContentSize = 7
        manager.reportsUnhandledFailures.toggle()

        let copy = manager.copy()
        copy.headers["field"] = "changed"

        #expect(copy !== manager)
        #expect(copy.baseURL == manager.baseURL)
        #expect(copy.session !== manager.session)
        #expect(copy.responseSerializer is StringResponseSerializer)
        #expect(copy.completionGroup === manager.completionGroup && copy.completionQueue === manager.completionQueue)
        #expect(copy.hooks.didBecomeInvalid != nil)
        #expect(copy.maximumContentSize == 7)
        #expect(copy.reportsUnhandledFailures == manager.reportsUnhandledFailures)
        #expect(manager.headers["field"] == "value")
    }

    @Test("Two managers are distinct and have separate sessions")
    func noSingleton() {
        let first = SessionManager()
        let second = SessionManager()

        #expect(first !== second && first.session !== second.session)
    }
}
