import LarkspurTesting
import Testing

@testable import Larkspur

/// Calls whose end nobody observes. A completion queue that is suspended shows which of them do without it.
@Suite("The end of an awaited call", .timeLimit(.minutes(5)))
struct AwaitedEndTests {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
        server.route("/number", .json("7"))
        server.route("/numbers", .json("[" + Array(repeating: "7", count: 10_000).joined(separator: ",") + "]"))
    }

    private func makeManager(_ transport: TestTransport) -> SessionManager {
        let manager = transport.makeManager(for: server)
        // The names are read by other tests of this process.
        manager.interest = NotificationInterest()
        return manager
    }

    /// Runs an action while the completion queue of a manager stands still.
    private func withoutQueue<Value>(
        of manager: SessionManager,
        _ action: () async throws -> Value
    ) async rethrows -> Value {
        let queue = manager.completionQueue
        queue.suspend()
        defer { queue.resume() }
        return try await action()
    }

    @Test(
        "Neither content of any size nor values of any kind need the completion queue",
        arguments: TestTransport.allCases
    )
    func withoutCompletionQueue(transport: TestTransport) async throws {
        let manager = makeManager(transport)
        try await withoutQueue(of: manager) { () async throws in
            #expect(try await manager.get("number").data == Data("7".utf8))
            #expect(try await manager.get("number").string == "7")
            #expect(try await manager.get("number").value(as: Int.self) == 7)
            #expect(try await manager.get("numbers").data.count > 4096)
            #expect(try await manager.get("numbers").value(as: [Int].self).count == 10_000)
            #expect(try await manager.post("anything", body: .json([1])).data.isEmpty == false)
            #expect(await manager.get("status/404").response().error?.statusCode == 404)
            #expect(await manager.get("http://127.0.0.1:1/").response().error != nil)
            #expect(await manager.get("no URL", headers: ["a b": "c"]).response().error?.code == .invalidHeaderField)
        }
        try await manager.finishAll()
    }

    @Test(
        "When an awaited call returns, its task has ended, and has left its manager and its group",
        arguments: TestTransport.allCases
    )
    func ended(transport: TestTransport) async throws {
        let manager = makeManager(transport)
        for path in ["number", "status/500"] {
            let task = manager.get(path)
            let response = await task.response()
            #expect(manager.completionGroup.wait(timeout: .now()) == .success)
            #expect(manager.tasks.isEmpty)
            #expect(task.state == .completed)
            #expect(task.error?.statusCode == response.error?.statusCode)
            #expect(task.timeline.serialized != nil && response.timeline.serialized != nil)
        }
    }

    @Test("A cancelled call returns without the completion queue", arguments: TestTransport.allCases)
    func cancelled(transport: TestTransport) async throws {
        let gate = LoopbackServer.Gate()
        server.route("/held", .json("1").held(until: gate))
        let manager = makeManager(transport)
        try await withoutQueue(of: manager) { () async throws in
            let call = manager.get("held")
            let work = Task { await call.response().error?.code }
            try await server.waitForRequests(1, to: "/held")
            work.cancel()
            #expect(await work.value == .cancelled)
        }
        gate.open()
        let early = manager.get("number")
        early.cancel()
        #expect(await early.response().error?.code == .cancelled)
        try await manager.finishAll()
    }

    @Test(
        "Other handlers and tasks that await the same call get its response, early or late",
        arguments: TestTransport.allCases
    )
    func others(transport: TestTransport) async throws {
        let manager = makeManager(transport)
        let task = manager.get("number")
        let handled = Recorder<Data>()
        task.response(as: .data) { handled.record($0.value ?? Data()) }
        async let first = task.data
        async let second = task.value(as: Int.self)
        let (data, number) = try await (first, second)
        #expect(data.count == 1 && number == 7)
        #expect(try await handled.first().count == 1)

        let lone = manager.get("number")
        #expect(try await lone.data.count == 1)
        lone.response(as: .string) { handled.record(Data(($0.value ?? "").utf8)) }
        #expect(try await handled.wait(for: 2).last == Data("7".utf8))
        #expect(try await lone.value(as: Int.self) == 7)
        try await manager.finishAll()
    }

    @Test(
        "A sequence of an awaited call ends, whether the call succeeds or fails",
        arguments: TestTransport.allCases,
        [nil, LarkspurError.Code.interceptionFailed]
    )
    func sequence(transport: TestTransport, failure: LarkspurError.Code?) async throws {
        let manager = makeManager(transport)
        let gate = LoopbackServer.Gate()
        manager.interceptors.call = [
            ClosureInterceptor { request, _, next in
                await gate.wait()
                if failure != nil { throw CocoaError(.fileNoSuchFile) }
                return try await next(request)
            }
        ]
        let call = manager.get("number")
        let ends = Recorder<LarkspurError.Code?>()
        Task {
            do throws(LarkspurError) {
                for try await _ in call.chunks {}
                ends.record(nil)
            } catch {
                ends.record(error.code)
            }
        }
        try await eventually(.running) { call.state }
        // The await resumes the call when its handler has been added, and the call does not end before.
        call.suspend()
        Task { ends.record(await call.response().error?.code) }
        try await eventually(.running) { call.state }

        gate.open()

        // The content has gone to the sequence, and the await gets none.
        #expect(try await Set(ends.wait(for: 2)) == [failure, failure ?? .unsupported])
        try await manager.finishAll()
    }

    @Test("Progress, hooks and events of a call precede its end", arguments: TestTransport.allCases)
    func order(transport: TestTransport) async throws {
        let manager = makeManager(transport)
        for _ in 0..<20 {
            let steps = Recorder<String>()
            _ = try await manager.get("numbers").downloadProgress { _ in steps.record("progress") }.data
            #expect(steps.values.contains("progress"))
        }
        for _ in 0..<20 {
            let steps = Recorder<String>()
            _ = try await manager.get("number").observe([.completed]) { _ in steps.record("completed") }.data
            #expect(steps.values == ["completed"])
        }
        let notifications = NotificationInterest()
        manager.interest = notifications
        notifications.postsAll = true
        for _ in 0..<20 {
            let task = manager.get("number")
            let recorder = NotificationRecorder(task)
            _ = try await task.data
            #expect(recorder.names.first == SessionTask.didResumeNotification)
            try await manager.finishAll()
            #expect(recorder.names.last == SessionTask.didCompleteNotification)
        }
    }

    @Test("An observer that is added during the serialization gets the end on the queue of events")
    func lateObserver() async throws {
        let manager = makeManager(.curl)
        manager.completionQueue = TestQueue.make("events")
        let queues = Recorder<String?>()
        let task = manager.get("number")
        _ = await task.response(as: Meddler { task.observe([.completed]) { _ in queues.record(TestQueue.current) } })
        try await manager.finishAll()
        #expect(queues.values == ["events"])
    }

    @Test("Calls that are cancelled at any moment end once", arguments: TestTransport.allCases)
    func storm(transport: TestTransport) async throws {
        let manager = makeManager(transport)
        let count = transport != .foundation ? 400 : 100
        let ends = Recorder<Int>()
        await withTaskGroup { group in
            for number in 0..<count {
                group.addTask {
                    let call = manager.get("number")
                    let work = Task { await call.response() }
                    for _ in 0..<(number % 40) { await Task.yield() }
                    if number % 3 == 0 { work.cancel() }
                    if number % 3 == 1 { call.cancel() }
                    let response = await work.value
                    #expect(response.error == nil || response.error?.code == .cancelled)
                    ends.record(number)
                }
            }
        }
        try await manager.finishAll()
        #expect(Set(ends.values).count == count)
        #expect(manager.tasks.isEmpty)
    }
}

/// A serializer that does something else besides.
private struct Meddler: ResponseSerializer {
    var validation = ResponseValidation()
    let action: @Sendable () -> Void

    init(_ action: @escaping @Sendable () -> Void) { self.action = action }

    func serialize(_ data: Data, response: URLResponse?) throws -> sending Data {
        action()
        return data
    }
}
