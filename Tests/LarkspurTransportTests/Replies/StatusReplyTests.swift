#if canImport(FoundationNetworking)
import LarkspurTesting
import LarkspurTransport
import Testing

@Suite("Statuses without a class", .timeLimit(.minutes(5)))
struct StatusReplyTests {
    @Test("A status from 600 to 999 is a response with its number", arguments: [600, 700, 999], Style.allCases)
    func unassigned(status: Int, style: Style) async throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.write("HTTP/1.1 \(status) Odd\r\nContent-Length: 2\r\n\r\nok")
        }
        defer { server.stop() }
        let outcome = try await style.send(URLRequest(url: server.url))
        #expect(outcome.error == nil)
        #expect(outcome.text == "ok")
        if style != .downloadDelegate { #expect(outcome.status == status) }
    }

    @Test(
        "A status below 100, or without exactly three digits, is an error",
        arguments: ["000", "099", "20", "2000", "-20", "+20", "2xx", "0x1", ""],
        [Style.handler, .download]
    )
    func noStatus(status: String, style: Style) async throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.write("HTTP/1.1 \(status) Odd\r\nContent-Length: 2\r\n\r\nok")
        }
        defer { server.stop() }
        let outcome = try await style.send(URLRequest(url: server.url))
        #expect([.badServerResponse, .cannotParseResponse].contains(outcome.code))
        #expect(outcome.response == nil)
    }

    @Test("A response with an unassigned status is not stored, even if its fields allow that")
    func cache() async throws {
        let server = try LoopbackServer()
        server.route(
            "/odd",
            .raw([.text("HTTP/1.1 700 Odd\r\nCache-Control: public, max-age=600\r\nContent-Length: 2\r\n\r\nok")])
        )
        let session = CurlURLSession(
            configuration: .testing { $0.urlCache = HTTPCache() }
        )
        defer { session.finishTasksAndInvalidate() }
        for _ in 0..<2 { #expect(try await session.outcome(of: server.url("/odd")).status == 700) }
        #expect(server.requests.count == 2)
    }
}
#endif
