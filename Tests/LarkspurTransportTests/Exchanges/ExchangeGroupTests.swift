#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
import Testing

@testable import LarkspurTransport

/// Exchanges without libcurl: they wait for a place at their host, or end without the network.
@Suite("ExchangeGroup and Exchange")
struct ExchangeGroupTests {
    private static let url = "http://origin.test/path"

    private func makeEngine(_ change: (URLSessionConfiguration) -> Void = { _ in }) -> TestEngine {
        TestEngine(
            .testing {
                $0.httpMaximumConnectionsPerHost = 1
                $0.urlCache = nil
                $0.timeoutIntervalForRequest = 10
                $0.timeoutIntervalForResource = 100
                change($0)
            }
        )
    }

    /// Takes the only place at the host, so that exchanges wait.
    private func takePlace(in engine: TestEngine) throws -> HostQueue {
        let queue = engine.exchanges.connections.queue(of: Destination(URL(string: Self.url)))
        queue.enqueue(FakeConnectionUser(0), priority: 1)
        return queue
    }

    /// A task that was resumed and whose commands are taken.
    private func makeTask(_ name: String, _ ends: Recorder<String>, in engine: TestEngine) throws -> TaskCore {
        let task = try engine.makeTask(
            url: Self.url,
            completion: .data { data, _, error in
                let content = data.map { String(decoding: $0, as: UTF8.self) } ?? ""
                ends.record("\(name) \((error as? URLError).map { "\($0.code.rawValue)" } ?? content)")
            }
        )
        task.resume()
        _ = task.begin(at: engine.exchanges.now)
        _ = engine.takeCommands()
        return task
    }

    private static let unknown = URLError.Code.unknown.rawValue
    private static let cancelled = URLError.Code.cancelled.rawValue
    private static let timedOut = URLError.Code.timedOut.rawValue

    // MARK: Waiting

    @Test("A task that begins has an exchange, which waits for a place at its host")
    func waiting() throws {
        let engine = makeEngine()
        let queue = try takePlace(in: engine)
        let task = try makeTask("task", Recorder(), in: engine)
        #expect(engine.exchanges.isEmpty && engine.exchanges[task] == nil)
        engine.exchanges.begin(task)
        let exchange = try #require(engine.exchanges[task])
        #expect(!engine.exchanges.isEmpty)
        #expect(exchange.ticket != nil && exchange.host === queue)
        #expect(!task.withStorage { $0.queueing.isOver })
    }

    @Test("An exchange that gets a place and no handle fails with the reason, and the next one gets the place")
    func admission() throws {
        let engine = makeEngine()
        let queue = try takePlace(in: engine)
        let ends = Recorder<String>()
        for name in ["first", "second"] { engine.exchanges.begin(try makeTask(name, ends, in: engine)) }
        engine.outbox.send()
        #expect(ends.values == [])
        queue.release(nil)
        engine.outbox.send()
        #expect(ends.values == ["first \(Self.unknown)", "second \(Self.unknown)"])
        #expect(engine.exchanges.isEmpty && queue.isIdle)
    }

    @Test("An exchange that is cancelled while it waits ends at once, and takes no place later")
    func cancellation() throws {
        let engine = makeEngine()
        let queue = try takePlace(in: engine)
        let ends = Recorder<String>()
        let task = try makeTask("task", ends, in: engine)
        engine.exchanges.begin(task)
        engine.exchanges[task]?.end(.failure(URLError(.cancelled)))
        engine.outbox.send()
        #expect(ends.values == ["task \(Self.cancelled)"])
        #expect(engine.exchanges.isEmpty)
        queue.release(nil)
        engine.outbox.send()
        #expect(ends.values.count == 1 && queue.isIdle)
    }

    @Test("A suspended exchange leaves the queue, and waits behind the others when it is resumed")
    func suspension() throws {
        let engine = makeEngine()
        let queue = try takePlace(in: engine)
        let ends = Recorder<String>()
        let first = try makeTask("first", ends, in: engine)
        for task in [first, try makeTask("second", ends, in: engine)] { engine.exchanges.begin(task) }
        let exchange = try #require(engine.exchanges[first])
        exchange.suspend()
        #expect(exchange.ticket == nil)
        exchange.resume()
        #expect(exchange.ticket != nil)
        queue.release(nil)
        engine.outbox.send()
        #expect(ends.values == ["second \(Self.unknown)", "first \(Self.unknown)"])
    }

    @Test("An exchange moves in the queue with the priority of its task")
    func priority() throws {
        let engine = makeEngine()
        let queue = try takePlace(in: engine)
        let ends = Recorder<String>()
        let tasks = try ["first", "second"].map { try makeTask($0, ends, in: engine) }
        for task in tasks { engine.exchanges.begin(task) }
        tasks[1].setPriority(1)
        engine.exchanges[tasks[1]]?.prioritize()
        queue.release(nil)
        engine.outbox.send()
        #expect(ends.values == ["second \(Self.unknown)", "first \(Self.unknown)"])
    }

    // MARK: Deadlines

