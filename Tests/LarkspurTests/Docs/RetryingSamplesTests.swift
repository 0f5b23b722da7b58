import LarkspurTesting
import Testing

@testable import Larkspur

/// Runs the samples of `Docs/Interceptors.md` about retries.
@Suite("Samples about retrying", .timeLimit(.minutes(5)))
struct RetryingSamplesTests {
    let server: LoopbackServer
    let samples: RetryingSamples

    init() throws {
        server = try LoopbackServer()
        samples = RetryingSamples(manager: TestTransport.allCases[0].makeManager(for: server))
    }

    @Test func retries() async throws {
        server.route("/report", .text("report"))
        try await samples.first()
        #expect(samples.output.values == ["report report"])
        #expect(samples.manager.interceptors.call.first is RetryPolicy)
    }

    @Test("The methods, status codes and errors of a policy are properties of it")
    func properties() throws {
        var policy = RetryPolicy(maximumAttempts: 4, baseDelay: .milliseconds(200), maximumDelay: .seconds(5))
        #expect(policy.statusCodes == [408, 425, 429, 500, 502, 503, 504])
        policy.statusCodes = [429, 503]
        policy.errorCodes.remove(.timedOut)
        samples.manager.interceptors.call = [policy]
        let set = try #require(samples.manager.interceptors.call.first as? RetryPolicy)
        #expect(set.maximumAttempts == 4 && set.statusCodes == [429, 503])
        #expect(!set.errorCodes.contains(.timedOut) && set.errorCodes.contains(.connectionLost))
    }

    @Test func key() async throws {
        server.route("/orders", .status(503), .text("receipt"))
        samples.manager.interceptors.call = [.retry(baseDelay: .zero)]
        try await samples.key()
        #expect(samples.output.values == ["receipt"])
        #expect(Set(server.requests.map { $0.headers["Idempotency-Key"] }).count == 1 && server.requests.count == 2)
    }

    @Test func budget() throws {
        let (reader, writer) = (SessionManager(), SessionManager())
        samples.budget(reader: reader, writer: writer)
        let budgets = [reader, writer].map { ($0.interceptors.call.first as? RetryPolicy)?.budget }
        #expect(budgets[0] != nil && budgets[0] === budgets[1])
    }

    @Test func ownPolicy() async throws {
        server.route("/job", .status(202), .text("done"))
        let clock = TestClock()
        let manager = samples.manager
        manager.clock = clock
        let call = Task { await manager.get("job").intercept(with: RetryingSamples.OneMoreTime()).response() }
        try await clock.waitForSleeps(1)
        clock.advance(by: .seconds(1))
        #expect(await call.value.statusCode == 200)
    }
}
