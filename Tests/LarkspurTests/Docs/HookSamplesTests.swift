import LarkspurTesting
import Testing

@testable import Larkspur

/// Runs the samples of `Docs/Tasks.md` about hooks of one call and about streaming.
@Suite("Samples about hooks", .timeLimit(.minutes(5)))
struct HookSamplesTests {
    let server: LoopbackServer
    let samples: HookSamples

    init() throws {
        server = try LoopbackServer()
        samples = HookSamples(manager: TestTransport.allCases[0].makeManager(for: server))
    }

    @Test func ofOneCall() async throws {
        server.route("/moved", .redirect(to: "/get"))
        samples.ofOneCall()
        try await samples.manager.finishAll()
        #expect(samples.output.values == ["302, not followed"])
    }

    @Test func streaming() async throws {
        samples.streaming(URLRequest(url: server.url("/bytes/1000")))
        try await samples.manager.finishAll()
        #expect(samples.output.values.last == "1000 bytes in all")
        #expect(samples.output.values.count > 1)
    }
}
