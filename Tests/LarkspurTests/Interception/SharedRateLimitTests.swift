import LarkspurTesting
import TestSupport
import Testing

@testable import Larkspur

@Suite("Rate limits that processes share", .timeLimit(.minutes(5)))
struct SharedRateLimitTests {
    private struct Failure: Error, CustomStringConvertible {
        var description: String { "no connection" }
    }

    let clock = TestClock()
    let store: InMemorySharedStore
    /// The reasons of the event `sharedStoreFailed`.
    let notes = Recorder<String>()

    init() { store = InMemorySharedStore(clock: clock) }

    private func makeLimit(
        _ count: Int = 10,
        per period: Duration = .seconds(1),
        burst: Int? = nil,
        share: Double = 0.5,
        store: (any SharedStore)? = nil
    ) -> SharedRateLimit {
        SharedRateLimit(
            SharedRateRules(count: count, period: period, burst: burst, share: share, timeout: .milliseconds(500)),
            store: store ?? self.store,
            key: "test"
        ) {
            Int($0.value(forHTTPHeaderField: "Priority") ?? "") ?? 0
        }
    }

    /// Sends a request whose response arrives at once.
    private func send(
        through limit: any RequestInterceptor,
        to url: String = "http://api.test/x",
        priority: Int = 0,
        _ clock: (any Clock<Duration>)? = nil
    ) async throws {
        var request = URLRequest(url: try #require(URL(string: url)))
        request.setValue("\(priority)", forHTTPHeaderField: "Priority")
        var context = RequestContext(clock: clock ?? self.clock)
        context.note = { [notes] note in
            if case .sharedStore(let reason) = note { notes.record(reason) }
        }
        _ = try await limit.intercept(request, context: context) {
            InterceptedResponse(request: $0, response: nil)
        }
    }

    /// Waits until a number of sleeps of a length has begun, and moves the clock by this length.
    private func pass(_ duration: Duration, count: Int = 1) async throws {
        try await eventually(in: count...) { clock.sleeps.count { $0 == duration } }
        clock.advance(by: duration)
    }

    // MARK: Sharing

    @Test("An attempt that need not wait costs one step of the store, in the bucket of its key and origin")
    func oneStep() async throws {
        let limit = makeLimit()
        try await send(through: limit)
        try await send(through: limit, to: "https://api.test/x")
        try await send(through: limit, to: "about:blank")
        #expect(store.steps.map(\.operation) == [.takeToken, .takeToken, .takeToken])
        #expect(store.steps.map(\.key) == ["test http://api.test:80", "test https://api.test:443", "test -"])
        #expect(limit.originCount == 0 && notes.values.isEmpty)
        try await eventually(0) { clock.sleeperCount }
    }

    @Test("Managers that share a store share one rate", arguments: TestTransport.allCases)
    func managers(_ transport: TestTransport) async throws {
        let server = try LoopbackServer()
        let begins = Recorder<Duration>()
        // The clock may run while the store works.
        let rules = SharedRateRules(count: 10, period: .seconds(1), burst: nil, share: 1, timeout: .seconds(3600))
        let limits = (0..<3).map { _ in SharedRateLimit(rules, store: store, key: "test") }
        let managers = limits.map { limit in
            let manager = transport.makeManager(for: server)
            manager.clock = clock
            manager.interceptors.attempt = [
                limit,
                .custom { [clock] request, _, next in
                    begins.record(clock.now.offset)
                    return try await next(request)
                },
            ]
            return manager
        }
        let calls = (0..<30).map { index in Task { await managers[index % 3].get("get").response() } }
        while begins.values.count < 30 {
            // Every attempt that a limit has let go has begun.
            try await eventually {
                let waiting = limits.reduce(0) { $0 + $1.waiterCount }
                let begun = begins.values.count
                return waiting + begun == 30 && (waiting == 0 || clock.sleeperCount > 0)
            }
            clock.advance(by: .milliseconds(10))
        }
        for call in calls { #expect(await call.value.error == nil) }
        let times = begins.values.sorted()
        for time in times { #expect(times.count { $0 >= time && $0 < time + .seconds(1) } <= 14) }
    }

    @Test("Keys have separate buckets")
    func keys() async throws {
        for key in ["a", "b"] {
            let limit: any RequestInterceptor = .rateLimit(1, store: store, key: key, shareWithoutStore: 0)
            try await send(through: limit)
        }
        #expect(store.steps.map(\.key) == ["a http://api.test:80", "b http://api.test:80"])
    }

    // MARK: Waiting

    @Test("Tokens go to the highest priority first, also after a cancellation")
    func priorities() async throws {
        let limit = makeLimit(4)
        let begun = Recorder<Int>()
        try await send(through: limit)
        var calls: [Task<Void, any Error>] = []
        for (index, priority) in [0, 5, 0, 9, 5].enumerated() {
            calls.append(
                Task {
                    try await send(through: limit, priority: priority)
                    begun.record(index)
                }
            )
            try await eventually(index + 1) { limit.waiterCount }
        }
        let cancelled = calls[3]
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        for turn in 1...4 {
            try await pass(.milliseconds(250), count: turn)
            try await begun.wait(for: turn)
        }
        #expect(begun.values == [1, 4, 0, 2])
        #expect(store.steps.count == 5)
        try await eventually(0) { clock.sleeperCount }
        #expect(limit.originCount == 0)
    }

    @Test("The next attempt uses the token of a cancelled one, and without a next one the token is lost")
    func cancellation() async throws {
        let limit = makeLimit(4)
        try await send(through: limit)
        for turn in 1...5 {
            let call = Task { try await send(through: limit) }
            try await eventually { clock.sleeps.contains(.milliseconds(250)) && limit.waiterCount == 1 }
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
            #expect(store.steps.count == 2, "\(turn)")
        }
        let call = Task { try await send(through: limit) }
        try await eventually(1) { limit.waiterCount }
        clock.advance(by: .milliseconds(250))
        try await call.value
        #expect(store.steps.count == 2)

        let last = Task { try await send(through: limit) }
        try await eventually(2) { clock.sleeps.count { $0 == .milliseconds(250) } }
        last.cancel()
        await #expect(throws: CancellationError.self) { try await last.value }
        clock.advance(by: .milliseconds(250))
        try await eventually(0) { limit.originCount }
        #expect(store.steps.count == 3)
    }

    /// A clock that cannot sleep for a duration.
    private struct BrokenClock: Clock {
        struct Failure: Error {}

        var clock = TestClock()
        /// The duration; nil for all.
        var duration: Duration?
        var now: TestClock.Instant { clock.now }
        var minimumResolution: Duration { .zero }

        func sleep(until deadline: TestClock.Instant, tolerance: Duration?) async throws {
            if duration == nil || now.duration(to: deadline) == duration { throw Failure() }
            try await clock.sleep(until: deadline, tolerance: tolerance)
        }
    }

    @Test("If the clock fails, waiting attempts end with its error")
    func failingClock() async throws {
        store.fault = { _ in .held(until: LoopbackServer.Gate()) }
        let limit = makeLimit()
        for _ in 0..<2 {
            await #expect(throws: BrokenClock.Failure.self) { try await send(through: limit, BrokenClock()) }
        }
        #expect(limit.waiterCount == 0)
    }

    @Test("If the clock fails, the outage of the store is not forgotten")
    func failingClockInOutage() async throws {
        store.fault = { _ in .failed(Failure()) }
        let limit = makeLimit()
        let broken = BrokenClock(clock: clock, duration: .milliseconds(200))
        await #expect(throws: BrokenClock.Failure.self) { try await send(through: limit, broken) }
        let call = Task { try await send(through: limit) }
        try await pass(.milliseconds(200))
        try await call.value
        #expect(store.steps.count == 1)
    }

    // MARK: Without the store

    @Test("While the store fails, the share of the rate is used, and one event reports it")
    func failure() async throws {
        store.fault = { _ in .failed(Failure()) }
        let limit = makeLimit()
        for turn in 1...4 {
            let call = Task { try await send(through: limit) }
            try await pass(.milliseconds(200), count: turn)
            try await call.value
        }
        #expect(store.steps.count == 1)
        let reason =
            "the store InMemorySharedStore has failed: no connection; the process uses its share of the rate"
        #expect(notes.values == [reason])

        // The store is tried again after a second, while the attempt continues.
        store.fault = nil
        clock.advance(by: .milliseconds(800))
        try await send(through: limit)
        // For a second, the tokens of the store have to wait for those of the share.
        try await pass(.milliseconds(200), count: 5)
        try await eventually(0) { limit.originCount }
        #expect(store.steps.count == 2)
        clock.advance(by: .seconds(1))
        try await send(through: limit)
        #expect(store.steps.count == 3 && notes.values.count == 1)
        let count = clock.sleeps.count { $0 == .milliseconds(200) }

        store.fault = { _ in .lost(Failure()) }
        clock.advance(by: .seconds(1))
        let call = Task { try await send(through: limit) }
        try await pass(.milliseconds(200), count: count + 1)
        try await call.value
        #expect(notes.values == [reason, reason])
    }

    @Test("The second after an outage, in which a process uses its share, goes on while no attempt waits")
    func recovery() async throws {
        store.fault = { _ in .failed(Failure()) }
        let limit = makeLimit(50, burst: 20, share: 0.1)
        let first = Task { try await send(through: limit) }
        try await pass(.milliseconds(200))
        try await first.value
        // The bucket of the process gets full, with two tokens. One is for the attempt, and one for the token of the
        // trial, which no attempt uses.
        store.fault = nil
        clock.advance(by: .seconds(5))
        try await send(through: limit)
        try await eventually(0) { limit.originCount }
        #expect(store.steps.count == 2)

        // The store has tokens.
        let last = Task { try await send(through: limit) }
        try await pass(.milliseconds(200), count: 2)
        try await last.value
        #expect(store.steps.count == 3)
    }

    @Test("Without a share, attempts fail while the store fails")
    func refusal() async throws {
        store.fault = { _ in .failed(Failure()) }
        let limit = makeLimit(share: 0)
        for _ in 0..<3 {
            let error = await #expect(throws: LarkspurError.self) { try await send(through: limit) }
            #expect(error?.code == .sharedStoreUnavailable && error?.underlyingError is Failure)
            let message = "Nothing is sent, because the store InMemorySharedStore has failed: no connection."
            #expect(error?.message == message)
        }
        #expect(store.steps.count == 1)
        #expect(notes.values == ["the store InMemorySharedStore has failed: no connection; nothing is sent"])
        store.fault = nil
        clock.advance(by: .seconds(1))
        try await send(through: limit)
        #expect(store.steps.count == 2)
    }

    @Test("A store that hangs delays attempts up to the limit, and its late answer has no effect")
    func hanging() async throws {
        let gate = LoopbackServer.Gate()
        store.fault = { _ in .held(until: gate, ignoringCancellation: true) }
        let limit = makeLimit(share: 1)
        let call = Task { try await send(through: limit) }
        try await pass(.milliseconds(500))
        try await pass(.milliseconds(100))
        try await call.value
        #expect(notes.values.first?.contains("has not answered within 0.5 s") == true)

        // The next trial hangs, too, but no attempt waits for it.
        clock.advance(by: .seconds(1))
        try await send(through: limit)
        try await eventually(2) { store.steps.count }
        gate.open()
        // The answers arrive in any order. The second one has a token that may be used 100 milliseconds later.
        try await eventually(0) {
            clock.advance(by: .milliseconds(100))
            return limit.originCount
        }
        clock.advance(by: .seconds(1))
        try await send(through: limit)
        try await eventually(3) { store.steps.count }
        #expect(notes.values.count == 1)
    }

    /// A store that only answers with a delay.
    private struct OddStore: SharedStore {
        let delay: Duration
        var description: String { "odd" }

        func value(for key: String) async throws -> SharedValue? { nil }
        func replaceValue(
            for key: String,
            version: SharedValue.Version?,
            with data: Data?,
            lifetime: Duration?
        ) async throws -> Bool { false }
        func takeToken(
            for key: String,
            from bucket: SharedBucket,
            within limit: Duration
        ) async throws -> Duration { delay }
        func acquireLease(for key: String, duration: Duration) async throws -> SharedLease.Attempt { .held(duration) }
        func renew(_ lease: SharedLease, duration: Duration) async throws -> Bool { false }
        func release(_ lease: SharedLease) async throws {}
    }

    @Test(
        "A store that answers with impossible delays does not stop the line",
        arguments: [.seconds(-1), .seconds(Int64.min / 2), .seconds(Int64.max), .seconds(1000)] as [Duration]
    )
    func impossible(_ delay: Duration) async throws {
        let limit = makeLimit(share: 1, store: OddStore(delay: delay))
        for turn in 1...3 {
            let call = Task { try await send(through: limit) }
            try await pass(.milliseconds(100), count: turn)
            try await call.value
        }
        #expect(notes.values.count == 1)
        let reason =
            "the store odd has answered with an impossible delay of \(delay.inSeconds)"
            + (delay > .zero ? ", or another process uses this key with another rate" : "")
        #expect(notes.values.first?.hasPrefix("\(reason); ") == true)
    }

    @Test("A failing store is an event of a call, and the error of a call that may not be sent without it")
    func calls() async throws {
        let server = try LoopbackServer()
        store.fault = { _ in .failed(Failure()) }
        let manager = TestTransport.curl.makeManager(for: server)
        manager.clock = clock
        manager.interceptors.attempt = [.rateLimit(10, store: store, key: "test", shareWithoutStore: 0)]
        let events = Recorder<CallEvent>()
        manager.observe { events.record($0) }
        for _ in 0..<2 {
            let error = await manager.get("get").response().error
            #expect(error?.code == .sharedStoreUnavailable && error?.request != nil)
        }
        let all = try await events.wait { $0.count { $0.kind == .completed } == 2 }
        let failures = all.filter { $0.kind == .sharedStoreFailed }
        #expect(failures.count == 1 && failures.first?.reason?.contains("InMemorySharedStore") == true)
        #expect(server.requests.isEmpty)
    }

    @Test("The largest numbers are accepted without an overflow")
    func largest() async throws {
        let longest = Duration.seconds(Int64.max)
        for share in [Double.nan, 1e-300, 1] {
            let limit: any RequestInterceptor = .rateLimit(
                .max,
                per: longest,
                burst: .max,
                store: store,
                key: "test",
                storeTimeout: longest,
                shareWithoutStore: share
            )
            try await send(through: limit)
        }
    }
}
