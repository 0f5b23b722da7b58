#if canImport(FoundationNetworking)
import LarkspurTesting
import Synchronization
import Testing

@testable import LarkspurTransport

@Suite("A URLProtocol class of the caller that loads requests", .timeLimit(.minutes(5)))
struct ProtocolLoadingTests {
    let server: LoopbackServer
    let configuration = URLSessionConfiguration.testing { $0.protocolClasses = [StubProtocol.self] }

    init() throws { server = try LoopbackServer() }

    private func request(_ path: String, upstream: URL) throws -> URLRequest {
        try URLRequest(url(path), "GET", headers: ["X-Upstream": upstream.absoluteString])
    }

    private func url(_ path: String) throws -> URL { try #require(URL(string: "http://stub.test\(path)")) }

    @Test("A URLProtocol gives its response and content to every kind of task", arguments: Style.allCases)
    func plain(style: Style) async throws {
        let outcome = try await style.send(URLRequest(url: url("/plain")), configuration: configuration)
        #expect(outcome.text == "stubbed")
        #expect(outcome.error == nil)
        if style != .downloadDelegate { #expect(outcome.status == 200) }
    }

    @Test("Requests that no URLProtocol accepts are sent over the network")
    func unclaimed() async throws {
        let outcome = try await Style.handler.send(
            URLRequest(url: server.url("/bytes/3")),
            configuration: configuration
        )
        #expect(outcome.data?.count == 3)
    }

    @Test(
        "A URLProtocol's redirect is followed, whatever else it reports",
        arguments: ["/redirect", "/redirect-and-fail"]
    )
    func redirect(path: String) async throws {
        for style in [Style.handler, .delegate] {
            let outcome = try await style.send(URLRequest(url: url(path)), configuration: configuration)
            #expect(outcome.text == "stubbed")
            #expect(outcome.response?.url?.path == "/plain")
        }
    }

    @Test("A URLProtocol's redirect may lead to the network")
    func redirectToNetwork() async throws {
        let request = try request("/redirect-out", upstream: server.url("/bytes/9"))
        let outcome = try await Style.handler.send(request, configuration: configuration)
        #expect(outcome.data?.count == 9)
    }

    @Test("A URLProtocol's redirect may lead to a scheme that a class loads, and to no other")
    func redirectToScheme() async throws {
        for (target, text) in [("other://stub.test/plain", "stubbed"), ("other://nowhere.test/plain", nil)] {
            let request = try URLRequest(url("/redirect-out"), "GET", headers: ["X-Upstream": target])
            let outcome = try await Style.handler.send(request, configuration: configuration)
            #expect(outcome.text == text)
            #expect(outcome.code == (text == nil ? .unsupportedURL : nil))
        }
    }

    @Test("A URLProtocol's redirect from https to http is offered to the delegate, and not followed")
    func insecureRedirect() async throws {
        let source = try #require(URL(string: "https://stub.test/redirect"))
        let outcome = try await Style.handler.send(URLRequest(url: source), configuration: configuration)
        #expect(outcome.code == .appTransportSecurityRequiresSecureConnection)
        let log = DelegateLog(.with { $0.redirect = { _, _, answer in answer(nil) } })
        let session = CurlURLSession(configuration: configuration, delegate: log, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        #expect(try await log.outcome(of: session.dataTask(with: source)).status == 302)
    }

    @Test("A URLProtocol's redirects fail after twenty")
    func endlessRedirects() async throws {
        let request = try URLRequest(url: url("/endless-redirect"))
        #expect(try await Style.handler.send(request, configuration: configuration).code == .httpTooManyRedirects)
    }

    @Test("A URLProtocol's redirect is the response if the delegate refuses it", arguments: [false, true])
    func refusedRedirect(isCalled: Bool) async throws {
        let log = DelegateLog(.with { $0.redirect = { _, _, answer in if isCalled { answer(nil) } } })
        let session = CurlURLSession(configuration: configuration, delegate: log, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        let outcome = try await log.outcome(of: session.dataTask(with: url("/redirect")))
        #expect(outcome.status == 302)
        #expect(outcome.error == nil)
    }

    @Test("A URLProtocol's challenge is rejected if the delegate releases the handler without a call")
    func unansweredChallenge() async throws {
        let session = CurlURLSession(configuration: configuration, delegate: ReleasingDelegate(), delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        #expect(try await session.outcome(of: url("/challenge")).text == "rejected")
    }

    @Test("A URLProtocol gets produced content as a stream")
    func produced() async throws {
        let session = CurlURLSession(configuration: configuration)
        defer { session.invalidateAndCancel() }
        let content = ProducedBody(
            length: nil,
            hasTrailers: false,
            isTwoWay: false,
            canBegin: { true },
            makeChannel: {
                BodyChannel(length: nil) { channel in
                    Task {
                        for chunk in ["pro", "duced"] { try? await channel.write(Data(chunk.utf8)) }
                        try? channel.finish()
                    }
                }
            }
        )
        let task = session.uploadTask(with: try URLRequest(url("/echo"), "POST"), producing: content)
        let log = DelegateLog()
        task.delegate = log
        #expect(try await log.outcome(of: task).text == "- - - - produced")
    }

    @Test(
        "A URLProtocol's request has the configuration's fields, and content in memory as the body",
        arguments: [true, false]
    )
    func request(isUpload: Bool) async throws {
        configuration.httpAdditionalHeaders = ["X-Additional": "a", "x-own": "theirs", "Authorization": "secret"]
        let session = CurlURLSession(configuration: configuration)
        let request = try URLRequest(
            url("/echo"),
            "POST",
            body: isUpload ? nil : Data("content".utf8),
            headers: ["X-Own": "mine"]
        )
        let outcomes = Recorder<Outcome>()
        let handler = { @Sendable in outcomes.record(Outcome(data: $0, response: $1, error: $2)) }
        let task: URLSessionTask =
            isUpload
            ? session.uploadTask(with: request, from: Data("content".utf8), completionHandler: handler)
            : session.dataTask(with: request, completionHandler: handler)
        task.resume()
        #expect(try await outcomes.first().text == "mine a secret content ")
        #expect(task.originalRequest == request)
        #expect(task.currentRequest?.value(forHTTPHeaderField: "X-Additional") == "a")
        #expect(task.currentRequest?.value(forHTTPHeaderField: "X-Own") == "mine")
        #expect(task.currentRequest?.httpBody == request.httpBody)
    }

    @Test("A URLProtocol's request without content has the configuration's fields too")
    func requestWithoutContent() async throws {
        configuration.httpAdditionalHeaders = ["X-Additional": "a"]
        let outcome = try await Style.handler.send(URLRequest(url: url("/echo")), configuration: configuration)
        #expect(outcome.text == "- a - - ")
    }

    @Test("A URLProtocol's redirect keeps the content, and drops the session's secrets for another origin")
    func redirectWithFields() async throws {
        configuration.httpAdditionalHeaders = ["X-Additional": "a", "Authorization": "secret"]
        var request = try request("/redirect-with-fields", upstream: server.url("/post"))
        request.httpMethod = "POST"
        request.httpBody = Data("content".utf8)
        #expect(try await Style.handler.send(request, configuration: configuration).status == 200)
        let received = try #require(server.requests.last)
        #expect(received.body == Data("content".utf8))
        #expect(received.headers["X-Additional"] == "a")
        #expect(received.headers["Authorization"] == nil)
    }

    @Test("A URLProtocol may cancel its task", arguments: [Style.handler, .delegate, .download, .downloadDelegate])
    func cancel(style: Style) async throws {
        let outcome = try await style.send(URLRequest(url: url("/cancel")), configuration: configuration)
        #expect(outcome.code == .cancelled)
    }

    @Test("A URLProtocol may use its own session", arguments: [Style.handler, .delegate, .awaited])
    func innerSession(style: Style) async throws {
        let gate = LoopbackServer.Gate()
        server.route("/upstream", .text("from upstream").held(until: gate))
        let request = try request("/proxy", upstream: server.url("/upstream"))
        async let outcome = style.send(request, configuration: configuration)
        try await server.waitForRequests(1, to: "/upstream")
        gate.open()
        #expect(try await outcome.text == "from upstream")
    }

    @Test("A URLProtocol may finish without a response, which is an error for an awaited call")
    func silent() async throws {
        let request = try URLRequest(url: url("/silent"))
        let handled = try await Style.handler.send(request, configuration: configuration)
        #expect(handled.response == nil)
        #expect(handled.error == nil)
        let awaited = try await Style.awaited.send(request, configuration: configuration)
        #expect(awaited.code == .badServerResponse)
        #expect(try await Style.download.send(request, configuration: configuration).error == nil)
    }

    @Test("A URLProtocol's reports after its end have no effect")
    func twice() async throws {
        let log = DelegateLog()
        let session = CurlURLSession(configuration: configuration, delegate: log, delegateQueue: nil)
        let outcome = try await log.outcome(of: session.dataTask(with: url("/twice")))
        #expect(outcome.text == "once")
        session.finishTasksAndInvalidate()
        try await eventually(1) { log.invalidations }
        #expect(log.names == ["response", "data", "completed"])
    }

    @Test("A URLProtocol is stopped at a cancellation, and its later reports have no effect")
    func late() async throws {
        let gate = LoopbackServer.Gate()
        StubProtocol.gates.withLock { $0["/late"] = gate }
        let log = DelegateLog()
        let session = CurlURLSession(configuration: configuration, delegate: log, delegateQueue: nil)
        let outcome = try await log.outcome(of: session.dataTask(with: url("/late")))
        #expect(outcome.code == .cancelled)
        gate.open()
        try await eventually { StubProtocol.stops.values.contains("/late") }
        session.finishTasksAndInvalidate()
        try await eventually(1) { log.invalidations }
        #expect(log.names == ["completed"])
    }

    @Test("While a URLProtocol blocks, its session and other sessions continue")
    func blocking() async throws {
        let gate = LoopbackServer.Gate()
        StubProtocol.gates.withLock { $0["/sleep"] = gate }
        let log = DelegateLog()
        let session = CurlURLSession(configuration: configuration, delegate: log, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        let task = try session.dataTask(with: url("/sleep"))
        task.resume()
        try await log.events.wait()
        let other = CurlURLSession(configuration: .testing)
        defer { other.finishTasksAndInvalidate() }
        for session in [session, other] {
            #expect(try await session.outcome(of: server.url("/bytes/2")).data?.count == 2)
        }
        #expect(log.names == ["response"])
        gate.open()
        try await log.ends.wait()
        #expect(log.names == ["response", "completed"])
    }

    @Test("A protocol class that is not a URLProtocol is skipped")
    func oddClasses() async throws {
        let odd = URLSessionConfiguration.testing { $0.protocolClasses = [NSObject.self, StubProtocol.self] }
        let outcome = try await Style.handler.send(URLRequest(url: url("/plain")), configuration: odd)
        #expect(outcome.text == "stubbed")
        let other = URLSessionConfiguration.testing { $0.protocolClasses = [NSObject.self] }
        #expect(try await Style.handler.send(URLRequest(url: server.url("/get")), configuration: other).status == 200)
    }
}
#endif
