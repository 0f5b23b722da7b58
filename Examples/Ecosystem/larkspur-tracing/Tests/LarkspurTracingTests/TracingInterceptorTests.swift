import InMemoryTracing
import Larkspur
import LarkspurTesting
import LarkspurTracing
import Testing
import Tracing

@Suite("Spans of calls", .timeLimit(.minutes(5)))
struct TracingTests {
    let server: LoopbackServer
    let manager: SessionManager
    let tracer = InMemoryTracer()

    init() throws {
        server = try LoopbackServer()
        manager = SessionManager(baseURL: server.baseURL, configuration: .ephemeral)
    }

    @Test("Each attempt is a child span of the current one, and its request has the span's context")
    func attempts() async throws {
        manager.interceptors = RequestInterceptors(call: [.retry(baseDelay: .zero)], attempt: [.tracing()])
        server.route("/notes", .status(503), .text("none"))

        let text = try await withTracer(tracer) {
            try await withSpan("parent") { _ in
                try await manager.get("notes", parameters: ["token": "secret"]).string
            }
        }
        #expect(text == "none")

        let spans = tracer.finishedSpans
        try #require(spans.map(\.operationName) == ["GET", "GET", "parent"])
        for (span, request) in zip(spans, server.requests) {
            #expect(span.kind == .client)
            #expect(span.traceID == spans[2].traceID && span.parentSpanID == spans[2].spanID)
            #expect(request.headers[InMemoryTracer.traceIDKey] == span.traceID)
            #expect(request.headers[InMemoryTracer.spanIDKey] == span.spanID)
            #expect(span["http.request.method"] == .string("GET"))
            #expect(span["url.full"] == .string(server.url("/notes?token=redacted").absoluteString))
            #expect(span["server.address"] == .string("127.0.0.1"))
            #expect(span["server.port"] == .int64(Int64(server.port)))
        }
        #expect(spans[0]["http.response.status_code"] == .int64(503) && spans[0]["error.type"] == .string("503"))
        #expect(spans[0].status?.code == .error && spans[0]["http.request.resend_count"] == nil)
        #expect(spans[1]["http.response.status_code"] == .int64(200) && spans[1]["error.type"] == nil)
        #expect(spans[1].status == nil && spans[1]["http.request.resend_count"] == .int64(1))
    }

    @Test("A call may be a span, with its attempts as child spans")
    func calls() async throws {
        manager.interceptors = RequestInterceptors(call: [.tracing(), .retry(baseDelay: .zero)], attempt: [.tracing()])
        server.route("/notes", .status(503), .text("none"))

        let text = try await withTracer(tracer) { try await manager.get("notes").string }
        #expect(text == "none")

        let spans = tracer.finishedSpans
        try #require(spans.count == 3)
        #expect(spans[2].parentSpanID == nil)
        #expect(spans[0].parentSpanID == spans[2].spanID && spans[1].parentSpanID == spans[2].spanID)
        #expect(server.requests.map { $0.headers[InMemoryTracer.spanIDKey] } == spans[...1].map(\.spanID))
    }

    @Test("A span records its failure")
    func failure() async throws {
        manager.interceptors.attempt = [.tracing()]
        server.route("/lost", .fault(.closeBeforeHeader))

        let response = await withTracer(tracer) { await manager.get("lost").response() }
        #expect(response.error?.code == .connectionLost)

        let span = try #require(tracer.finishedSpans.first)
        #expect((span.errors.first?.error as? LarkspurError)?.code == .connectionLost)
        #expect(span["error.type"] == .string("connection-lost") && span.status?.code == .error)
    }

    @Test("A call with a closure belongs to the trace of the code that makes it")
    func closures() async throws {
        manager.interceptors.attempt = [.tracing()]
        server.route("/notes", .text("none"))

        await withTracer(tracer) {
            await withSpan("parent") { _ in
                await withCheckedContinuation { continuation in
                    manager.get("notes").response(as: .string) { _ in continuation.resume() }
                }
            }
        }

        let spans = tracer.finishedSpans
        try #require(spans.count == 2)
        #expect(spans[0].parentSpanID == spans[1].spanID)
    }
}

extension FinishedInMemorySpan {
    fileprivate subscript(name: String) -> SpanAttribute? { attributes.get(name) }
}
