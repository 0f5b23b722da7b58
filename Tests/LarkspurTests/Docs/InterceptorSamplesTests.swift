import LarkspurTesting
import Testing

@testable import Larkspur

/// Runs the samples of `Docs/Interceptors.md`.
@Suite("Samples about interceptors", .timeLimit(.minutes(5)))
struct InterceptorSamplesTests {
    let server: LoopbackServer
    let samples: InterceptorSamples

    init() throws {
        server = try LoopbackServer()
        server.route("/notes", .text("notes"))
        samples = InterceptorSamples(manager: TestTransport.allCases[0].makeManager(for: server))
    }

    @Test func closures() async throws {
        try await samples.first()
        #expect(samples.output.values == ["/notes 200 true", "notes"])
        samples.adapting()
        _ = await samples.manager.get("notes").response()
        #expect(server.requests.last?.headers["X-Signature"] == "signed /notes")
    }

    @Test func levels() async throws {
        server.route("/notes", .status(503), .text("notes"))
        samples.manager.clock = InstantClock()
        try await samples.levels()
        #expect(samples.output.values == ["notes"])
        #expect(Set(server.requests.map { $0.headers["traceparent"] }).count == 2)
    }

    @Test func withheld() async throws {
        let other = try LoopbackServer()
        server.route("/notes", .redirect(to: other.url("/get").absoluteString))
        try await samples.withholding()
        #expect(server.requests.last?.headers["X-API-Key"] == "k3y")
        #expect(other.requests.count == 1 && other.requests.last?.headers["X-API-Key"] == nil)
    }

    @Test func fixtures() async throws {
        let fixtures = InterceptorSamples.Fixtures(texts: ["/here": "fixed"])
        #expect(try await samples.manager.get("here").intercept(with: fixtures).string == "fixed")
        #expect(try await samples.manager.get("notes").intercept(with: fixtures).string == "notes")
        #expect(server.requests.count == 1)
    }

    @Test func lists() async throws {
        samples.limits()
        #expect(samples.manager.interceptors.attempt.count == 2)
        #expect(try await samples.manager.get("notes").string == "notes")
        samples.coalescing(.retry())
        #expect(samples.manager.interceptors.call.count == 2)
    }

    @Test func circuit() async throws {
        server.route("/report", .status(503))
        samples.manager.clock = InstantClock()
        let breaker = CircuitBreaker(failures: 1)
        await samples.circuit()
        #expect(samples.output.values.isEmpty)
        samples.manager.interceptors.attempt = [breaker]
        _ = await samples.manager.get("report").intercept(with: .adapting { _ in }).response()
        #expect(await samples.manager.get("report").response().error?.code == .circuitOpen)
    }
}
