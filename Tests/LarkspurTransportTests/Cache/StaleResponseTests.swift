#if canImport(FoundationNetworking)
import LarkspurTesting
import LarkspurTransport
import Testing

@Suite("Stale responses", .timeLimit(.minutes(5)))
struct StaleResponseTests {
    private static let whileRevalidating = [
        "Cache-Control": "max-age=600, stale-while-revalidate=600", "Age": "1000", "ETag": "\"a\"",
    ]

    @Test("With stale-while-revalidate, the stale response is delivered at once, and the next request gets the new one")
    func whileRevalidating() async throws {
        let lab = try CacheLab()
        let gate = LoopbackServer.Gate()
        lab.server.route(
            "/x",
            .text("old").with(Self.whileRevalidating),
            .text("new").with(["Cache-Control": "max-age=600"]).held(until: gate)
        )
        _ = try await lab.get("/x")
        // The server is asked once, however often the response is used meanwhile.
        for _ in 0..<3 {
            let stale = try await lab.get("/x")
            #expect(stale.text == "old")
            #expect(stale.source == "cache")
        }
        try await lab.server.waitForRequests(2, to: "/x")
        #expect(lab.server.requests(to: "/x").last?.headers["If-None-Match"] == "\"a\"")
        gate.open()
        var reply = try await lab.get("/x")
        while reply.text == "old" { reply = try await lab.get("/x") }
        #expect(reply.text == "new")
        #expect(lab.requestCount("/x") == 2)
    }

    @Test("A 304 makes the stale response fresh")
    func validated() async throws {
        let lab = try CacheLab()
        lab.route(
            "/x",
            Self.whileRevalidating,
            notModified: ["Cache-Control": "max-age=600", "ETag": "\"a\"", "X-New": "1"]
        )
        _ = try await lab.get("/x")
        var reply = try await lab.get("/x")
        while reply.outcome.field("X-New") == nil {
            #expect(reply.source == "cache")
            reply = try await lab.get("/x")
        }
        #expect(reply.text == "1")
        #expect(lab.requestCount("/x") == 2)
    }

    @Test(
        "A revalidation by the session is not listed as a task, and does not delay the session's end",
        arguments: [true, false]
    )
    func invalidation(cancels: Bool) async throws {
        let lab = try CacheLab()
        let gate = LoopbackServer.Gate()
        lab.server.route(
            "/x",
            .text("old").with(Self.whileRevalidating),
            .text("new").held(until: gate)
        )
        _ = try await lab.get("/x")
        let log = DelegateLog()
        let session = lab.makeSession(log)
        _ = try await log.outcome(of: session.dataTask(with: lab.server.url("/x")))
        try await lab.server.waitForRequests(2, to: "/x")
        let tasks = Recorder<Int>()
        session.getAllTasks { tasks.record($0.count) }
        #expect(try await tasks.first() == 0)
        if cancels { session.invalidateAndCancel() } else { session.finishTasksAndInvalidate() }
        try await eventually(1) { log.invalidations }
        // Its connection goes with it.
        lab.session.invalidateAndCancel()
        try await lab.server.waitForOpenConnections(0)
        #expect(log.names == ["response", "data", "completed"])
        gate.open()
    }

    /// Stores a stale response, and gets it once in a session with a delegate.
    /// - Parameter start: Starts the task.
    /// - Returns: What the cache has after the refresh.
    private func refresh(
        _ lab: CacheLab,
        with delegate: any URLSessionDelegate,
        _ start: (CurlURLSession, URL) async throws -> Void
    ) async throws -> CacheLab.Reply {
        lab.server.route(
            "/x",
            .text("old").with(Self.whileRevalidating),
            .text("new").with(["Cache-Control": "max-age=600"]),
            .text("newest").with(["Cache-Control": "max-age=600"])
        )
        _ = try await lab.get("/x")
        let session = lab.makeSession(delegate)
        try await start(session, lab.server.url("/x"))
        try await lab.server.waitForRequests(2, to: "/x")
        var reply = try await lab.get("/x", policy: .returnCacheDataDontLoad)
        while reply.text == "old" { reply = try await lab.get("/x", policy: .returnCacheDataDontLoad) }
        return reply
    }

