import LarkspurTesting
import Synchronization
import Testing

@testable import Larkspur

/// A thousand tasks at once, a third of them cancelled.
@Suite("Many tasks", .timeLimit(.minutes(5)))
struct ManyTasksTests {
    /// When a task is cancelled.
    enum Cancellation: CaseIterable, Sendable {
        case beforeResume
        case afterResume
        case fromAnotherThread
    }

    private func run(
        _ manager: SessionManager,
        url: URL,
        count: Int,
        cancellation: Cancellation
    ) async throws {
        let ends = Recorder<(index: Int, code: LarkspurError.Code?)>()
        let completions = Mutex<[ObjectIdentifier: Int]>([:])
        let token = NotificationCenter.default.addObserver(
            forName: SessionTask.didCompleteNotification,
            object: nil,
            queue: nil
        ) { notification in
            guard let task = notification.sessionTask,
                task.taskDescription == "\(cancellation) \(ObjectIdentifier(manager))"
            else { return }
            completions.withLock { $0[ObjectIdentifier(task), default: 0] += 1 }
        }
        defer { NotificationCenter.default.removeObserver(token) }
        var tasks: [DataTask] = (0..<count).map { index in
            let task = manager.dataTask(with: URLRequest(url: url), as: DataResponseSerializer()) {
                ends.record((index, $0.error?.code))
            }
            task.taskDescription = "\(cancellation) \(ObjectIdentifier(manager))"
            return task
        }
        let references = tasks.map { Weak($0) }

        await withTaskGroup(of: Void.self) { group in
            for (index, task) in tasks.enumerated() {
                let isCancelled = index % 3 == 0
                if isCancelled && cancellation == .beforeResume { task.cancel() }
                task.resume()
                if isCancelled && cancellation == .afterResume { task.cancel() }
                if isCancelled && cancellation == .fromAnotherThread { group.addTask { task.cancel() } }
            }
        }
        try await manager.finishAll()

        #expect(ends.values.count == count)
        #expect(Set(ends.values.map(\.index)).count == count)
        for end in ends.values {
            let mayBeCancelled = end.index % 3 == 0
            #expect(end.code == nil || (mayBeCancelled && end.code == .cancelled))
            if cancellation == .beforeResume && mayBeCancelled { #expect(end.code == .cancelled) }
        }
        #expect(completions.withLock { $0.count } == count)
        #expect(completions.withLock { $0.values.allSatisfy { $0 == 1 } })
        #expect(manager.tasks.isEmpty)
        #expect(tasks.allSatisfy { $0.state == .completed })
        tasks = []
        try await eventually { references.allSatisfy { $0.object == nil } }
    }

    @Test(
        "On a stub session, each of many tasks ends exactly once and releases everything",
        arguments: Cancellation.allCases
    )
    func stub(_ cancellation: Cancellation) async throws {
        let manager = SessionManager.stubbed { _ in .respond(body: Data("x".utf8)) }
        let session = try #require(manager.session as? StubURLSession)

        try await run(
            manager,
            url: try #require(URL(string: "http://stub.test/")),
            count: 1000,
            cancellation: cancellation
        )

        try await eventually(0) { session.openTaskCount }
    }

    @Test(
        "Over the network, each of many tasks ends exactly once and releases everything",
        arguments: TestTransport.allCases,
        Cancellation.allCases
    )
    func network(_ transport: TestTransport, _ cancellation: Cancellation) async throws {
        let server = try LoopbackServer()
        server.route("/x", .text("x"))

        try await run(
            transport.makeManager(for: server),
            url: server.url("/x"),
            count: 1000,
            cancellation: cancellation
        )
    }

    @Test("An invalidation during a thousand tasks ends each task once", arguments: TestTransport.allCases)
    func invalidation(_ transport: TestTransport) async throws {
        let server = try LoopbackServer()
        server.route("/x", .text("x"))
        let manager = transport.makeManager(for: server)
        let ends = Recorder<LarkspurError.Code?>()

        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<250 {
                        manager.get("x", as: DataResponseSerializer()) { _, _ in
                            ends.record(nil)
                        } failure: {
                            ends.record($1.code)
                        }
                    }
                }
            }
            group.addTask { manager.invalidate(cancelingTasks: true) }
        }
        try await manager.finishAll()

        #expect(ends.values.count == 1000)
        #expect(ends.values.allSatisfy { $0 == nil || $0 == .cancelled || $0 == .sessionInvalidated })
        #expect(manager.tasks.isEmpty)
    }
}

private struct Weak: Sendable {
    // Safe: only ever read.
    nonisolated(unsafe) private(set) weak var object: SessionTask?

    init(_ object: SessionTask) { self.object = object }
}
