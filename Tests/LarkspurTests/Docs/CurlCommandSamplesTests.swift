import LarkspurTesting
import Testing

@testable import Larkspur

/// Runs the samples of `Docs/CurlCommands.md`.
@Suite("Samples about commands for curl", .timeLimit(.minutes(5)))
struct CurlCommandSamplesTests {
    let server: LoopbackServer
    let samples: CurlCommandSamples

    init() throws {
        server = try LoopbackServer()
        server.route("/users", .status(500))
        samples = CurlCommandSamples(manager: TestTransport.allCases[0].makeManager(for: server))
    }

    @Test func describe() async throws {
        await samples.describe()
        let text = try await samples.output.first()
        #expect(text.contains("unacceptable-status-code") && text.contains("\ncurl --header "))
        #expect(text.contains("name=Ada&password=<redacted>") && !text.contains("secret"))
        #expect(text.hasSuffix(server.url("/users").absoluteString))
    }

    @Test func redaction() throws {
        var request = URLRequest(url: server.url("/users?iban=DE02"))
        request.setValue("acme", forHTTPHeaderField: "X-Tenant")
        samples.redaction(request)
        #expect(samples.output.values.first?.contains("acme") == false)
        #expect(samples.output.values.first?.contains("iban=redacted") == true)
    }

    @Test func read() async throws {
        try await samples.read()
        #expect(samples.output.values == ["POST"])
    }
}
