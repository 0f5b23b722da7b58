import LarkspurTesting
import Synchronization
import TestSupport
import Testing

@testable import Larkspur

@Suite("Limits that the server announces", .timeLimit(.minutes(5)))
struct ServerRateLimitsTests {
    private static let url = URL(string: "https://api.test/x") ?? URL(filePath: "/")
    /// 2026-11-28 12:00:00 GMT.
    private static let date = Date(timeIntervalSince1970: 1_795_867_200)

    private let clock = TestClock()
    private var request: URLRequest { URLRequest(url: Self.url) }

    private func makeLimits(
        maximumWait: Duration = .seconds(60),
        partition: @escaping @Sendable (URLRequest) -> String = { _ in "" },
        priority: @escaping @Sendable (URLRequest) -> Int = { _ in 0 }
    ) -> ServerRateLimits {
        ServerRateLimits(maximumWait: maximumWait, partition: partition, priority: priority) { Self.date }
    }

    /// Sends a request, to which a server responds with the given fields.
    @discardableResult
    private func send(
        _ request: URLRequest? = nil,
        through limits: ServerRateLimits,
        status: Int = 200,
        _ fields: [String: String] = [:],
        sending: @escaping @Sendable () async throws -> Void = {}
    ) async throws -> InterceptedResponse {
        try await limits.intercept(request ?? self.request, context: RequestContext(clock: clock)) { request in
            try await sending()
            let response = HTTPURLResponse(
                url: Self.url,
                statusCode: status,
                httpVersion: "HTTP/1.1",
                headerFields: fields
            )
            return InterceptedResponse(request: request, response: response)
        }
    }

