#if canImport(FoundationNetworking)
import LarkspurTesting
import LarkspurTransport
import Testing

@Suite("Cookies of the engine", .timeLimit(.minutes(5)))
struct CookieTests {
    let server: LoopbackServer
    let session: CurlURLSession

    init() throws {
        server = try LoopbackServer()
        session = CurlURLSession(configuration: .testing)
        server.route("*", .text("ok"))
    }

    private func route(_ path: String, _ cookies: String..., to location: String? = nil) {
        var response = LoopbackServer.Response.status(location == nil ? 200 : 302)
        if let location { response = response.adding("Location", location) }
        server.route(path, cookies.reduce(response) { $0.adding("Set-Cookie", $1) })
    }

    private func cookies(_ path: String, in session: CurlURLSession? = nil, _ request: URLRequest? = nil) async throws
        -> String?
    {
        _ = try await (session ?? self.session).outcome(of: request ?? URLRequest(url: server.url(path)))
        return server.requests.last?.headers["Cookie"]
    }

    @Test("A cookie that a redirect sets is sent to the target, with a delegate too", arguments: [false, true])
    func redirect(usesDelegate: Bool) async throws {
        route("/set", "a=1", to: "/target")
        let style = usesDelegate ? Style.delegate : .handler
        _ = try await style.send(URLRequest(url: server.url("/set")))
        #expect(server.requests(to: "/target").map { $0.headers["Cookie"] } == ["a=1"])
    }

    @Test("Each request of a redirect chain has the cookies of its path")
    func hops() async throws {
        route("/set", "here=1; Path=/a", "there=2; Path=/b")
        server.route("/a/x", .redirect(to: "/b/y"))
        _ = try await cookies("/set")
        _ = try await cookies("/a/x")
        #expect(server.requests.suffix(2).map { $0.headers["Cookie"] } == ["here=1", "there=2"])
        #expect(try await cookies("/c") == nil)
    }

    @Test("Secure cookies are not sent over http, and expired ones are never sent")
    func secure() async throws {
        route("/set", "s=1; Secure", "old=1; Max-Age=0", "gone=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "kept=1")
        _ = try await cookies("/set")
        #expect(try await cookies("/") == "kept=1")
    }

    @Test("A Max-Age of zero removes a cookie")
    func delete() async throws {
        route("/set", "a=1; Max-Age=100", "b=2")
        route("/delete", "a=; Max-Age=0")
        _ = try await cookies("/set")
        #expect(try await cookies("/").map { Set($0.split(separator: "; ")) } == ["a=1", "b=2"])
        _ = try await cookies("/delete")
        #expect(try await cookies("/") == "b=2")
    }

    @Test("A request or a session can switch cookies off")
    func without() async throws {
        route("/set", "a=1")
        _ = try await cookies("/set")
        var request = URLRequest(url: server.url("/"))
        request.httpShouldHandleCookies = false
        #expect(try await cookies("/", request) == nil)
        let plain = CurlURLSession(configuration: .testing { $0.httpShouldSetCookies = false })
        _ = try await cookies("/set", in: plain)
        #expect(try await cookies("/", in: plain) == nil)
        let alone = CurlURLSession(configuration: .testing { $0.httpCookieStorage = nil })
        _ = try await cookies("/set", in: alone)
        #expect(try await cookies("/", in: alone) == nil)
    }

    @Test("A request's own Cookie field is not overwritten")
    func ownField() async throws {
        route("/set", "a=1")
        _ = try await cookies("/set")
        let request = URLRequest(server.url("/"), "GET", headers: ["Cookie": "own=1"])
        #expect(try await cookies("/", request)?.contains("own=1") == true)
        #expect(session.configuration.httpCookieStorage?.cookies?.map(\.name) == ["a"])
    }

    @Test("The original request does not show cookies")
    func originalRequest() async throws {
        route("/set", "a=1")
        _ = try await cookies("/set")
        let task = session.dataTask(with: server.url("/"))
        #expect(task.originalRequest?.allHTTPHeaderFields?["Cookie"] == nil)
    }

    @Test("A reset removes the cookies")
    func reset() async throws {
        route("/set", "a=1")
        _ = try await cookies("/set")
        let done = Recorder<Void>()
        session.reset { done.record(()) }
        try await done.wait()
        #expect(try await cookies("/") == nil)
    }
}
#endif
