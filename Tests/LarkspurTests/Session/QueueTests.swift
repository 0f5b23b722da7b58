import LarkspurTesting
import Synchronization
import Testing

@testable import Larkspur

@Suite("Queues and group", .timeLimit(.minutes(5)))
struct QueueTests {
    @Test("Handlers, progress closures and notifications run on the completion queue")
    func completionQueue() async throws {
        let queue = TestQueue.make("completion")
        let manager = SessionManager.stubbed(completionQueue: queue) { _ in .json("[1]") }
        let places = Recorder<String?>()
        let task = manager.dataTask(
            with: URLRequest(url: try #require(URL(string: "http://stub.test/"))),
            options: CallOptions(downloadProgress: { _ in places.record(TestQueue.current) }),
            completionHandler: { _ in places.record(TestQueue.current) }
        )
        let notifications = NotificationRecorder(task)

        // The session delivers nothing before all has been said.
        manager.session.delegateQueue.isSuspended = true
        task.resume()
        task.suspend()
        task.resume()
        manager.session.delegateQueue.isSuspended = false
        try await manager.finishAll()

        #expect(places.values.count >= 2)
        #expect(places.values.allSatisfy { $0 == "completion" })
        #expect(notifications.events.values.count == 4)
        #expect(notifications.events.values.allSatisfy { $0.queue == "completion" })
    }

    @Test("A task has the queue and the group that were set at its creation")
    func captured() async throws {
        let manager = SessionManager.stubbed(completionQueue: TestQueue.make("first"))
        let group = manager.completionGroup
        let places = Recorder<String?>()
        let task = manager.dataTask(with: URLRequest(url: try #require(URL(string: "http://stub.test/")))) { _ in
            places.record(TestQueue.current)
        }
        manager.completionQueue = TestQueue.make("second")
        manager.completionGroup = DispatchGroup()

        task.resume()
        let left = Recorder<Void>()
        group.notify(queue: .global()) { left.record(()) }
        try await left.wait()

        #expect(places.values == ["first"])
    }

    @Test("A task enters its group when it is resumed, and leaves it after the handlers and the notification")
    func group() async throws {
        let queue = TestQueue.make("completion")
        let manager = SessionManager.stubbed(completionQueue: queue)
        let events = Recorder<String>()
        let task = manager.dataTask(with: URLRequest(url: try #require(URL(string: "http://stub.test/")))) { _ in
            events.record("handler")
        }
        let notifications = NotificationRecorder(task)
        #expect(manager.completionGroup.wait(timeout: .now()) == .success)

        queue.suspend()
        task.resume()
        #expect(manager.completionGroup.wait(timeout: .now()) == .timedOut)
        manager.completionGroup.notify(queue: queue) {
            events.record("left, \(notifications.names.count) notifications")
        }
        queue.resume()
        try await events.wait(for: 2)

        #expect(events.values == ["handler", "left, 2 notifications"])
    }

    @Test("Several responses are serialized at once on the processing queue")
    func processing() async throws {
        /// Waits in one response until another is being serialized.
        struct Rendezvous: ResponseSerializer {
            var validation = ResponseValidation()
            let arrivals: DispatchSemaphore
            let departures: DispatchSemaphore

            func serialize(_ data: Data, response: URLResponse?) throws -> sending Bool {
                arrivals.signal()
                return departures.wait(timeout: .now() + 30) == .success
            }
        }
        let manager = SessionManager.stubbed()
        let arrivals = DispatchSemaphore(value: 0)
        let departures = DispatchSemaphore(value: 0)
        let met = Recorder<Bool>()
        let serializer = Rendezvous(arrivals: arrivals, departures: departures)

        for _ in 0..<2 { manager.get("/", as: serializer) { met.record($1) } }
        DispatchQueue.global().async {
            arrivals.wait()
            arrivals.wait()
            departures.signal()
            departures.signal()
        }

        #expect(try await met.wait(for: 2) == [true, true])
    }

    @Test("A slow queue gets few progress reports, and the last report is final")
    func coalescedProgress() async throws {
        let queue = TestQueue.make("completion")
        let chunks = [Data](repeating: Data(count: 100), count: 500)
        let manager = SessionManager.stubbed(completionQueue: queue) { _ in
            var reply = StubURLSession.Reply.respond(headers: ["Content-Length": "50000"])
            reply.chunks = chunks
            return reply
        }
        let completed = Recorder<Int64>()
        let ended = Recorder<Void>()
        manager.hooks.didComplete = { _, _ in ended.record(()) }

        queue.suspend()
        manager.get(
            "/",
            options: CallOptions(downloadProgress: {
                completed.record($0.completedUnitCount)
            }),
            as: DataResponseSerializer()
        ) { _, _ in
        }
        try await ended.wait()
        queue.resume()
        try await manager.finishAll()

        #expect(completed.values == [50000])
    }

    @Test(
        "An unknown length is known at the end, and a content coding makes the length unknown",
        arguments: [nil, "gzip"]
    )
    func unknownLength(_ coding: String?) async throws {
        let manager = SessionManager.stubbed { _ in
            var headers = coding == nil ? [:] : ["Content-Length": "10"]
            headers["Content-Encoding"] = coding
            return .respond(headers: headers, body: Data(count: 1000))
        }

        let task = manager.get("/", as: DataResponseSerializer()) { _, _ in }
        try await manager.finishAll()

        #expect(task.downloadProgress.completedUnitCount == 1000)
        #expect(task.downloadProgress.totalUnitCount == 1000)
    }

    @Test("A thousand threads set header fields at once without a crash")
    func concurrentSettings() async {
        let manager = SessionManager.stubbed()

        await withTaskGroup(of: Void.self) { group in
            for index in 0..<1000 {
                group.addTask {
                    manager.headers["field"] = "value \(index)"
                    _ = manager.headers["field"]
                }
            }
        }

        #expect(manager.headers["field"]?.hasPrefix("value ") == true)
    }
}