    @Test("The response of a revalidation is stored if the delegate does not refuse it")
    func refreshWithDelegate() async throws {
        let lab = try CacheLab()
        let log = DelegateLog()
        let reply = try await refresh(lab, with: log) { session, url in
            let outcome = try await log.outcome(of: session.dataTask(with: url))
            #expect(outcome.text == "old")
        }
        #expect(reply.text == "new")
        #expect(try await lab.get("/x").text == "new")
        #expect(lab.requestCount("/x") == 2)
        // The delegate is told nothing else of the session's own request.
        #expect(log.names == ["response", "data", "completed"])
        #expect(log.metrics.values.count == 1)
    }

    /// Answers questions about storing a response when a test says so.
    private final class HesitantDelegate: NSObject, URLSessionDataDelegate {
        let answers = Recorder<@Sendable () -> Void>()

        func urlSession(
            _ session: URLSession,
            dataTask: URLSessionDataTask,
            willCacheResponse proposedResponse: CachedURLResponse,
            completionHandler: @Sendable @escaping (CachedURLResponse?) -> Void
        ) {
            answers.record { completionHandler(proposedResponse) }
        }
    }

    @Test("While a delegate decides about the revalidated response, no further revalidation is sent")
    func refreshUntilDecision() async throws {
        let lab = try CacheLab()
        let delegate = HesitantDelegate()
        func getStale(_ session: CurlURLSession) async throws {
            let task = session.dataTask(with: lab.server.url("/x"))
            task.resume()
            try await eventually(.completed) { task.state }
        }
        _ = try await refresh(lab, with: delegate) { session, _ in
            try await getStale(session)
            let answer = try await delegate.answers.first()
            for _ in 0..<3 { try await getStale(session) }
            #expect(lab.requestCount("/x") == 2)
            answer()
        }
        #expect(try await lab.get("/x").text == "new")
        #expect(lab.requestCount("/x") == 2)
    }

    @Test("If the delegate refuses the revalidated response, it is not stored, and the stale one is removed")
    func refusedRefresh() async throws {
        let lab = try CacheLab()
        let delegate = ReleasingDelegate()
        let reply = try await refresh(lab, with: delegate) { session, url in
            let task = session.dataTask(with: url)
            task.resume()
            try await eventually(.completed) { task.state }
        }
        #expect(delegate.questions.values == ["cache"])
        #expect(reply.outcome.code == .resourceUnavailable)
        #expect(try await lab.get("/x").text == "newest")
    }

    @Test("After a task with a completion handler, the delegate is not asked about the revalidated response")
    func refreshWithHandler() async throws {
        let lab = try CacheLab()
        let delegate = ReleasingDelegate()
        let reply = try await refresh(lab, with: delegate) { session, url in
            let outcome = try await session.outcome(of: url)
            #expect(outcome.text == "old")
        }
        #expect(delegate.questions.values.isEmpty)
        #expect(reply.text == "new")
    }

    @Test("The delegate of a task gets a redirect of its revalidation, and decides whether it is followed")
    func refreshWithOwnDelegate() async throws {
        let lab = try CacheLab()
        lab.server.route("/to", .text("there"))
        lab.server.route("/x", .text("old").with(Self.whileRevalidating), .redirect(to: "/to"))
        _ = try await lab.get("/x")
        let session = lab.makeSession()
        let task = session.dataTask(with: lab.server.url("/x"))
        let delegate = ReleasingDelegate()
        task.delegate = delegate
        task.resume()
        try await eventually(.completed) { task.state }
        try await lab.server.waitForRequests(2, to: "/x")
        // By the end of other requests the session has seen the redirect.
        for _ in 0..<3 { #expect(try await session.outcome(of: lab.server.url("/get")).status == 200) }
        session.finishTasksAndInvalidate()
        #expect(lab.server.requests(to: "/to").isEmpty)
    }

    @Test("A revalidation ends at a challenge, which the delegate does not get")
    func challengedRefresh() async throws {
        let lab = try CacheLab()
        lab.server.route(
            "/x",
            .text("old").with(Self.whileRevalidating),
            .status(401).adding("WWW-Authenticate", "Basic realm=\"a\""),
            .text("new")
        )
        _ = try await lab.get("/x")
        let log = DelegateLog()
        let session = lab.makeSession(log)
        let outcome = try await log.outcome(of: session.dataTask(with: lab.server.url("/x")))
        #expect(outcome.text == "old")
        try await lab.server.waitForRequests(2, to: "/x")
        session.invalidateAndCancel()
        try await eventually(1) { log.invalidations }
        #expect(!log.names.contains("challenge"))
        #expect(lab.requestCount("/x") == 2)
    }

    // MARK: stale-if-error

    private static let ifError = [
        "Cache-Control": "max-age=600, stale-if-error=600", "Age": "1000", "ETag": "\"a\"",
    ]

    struct Failure: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let fields: [String: String]
        let response: LoopbackServer.Response
        let isStaleServed: Bool

        init(
            _ rule: String,
            _ response: LoopbackServer.Response,
            storing fields: [String: String] = StaleResponseTests.ifError,
            _ isStaleServed: Bool
        ) {
            testDescription = rule
            self.fields = fields
            self.response = response
            self.isStaleServed = isStaleServed
        }
    }

