#if canImport(FoundationNetworking)
import LarkspurTesting
import Testing

@testable import LarkspurTransport

/// Replies that end a process, hang or come out wrong with FoundationNetworking's own engine.
@Suite("Broken and odd replies", .timeLimit(.minutes(5)))
struct BrokenReplyTests {
    let server: LoopbackServer

    init() throws { server = try LoopbackServer() }

    struct Reply: Sendable, CustomTestStringConvertible {
        let name: String
        let text: String
        var code: URLError.Code?
        var status: Int?
        var body = ""
        /// Whether it goes on after the text.
        var staysOpen = false

        var testDescription: String { name }
    }

    private func send(_ reply: Reply, _ style: Style) async throws -> Outcome {
        let gate = LoopbackServer.Gate()
        server.route("/reply", .raw([.text(reply.text)] + (reply.staysOpen ? [.wait(gate)] : [])))
        return try await style.send(URLRequest(url: server.url("/reply")))
    }

    private static let emoji = "\u{1F600}"

    static let fatalReplies = [
        Reply(name: "header ends in the middle", text: "HTTP/1.1 200 OK\r\nFoo: b", code: .networkConnectionLost),
        Reply(name: "header ends after a field", text: "HTTP/1.1 200 OK\r\nFoo: bar\r\n", code: .networkConnectionLost),
        Reply(name: "header ends after the status", text: "HTTP/1.1 200 OK\r\n", code: .networkConnectionLost),
        Reply(name: "nothing", text: "", code: .networkConnectionLost),
        Reply(
            name: "trailers",
            text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-Sum: 1\r\n\r\n",
            status: 200,
            body: "ok"
        ),
        Reply(
            name: "trailers without content",
            text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX-Sum: 1\r\n\r\n",
            status: 200
        ),
        Reply(
            name: "401 with trailers",
            text: "HTTP/1.1 401 No\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nno\r\n0\r\nX-Sum: 1\r\n\r\n",
            status: 401,
            body: "no"
        ),
        Reply(
            name: "302 with trailers and without a location",
            text: "HTTP/1.1 302 Found\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nno\r\n0\r\nX-Sum: 1\r\n\r\n",
            status: 302,
            body: "no"
        ),
        Reply(
            name: "the largest length",
            text: "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\nabc",
            code: .networkConnectionLost
        ),
        Reply(
            name: "emoji in the name of a cookie",
            text: "HTTP/1.1 200 OK\r\nSet-Cookie: \(emoji)x3=a\r\nContent-Length: 2\r\n\r\nok",
            status: 200,
            body: "ok"
        ),
        Reply(
            name: "emoji in an attribute of a cookie",
            text: "HTTP/1.1 200 OK\r\nSet-Cookie: a=b; \(emoji)x3=a\r\nContent-Length: 2\r\n\r\nok",
            status: 200,
            body: "ok"
        ),
        Reply(
            name: "combining characters in the name of a cookie",
            text: "HTTP/1.1 200 OK\r\nSet-Cookie: e\u{301} x3=a\r\nContent-Length: 2\r\n\r\nok",
            status: 200,
            body: "ok"
        ),
        Reply(
            name: "redirect to another scheme's shorthand",
            text: "HTTP/1.1 302 Found\r\nLocation: //[::1]:1/x\r\nContent-Length: 0\r\n\r\n",
            code: .cannotConnectToHost
        ),
    ]

