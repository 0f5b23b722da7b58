import Hummingbird
import HummingbirdCore
import InMemoryTracing
import Larkspur
import LarkspurTesting
import Logging
import NIOCore
import ServiceLifecycle
import Testing
import TracedServer
import Tracing

@Suite("A server that calls another service", .timeLimit(.minutes(5)))
struct TracedServerTests {
    @Test("The trace of a request continues in the request to the other service")
    func trace() async throws {
        let greetings = try LoopbackServer()
        greetings.route("/greetings/de", .text("Hallo"))
        let tracer = TraceparentTracer()
        let trace = "4bf92f3577b34da6a3ce929d0e0e4736"

        let text = try await withTracer(tracer) {
            try await withGreeter(greetings.baseURL) { client in
                try await client.get(
                    "hello/Ada",
                    parameters: ["language": "de"],
                    headers: ["traceparent": "00-\(trace)-00f067aa0ba902b7-01"]
                ).string
            }
        }

        #expect(text == "Hallo, Ada!")
        let outgoing = try #require(tracer.spans.first { $0.kind == .client })
        let incoming = try #require(tracer.spans.first { $0.kind == .server })
        #expect(incoming.traceID == trace && incoming.parentSpanID == "00f067aa0ba902b7")
        #expect(outgoing.traceID == trace && outgoing.parentSpanID == incoming.spanID)
        #expect(greetings.requests.first?.headers["traceparent"] == outgoing.spanContext.traceparent)
    }

    @Test("A failure of the other service becomes a 502")
    func failure() async throws {
        let greetings = try LoopbackServer()
        let status = try await withGreeter(greetings.baseURL) { client in
            await client.get("hello/Ada").response().statusCode
        }
        #expect(status == 502)
    }

    /// Runs the server for the time of a closure.
    private func withGreeter<Result: Sendable>(
        _ greetings: URL,
        _ body: (SessionManager) async throws -> Result
    ) async throws -> Result {
        let (channels, continuation) = AsyncStream<any Channel>.makeStream()
        let greeter = makeGreeter(
            greetings: SessionManager(baseURL: greetings, configuration: .ephemeral),
            configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { continuation.yield($0) }
        )
        let group = ServiceGroup(services: [greeter], logger: Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() })
        async let services: Void = group.run()
        let port = try #require(await channels.first { _ in true }?.localAddress?.port)
        let client = SessionManager(baseURL: URL(string: "http://127.0.0.1:\(port)"), configuration: .ephemeral)
        let result = try await body(client)
        await group.triggerGracefulShutdown()
        try await services
        return result
    }
}
