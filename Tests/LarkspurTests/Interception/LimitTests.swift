import LarkspurTesting
import Synchronization
import TestSupport
import Testing

@testable import Larkspur

@Suite("Limits of attempts", .timeLimit(.minutes(5)))
struct LimitTests {
    let server: LoopbackServer

    init() throws { server = try LoopbackServer() }

    // MARK: ConcurrencyLimit

    @Test("No more attempts than the limit are under way for one origin", arguments: TestTransport.allCases)
    func concurrency(_ transport: TestTransport) async throws {
        let counts = Mutex((now: 0, highest: 0))
        let gate = LoopbackServer.Gate()
        server.route("/x") { _ in
            counts.withLock { counts in
                counts.now += 1
                counts.highest = max(counts.highest, counts.now)
            }
            gate.wait()
            counts.withLock { $0.now -= 1 }
            return .text("done")
        }
        let other = try LoopbackServer()
        let limit = ConcurrencyLimit(2)
        let manager = transport.makeManager(for: server)
        manager.interceptors.attempt = [limit]

        let calls = (0..<10).map { _ in Task { await manager.get("x").response() } }
        try await eventually { limit.waiterCount == 8 && counts.withLock { $0.now } == 2 }
        #expect(await manager.get(other.url("/get").absoluteString).response().error == nil)
        gate.open()

        for call in calls { #expect(await call.value.error == nil) }
        #expect(counts.withLock { $0.highest } == 2)
        try await manager.finishAll()
        #expect(limit.originCount == 0)
    }

    @Test("Waiting attempts begin in the order of their priority, then of their arrival, without cancelled ones")
    func priorities() async throws {
        let gate = LoopbackServer.Gate()
        server.route("/held", .text("held").held(until: gate))
        server.route("/x", .text("done"))
        let limit = ConcurrencyLimit(1) { Int($0.value(forHTTPHeaderField: "Priority") ?? "") ?? 0 }
        let manager = TestTransport.curl.makeManager(for: server)
        manager.interceptors.attempt = [limit]
        var calls = [Task { await manager.get("held").response() }]
        try await eventually(1) { server.requests.count }
        for (index, priority) in ["0", "5", "0", "9", "5"].enumerated() {
            calls.append(
                Task {
                    await manager.get("x", parameters: ["n": index], headers: ["Priority": priority]).response()
                }
            )
            try await eventually(index + 1) { limit.waiterCount }
        }

        calls[3].cancel()
        #expect(await calls[3].value.error?.code == .cancelled)
        #expect(limit.waiterCount == 4)
        gate.open()
        for call in calls { _ = await call.value }

        #expect(server.requests(to: "/x").map { $0.query("n") } == ["3", "1", "4", "0"])
        #expect(limit.originCount == 0)
    }

    // MARK: RateLimit

    @Test("Tokens are refilled at an even rate, up to the size of the bucket")
    func schedule() {
        let schedule = RateSchedule(count: 2, period: .seconds(1), burst: 3)
        var fullTime: Duration?
        func delay(at milliseconds: Int) -> Duration {
            let (delay, next) = schedule.delay(at: .milliseconds(milliseconds), fullTime: fullTime)
            fullTime = next
            return delay
        }
        #expect([0, 0, 0, 0, 0].map { delay(at: $0) } == [0, 0, 0, 500, 1000].map { .milliseconds($0) })
        #expect(delay(at: 1250) == .milliseconds(250))
        #expect([9000, 9000, 9000, 9100].map { delay(at: $0) } == [0, 0, 0, 400].map { .milliseconds($0) })
        #expect(RateSchedule(count: 0, period: .seconds(1), burst: 0).capacity == .seconds(1))
    }

    @Test(
        "Late timers lose no tokens, and no second has more attempts than the rate and the burst",
        .seeded,
        arguments: [(1000, 1), (5000, 1), (100_000, 1), (200, 1), (10, 1), (1000, 20), (400, 2), (7, 3), (1000, 1000)],
        [0, 0.002, 0.2]
    )
    func lateTimers(_ rate: (count: Int, burst: Int), stalls: Double) {
        var generator = SeededGenerator()
        let schedule = RateSchedule(count: rate.count, period: .seconds(1), burst: rate.burst)
        var now = Duration.zero
        var fullTime: Duration?
        var times: [Duration] = []
        while now < .seconds(3) {
            let (delay, next) = schedule.delay(at: now, fullTime: fullTime, afterWaiting: true)
            if delay <= .zero {
                times.append(now)
                fullTime = next
            } else {
                let isStall = Double.random(in: 0..<1, using: &generator) < stalls
                let lateness = Int64.random(in: 0...(isStall ? 900_000_000 : 2_000_000), using: &generator)
                now += delay + .nanoseconds(lateness)
            }
        }
        let most = rate.count + rate.burst
        let excess = times.indices.first { $0 + most < times.count && times[$0 + most] - times[$0] <= .seconds(1) }
        #expect(excess == nil)
        let average = Double(times.count - rate.burst) / 3
        if stalls == 0 { #expect(average >= Double(rate.count) * 0.98 - 1) }
    }

    @Test("Attempts that a late timer delays follow at once, up to the number for five milliseconds")
    func lateAttempts() async throws {
        let clock = TestClock()
        let limit = RateLimit(1000, burst: 1)
        let manager = TestTransport.curl.makeManager(for: server)
        manager.clock = clock
        manager.interceptors.attempt = [limit]
        #expect(await manager.get("get").response().error == nil)
        let calls = (0..<12).map { _ in Task { await manager.get("get").response() } }
        try await eventually(12) { limit.waiterCount }
        try await clock.waitForSleeps(1)

        clock.advance(by: .milliseconds(4))
        try await clock.waitForSleeps(2)
        #expect(limit.waiterCount == 9)
        // The next one is due after four intervals from the beginning, and not one from now on.
        #expect(clock.sleeps[1] < .microseconds(20))
        clock.advance(by: .seconds(1))
        try await clock.waitForSleeps(3)
        #expect(limit.waiterCount == 4)

        while limit.waiterCount > 0 {
            try await eventually { clock.sleeperCount > 0 || limit.waiterCount == 0 }
            clock.advance(by: .milliseconds(2))
        }
        for call in calls { #expect(await call.value.error == nil) }
    }

    @Test("Attempts wait for the rate, separately for each origin", arguments: TestTransport.allCases)
    func rate(_ transport: TestTransport) async throws {
        let clock = TestClock()
        let other = try LoopbackServer()
        let manager = transport.makeManager(for: server)
        manager.clock = clock
        manager.interceptors.attempt = [.rateLimit(2, burst: 2)]

        for _ in 0..<2 { #expect(await manager.get("get").response().error == nil) }
        let third = Task { await manager.get("get").response() }
        try await clock.waitForSleeps(1)
        #expect(await manager.get(other.url("/get").absoluteString).response().error == nil)
        #expect(server.requests.count == 2)
        clock.advance(by: .milliseconds(500))

        #expect(await third.value.error == nil)
        #expect(clock.sleeps == [.milliseconds(500)])
    }

    @Test("Without a burst, attempts begin at even intervals, and no period has more attempts than the rate")
    func evenRate() {
        let schedule = RateSchedule(count: 10, period: .seconds(1), burst: nil)
        var now = Duration.zero
        var fullTime: Duration?
        var times: [Duration] = []
        while now < .seconds(3) {
            let (delay, next) = schedule.delay(at: now, fullTime: fullTime)
            if delay <= .zero { (fullTime, times) = (next, times + [now]) }
            // After the twentieth attempt there is a pause, which saves no tokens.
            now += times.count == 20 ? max(delay, .milliseconds(700)) : delay
        }
        for time in times { #expect(times.count { $0 >= time && $0 < time + .seconds(1) } <= 10) }
        #expect(times.prefix(20) == ArraySlice((0..<20).map { .milliseconds($0 * 100) }))
        #expect(schedule == RateSchedule(count: 10, period: .seconds(1), burst: 1))
    }

    @Test("With a rate of ten per second, ten attempts begin in the first second", arguments: TestTransport.allCases)
    func firstSecond(_ transport: TestTransport) async throws {
        let clock = TestClock()
        let limit = RateLimit(10, per: .seconds(1))
        let manager = transport.makeManager(for: server)
        manager.clock = clock
        manager.interceptors.attempt = [limit]
        #expect(await manager.get("get").response().error == nil)
        let calls = (0..<20).map { _ in Task { await manager.get("get").response() } }
        try await eventually(20) { limit.waiterCount }
        for step in 1...9 {
            try await clock.waitForSleeps(step)
            clock.advance(by: .milliseconds(100))
        }
        try await clock.waitForSleeps(10)
        #expect(limit.waiterCount == 11)
        clock.advance(by: .milliseconds(99))
        #expect(limit.waiterCount == 11)
        for call in calls { call.cancel() }
        for call in calls { _ = await call.value }
        #expect(server.requests.count <= 10)
    }

    @Test("A call that is cancelled while it waits releases its place")
    func cancelled() async throws {
        let clock = TestClock()
        let manager = TestTransport.curl.makeManager(for: server)
        manager.clock = clock
        manager.interceptors.attempt = [.rateLimit(1)]
        #expect(await manager.get("get").response().error == nil)
        for count in 1...5 {
            let call = Task { await manager.get("get").response() }
            try await clock.waitForSleeps(count)
            call.cancel()
            #expect(await call.value.error?.code == .cancelled)
        }
        let call = Task { await manager.get("get").response() }
        try await clock.waitForSleeps(6)
        #expect(clock.sleeps == Array(repeating: .seconds(1), count: 6))
        clock.advance(by: .seconds(1))
        #expect(await call.value.error == nil)
    }

    /// A clock that cannot sleep.
    private struct BrokenClock: Clock {
        struct Failure: Error {}

        let clock = TestClock()
        var now: TestClock.Instant { clock.now }
        var minimumResolution: Duration { .zero }

        func sleep(until deadline: TestClock.Instant, tolerance: Duration?) async throws { throw Failure() }
    }

    @Test("If the clock fails, waiting attempts end with its error")
    func failingClock() async throws {
        let manager = TestTransport.curl.makeManager(for: server)
        manager.clock = BrokenClock()
        manager.interceptors.attempt = [.rateLimit(1)]
        #expect(await manager.get("get").response().error == nil)
        for _ in 0..<2 {
            let error = await manager.get("get").response().error
            #expect(error?.code == .interceptionFailed && error?.underlyingError is BrokenClock.Failure)
        }
    }

    @Test("Tokens go to the highest priority first, one at a time, also after a cancellation")
    func tokens() async throws {
        let clock = TestClock()
        let limit = RateLimit(1) { Int($0.value(forHTTPHeaderField: "Priority") ?? "") ?? 0 }
        let manager = TestTransport.curl.makeManager(for: server)
        manager.clock = clock
        manager.interceptors.attempt = [limit]
        #expect(await manager.get("get").response().error == nil)
        var calls: [Task<DataResponse<Data>, Never>] = []
        for (index, priority) in ["0", "5", "0", "9", "5"].enumerated() {
            calls.append(
                Task {
                    await manager.get("get", parameters: ["n": index], headers: ["Priority": priority]).response()
                }
            )
            try await eventually(index + 1) { limit.waiterCount }
        }
        calls[3].cancel()
        #expect(await calls[3].value.error?.code == .cancelled)

        for (turn, index) in [1, 4, 0, 2].enumerated() {
            try await clock.waitForSleeps(turn + 1)
            #expect(server.requests.count == turn + 1)
            clock.advance(by: .seconds(1))
            #expect(await calls[index].value.error == nil)
        }
        #expect(server.requests.dropFirst().map { $0.query("n") } == ["1", "4", "0", "2"])
        #expect(clock.sleeps == Array(repeating: .seconds(1), count: 4) && clock.sleeperCount == 0)
    }

    @Test("The cost of a thousand waiting calls is proportional to their number, with or without cancellations")
    func manyWaiters() async throws {
        let clock = TestClock()
        let limits: [any RequestInterceptor] = [.rateLimit(1), .concurrencyLimit(1)]
        for limit in limits {
            let gate = LoopbackServer.Gate()
            server.route("/held", .text("held").held(until: gate))
            let manager = TestTransport.curl.makeManager(for: server)
            manager.clock = clock
            manager.interceptors.attempt = [limit]
            let first = Task { await manager.get("held").response() }
            try await eventually { manager.tasks.first?.urlSessionTask != nil }
            let calls = (0..<1_000).map { index in
                Task { await manager.get("get", headers: ["Index": String(index)]).response() }
            }
            try await eventually(1_001) { manager.tasks.count }
            for call in calls { call.cancel() }
            for call in calls { #expect(await call.value.error?.code == .cancelled) }
            gate.open()
            #expect(await first.value.error == nil)
        }
    }

    @Test("The largest numbers are accepted without an overflow")
    func largest() async throws {
        let longest = Duration.seconds(Int64.max)
        #expect(RateSchedule(count: 1, period: longest, burst: .max).delay(at: .zero, fullTime: nil).delay == .zero)
        var policy = RetryPolicy(maximumAttempts: .max, baseDelay: longest, maximumDelay: longest, deadline: longest)
        policy.statusCodes = [404]
        let manager = TestTransport.curl.makeManager(for: server)
        manager.interceptors.attempt = [.rateLimit(.max, per: longest, burst: .max)]
        manager.timeouts = Timeouts(
            total: longest,
            response: longest,
            idle: longest,
            connect: longest,
            connectionWait: longest
        )
        try await withTimeout(total: longest) { _ = try await manager.get("get").data }
        for random in [Double.nan, .infinity, -1, 0] {
            policy.random = { random }
            let attempt = RetryAttempt(
                request: URLRequest(url: server.baseURL),
                count: .max - 1,
                result: .failure(LarkspurError(.timedOut, "")),
                elapsed: .zero
            )
            guard case .retry = policy.decision(after: attempt, random: random, now: Date()) else {
                Issue.record("no attempt after \(random)")
                continue
            }
        }
        let call = Task {
            await manager.get("status/404").intercept(with: policy).response()
        }
        try await server.waitForRequests(2)
        call.cancel()
        _ = await call.value
    }

    // MARK: Origins

    @Test("The number of origins in a table is limited")
    func table() throws {
        var table = OriginTable<Int>(capacity: 10)
        for index in 0..<1000 {
            table[URL(string: "https://h\(index).test/x")] = index
            #expect(table.count <= 10)
        }
        #expect(table[URL(string: "https://H999.test:443")] == 999 && table[URL(string: "https://h0.test")] == nil)
        table[URL(string: "https://h999.test")] = nil
        #expect(table[URL(string: "https://h999.test")] == nil)
    }
}