    @Test(
        "Replies that trap other engines are errors or responses",
        arguments: fatalReplies,
        Style.allCases
    )
    func fatal(reply: Reply, style: Style) async throws {
        let outcome = try await send(reply, style)
        #expect(outcome.code == reply.code)
        guard reply.code == nil else { return }
        #expect(outcome.text == reply.body)
        if style != .downloadDelegate { #expect(outcome.status == reply.status) }
    }

    @Test("A redirect with trailers is followed")
    func redirectWithTrailers() async throws {
        let text = "HTTP/1.1 302 Found\r\nLocation: /bytes/4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX-Sum: 1\r\n\r\n"
        let outcome = try await send(Reply(name: "", text: text), .handler)
        #expect(outcome.data?.count == 4)
    }

    @Test(
        "A task without a credential gets the 401 and its content",
        arguments: [#"Basic realm="r""#, #"Digest realm="d", nonce="n", Basic realm="b""#, "Negotiate", "Bearer"],
        Style.allCases
    )
    func challenge(field: String, style: Style) async throws {
        let text = "HTTP/1.1 401 No\r\nWWW-Authenticate: \(field)\r\nContent-Length: 6\r\n\r\ndenied"
        let outcome = try await send(Reply(name: "", text: text), style)
        #expect(outcome.text == "denied")
        #expect(outcome.error == nil)
    }

    static let validReplies = [
        ("no reason phrase", "HTTP/1.1 200\r\nX-A: v\r\n"),
        ("no space after the colon", "HTTP/1.1 200 OK\r\nX-A:v\r\n"),
        ("a space before the colon", "HTTP/1.1 200 OK\r\nX-A : v\r\n"),
        ("a value of blanks", "HTTP/1.1 200 OK\r\nX-B:   \r\nX-A: v\r\n"),
        ("a Latin-1 byte", "HTTP/1.1 200 OK\r\nX-B: caf\u{e9}\r\nX-A: v\r\n"),
        ("bare line feeds", "HTTP/1.1 200 OK\nX-A: v\n"),
        ("a name that is no token", "HTTP/1.1 200 OK\r\nX(B): w\r\nX-A: v\r\n"),
    ]

    @Test("Unusual replies that other engines refuse are accepted", arguments: validReplies)
    func valid(name: String, head: String) async throws {
        let lineEnd = head.contains("\r") ? "\r\n" : "\n"
        let latin1 = try #require((head + "Content-Length: 2" + lineEnd + lineEnd + "ok").data(using: .isoLatin1))
        server.route("/valid", .raw([.bytes(latin1)]))
        let outcome = try await Style.delegate.send(URLRequest(url: server.url("/valid")))
        #expect(outcome.status == 200)
        #expect(outcome.text == "ok")
        #expect(outcome.field("X-A") == "v")
    }

    static let invalidReplies = [
        "GARBAGE\r\n\r\n", "ICY 200 OK\r\n\r\nx", "HTTP/1.1 000 No\r\n\r\n", "HTTP/1.1 99 No\r\n\r\n",
        "HTTP/1.1 1000 No\r\n\r\n", "HTTP/1.1 abc No\r\n\r\n", "<html>no header at all</html>",
    ]

    @Test("A reply that is not an HTTP response is a bad server response", arguments: invalidReplies)
    func invalid(text: String) async throws {
        let outcome = try await send(Reply(name: "", text: text), .handler)
        #expect(outcome.response == nil)
        #expect([.badServerResponse, .cannotParseResponse].contains(outcome.code))
    }

    @Test("20,000 fields are read, or 4,000 with a libcurl that limits their number")
    func manyFields() async throws {
        // From 8.13 on it has a limit of 5,000.
        let count = Libcurl.isAtLeast(8, 13) ? 4_000 : 20_000
        let fields = (0..<count).map { "h\($0): v\r\n" }.joined()
        let reply = Reply(name: "", text: "HTTP/1.1 200 OK\r\n\(fields)Content-Length: 2\r\n\r\nok")
        let outcome = try await send(reply, .delegate)
        #expect(outcome.text == "ok", "\(String(describing: outcome.error))")
        #expect((outcome.response as? HTTPURLResponse)?.allHeaderFields.count == count + 1)
    }

    @Test("A line of 200 kB is an error")
    func longLine() async throws {
        let long = String(repeating: "x", count: 200_000)
        let text = "HTTP/1.1 200 OK\r\nX-Long: \(long)\r\nContent-Length: 0\r\n\r\n"
        #expect(try await send(Reply(name: "", text: text), .handler).code == .cannotParseResponse)
    }

    private func hints(_ count: Int) -> LoopbackServer.Response {
        let hints = String(repeating: "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", count: count)
        return .raw([.text(hints + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")])
    }

    @Test("More than 100 informational responses are an error", arguments: Style.allCases)
    func manyInformational(style: Style) async throws {
        server.route("/hints", hints(101))
        #expect(try await style.send(URLRequest(url: server.url("/hints"))).code == .badServerResponse)
    }

    @Test("Informational responses are not delivered to delegates", arguments: [1, 100])
    func informational(count: Int) async throws {
        server.route("/hints", hints(count))
        let log = DelegateLog()
        let session = CurlURLSession(configuration: .testing, delegate: log, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        let outcome = try await log.outcome(of: session.dataTask(with: server.url("/hints")))
        #expect(outcome.status == 200)
        #expect(outcome.text == "ok")
        #expect(outcome.field("Link") == nil)
        #expect(log.names == ["response", "data", "completed"])
    }

    @Test("100 Continue is not delivered")
    func continuing() async throws {
        let log = DelegateLog()
        let session = CurlURLSession(configuration: .testing, delegate: log, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        let request = URLRequest(server.url("/post"), "POST", body: Data("x".utf8), headers: ["Expect": "100-continue"])
        let outcome = try await log.outcome(of: session.dataTask(with: request))
        #expect(outcome.status == 200)
        #expect(log.events.values.filter { $0.name == "response" }.count == 1)
    }

    @Test(
        "Endless informational responses and endless headers are errors",
        arguments: [
            LoopbackServer.Fault.endlessInformational, .endlessHeader,
        ]
    )
    func endless(fault: LoopbackServer.Fault) async throws {
        let outcome = try await Style.handler.send(URLRequest(url: server.url(fault.path)))
        #expect(outcome.code == .cannotParseResponse || outcome.code == .badServerResponse)
    }

    /// Those that come to an end by themselves.
    static let faults = LoopbackServer.Fault.allCases.filter { $0.outcome != .endless }

    @Test("Each fault of the server ends in a response or an error, as specified", arguments: faults)
    func fault(_ fault: LoopbackServer.Fault) async throws {
        for style in [Style.handler, .downloadDelegate] {
            let outcome = try await style.send(URLRequest(url: server.url(fault.path)))
            if fault.outcome == .response {
                #expect(outcome.text == LoopbackServer.Fault.body)
            } else {
                #expect(outcome.error is URLError)
                #expect(outcome.data?.isEmpty != false)
            }
        }
    }
}
#endif
