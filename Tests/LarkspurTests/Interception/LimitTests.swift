import LarkspurTesting
import Synchronization
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

    @Test("Attempts begin by their priority, then in their order; one that is cancelled stops waiting")
    func priorities() async throws {
        let gate = LoopbackServer.Gate()
        server.route("/held", .text("held").held(until: gate))
        server.route("/x", .text("done"))
        let limit = ConcurrencyLimit(1) { Int($0.value(forHTTPHeaderField: "Priority") ?? "") ?? 0 }
        let manager = TestTransport.curl.makeManager(for: server)
        manager.interceptors.attempt = [limit]
        var calls = [Task { await manager.get("held").response() }]
        try await eventually { server.requests.count == 1 }
        for (index, priority) in ["0", "5", "0", "9", "5"].enumerated() {
            calls.append(
                Task {
                    await manager.get("x", parameters: ["n": index], headers: ["Priority": priority]).response()
                }
            )
            try await eventually { limit.waiterCount == index + 1 }
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

    @Test("Tokens come back evenly, up to a full bucket")
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

    @Test("Attempts wait for the rate, each origin for its own", arguments: TestTransport.allCases)
    func rate(_ transport: TestTransport) async throws {
        let clock = ManualClock()
        let other = try LoopbackServer()
        let manager = transport.makeManager(for: server)
        manager.clock = clock
        manager.interceptors.attempt = [.rateLimit(2)]

        for _ in 0..<2 { #expect(await manager.get("get").response().error == nil) }
        let third = Task { await manager.get("get").response() }
        try await clock.sleeps.wait(for: 1)
        #expect(await manager.get(other.url("/get").absoluteString).response().error == nil)
        #expect(server.requests.count == 2)
        clock.advance(by: .milliseconds(500))

        #expect(await third.value.error == nil)
        #expect(clock.sleeps.values == [.milliseconds(500)])
    }

    // MARK: Origins

    @Test("A table of origins has a limit")
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

@Suite("The circuit breaker", .timeLimit(.minutes(5)))
struct CircuitBreakerTests {
    private let rules = Circuit.Rules(failures: 2, openTime: .seconds(30))

    /// The states after events, which begin in a closed circuit.
    @Test("A circuit opens after consecutive failures, and closes after a trial that succeeds")
    func states() {
        var circuit = Circuit()
        func end(_ end: Circuit.End, at seconds: Int) -> Circuit.State {
            circuit.end(end, at: .seconds(seconds), rules)
            return circuit.state
        }
        func mayBegin(at seconds: Int) -> Bool { circuit.mayBegin(at: .seconds(seconds), rules) }

        #expect(end(.failure, at: 0) == .closed(failures: 1) && mayBegin(at: 0))
        #expect(end(.neither, at: 0) == .closed(failures: 1))
        #expect(end(.success, at: 0) == .closed(failures: 0))
        #expect(end(.failure, at: 1) == .closed(failures: 1))
        #expect(end(.failure, at: 2) == .open(until: .seconds(32)))
        #expect(!mayBegin(at: 2) && !mayBegin(at: 31))
        #expect(end(.success, at: 3) == .open(until: .seconds(32)))
        #expect(mayBegin(at: 32) && circuit.state == .halfOpen && !mayBegin(at: 33))
        #expect(end(.failure, at: 34) == .open(until: .seconds(64)))
        #expect(mayBegin(at: 64))
        #expect(end(.neither, at: 65) == .open(until: .seconds(65)))
        #expect(mayBegin(at: 65))
        #expect(end(.success, at: 66) == .closed(failures: 0) && circuit == Circuit())
    }

    @Test("A server that fails gets no request until the time is over", arguments: TestTransport.allCases)
    func calls(_ transport: TestTransport) async throws {
        let server = try LoopbackServer()
        let other = try LoopbackServer()
        server.route("/x", .status(404), .status(500), .fault(.closeBeforeHeader))
        let clock = ManualClock()
        let manager = transport.makeManager(for: server)
        manager.clock = clock
        manager.interceptors.attempt = [.circuitBreaker(failures: 2)]

        for _ in 0..<3 { _ = await manager.get("x").response() }
        let count = server.requests.count
        let refused = await manager.get("x").response()
        #expect(refused.error?.code == .circuitOpen && server.requests.count == count)
        #expect(await manager.get(other.url("/get").absoluteString).response().error == nil)

        server.route("/x", .text("done"))
        clock.advance(by: .seconds(30))
        #expect(await manager.get("x").response().error == nil)
        #expect(await manager.get("x").response().error == nil)
    }
}

@Suite("The trace context", .timeLimit(.minutes(5)))
struct TraceContextTests {
    @Test("Attempts of a call have one trace and a span each", arguments: TestTransport.allCases)
    func fields(_ transport: TestTransport) async throws {
        let server = try LoopbackServer()
        server.route("/x", .status(503), .text("done"))
        let manager = transport.makeManager(for: server)
        manager.interceptors.call = [.retry(baseDelay: .zero)]
        manager.interceptors.attempt = [.traceContext()]

        _ = try await manager.get("x").data
        _ = try await manager.get("x").interceptAttempts(with: .traceContext(isSampled: false)).data
        _ = try await manager.get("x", headers: ["traceparent": "own"]).data

        let fields = try server.requests.prefix(3).map { request in
            let field = try #require(request.headers["traceparent"])
            let match = try #require(field.wholeMatch(of: /00-([0-9a-f]{32})-([0-9a-f]{16})-01/))
            return (trace: match.output.1, span: match.output.2)
        }
        #expect(fields[0].trace == fields[1].trace && fields[1].trace != fields[2].trace)
        #expect(Set(fields.map(\.span)).count == 3)
        #expect(server.requests.last?.headers["traceparent"] == "own" && server.requests.count == 4)
    }

    @Test("A trace that is not recorded has no flag")
    func unsampled() async throws {
        let server = try LoopbackServer()
        let manager = TestTransport.curl.makeManager(for: server)
        manager.interceptors.attempt = [.traceContext(isSampled: false)]
        _ = try await manager.get("get").data
        #expect(server.requests.first?.headers["traceparent"]?.hasSuffix("-00") == true)
    }
}