    @Test("While an exchange waits for a place, the timer of the task runs and the idle timer does not")
    func deadline() throws {
        let engine = makeEngine()
        _ = try takePlace(in: engine)
        let ends = Recorder<String>()
        let start = LoopTime.now
        engine.exchanges.now = start
        let task = try makeTask("task", ends, in: engine)
        engine.exchanges.begin(task)
        // The wait is reported after a second.
        #expect(engine.exchanges.deadlines.next == start.adding(1))
        engine.exchanges.now = start.adding(50)
        engine.exchanges.expireDue()
        #expect(!engine.exchanges.isEmpty)
        #expect(engine.exchanges.deadlines.next >= start.adding(99))
        engine.exchanges.now = start.adding(101)
        engine.exchanges.expireDue()
        engine.outbox.send()
        #expect(ends.values == ["task \(Self.timedOut)"])
        #expect(engine.exchanges.isEmpty && engine.exchanges.deadlines.next == .distantFuture)
    }

    @Test("A group has been idle since the end of its last exchange")
    func idleSince() throws {
        let engine = makeEngine()
        let start = engine.exchanges.now
        engine.exchanges.now = start.adding(7)
        engine.exchanges.begin(try makeTask("task", Recorder(), in: engine))
        #expect(engine.exchanges.isEmpty)
        #expect(engine.exchanges.idleSince == start.adding(7))
    }

    // MARK: The cache

    private func store(_ fields: [String: String], ago age: TimeInterval, in engine: TestEngine) throws {
        let request = URLRequest(url: try #require(URL(string: Self.url)))
        let entry = CacheEntry.made(fields, ago: age, url: Self.url, content: "stored", now: Date())
        try #require(engine.settings.cache).store(entry, for: request)
    }

    private func makeCachingEngine() -> TestEngine {
        makeEngine { $0.urlCache = HTTPCache(memoryCapacity: 1 << 20, diskCapacity: 0) }
    }

    @Test("A fresh response is delivered from the cache while all places at the host are taken")
    func freshResponse() throws {
        let engine = makeCachingEngine()
        _ = try takePlace(in: engine)
        try store(["Cache-Control": "max-age=1000"], ago: 1, in: engine)
        let ends = Recorder<String>()
        let task = try makeTask("task", ends, in: engine)
        engine.exchanges.begin(task)
        engine.outbox.send()
        #expect(ends.values == ["task stored"])
        #expect(engine.exchanges.isEmpty)
        #expect(task.withStorage { $0.record.metrics }.map(\.source) == [.cache])
    }

    @Test("A stale response waits for its validation while the exchange waits for a place")
    func staleResponse() throws {
        let engine = makeCachingEngine()
        _ = try takePlace(in: engine)
        try store(["Cache-Control": "max-age=1", "Etag": "\"a\""], ago: 100, in: engine)
        let task = try makeTask("task", Recorder(), in: engine)
        engine.exchanges.begin(task)
        let exchange = try #require(engine.exchanges[task])
        let state = try #require(exchange.current.caching)
        #expect(state.url == Self.url && state.request.method == "GET")
        #expect(state.hasEntries && state.isConditional)
        #expect(state.stale?.content == Data("stored".utf8))
        #expect(state.replay == nil && state.use == .replaced)
        let fields = exchange.withCacheFields(["X-Own": "1"], for: exchange.request)
        #expect(fields == ["X-Own": "1", "If-None-Match": "\"a\""])
    }

    @Test("A stale response replaces a failed request if its server allows that")
    func staleIfError() throws {
        let engine = makeCachingEngine()
        try store(["Cache-Control": "max-age=1, stale-if-error=1000", "Etag": "\"a\""], ago: 100, in: engine)
        let ends = Recorder<String>()
        let queue = try takePlace(in: engine)
        let task = try makeTask("task", ends, in: engine)
        engine.exchanges.begin(task)
        try #require(engine.exchanges[task]).fail(URLError(.cannotConnectToHost))
        engine.outbox.send()
        #expect(ends.values == ["task stored"])
        #expect(!queue.isIdle)
    }

    @Test("A stale response that may be used is delivered, and one task of the session revalidates it")
    func refresh() throws {
        let engine = makeCachingEngine()
        try store(["Cache-Control": "max-age=1, stale-while-revalidate=1000", "Etag": "\"a\""], ago: 100, in: engine)
        let ends = Recorder<String>()
        for name in ["first", "second"] {
            let task = try engine.makeTask(
                url: Self.url,
                completion: .data { data, _, _ in ends.record(name + " \(data?.count ?? 0)") }
            )
            engine.exchanges.begin(task)
        }
        engine.outbox.send()
        #expect(ends.values == ["first 6", "second 6"])
        #expect(engine.takeCommands() == ["resume"])
    }

    @Test("When a group ends, it cancels the revalidation under way, and begins no other")
    func end() throws {
        let engine = makeCachingEngine()
        _ = try takePlace(in: engine)
        let request = URLRequest(url: try #require(URL(string: Self.url)))
        let task = try makeTask("task", Recorder(), in: engine)
        engine.exchanges.refresh(Self.url, with: request, after: task)
        var commands: [LoopMailbox.Command] = []
        engine.session.loop.takeCommands(&commands)
        guard case .resume(let refresh)? = commands.first else {
            Issue.record("No task was made.")
            return
        }
        engine.exchanges.begin(refresh)
        #expect(engine.exchanges[refresh] != nil)
        engine.exchanges.end()
        #expect(engine.exchanges[refresh] == nil && engine.exchanges.isEnding)
        engine.exchanges.refresh(Self.url, with: request, after: task)
        #expect(engine.takeCommands() == [])
    }
}
#endif
