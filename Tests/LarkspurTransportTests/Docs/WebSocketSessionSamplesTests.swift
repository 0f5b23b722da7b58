#if canImport(FoundationNetworking)
import LarkspurTesting
import LarkspurTransport
import Testing

/// Runs the samples of `Docs/WebSockets.md` that need a session alone.
@Suite("Samples about WebSockets of a session", .timeLimit(.minutes(5)))
struct WebSocketSessionSamplesTests {
    let server: LoopbackServer
    let samples: WebSocketSessionSamples

    init() throws {
        server = try LoopbackServer()
        samples = WebSocketSessionSamples(url: server.url("/websocket/echo"))
    }

    @Test func socket() async throws {
        try await samples.socket()
        #expect(samples.output.values == [#"text("Hello")"#])
        try await server.waitForOpenConnections(0)
    }

    @Test func task() async throws {
        try await samples.task()
        #expect(samples.output.values == ["Hello"])
        try await server.waitForOpenConnections(0)
    }
}
#endif
