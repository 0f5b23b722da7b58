#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
import Synchronization
import Testing

@testable import LarkspurTransport

@Suite("Outbox")
struct OutboxTests {
    private let engine = TestEngine()
    private var outbox: Outbox { engine.outbox }

    private func deliver(_ content: Data, to task: TaskCore) {
        content.withUnsafeBytes { outbox.deliver($0, to: task) }
    }

    private func deliver(_ text: String, to task: TaskCore) { deliver(Data(text.utf8), to: task) }

    @Test("Events wait for the end of the turn, and are delivered in order")
    func order() throws {
        let receiver = RecordingReceiver()
        let task = try engine.makeTask(receiver: receiver)
        outbox.deliver(.sent(1, total: 1, expected: 2), to: task)
        deliver("a", to: task)
        outbox.deliver(.sent(1, total: 2, expected: 2), to: task)
        deliver("b", to: task)
        outbox.end(task, with: nil)
        #expect(receiver.events.values == [])
        outbox.send()
        #expect(receiver.events.values == ["sent 1 1 2", "data a", "sent 1 2 2", "data b", "end"])
        outbox.send()
        #expect(receiver.events.values.count == 5)
    }

    @Test("Consecutive chunks of one turn are delivered as one")
    func arrival() throws {
        let receiver = RecordingReceiver(holdsContent: true)
        let task = try engine.makeTask(receiver: receiver)
        for _ in 0..<3 { deliver(Data(repeating: 65, count: 1 << 14), to: task) }
        deliver("end", to: task)
        outbox.send()
        #expect(receiver.events.values == ["data " + String(repeating: "A", count: 3 << 14) + "end"])
    }

    @Test("Chunks of two tasks, of two turns, or beyond the size of the buffer, are delivered separately")
    func separateArrivals() throws {
        let (receiver, other) = (RecordingReceiver(), RecordingReceiver())
        let (task, otherTask) = (try engine.makeTask(receiver: receiver), try engine.makeTask(receiver: other))
        let chunk = Data(repeating: 65, count: 1 << 14)
        deliver(chunk, to: task)
        deliver(chunk, to: otherTask)
        deliver(chunk, to: task)
        outbox.send()
        #expect(receiver.events.values.count == 2 && other.events.values.count == 1)
        deliver(chunk, to: task)
        outbox.send()
        #expect(receiver.events.values.count == 3)
        for _ in 0..<(EasyHandle.bufferSize / chunk.count + 1) { deliver(chunk, to: task) }
        outbox.send()
        #expect(receiver.events.values.count == 5)
    }

    @Test("Actions keep their place among the events")
    func actions() throws {
        let receiver = RecordingReceiver()
        let task = try engine.makeTask(receiver: receiver)
        deliver("a", to: task)
        outbox.deliver(.action { receiver.events.record("action") })
        deliver("b", to: task)
        outbox.send()
        #expect(receiver.events.values == ["data a", "action", "data b"])
    }

    /// Runs a test with a task whose delegate tells its metrics.
    private func withMeasuredTask(_ body: (TaskCore, Outbox, DelegateLog) async throws -> Void) async throws {
        let log = DelegateLog()
        let settings = engine.settings
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let session = SessionCore(
            settings: settings,
            delegate: log,
            place: .operations(queue),
            unavailability: nil,
            thread: LoopThread { _ in 0 },
            work: { _, _ in true }
        )
        let (object, taskObject) = (InertSession(), InertTask())
        session.attach(object)
        let task = session.makeTask(kind: .data, request: nil, body: .none, completion: nil)
        task.attach(taskObject)
        try await body(task, Outbox(mailbox: session.loop, cookies: settings.cookies), log)
        withExtendedLifetime((object, taskObject)) {}
    }

    @Test("The end of a task follows its metrics")
    func metrics() async throws {
        try await withMeasuredTask { task, outbox, log in
            outbox.end(task, with: nil)
            outbox.send()
            try await log.ends.wait()
            #expect(log.metrics.values.map(\.ends) == [0])
        }
    }

    @Test("The end of a task follows metrics that were held with its response, also after a cancellation")
    func heldMetrics() async throws {
        try await withMeasuredTask { task, _, log in
            task.deliveryState.isHeld = true
            task.deliver(.metrics(hasFailed: true))
            #expect(log.metrics.values.isEmpty)
            task.cancel()
            task.deliver(.end(URLError(.networkConnectionLost)))
            #expect(log.ends.values.count == 1)
            #expect(log.metrics.values.map(\.ends) == [0])
        }
    }

    // MARK: Events that wait

    @Test("While a task's events are held, neither its failure nor the events of other tasks wait")
    func failure() throws {
        let storage = HTTPCookieStorage.sharedCookieStorage(forGroupContainerIdentifier: UUID().uuidString)
        let engine = TestEngine(.testing { $0.httpCookieStorage = storage })
        let (receiver, other) = (RecordingReceiver(), RecordingReceiver())
        let (task, otherTask) = (try engine.makeTask(receiver: receiver), try engine.makeTask(receiver: other))
        let url = try #require(task.plan.originalRequest?.url)
        engine.outbox.storeCookies(["a=b"], from: url, mainDocumentURL: nil, of: task)
        #expect(engine.outbox.isHolding)
        engine.outbox.end(otherTask, with: nil)
        engine.outbox.end(task, with: URLError(.timedOut))
        engine.outbox.send()
        #expect(receiver.events.values == ["failure \(URLError.Code.timedOut.rawValue)"])
        #expect(other.events.values == ["end"])
        #expect(!engine.outbox.isHolding)
    }

    @Test("A proposed response is stored between the events before it and those after it")
    func proposal() throws {
        let receiver = RecordingReceiver()
        let task = try engine.makeTask(receiver: receiver)
        let store = EntryStore(memoryCapacity: 1 << 20, diskCapacity: 0, directory: nil)
        let proposal = CacheProposal(
            entry: .made(),
            request: try #require(task.plan.originalRequest),
            destination: store
        )
        deliver("content", to: task)
        outbox.deliver(.willCache(proposal), to: task)
        outbox.deliver(.action { receiver.events.record("stored \(store.memoryUsage > 0)") })
        outbox.end(task, with: nil)
        #expect(store.memoryUsage == 0)
        outbox.send()
        #expect(receiver.events.values == ["data content", "stored true", "end"])
    }

    @Test("Events wait until the cookies of their response are stored")
    func cookies() async throws {
        let storage = HTTPCookieStorage.sharedCookieStorage(forGroupContainerIdentifier: UUID().uuidString)
        let engine = TestEngine(.testing { $0.httpCookieStorage = storage })
        let receiver = RecordingReceiver()
        let task = try engine.makeTask(receiver: receiver)
        let url = try #require(task.plan.originalRequest?.url)
        engine.outbox.storeCookies(["a=b"], from: url, mainDocumentURL: nil, of: task)
        engine.outbox.end(task, with: nil)
        engine.outbox.send()
        #expect(receiver.events.values == [])
        try await eventually { engine.takeCommands() == ["stored"] }
        #expect(storage.cookies(for: url)?.map(\.name) == ["a"])
        engine.outbox.release(task)
        engine.outbox.send()
        #expect(receiver.events.values == ["end"])
    }
}
#endif