    @Test(
        "With stale-if-error, a stale response replaces a failure",
        arguments: [
            Failure("500", .text("failure", status: 500), true),
            Failure("502", .text("failure", status: 502), true),
            Failure("503", .text("failure", status: 503), true),
            Failure("504", .text("failure", status: 504), true),
            Failure("a failure without end", .fault(.endlessBody).failing(), true),
            Failure("501", .text("failure", status: 501), false),
            Failure("404", .text("failure", status: 404), false),
            Failure("the connection is closed", .fault(.closeBeforeHeader), true),
            Failure("the connection is reset", .fault(.resetBeforeHeader), true),
            Failure("no answer in time", .fault(.noResponse), true),
            Failure("what is no HTTP", .fault(.garbageStatusLine), false),
            Failure(
                "without the directive",
                .text("failure", status: 503),
                storing: ["Age": "1000", "Cache-Control": "max-age=600", "ETag": "\"a\""],
                false
            ),
            Failure(
                "must-revalidate",
                .text("failure", status: 503),
                storing: [
                    "Age": "1000", "Cache-Control": "max-age=600, stale-if-error=600, must-revalidate", "ETag": "\"a\"",
                ],
                false
            ),
            Failure(
                "without a validator",
                .text("failure", status: 503),
                storing: ["Age": "1000", "Cache-Control": "max-age=600, stale-if-error=600"],
                true
            ),
        ]
    )
    func ifError(row: Failure) async throws {
        let lab = try CacheLab()
        lab.server.route("/x", .text("old").with(row.fields), row.response)
        _ = try await lab.get("/x")
        let reply = try await lab.get("/x", timeout: 2)
        if row.isStaleServed {
            #expect(reply.text == "old")
            #expect(reply.status == 200)
            #expect(reply.outcome.error == nil)
            #expect(reply.metrics.map(\.isFromCache) == [false, true])
        } else {
            #expect(reply.text != "old")
            #expect(!reply.metrics.contains { $0.isFromCache })
        }
        // What is kept is kept for the next failure.
        if row.isStaleServed { #expect(try await lab.get("/x", policy: .returnCacheDataDontLoad).text == "old") }
    }

    @Test("A request with stale-if-error gets the stale response if the server cannot be reached")
    func unreachable() async throws {
        let lab = try CacheLab()
        lab.route("/x", ["Cache-Control": "max-age=600", "Age": "1000", "ETag": "\"a\""])
        _ = try await lab.get("/x")
        lab.server.stop()
        #expect(try await lab.get("/x", ["Cache-Control": "stale-if-error=600"]).text == "1")
        #expect(try await lab.get("/x").outcome.code == .cannotConnectToHost)
        #expect(try await lab.get("/x", policy: .returnCacheDataElseLoad).text == "1")
    }

    @Test("A cancellation leads to no stale response")
    func cancelled() async throws {
        let lab = try CacheLab()
        lab.server.route("/x", .text("old").with(Self.ifError), .fault(.noResponse))
        _ = try await lab.get("/x")
        let ends = Recorder<URLError.Code?>()
        let task = lab.session.dataTask(with: lab.server.url("/x")) { _, _, error in
            ends.record((error as? URLError)?.code)
        }
        task.resume()
        try await lab.server.waitForRequests(2, to: "/x")
        task.cancel()
        #expect(try await ends.first() == .cancelled)
    }
}

extension LoopbackServer.Response {
    fileprivate func with(_ fields: [String: String]) -> Self {
        fields.reduce(self) { $0.adding($1.key, $1.value) }
    }

    /// The same with a status that says that the server has failed.
    fileprivate func failing() -> Self {
        .stream([.repeated([.bytes(Data(count: 16_384))])], framing: .chunked).withStatus(503)
    }

    private func withStatus(_ status: Int) -> Self {
        var response = self
        response.status = status
        return response
    }
}
#endif