    @Test("Requests beyond the limit wait for the reset, and then for the response to the first one")
    func waiting() async throws {
        let limits = makeLimits()
        let sent = Recorder<Int>()
        let (first, others) = (LoopbackServer.Gate(), LoopbackServer.Gate())
        try await send(through: limits, ["RateLimit": #""a";r=0;t=30"#, "RateLimit-Policy": #""a";q=3;w=30"#])
        let calls = (0..<4).map { _ in
            Task {
                try await send(through: limits, ["RateLimit": #""a";r=2;t=30"#]) {
                    sent.record(0)
                    await (sent.values.count == 1 ? first : others).wait()
                }
            }
        }
        try await eventually(4) { limits.waiterCount }
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(29))
        #expect(sent.values.isEmpty)
        clock.advance(by: .seconds(1))
        try await eventually(3) { limits.waiterCount }
        try await eventually(1) { sent.values.count }

        first.open()
        // The response says that two more are allowed.
        try await eventually(3) { sent.values.count }
        #expect(limits.waiterCount == 1)
        for call in calls { call.cancel() }
        others.open()
        for call in calls { _ = await call.result }
        #expect(limits.waiterCount == 0)
        try await eventually(0) { clock.sleeperCount }
    }

    @Test("A request that would have to wait too long fails at once, and the error names the time and the limit")
    func tooLong() async throws {
        let limits = makeLimits()
        try await send(through: limits, ["RateLimit": #""daily";r=0;t=3600"#])
        let error = await #expect(throws: LarkspurError.self) { try await send(through: limits) }
        #expect(error?.code == .deadlineExceeded && error?.request?.url == Self.url)
        #expect(
            error?.message == "The server allows no request before Sat, 28 Nov 2026 13:00:00 GMT, in 3600 s, "
                + "by its limit \"daily\"; a call may wait 60 s."
        )
        #expect(clock.sleeps.isEmpty)
        clock.advance(by: .seconds(3540))
        let call = Task { try await send(through: limits) }
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(60))
        _ = try await call.value
    }

    @Test("A request waits at most for the given time, also for a response that does not come")
    func longestWait() async throws {
        let limits = makeLimits(maximumWait: .seconds(5))
        let gate = LoopbackServer.Gate()
        try await send(through: limits, ["RateLimit": #""a";r=0;t=1"#])
        clock.advance(by: .seconds(1))
        let trial = Task { try await send(through: limits) { await gate.wait() } }
        try await eventually(1) { limits.inFlightCount }
        let call = Task { try await send(through: limits) }
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(5))
        let error = await #expect(throws: LarkspurError.self) { try await call.value }
        #expect(error?.code == .deadlineExceeded && error?.message.contains("waited 5 s") == true)
        gate.open()
        _ = try await trial.value
    }

    @Test("Retry-After of a 429 holds back all requests to the server until then")
    func retryAfter() async throws {
        let limits = makeLimits()
        try await send(through: limits, status: 429, ["Retry-After": "20"])
        #expect(limits.limits(for: request).map(\.name) == ["Retry-After"])
        let call = Task { try await send(through: limits) }
        try await clock.waitForSleepers(1)
        #expect(clock.sleeps == [.seconds(20)])
        clock.advance(by: .seconds(20))
        _ = try await call.value
        #expect(limits.limits(for: request).isEmpty && limits.partitionCount == 0)
    }

    @Test("Origins and partitions have separate limits")
    func partitions() async throws {
        let limits = makeLimits { $0.value(forHTTPHeaderField: "User") ?? "" }
        let exhausted = ["X-RateLimit-Limit": "5", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "3600"]
        try await send(through: limits, exhausted)
        var other = request
        other.setValue("b", forHTTPHeaderField: "User")
        try await send(other, through: limits, exhausted)
        other.setValue("c", forHTTPHeaderField: "User")
        try await send(other, through: limits)
        try await send(URLRequest(url: try #require(URL(string: "https://api.test:444/x"))), through: limits)
        await #expect(throws: LarkspurError.self) { try await send(through: limits) }
        #expect(limits.limits(for: other).isEmpty && limits.partitionCount == 2)
    }

    @Test("The interceptor shows what the server has announced")
    func announced() async throws {
        let limits = makeLimits()
        #expect(limits.limits(for: request).isEmpty)
        let policies = #""burst";q=10;w=60, "daily";q=1000;w=86400"#
        let items = #""burst";r=9;t=50;pk=:AQ==:, "daily";r=900;t=3000"#
        try await send(through: limits, ["RateLimit": items, "RateLimit-Policy": policies])
        clock.advance(by: .seconds(10))
        let known = limits.limits(for: request)
        #expect(known.map(\.name) == ["burst", "daily"] && known.map(\.remaining) == [9, 900])
        #expect(known.map(\.quota) == [10, 1000] && known.map(\.window) == [.seconds(60), .seconds(86_400)])
        #expect(known.map(\.resetsIn) == [.seconds(40), .seconds(2990)])
        #expect(known.map(\.partitionKey) == [Data([1]), nil])
        // The policies are remembered.
        try await send(through: limits, ["RateLimit": items])
        #expect(limits.limits(for: request).map(\.quota) == [10, 1000])
        clock.advance(by: .seconds(100))
        #expect(limits.limits(for: request).first?.resetsIn == .zero)
    }

    @Test("Waiting requests are sent in the order of their priority, without cancelled ones")
    func order() async throws {
        let limits = makeLimits { _ in
            ""
        } priority: {
            Int($0.value(forHTTPHeaderField: "Priority") ?? "") ?? 0
        }
        let sent = Recorder<Int>()
        try await send(through: limits, ["RateLimit": #""a";r=0;t=30"#])
        var calls: [Task<InterceptedResponse, any Error>] = []
        for (index, priority) in ["0", "5", "0", "9", "5"].enumerated() {
            var request = request
            request.setValue(priority, forHTTPHeaderField: "Priority")
            calls.append(
                Task { [request] in
                    try await send(request, through: limits, ["RateLimit": #""a";r=0;t=0"#]) { sent.record(index) }
                }
            )
            try await eventually(index + 1) { limits.waiterCount }
        }
        let cancelled = calls[3]
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(30))
        for (index, call) in calls.enumerated() where index != 3 { _ = try await call.value }
        #expect(sent.values == [1, 4, 0, 2])
    }

    @Test("The requests that refresh a credential do not wait, but count")
    func refresh() async throws {
        let limits = makeLimits()
        try await send(through: limits, ["RateLimit": #""a";r=1;t=3600"#])
        for _ in 0..<3 {
            try await RefreshScope.$interceptors.withValue([ObjectIdentifier(limits)]) {
                _ = try await send(through: limits, status: 500)
            }
        }
        #expect(limits.limits(for: request).map(\.remaining) == [0])
        await #expect(throws: LarkspurError.self) { try await send(through: limits) }
    }

    /// A clock that cannot sleep.
    private struct BrokenClock: Clock {
        struct Failure: Error {}

        let clock = TestClock()
        var now: TestClock.Instant { clock.now }
        var minimumResolution: Duration { .zero }

        func sleep(until deadline: TestClock.Instant, tolerance: Duration?) async throws { throw Failure() }
    }

    @Test("If the clock fails, waiting requests end with its error")
    func failingClock() async throws {
        let limits = makeLimits()
        let context = RequestContext(clock: BrokenClock())
        let next: RequestContext.Next = { request in
            let fields = ["RateLimit": #""a";r=0;t=30"#]
            let response = HTTPURLResponse(url: Self.url, statusCode: 200, httpVersion: nil, headerFields: fields)
            return InterceptedResponse(request: request, response: response)
        }
        _ = try await limits.intercept(request, context: context, next: next)
        for _ in 0..<2 {
            await #expect(throws: BrokenClock.Failure.self) {
                try await limits.intercept(request, context: context, next: next)
            }
        }
    }

    @Test("A failed request ends, and its error is thrown unchanged")
    func failure() async throws {
        struct Failure: Error {}
        let limits = makeLimits()
        await #expect(throws: Failure.self) { try await send(through: limits) { throw Failure() } }
        #expect(limits.partitionCount == 0)
    }

    @Test("A client with many calls sends no more than its server announces", arguments: TestTransport.allCases)
    func calls(_ transport: TestTransport) async throws {
        let server = try LoopbackServer()
        let state = Mutex((remaining: 5, refused: 0))
        server.route("/x") { _ in
            state.withLock { state in
                guard state.remaining > 0 else {
                    state.refused += 1
                    return .status(429, headers: ["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "20"])
                }
                state.remaining -= 1
                let fields: LoopbackServer.Fields = [
                    "X-RateLimit-Remaining": "\(state.remaining)", "X-RateLimit-Reset": "20",
                ]
                return .status(200, headers: fields)
            }
        }
        let limits = makeLimits()
        let manager = transport.makeManager(for: server)
        manager.clock = clock
        manager.interceptors.attempt = [limits]
        #expect(await manager.get("x").response().error == nil)
        let calls = (0..<12).map { _ in Task { await manager.get("x").response() } }
        try await eventually(8) { limits.waiterCount }
        for waiting in [3, 0] {
            try await eventually(0) { limits.inFlightCount }
            state.withLock { $0.remaining = 5 }
            try await clock.waitForSleepers(1)
            clock.advance(by: .seconds(20))
            try await eventually(waiting) { limits.waiterCount }
        }
        for call in calls { #expect(await call.value.statusCode == 200) }
        #expect(state.withLock { $0.refused } == 0)
    }
}
