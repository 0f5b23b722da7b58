#if canImport(FoundationNetworking)
import Testing

@testable import Dialogue
@testable import Larkspur

/// Runs the sample of `Docs/StreamsAndEvents.md` that speaks and listens, with the server of the example.
@Suite("Samples of streams in both directions", .timeLimit(.minutes(5)))
struct DialogueSamplesTests {
    @Test("Each line is echoed before the next line is written, and the trailers follow")
    func dialogue() async throws {
        let server = try EchoServer()
        defer { server.stop() }
        let samples = StreamSamples(
            manager: SessionManager(
                baseURL: server.url,
                configuration: .testing,
                transport: .curl
            ),
            file: URL(fileURLWithPath: "/dev/null")
        )
        try await samples.dialogue()
        #expect(samples.output.values == ["ONE", "TWO", "THREE", "3"])
    }
}
#endif
