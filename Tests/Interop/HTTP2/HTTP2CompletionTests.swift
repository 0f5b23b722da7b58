#if canImport(FoundationNetworking)
import Foundation
import Larkspur
import LarkspurTransport
import TestSupport
import Testing

/// Responses over HTTP/2 that are complete, in every way that frames allow.
@Suite("HTTP/2: completion", .needsTrustedHTTP2, .timeLimit(.minutes(5)))
struct HTTP2CompletionTests {
    private let server: MisbehavingServer

    init() throws { server = try MisbehavingServer() }

    private static let long = String(repeating: "y", count: 9000)

    @Test(
        "END_STREAM completes a response, whatever other frames surround it",
        arguments: [
            ("head:200 last:10", 10), ("head:200 data:10 last:0", 10), ("head:200 data:10 trailers:x-a=1", 10),
            ("headend:200", 0), ("headend:204", 0), ("headend:200:content-length=0", 0),
            ("head:103 head:200 last:10", 10), ("head:100 head:103 head:200 data:4 last:6", 10),
            ("split:200:3:x-a=1:x-b=2 last:10", 10), ("split:200:2000:x-long=\(long) last:10", 10),
            ("head:200 data:4:1 data:0:200 last:6:255", 10), ("head:200 data:0 data:0 data:10 data:0 last:0", 10),
            ("head:200 frame:2:0:this:000000000f data:4 frame:10:0:this:0000 frame:8:0:this:00000001 last:6", 10),
            ("head:200 frame:99:255:this:0102 data:4 frame:99:0:0:00 last:6", 10),
            ("head:200:content-length=10 data:10 last:0", 10),
            ("head:200:content-length=10 data:10 trailers:x-a=1", 10),
            ("head:200 last:10 rst:0", 10), ("head:200 last:10 rst:8", 10),
            ("head:200 data:4 send last:6 send rst:0", 10),
            ("head:200 last:10 goaway:this:0 close", 10), ("goaway:this:0 head:200 data:4 send last:6 close", 10),
            ("head:200 data:4 goaway:2147483647:0 send last:6", 10), ("head:200 last:10 goaway:this:2 close", 10),
            ("head:200 last:10 close", 10), ("head:404 last:10", 10),
        ]
    )
    func complete(_ steps: String, _ count: Int) async throws {
        let session = server.makeSession()
        let reply = try await session.reply(to: server.url(steps))
        #expect(reply.content.count == count)
        #expect(try reply.last.protocolName == "h2")
        #expect(try await server.echo(in: session).method == "GET")
    }

    @Test(
        "The trailers are available at the end, without forbidden fields",
        arguments: [
            ("head:200 data:10 trailers:x-a=1", ["x-a": "1"]),
            ("head:200:x-a=0 data:10 trailers:x-a=1:x-a=2:etag=e", ["x-a": "1, 2", "Etag": "e"]),
            ("head:200 data:10 trailers:content-type=a:x-a=1", ["x-a": "1"]),
            ("head:200:content-length=10 data:10 trailers:x-a=1", ["x-a": "1"]), ("head:200 last:10", nil),
            ("head:200 data:10 trailers:host=a", nil),
        ] as [(String, [String: String]?)]
    )
    func trailers(_ steps: String, _ trailers: [String: String]?) async throws {
        let reply = try await server.makeSession().reply(to: server.url(steps))
        #expect(reply.content.count == 10)
        #expect(reply.trailers == trailers)
        #expect(reply.field("x-a") == (steps.contains("x-a=0") ? "0" : nil))
    }

    @Test("Interim responses are reported before the response")
    func interim() async throws {
        let manager = SessionManager(configuration: .ephemeral, transport: .curl(server.options))
        let seen = Recorder<String>()
        manager.hooks.didReceiveInterimResponse = {
            seen.record("\($1.statusCode) \($1.value(forHTTPHeaderField: "Link") ?? "-")")
        }
        let url = try server.url("head:100 head:103:link=a head:102 head:103:link=b head:200 data:4 last:6")
        #expect(try await manager.get(url).data.count == 10)
        #expect(try await seen.wait(for: 4) == ["100 -", "103 a", "102 -", "103 b"])
    }

    @Test(
        "In every style of loading, END_STREAM completes a response",
        arguments: ["head:200 last:10 rst:0", "head:200 data:10 trailers:x-a=1"],
        LoadingStyle.allCases
    )
    func styles(_ steps: String, _ style: LoadingStyle) async throws {
        #expect(try await style.load(server.url(steps), from: server).count == 10)
    }

    @Test("A response that has no content by definition ends with its head", arguments: ["HEAD", "GET"])
    func noContent(_ method: String) async throws {
        let steps = method == "HEAD" ? "headend:200:content-length=99" : "headend:304"
        var request = URLRequest(url: try server.url(steps))
        request.httpMethod = method
        let reply = try await server.makeSession().reply(to: request)
        #expect(reply.content.isEmpty)
    }

    @Test("After a GOAWAY the earlier streams end normally, and the next request gets another connection")
    func goAway() async throws {
        let session = server.makeSession()
        let first = try await server.echo(in: session).connection
        let name = UUID().uuidString
        async let lower = session.reply(to: server.url("head:200 data:10 signal:\(name) wait:\(name)2 last:5"))
        // The server has the first stream before the second one begins, so that the first one has the lower number.
        _ = try await server.makeSession().reply(to: server.url("wait:\(name) headend:204"))
        async let last = session.reply(to: server.url("goaway:this:0 head:200 send signal:\(name)2 last:7"))
        let counts = try await [lower.content.count, last.content.count]
        #expect(counts == [15, 7])
        #expect(try await server.echo(in: session).connection != first)
    }

    @Test(
        "A complete response counts although the server does not accept the rest of the request's content",
        arguments: [
            "head:200 last:10 rst:0", "head:413 last:10 rst:0", "headend:200 rst:0", "head:200 send last:10 send rst:0",
        ]
    )
    func earlyResponse(_ steps: String) async throws {
        let session = server.makeSession(requestTimeout: 10)
        for size in [1 << 20, 1 << 24] {
            var request = URLRequest(url: try server.url("body:1000 " + steps))
            request.httpMethod = "POST"
            let content = Data(count: size)
            let count: Int = try await withCheckedThrowingContinuation { continuation in
                session.uploadTask(with: request, from: content) { content, _, error in
                    continuation.resume(with: error.map { .failure($0) } ?? .success(content?.count ?? -1))
                }.resume()
            }
            #expect(count == (steps.hasPrefix("headend") ? 0 : 10))
        }
    }
}
#endif
