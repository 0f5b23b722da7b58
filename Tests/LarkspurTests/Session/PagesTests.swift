import HTTPSyntax
import LarkspurTesting
import Testing

@testable import Larkspur

@Suite("Pages of a list", .timeLimit(.minutes(5)))
struct PagesTests {
    struct Batch: Codable, Sendable {
        var items: [Int]
        var next: String?
    }

    let server: LoopbackServer

    init() throws { server = try LoopbackServer() }

    private func collect(_ pages: Pages<Batch>) async throws(LarkspurError) -> [[Int]] {
        var result: [[Int]] = []
        for try await page in pages { result.append(page.items) }
        return result
    }

    private func items(_ items: Int..., next: String? = nil) throws -> LoopbackServer.Response {
        try .json(encoding: Batch(items: items, next: next))
    }

    @Test("Absolute and relative links lead from page to page", arguments: TestTransport.allCases)
    func links(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        manager.requestSettings.setAuthorization(bearerToken: "t0ken")
        server.route(
            "/list",
            try items(1, 2).adding("Link", #"</list/2?a=1,2>; rel="prev next"; title="a, b", </>; rel=last"#)
        )
        server.route("/list/2", try items(3).adding("Link", "<3>; rel=next"))
        server.route("/list/3", try items())

        let all = try await collect(manager.pages("list", parameters: ["size": 2], as: Batch.self, by: .links))

        #expect(all == [[1, 2], [3], []])
        #expect(server.requests.map(\.target) == ["/list?size=2", "/list/2?a=1,2", "/list/3"])
        #expect(server.requests.allSatisfy { $0.headers["Authorization"] == "Bearer t0ken" })
    }

    @Test("URLs in the content, cursors and numbers lead to the next page", arguments: TestTransport.allCases)
    func others(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        server.route("/urls", try items(1, next: "/urls/2"))
        server.route("/urls/2", try items(2, next: ""))
        server.route("/cursor", try items(1, next: "a&b=%"), try items(2))
        server.route("/numbers", try items(1), try items(2), try items())

        let urls = try await collect(manager.pages("urls", as: Batch.self, by: .url(\.next)))
        let cursors = try await collect(
            manager.pages("cursor", parameters: ["q": "x y"], as: Batch.self, by: .cursor("after", \.next))
        )
        let numbers = try await collect(
            manager.pages("numbers", as: Batch.self, by: .number(until: { $0.items.isEmpty }))
        )

        #expect(urls == [[1], [2]] && cursors == [[1], [2]] && numbers == [[1], [2], []])
        #expect(
            server.requests(to: "/cursor").map(\.target) == ["/cursor?q=x%20y", "/cursor?q=x%20y&after=a%26b%3D%25"]
        )
        #expect(
            server.requests(to: "/numbers").map(\.target) == ["/numbers?page=1", "/numbers?page=2", "/numbers?page=3"]
        )
    }

    @Test("A page on another origin is requested without secrets", arguments: TestTransport.allCases)
    func otherOrigin(_ transport: TestTransport) async throws {
        let other = try LoopbackServer()
        other.route("/list", try items(2))
        let manager = transport.makeManager(for: server)
        manager.headers["X-API-Key"] = "k3y"
        manager.requestSettings.setAuthorization(bearerToken: "t0ken")
        server.route("/list", try items(1).adding("Link", "<\(other.url("/list"))>; rel=next"))

        #expect(try await collect(manager.pages("list", as: Batch.self, by: .links)) == [[1], [2]])

        let headers = try #require(other.requests(to: "/list").first?.headers)
        #expect(headers["Authorization"] == nil && headers["X-API-Key"] == nil && headers["User-Agent"] != nil)
    }

    @Test("Pages in a cycle or without an end are an error")
    func loops() async throws {
        let manager = TestTransport.curl.makeManager(for: server)
        server.route("/a", try items(1).adding("Link", "</b>; rel=next"))
        server.route("/b", try items(2).adding("Link", "</a>; rel=next"))
        server.route("/cursor", try items(1, next: "same"))

        let links = await #expect(throws: LarkspurError.self) {
            try await collect(manager.pages("a", as: Batch.self, by: .links))
        }
        let cursor = await #expect(throws: LarkspurError.self) {
            try await collect(manager.pages("cursor", as: Batch.self, by: .cursor("c", \.next)))
        }
        let endless = await #expect(throws: LarkspurError.self) {
            try await collect(manager.pages("a", as: Batch.self, by: .number(until: { _ in false }), limit: 5))
        }

        #expect(links?.code == .malformedResponse && cursor?.code == .malformedResponse)
        #expect(endless?.message == "The list has more than 5 pages.")
    }

    @Test("If another origin links back, the requests contain no secrets")
    func back() async throws {
        let other = try LoopbackServer()
        let manager = TestTransport.curl.makeManager(for: server)
        manager.requestSettings.setAuthorization(bearerToken: "t0ken")
        server.route("/a", try items(1).adding("Link", "<\(other.url("/b"))>; rel=next"))
        other.route("/b", try items(2).adding("Link", "<\(server.url("/c"))>; rel=next"))
        server.route("/c", try items(3))
        #expect(try await collect(manager.pages("a", as: Batch.self, by: .links)) == [[1], [2], [3]])
        #expect(server.requests.map { $0.headers["Authorization"] } == ["Bearer t0ken", nil])
    }

    @Test("A page on another origin does not get the credential of the options", arguments: TestTransport.allCases)
    func credential(_ transport: TestTransport) async throws {
        let other = try LoopbackServer()
        let manager = transport.makeManager(for: server)
        server.route("/a") { [page = try items(1).adding("Link", "<\(other.url("/b"))>; rel=next")] request in
            request.headers["Authorization"] == nil ? .unauthorized : page
        }
        other.route("/b", .unauthorized)
        let options = CallOptions(credential: URLCredential(user: "ada", password: "secret", persistence: .none))
        var iterator = manager.pages("a", options: options, as: Batch.self, by: .links).makeAsyncIterator()
        #expect(try await iterator.next()?.items == [1])
        let error = await #expect(throws: LarkspurError.self) { try await iterator.next() }
        #expect(error?.statusCode == 401)
        #expect(server.requests.last?.headers["Authorization"]?.hasPrefix("Basic ") == true)
        #expect(!other.requests.isEmpty && other.requests.allSatisfy { $0.headers["Authorization"] == nil })
    }

    @Test("A page that has arrived is returned before the error of the next page")
    func beforeError() async throws {
        let manager = TestTransport.curl.makeManager(for: server)
        server.route("/a", try items(1).adding("Link", "</a>; rel=next"))
        var iterator = manager.pages("a", as: Batch.self, by: .links).makeAsyncIterator()
        #expect(try await iterator.next()?.items == [1])
        await #expect(throws: LarkspurError.self) { try await iterator.next() }
        #expect(try await iterator.next() == nil)
    }

    @Test(
        "A server cannot lead to a page that a redirect could not lead to",
        arguments: ["file:///etc/hostname", "http+unix://%2Frun%2Fx.sock/a", "data:,{}", "ftp://localhost/a"]
    )
    func schemes(target: String) async throws {
        let manager = TestTransport.curl.makeManager(for: server)
        server.route("/a", try items(1).adding("Link", "<\(target)>; rel=next"))
        var iterator = manager.pages("a", as: Batch.self, by: .links).makeAsyncIterator()
        #expect(try await iterator.next()?.items == [1])
        let error = await #expect(throws: LarkspurError.self) { try await iterator.next() }
        #expect(error?.code == .insecureRequest)
    }

    @Test("Each page is requested when the loop needs it, and its failure is thrown there")
    func lazily() async throws {
        let manager = TestTransport.curl.makeManager(for: server)
        server.route("/numbers", try items(1), .status(500))
        let pages = manager.pages("numbers", as: Batch.self, by: .number(until: { _ in false }))
        #expect(server.requests.isEmpty)

        var iterator = pages.makeAsyncIterator()
        #expect(try await iterator.next()?.items == [1])
        #expect(server.requests.count == 1)
        await #expect(throws: LarkspurError.self) { try await iterator.next() }
        #expect(try await iterator.next() == nil)
    }

    @Test(
        "Link fields are parsed by RFC 8288",
        arguments: [
            (#"<http://a/b>; rel="next""#, "http://a/b"),
            (#"<a>; title="x, <y>; rel=next"; rel=prev, <b>; REL=NEXT"#, "b"),
            (#"<a>; rel="prev  next""#, "a"),
            (#"<a>; title="\"," ; rel=next"#, "a"),
            ("<a>; rel=nextpage, <b>", nil),
            (##"<a>; rel=next; anchor="#part", <b>; rel=next"##, "b"),
            ("<\u{301}a>; rel=next", "\u{301}a"),
            ("<a>\u{301}; rel=next", "a"),
            ("<a>; rel=prev,\u{FE0F}<b>; rel=next", "b"),
            ("<a>; title=\"\u{301}\", <b>; rel=next", "b"),
            ("<a", nil),
            ("", nil),
        ] as [(String, String?)]
    )
    func linkField(text: String, next: String?) {
        #expect(LinkField(text).target(of: "next") == next)
    }
}

extension LoopbackServer.Response {
    /// A response with a challenge for the Basic scheme.
    fileprivate static var unauthorized: Self {
        .text("denied", status: 401).adding("WWW-Authenticate", #"Basic realm="r""#)
    }
}
