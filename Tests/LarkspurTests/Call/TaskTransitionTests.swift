import LarkspurTesting
import Synchronization
import Testing

@testable import Larkspur

@Suite("Task transitions on real transports", .timeLimit(.minutes(5)))
struct TaskTransitionTests {
    private let server: LoopbackServer
    private let gate = LoopbackServer.Gate()

    init() throws {
        server = try LoopbackServer()
        server.route("/held", .json("[]").held(until: gate))
    }

    @Test("Repeated calls of resume() and suspend() post one notification each", arguments: TestTransport.allCases)
    func repeated(transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let task = manager.dataTask(with: URLRequest(url: server.url("/held"))) { _ in }
        let notifications = NotificationRecorder(task)
        for drive in [task.suspend, task.resume, task.suspend, task.resume] { for _ in 0..<3 { drive() } }
        gate.open()
        try await manager.finishAll()
        for drive in [task.suspend, task.resume] { drive() }
        #expect(
            notifications.names == [
                SessionTask.didResumeNotification, SessionTask.didSuspendNotification,
                SessionTask.didResumeNotification,
                SessionTask.didCompleteNotification,
            ]
        )
    }

    @Test("Concurrent calls of resume() and suspend() post each transition in order", arguments: TestTransport.allCases)
    func concurrent(transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let task = manager.dataTask(with: URLRequest(url: server.url("/held"))) { _ in }
        let notifications = NotificationRecorder(task)
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<10 {
                        task.resume()
                        task.suspend()
                    }
                }
            }
        }
        task.resume()
        gate.open()
        try await manager.finishAll()
        var names = notifications.names
        #expect(names.popLast() == SessionTask.didCompleteNotification)
        #expect(names.last == SessionTask.didResumeNotification)
        // Each is another one than that before it.
        let resumed = SessionTask.didResumeNotification
        #expect(names.enumerated().allSatisfy { ($0.offset % 2 == 0) == ($0.element == resumed) })
    }

    @Test(
        "A task has its requests after its session manager was released",
        arguments: TestTransport.allCases
    )
    func requests(transport: TestTransport) async throws {
        server.route("/away", .redirect(to: "/there"))
        server.route("/there", .json("[]"))
        let ends = Recorder<Void>()
        weak var released: SessionManager?
        let task: SessionTask
        do {
            let manager = transport.makeManager(for: server)
            released = manager
            task = manager.dataTask(with: URLRequest(url: server.url("/away"))) { _ in ends.record(()) }
            task.resume()
        }
        try await ends.wait()
        try await eventually { released == nil }
        #expect(task.originalRequest?.url == server.url("/away"))
        #expect(task.currentRequest?.url == server.url("/there"))
    }
}
