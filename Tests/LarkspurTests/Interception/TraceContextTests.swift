import LarkspurTesting
import Synchronization
import TestSupport
import Testing

@testable import Larkspur

@Suite("The trace context", .timeLimit(.minutes(5)))
struct TraceContextTests {
    @Test("The attempts of a call have one trace, and a span each", arguments: TestTransport.allCases)
    func fields(_ transport: TestTransport) async throws {
        let server = try LoopbackServer()
        server.route("/x", .status(503), .text("done"))
        let manager = transport.makeManager(for: server)
        manager.interceptors.call = [.retry(baseDelay: .zero)]
        manager.interceptors.attempt = [.traceContext()]

        _ = try await manager.get("x").data
        _ = try await manager.get("x").interceptAttempts(with: .traceContext(isSampled: false)).data
        _ = try await manager.get("x", headers: ["traceparent": "own"]).data

        let fields = try server.requests.prefix(3).map { request in
            let field = try #require(request.headers["traceparent"])
            let match = try #require(field.wholeMatch(of: /00-([0-9a-f]{32})-([0-9a-f]{16})-01/))
            return (trace: match.output.1, span: match.output.2)
        }
        #expect(fields[0].trace == fields[1].trace && fields[1].trace != fields[2].trace)
        #expect(Set(fields.map(\.span)).count == 3)
        #expect(server.requests.last?.headers["traceparent"] == "own" && server.requests.count == 4)
    }

    @Test("The traceparent field of a trace that is not sampled has no flag")
    func unsampled() async throws {
        let server = try LoopbackServer()
        let manager = TestTransport.curl.makeManager(for: server)
        manager.interceptors.attempt = [.traceContext(isSampled: false)]
        _ = try await manager.get("get").data
        #expect(server.requests.first?.headers["traceparent"]?.hasSuffix("-00") == true)
    }
}
