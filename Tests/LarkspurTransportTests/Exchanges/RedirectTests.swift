#if canImport(FoundationNetworking)
import LarkspurTesting
import Testing

@testable import LarkspurTransport

@Suite("Redirects of the engine", .timeLimit(.minutes(5)))
struct RedirectTests {
    let server: LoopbackServer

    init() throws { server = try LoopbackServer() }

    struct Case: Sendable, CustomTestStringConvertible {
        let status: Int
        let method: String
        let next: String
        let keepsBody: Bool

        var testDescription: String { "\(status) \(method) -> \(next)" }
    }

    static let matrix: [Case] = {
        var cases: [Case] = []
        for method in ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] {
            let hasBody = !["GET", "HEAD"].contains(method)
            for status in [301, 302] {
                let isRewritten = method == "POST"
                cases.append(
                    Case(
                        status: status,
                        method: method,
                        next: isRewritten ? "GET" : method,
                        keepsBody: hasBody && !isRewritten
                    )
                )
            }
            cases.append(Case(status: 303, method: method, next: method == "HEAD" ? "HEAD" : "GET", keepsBody: false))
            for status in [307, 308] {
                cases.append(Case(status: status, method: method, next: method, keepsBody: hasBody))
            }
        }
        return cases
    }()

    @Test("The status of a redirect determines the method and the content of the next request", arguments: matrix)
    func methodAndContent(row: Case) async throws {
        server.route("/from", .redirect(to: "/to", status: row.status))
        server.route("/to", .text("there"))
        let hasBody = !["GET", "HEAD"].contains(row.method)
        let headers = hasBody ? ["Content-Type": "text/x-test"] : [:]
        let body = hasBody ? Data("content".utf8) : nil
        let request = URLRequest(server.url("/from"), row.method, body: body, headers: headers)
        let outcome = try await Style.handler.send(request)
        #expect(outcome.status == 200)
        #expect(outcome.response?.url == server.url("/to"))
        let last = try #require(server.requests(to: "/to").first)
        #expect(last.method == row.next)
        #expect(last.body == (row.keepsBody ? Data("content".utf8) : Data()))
        #expect(last.headers["Content-Type"] == (row.keepsBody ? "text/x-test" : nil))
    }

    @Test("A redirected upload sends its content again, from memory and from a file", arguments: [307, 308])
    func uploads(status: Int) async throws {
        server.route("/from", .redirect(to: "/to", status: status))
        server.route("/to", .text("there"))
        let content = Data(repeating: 7, count: 300_000)
        let session = CurlURLSession(configuration: .testing)
        defer { session.finishTasksAndInvalidate() }
        // Its own content is not what an upload sends.
        let request = URLRequest(server.url("/from"), "POST", body: Data("ignored".utf8))
        _ = try await session.upload(for: request, from: content)
        let folder = try TemporaryDirectory()
        _ = try await session.upload(for: request, fromFile: folder.file(content))
        #expect(server.requests(to: "/to").map(\.body) == [content, content])
    }

    @Test("After a redirect, the stream is requested from the delegate again")
    func streams() async throws {
        server.route("/from", .redirect(to: "/to", status: 307))
        server.route("/to", .text("there"))
        let content = Data(repeating: 9, count: 200_000)
        let log = DelegateLog(.with { $0.stream = { _, answer in answer(InputStream(data: content)) } })
        let session = CurlURLSession(configuration: .testing, delegate: log, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        let task = session.uploadTask(withStreamedRequest: URLRequest(server.url("/from"), "POST"))
        #expect(try await log.outcome(of: task).status == 200)
        #expect(log.events.values.filter { $0.name == "stream" }.count == 2)
        #expect(server.requests.map(\.body) == [content, content])
    }

    @Test(
        "A relative location is resolved",
        arguments: [
            ("d", "/dir/sub/d"), ("../d", "/dir/d"), ("?z=2", "/dir/sub/redir?z=2"), ("/abs", "/abs"),
            ("./d/../e", "/dir/sub/e"), ("../../../x", "/x"), ("//HOST/y", "/y"), ("http://HOST/z", "/z"),
            ("a b", "/dir/sub/a%20b"),
        ]
    )
    func relative(location: String, target: String) async throws {
        let host = "127.0.0.1:\(server.port)"
        let location = location.split(separator: "HOST", omittingEmptySubsequences: false).joined(separator: host)
        server.route("*", .text("there"))
        server.route("/dir/sub/redir", .redirect(to: location), .text("again"))
        #expect(try await Style.handler.send(URLRequest(url: server.url("/dir/sub/redir"))).status == 200)
        #expect(server.requests.last?.target == target)
    }

    @Test("A redirect to another origin keeps fields without secrets, and drops the others")
    func otherOrigin() async throws {
        let other = try LoopbackServer()
        other.route("/to", .redirect(to: "/there"))
        other.route("/there", .text("there"))
        server.route("/from", .redirect(to: "/near"))
        server.route("/near", .redirect(to: other.url("/to").absoluteString))
        let configuration = URLSessionConfiguration.testing {
            $0.httpAdditionalHeaders = ["Authorization": "Bearer configured", "X-App": "app", "X-Auth-Token": "t"]
        }
        let own = ["Cookie": "sid=SECRET", "Proxy-Authorization": "p", "X-Trace": "1", "X-Api-Key": "k"]
        for headers in [own, own.merging(["Authorization": "Bearer own"]) { first, _ in first }] {
            server.clearRequests()
            other.clearRequests()
            let request = URLRequest(server.url("/from"), "GET", headers: headers)
            #expect(try await Style.handler.send(request, configuration: configuration).status == 200)
            let expected = headers["Authorization"] ?? "Bearer configured"
            #expect(server.requests.map { $0.headers["Authorization"] } == [expected, expected])
            #expect(server.requests.map { $0.headers["Cookie"] } == ["sid=SECRET", "sid=SECRET"])
            #expect(other.requests.count == 2)
            for request in other.requests {
                for name in ["Authorization", "Cookie", "Proxy-Authorization", "X-Api-Key", "X-Auth-Token"] {
                    #expect(request.headers[name] == nil, "\(name)")
                }
                #expect(request.headers["X-Trace"] == "1")
                #expect(request.headers["X-App"] == "app")
                #expect(request.headers["Host"] == "127.0.0.1:\(other.port)")
            }
        }
    }

    @Test(
        "A 3xx without a usable location is the response, with its content",
        arguments: [
            nil, "", "http://", "http:///x",
        ]
    )
    func withoutLocation(location: String?) async throws {
        var response = LoopbackServer.Response.text("stay", status: 302)
        if let location { response = response.adding("Location", location) }
        server.route("/from", response)
        for style in Style.allCases {
            let outcome = try await style.send(URLRequest(url: server.url("/from")))
            #expect(outcome.text == "stay")
            if style != .downloadDelegate { #expect(outcome.status == 302) }
        }
    }

    @Test("A status outside the redirects is the response", arguments: [300, 304, 305, 306])
    func otherStatuses(status: Int) async throws {
        server.route("/from", .status(status, headers: ["Location": "/to"]))
        #expect(try await Style.delegate.send(URLRequest(url: server.url("/from"))).status == status)
    }

    @Test("Of two locations, one is followed")
    func twoLocations() async throws {
        server.route("/from", .redirect(to: "/one").adding("Location", "/two"))
        server.route("/one", .text("one"))
        server.route("/two", .text("two"))
        let outcome = try await Style.handler.send(URLRequest(url: server.url("/from")))
        #expect(["one", "two"].contains(outcome.text))
    }

    @Test("Twenty redirects are followed, and no more", arguments: [(20, true), (21, false)])
    func limit(count: Int, isFollowed: Bool) async throws {
        let outcome = try await Style.handler.send(URLRequest(url: server.url("/redirect/\(count)")))
        #expect(outcome.code == (isFollowed ? nil : .httpTooManyRedirects))
    }

    // MARK: The delegate's answers

    private func run(
        status: Int = 302,
        request: URLRequest? = nil,
        _ redirect: @escaping @Sendable (URLSessionTask, URLRequest, @escaping @Sendable (URLRequest?) -> Void) -> Void
    ) async throws -> (Outcome, DelegateLog) {
        server.route("/from", .redirect(to: "/to", status: status))
        server.route("/to", .text("there"))
        let log = DelegateLog(.with { $0.redirect = redirect })
        let session = CurlURLSession(configuration: .testing, delegate: log, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        let task = session.dataTask(with: request ?? URLRequest(url: server.url("/from")))
        return (try await log.outcome(of: task), log)
    }

    @Test("The delegate may change the request of a redirect, its content included")
    func changed() async throws {
        let target = server.url("/elsewhere")
        server.route("/elsewhere", .text("else"))
        let (outcome, _) = try await run { _, request, answer in
            var request = request
            request.url = target
            request.httpMethod = "POST"
            request.httpBody = Data("added".utf8)
            answer(request)
        }
        #expect(outcome.text == "else")
        #expect(server.requests.last?.body == Data("added".utf8))
    }

    @Test("A new request from the delegate has only its own content")
    func replaced() async throws {
        let target = server.url("/to")
        let post = URLRequest(server.url("/from"), "POST", body: Data("content".utf8))
        let (outcome, _) = try await run(status: 307, request: post) { _, _, answer in answer(URLRequest(url: target)) }
        #expect(outcome.text == "there")
        #expect(server.requests.last?.method == "GET")
        #expect(server.requests.last?.body == Data())
    }

    @Test("A refused redirect with truncated content delivers the received content, and then the failure")
    func refusedAfterEnd() async throws {
        let head = "HTTP/1.1 302 Found\r\nLocation: /next\r\nContent-Length: 10\r\n\r\n"
        server.route("/from", .raw([.text(head + "hello")]))
        let answers = Recorder<@Sendable (URLRequest?) -> Void>()
        let log = DelegateLog(.with { $0.redirect = { _, _, answer in answers.record(answer) } })
        let session = CurlURLSession(configuration: .testing, delegate: log, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        session.dataTask(with: server.url("/from")).resume()
        let answer = try await answers.first()
        try await server.waitForOpenConnections(0)
        // By the end of another request the session has seen the end of the first one.
        #expect(try await session.outcome(of: server.url("/get")).status == 200)
        answer(nil)
        try await log.ends.wait()
        #expect(log.outcome.status == 302)
        #expect(log.outcome.text == "hello")
        #expect(log.outcome.code == .networkConnectionLost)
        #expect(server.requests(to: "/next").isEmpty)
    }

    @Test("A redirect that is refused is the response", arguments: Style.allCases)
    func refused(style: Style) async throws {
        let response = LoopbackServer.Response.text("moved", status: 302).adding("Location", "/to")
        server.route("/from", response)
        let log = DelegateLog(.with { $0.redirect = { _, _, answer in answer(nil) } })
        let session = CurlURLSession(configuration: .testing, delegate: log, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        let url = server.url("/from")
        let outcome: Outcome
        switch style {
        case .delegate: outcome = try await log.outcome(of: session.dataTask(with: url))
        case .downloadDelegate: outcome = try await log.outcome(of: session.downloadTask(with: url))
        default: outcome = try await session.outcome(of: url)
        }
        #expect(outcome.text == "moved")
        #expect(outcome.error == nil)
        #expect(server.requests.count == 1)
    }

    @Test("A second call of the redirect handler has no effect")
    func answeredTwice() async throws {
        let (outcome, log) = try await run { _, request, answer in
            answer(request)
            answer(nil)
            answer(request)
        }
        #expect(outcome.text == "there")
        #expect(log.names == ["redirect", "response", "data", "completed"])
    }

    @Test(
        "A redirect is the response if the delegate releases the handler without a call, at once or later",
        arguments: Style.allCases,
        [false, true]
    )
    func released(style: Style, isLater: Bool) async throws {
        server.route("/from", .text("moved", status: 302).adding("Location", "/to"))
        server.route("/to", .text("there"))
        let log = DelegateLog(
            .with {
                $0.redirect = { _, _, answer in if isLater { DispatchQueue.global().async { _ = answer } } }
            }
        )
        let session = CurlURLSession(configuration: .testing, delegate: log, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        let url = server.url("/from")
        let outcome: Outcome
        switch style {
        case .delegate: outcome = try await log.outcome(of: session.dataTask(with: url))
        case .downloadDelegate: outcome = try await log.outcome(of: session.downloadTask(with: url))
        default: outcome = try await session.outcome(of: url)
        }
        #expect(outcome.text == "moved")
        #expect(outcome.error == nil)
        #expect(server.requests(to: "/to").isEmpty)
    }

    @Test("A delegate that implements no method follows redirects and accepts responses")
    func indifferent() async throws {
        server.route("/from", .redirect(to: "/to"))
        server.route("/to", .text("there"))
        let delegate = IndifferentDelegate()
        let session = CurlURLSession(configuration: .testing, delegate: delegate, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        #expect(try await session.outcome(of: server.url("/from")).text == "there")
        let task = session.dataTask(with: server.url("/from"))
        task.resume()
        try await eventually(.completed) { task.state }
        #expect((task.response as? HTTPURLResponse)?.statusCode == 200)
        #expect(task.error == nil)
        #expect(task.countOfBytesReceived == 5)
    }

    @Test("A cancellation before or after the redirect handler's call ends the task once", arguments: [true, false])
    func cancelled(isBefore: Bool) async throws {
        let (outcome, log) = try await run { task, request, answer in
            if isBefore { task.cancel() }
            answer(request)
            if !isBefore { task.cancel() }
        }
        #expect(outcome.code == .cancelled)
        #expect(log.names.last == "completed")
    }

    @Test("A redirect handler that is called after the timeout has no effect")
    func tooLate() async throws {
        let late = Recorder<@Sendable (URLRequest?) -> Void>()
        let (outcome, log) = try await run(request: URLRequest(server.url("/from"), "GET", timeout: 2)) {
            late.record($2)
        }
        #expect(outcome.code == .timedOut)
        try await late.first()(URLRequest(url: server.url("/to")))
        #expect(try await Style.handler.send(URLRequest(url: server.url("/get"))).status == 200)
        #expect(server.requests(to: "/to").isEmpty)
        #expect(log.names.starts(with: ["redirect", "completed"]))
    }

    @Test("A request without a URL is an error")
    func withoutURL() async throws {
        let (outcome, _) = try await run { _, request, answer in
            var request = request
            request.url = nil
            answer(request)
        }
        #expect(outcome.code == .unsupportedURL)
    }
}

/// A delegate whose methods are those of the protocol's extension.
private final class IndifferentDelegate: NSObject, URLSessionDataDelegate {}
#endif
