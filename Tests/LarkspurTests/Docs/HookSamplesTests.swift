import LarkspurTesting
import Testing

@testable import Larkspur

/// Runs the samples of `Docs/Hooks.md`, and those about streaming, copies and settings.
@Suite("Samples about hooks", .timeLimit(.minutes(5)))
struct HookSamplesTests {
    let server: LoopbackServer
    let folder = TemporaryFolder()
    let samples: HookSamples

    init() throws {
        server = try LoopbackServer()
        samples = HookSamples(manager: TestTransport.allCases[0].makeManager(for: server))
    }

    @Test func metrics() async throws {
        samples.metrics()
        _ = try await samples.manager.call(.get, "get")
        #expect(try await samples.output.first().contains("requests, "))
    }

    @Test(.enabled(if: TestTransport.allCases.contains(.curl)))
    func becomingDownload() async throws {
        let samples = HookSamples(manager: TestTransport.curl.makeManager(for: server))
        server.route("/large", .data(Data(count: 1_000_001)))
        samples.becomingDownload(folder.url)

        #expect(try await samples.manager.call(.get, "get").error == nil)
        #expect(try await samples.manager.call(.get, "large").error?.code == .becameDownload)
        try await samples.manager.finishAll()

        #expect(samples.output.values == ["/large goes on as a download"])
        let file = folder.url.appendingPathComponent("large")
        #expect(try Data(contentsOf: file).count == 1_000_001)
    }

    @Test func ofOneCall() async throws {
        server.route("/moved", .redirect(to: "/get"))
        samples.ofOneCall(
            URLRequest(url: server.url("/basic-auth/ada/secret")),
            URLCredential(user: "ada", password: "secret", persistence: .none)
        )
        try await samples.manager.finishAll()
        #expect(samples.output.values.sorted() == ["200", "302, not followed"])
    }

    @Test func streaming() async throws {
        samples.streaming(URLRequest(url: server.url("/bytes/1000")))
        try await samples.manager.finishAll()
        #expect(samples.output.values.last == "1000 bytes in all")
        #expect(samples.output.values.count > 1)
    }

    @Test func copy() {
        let other = samples.copy()
        #expect(other.headers["Accept"] == "text/plain")
        #expect(samples.manager.headers["Accept"] == nil)
    }
}
