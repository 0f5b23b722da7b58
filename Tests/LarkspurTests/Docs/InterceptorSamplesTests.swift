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

    @Test func adapting() async throws {
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

    @Test func sharedLimits() async throws {
        let store = InMemorySharedStore()
        samples.sharedLimits(store)
        #expect(try await samples.manager.get("notes").string == "notes")
        #expect(store.steps.map(\.operation) == [.takeToken])
        #expect(store.steps.first?.key.hasPrefix("search http://") == true)
    }

    @Test func serverLimits() async throws {
        server.route("/notes", .text("notes").adding("RateLimit", #""hourly";r=4;t=60"#))
        try await samples.serverLimits(server.baseURL)
        #expect(samples.output.values == ["notes", "hourly 4"])
    }

    @Test("A field that an interceptor withholds is not sent to another origin")
    func withheld() async throws {
        let other = try LoopbackServer()
        server.route("/notes", .redirect(to: other.url("/get").absoluteString))
        let key = ClosureInterceptor { request, context, next in
            var request = request
            request.headers["X-Signature"] = "signed"
            context.withholdFromOtherOrigins(["X-Signature"])
            return try await next(request)
        }
        _ = try await samples.manager.get("notes").intercept(with: key).string
        #expect(server.requests.last?.headers["X-Signature"] == "signed")
        #expect(other.requests.count == 1 && other.requests.last?.headers["X-Signature"] == nil)
    }

    @Test func lists() async throws {
        samples.limits()
        #expect(samples.manager.interceptors.attempt.count == 2)
        #expect(try await samples.manager.get("notes").string == "notes")
        samples.coalescing(.retry())
        #expect(samples.manager.interceptors.call.count == 2)
    }
}
