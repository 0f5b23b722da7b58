import Foundation
import Larkspur
import TestSupport
import Testing

@testable import LarkspurTesting

@Suite(.timeLimit(.minutes(5))) struct StubTransportTests {
    private let clock = TestClock()
    private let stub: StubTransport
    private let manager: SessionManager

    init() {
        stub = StubTransport(clock: clock)
        manager = SessionManager(baseURL: URL(string: "https://api.example.com/v1/"), transport: stub.transport)
        manager.clock = clock
    }

    /// The status of a call, acceptable or not.
    private func status(of call: () -> DataTask) async throws -> Int? {
        let task = call()
        // The error of a status that is not acceptable says the same.
        _ = try? await task.data
        return (task.response as? HTTPURLResponse)?.statusCode
    }

    // MARK: Routes

    @Test("Routes match methods, placeholders, queries and origins, and later routes come first")
    func routes() async throws {
        stub.route("/v1/*", .text("rest"))
        stub.route("/v1/users/{id}", method: .get) { request in .text("user \(request.parameters["id"] ?? "")") }
        stub.route("/v1/users/{id}?full=1", method: .get, .text("full"))
        stub.route("/v1/users/{id}?\u{301}a=1", method: .get, .text("accent"))
        stub.route("https://other.example.com/v1/users/{id}", method: .get, .text("other"))

        #expect(try await manager.get("users/a%2Fb").string == "user a/b")
        #expect(try await manager.get("users/1", parameters: ["full": "1", "a": "b"]).string == "full")
        #expect(try await manager.get("users/1", parameters: ["full": "2"]).string == "user 1")
        #expect(try await manager.get("users/1", parameters: ["\u{301}a": "1"]).string == "accent")
        #expect(try await manager.get("https://other.example.com/v1/users/1").string == "other")
        #expect(try await manager.get("https://OTHER.example.com:443/v1/users/1").string == "other")
        #expect(try await manager.get("http://other.example.com/v1/users/1").string == "user 1")
        #expect(try await manager.delete("users/1").string == "rest")
    }

    @Test("A route for GET also serves HEAD, unless HEAD has a route")
    func head() async throws {
        stub.route("/v1/a", method: .get, .status(203))
        #expect(try await status { manager.head("a") } == 203)
        stub.route("/v1/a", method: .head, .status(204))
        #expect(try await status { manager.head("a") } == 204)
    }

    @Test("Replies follow one another, the last one repeats, and adding the same route replaces them")
    func queue() async throws {
        stub.route("/v1/a", method: .get, .text("1"), .text("2"))
        for expected in ["1", "2", "2"] { #expect(try await manager.get("a").string == expected) }
        stub.route("/v1/a", method: .get, .text("3"))
        #expect(try await manager.get("a").string == "3")
    }

    @Test("A request without a route fails with an error that names the request and the nearest routes")
    func unmatched() async throws {
        stub.route("/v1/users", method: .get, .status(200))
        stub.route("/v1/user", method: .post, .status(200))
        stub.route("/completely/else/where", method: .get, .status(200))
        stub.route("/v1/usr/*", .status(200))
        let error = try await #require(throws: LarkspurError.self) {
            try await manager.get("user", parameters: ["token": "secret"]).string
        }
        #expect(error.code == .unsupported)
        #expect(
            error.message
                == "There is no stub for GET https://api.example.com/v1/user?token=redacted. "
                + "The nearest routes are GET /v1/users, POST /v1/user, any method /v1/usr/*."
        )
        stub.removeRoutes()
        let other = try await #require(throws: LarkspurError.self) { try await manager.get("user").string }
        #expect(other.message.hasSuffix("/v1/user: the transport has no routes."))
        #expect(stub.requests.count == 2)
    }

    // MARK: Kinds of calls

    @Test("Requests are recorded with their fields and content, from any source")
    func contents() async throws {
        stub.route("/v1/a", method: .post, .json("{}"))
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("stub-\(UUID().uuidString)")
        try Data("file".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }

        _ = try await manager.post("a", parameters: ["user": "ada"]).data
        _ = try await manager.post("a", body: .json(["id": 1])).data
        var request = URLRequest(url: try #require(URL(string: "https://api.example.com/v1/a")))
        request.httpMethod = "POST"
        let (_, _) = try await manager.session.upload(for: request, fromFile: file)
        let form = manager.post("a", body: .multipart { form in form.append(text: "part", name: "p") })
        _ = try await form.data
        request.httpBodyStream = InputStream(data: Data("stream".utf8))
        _ = try await manager.session.data(for: request)

        let requests = try await stub.waitForRequests(5, to: "/v1/a")
        #expect(requests[0].form.first?.value == "ada" && requests[0].method == .post)
        #expect(try requests[1].json(as: [String: Int].self) == ["id": 1])
        #expect(requests[1].headers["Content-Type"] == "application/json")
        #expect(requests[2].text == "file" && requests[4].text == "stream")
        #expect(requests[3].text.contains("name=\"p\"") && requests[3].text.contains("part"))
        stub.clearRequests()
        #expect(stub.requests.isEmpty)
    }

    @Test("Closures, chains and await get the same reply")
    func styles() async throws {
        stub.route("/v1/a", method: .get, .json(#"["Ada"]"#))
        let values = Recorder<[String]>()
        manager.get("a", as: [String].self) { _, names in values.record(names) }
        #expect(try await values.first() == ["Ada"])
        #expect(try await manager.get("a").validate(statusCode: [200]).value(as: [String].self) == ["Ada"])
    }

    @Test("Cancelling a download for resume data gives none")
    func cancelledDownload() async throws {
        stub.route("/v1/file", .hang)
        let data = Recorder<Data?>()
        let task = manager.download("file")
        task.resume()

        task.cancel { data.record($0) }

        #expect(try await data.first() == nil)
        #expect(await task.response().error?.code == .cancelled)
        #expect(data.values.count == 1)
    }

    @Test("A download gets a file and its progress")
    func download() async throws {
        stub.route("/v1/file", method: .get, .data(Data(repeating: 7, count: 1000)).inChunks(of: 300))
        let folder = TemporaryFolder()
        let file = folder.url.appendingPathComponent("a")
        let task = manager.download("file", to: .file(file))
        _ = try await task.file
        #expect(try Data(contentsOf: file) == Data(repeating: 7, count: 1000))
        #expect(task.downloadProgress.completedUnitCount == 1000)
    }

    @Test("A stream gets each chunk after the chunk's delay")
    func stream() async throws {
        stub.route("/v1/s", method: .get, .text("abcdef").inChunks(of: 2, delay: .seconds(1)))
        var chunks: [String] = []
        let content = manager.get("s").chunks
        let advance = Task { [clock] in
            for count in 1...3 {
                try await clock.waitForSleeps(count)
                clock.advance(by: .seconds(1))
            }
        }
        for try await chunk in content { chunks.append(String(decoding: chunk, as: UTF8.self)) }
        try await advance.value
        #expect(chunks.joined() == "abcdef" && clock.sleeps == [.seconds(1), .seconds(1), .seconds(1)])
    }

    // MARK: Delays, faults and cancellation

    @Test("A delay runs on the clock of the stub")
    func delay() async throws {
        stub.route("/v1/slow", method: .get, .text("late").delayed(by: .seconds(3)))
        let call = Task { [manager] in try await manager.get("slow").string }
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(3))
        #expect(try await call.value == "late")
    }

    @Test("A timeout ends a reply that never comes")
    func timeout() async throws {
        stub.route("/v1/never", method: .get, .hang)
        let call = Task { [manager] in try await manager.get("never").timeout(total: .seconds(5)).string }
        try await stub.waitForRequests(1)
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(5))
        let error = try await #require(throws: LarkspurError.self) { try await call.value }
        #expect(error.code == .timedOut)
    }

    @Test("A reply waits until its gate opens")
    func gate() async throws {
        let gate = LoopbackServer.Gate()
        stub.route("/v1/held", method: .get, .text("free").held(until: gate))
        let task = manager.get("held") { _, _ in }
        try await stub.waitForRequests(1)
        #expect(task.state == .running)
        gate.open()
        try await eventually(.completed) { task.state }
    }

    @Test("Cancelling ends a reply during its delay, at its gate, and one that never ends")
    func cancellation() async throws {
        stub.route("/v1/slow", method: .get, .text("late").delayed(by: .seconds(3)))
        stub.route("/v1/held", method: .get, .text("late").held(until: LoopbackServer.Gate()))
        stub.route("/v1/never", method: .get, .hang)
        for path in ["slow", "held", "never"] {
            let call = Task { [manager] in try await manager.get(path).string }
            try await stub.waitForRequests(1, to: "/v1/\(path)")
            if path == "slow" { try await clock.waitForSleepers(1) }
            call.cancel()
            await #expect(throws: (any Error).self) { try await call.value }
        }
        try await eventually(0) { (manager.session as? StubURLSession)?.openTaskCount }
        #expect(clock.sleeperCount == 0)
    }

    @Test("Faults are errors of the transport, at the start or after a part of the content")
    func faults() async throws {
        stub.route("/v1/refused", method: .get, .fail(.cannotConnectToHost))
        stub.route("/v1/cut", method: .get, .text("hello").cut(after: 2))
        stub.route("/v1/thrown", method: .get) { _ in throw URLError(.timedOut) }
        func error(_ path: String) async throws -> LarkspurError {
            try await #require(throws: LarkspurError.self) { try await manager.get(path).string }
        }
        #expect(try await error("refused").code == .cannotConnectToHost)
        #expect(try await error("thrown").code == .timedOut)
        let cut = try await error("cut")
        #expect(cut.code == .connectionLost && cut.responseData == Data("he".utf8))
    }

    @Test("A retry policy sends the request again, on the clock of the test")
    func retry() async throws {
        stub.route("/v1/a", method: .get, .fail(.networkConnectionLost), .status(503), .text("third time"))
        manager.interceptors.call = [.retry(maximumAttempts: 3)]
        let call = Task { [manager] in try await manager.get("a").string }
        for count in 1...2 {
            try await clock.waitForSleeps(count)
            clock.advance(by: .seconds(10))
        }
        #expect(try await call.value == "third time")
        #expect(stub.requests.count == 3)
    }

    // MARK: Redirects

    @Test("Redirects are followed with the right method and fields, and a hook is called")
    func redirects() async throws {
        stub.route("/v1/old", method: .post, .redirect(to: "/v1/new", status: 303))
        stub.route("/v1/old", method: .put, .redirect(to: "https://other.example.com/x", status: 307))
        stub.route("/v1/new", method: .get, .text("new"))
        stub.route("https://other.example.com/x", method: .put, .text("moved"))
        manager.requestSettings.setAuthorization(bearerToken: "t")

        #expect(try await manager.post("old", parameters: ["a": 1]).string == "new")
        #expect(stub.requests.last?.method == .get && stub.requests.last?.body.isEmpty == true)
        #expect(stub.requests.last?.headers["Authorization"] == "Bearer t")
        #expect(try await manager.put("old", body: .json([1])).string == "moved")
        #expect(stub.requests.last?.text == "[1]" && stub.requests.last?.headers["Authorization"] == nil)

        manager.hooks.willPerformHTTPRedirection = { _, _, _ in nil }
        #expect(try await status { manager.post("old") } == 303)
    }

    @Test("A hook is called for an invalid redirect, which fails only if it is followed")
    func refusedRedirects() async throws {
        for target in ["myapp://callback?code=1", "mailto:a@b.example", "http://example.com/plain"] {
            stub.route("/v1/away", method: .get, .redirect(to: target))
            manager.hooks.willPerformHTTPRedirection = nil
            let error = try await #require(throws: LarkspurError.self) { try await manager.get("away").string }
            #expect(error.message.contains("The redirect leads"), "\(error.message)")
            manager.hooks.willPerformHTTPRedirection = { _, _, next in
                #expect(next.url?.absoluteString == target)
                return nil
            }
            #expect(try await status { manager.get("away") } == 302)
        }
    }

    @Test("An endless redirect is an error")
    func endlessRedirect() async throws {
        stub.route("/v1/a", method: .get, .redirect(to: "/v1/a"))
        let error = try await #require(throws: LarkspurError.self) { try await manager.get("a").string }
        #expect(error.code == .tooManyRedirects && stub.requests.count == 21)
    }

    // MARK: Sessions

    /// A delegate that is asked, and releases each completion handler without a call.
    private final class SilentDelegate: NSObject, URLSessionDataDelegate {
        let refusesResponses: Bool
        let ends = Recorder<(any Error)?>()
        let responses = Recorder<URLResponse?>()

        init(refusesResponses: Bool) { self.refusesResponses = refusesResponses }

        func urlSession(
            _ session: URLSession,
            task: URLSessionTask,
            willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest,
            completionHandler: @escaping @Sendable (URLRequest?) -> Void
        ) {}

        func urlSession(
            _ session: URLSession,
            dataTask: URLSessionDataTask,
            didReceive response: URLResponse,
            completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
        ) {
            responses.record(response)
            if !refusesResponses { completionHandler(.allow) }
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            ends.record(error)
        }
    }

    @Test(
        "A delegate that releases a completion handler without a call refuses, as with the engine",
        arguments: [false, true]
    )
    func unansweredDelegate(refusesResponses: Bool) async throws {
        stub.route("/a", method: .get, .redirect(to: "/b", status: 302))
        stub.route("/b", method: .get, .text("b"))
        let delegate = SilentDelegate(refusesResponses: refusesResponses)
        let session = stub.session(delegate: delegate)
        session.dataTask(with: try #require(URL(string: "https://a.example.com/a"))).resume()
        let error = try await delegate.ends.first() as? URLError
        #expect(error?.code == (refusesResponses ? .cancelled : nil))
        #expect(delegate.responses.values.map { ($0 as? HTTPURLResponse)?.statusCode } == [302])
        #expect(stub.requests.count == 1)
    }

    @Test("A stub session can be used without a session manager, with completion handlers and await")
    func session() async throws {
        stub.route("/a", method: .get, .text("a"))
        stub.route("/b", method: .get, .fail(.timedOut))
        let session = stub.session()
        let (data, response) = try await session.data(from: try #require(URL(string: "https://example.com/a")))
        #expect(data == Data("a".utf8) && (response as? HTTPURLResponse)?.statusCode == 200)
        let error = await #expect(throws: URLError.self) {
            try await session.data(from: try #require(URL(string: "https://example.com/b")))
        }
        #expect(error?.code == .timedOut)

        let files = Recorder<Data?>()
        session.downloadTask(with: try #require(URL(string: "https://example.com/a"))) { file, _, _ in
            files.record(file.flatMap { try? Data(contentsOf: $0) })
        }.resume()
        #expect(try await files.first() == Data("a".utf8))
        // The task leaves its session when the handler has returned.
        try await eventually(0) { (session as? StubURLSession)?.openTaskCount }
    }

    @Test("Each of many simultaneous requests gets its reply")
    func many() async throws {
        stub.route("/v1/{n}", method: .get) { request in .text(request.parameters["n"] ?? "") }
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<200 {
                group.addTask { [manager] in try await manager.get("\(number)").string == "\(number)" }
            }
            for try await isRight in group { #expect(isRight) }
        }
        #expect(stub.requests.count == 200)
    }

    @Test("A suspended task completes after it is resumed")
    func suspension() async throws {
        let gate = LoopbackServer.Gate()
        stub.route("/v1/a", method: .get, .text("a").held(until: gate))
        let task = manager.get("a") { _, _ in }
        try await stub.waitForRequests(1)
        task.suspend()
        try await eventually(.suspended) { task.state }
        gate.open()
        task.resume()
        try await eventually(.completed) { task.state }
    }
}
