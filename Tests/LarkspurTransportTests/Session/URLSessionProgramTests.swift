#if canImport(FoundationNetworking)
import LarkspurTesting
import Testing

@testable import LarkspurTransport

/// Programs that know nothing but `URLSession`, on the engine and, where it survives, on FoundationNetworking's own.
@Suite("A program that was written for URLSession", .timeLimit(.minutes(5)))
struct URLSessionProgramTests {
    let server: LoopbackServer

    init() throws { server = try LoopbackServer() }

    /// A body in many chunks.
    private func addLargeBody() -> Data {
        let chunks = (0..<64).map { Data(repeating: UInt8($0), count: 16_384) }
        server.route("/large", .chunked(chunks))
        return chunks.reduce(Data(), +)
    }

    @Test(
        "A delegate gets the response, the content and the end, in this order and on its queue",
        arguments: [(TestSession.curl, 1), (.curl, 8), (.foundation, 1)]
    )
    func delegateOnQueue(maker: TestSession, concurrency: Int) async throws {
        let body = addLargeBody()
        let log = DelegateLog()
        let queue = OperationQueue()
        queue.name = "test.delegates"
        queue.maxConcurrentOperationCount = concurrency
        let session = maker.make(delegate: log, queue: queue)
        defer { session.finishTasksAndInvalidate() }
        #expect(session.delegateQueue === queue)
        let outcome = try await log.outcome(of: session.dataTask(with: server.url("/large")))
        #expect(outcome.status == 200)
        #expect(outcome.data == body)
        #expect(outcome.error == nil)
        #expect(log.names == ["response", "data", "completed"])
        #expect(Set(log.queues.values) == ["test.delegates"])
    }

    @Test("A delegate without a queue is called in order too", arguments: TestSession.allCases)
    func delegateWithoutQueue(maker: TestSession) async throws {
        let body = addLargeBody()
        let log = DelegateLog()
        let session = maker.make(delegate: log)
        defer { session.finishTasksAndInvalidate() }
        let outcome = try await log.outcome(of: session.dataTask(with: URLRequest(url: server.url("/large"))))
        #expect(outcome.data == body)
        #expect(log.names == ["response", "data", "completed"])
    }

    @Test("Completion handlers run on the delegate queue", arguments: TestSession.allCases)
    func handlers(maker: TestSession) async throws {
        let queue = OperationQueue()
        queue.name = "test.handlers"
        let session = maker.make(queue: queue)
        defer { session.finishTasksAndInvalidate() }
        let outcomes = Recorder<(String?, Outcome)>()
        let keep = { @Sendable (outcome: Outcome) in outcomes.record((OperationQueue.current?.name, outcome)) }
        let post = URLRequest(server.url("/post"), "POST", body: Data("a=b".utf8))
        let upload = URLRequest(server.url("/put"), "PUT")
        session.dataTask(with: server.url("/bytes/5000")) { keep(Outcome(data: $0, response: $1, error: $2)) }.resume()
        session.dataTask(with: post) { keep(Outcome(data: $0, response: $1, error: $2)) }.resume()
        session.uploadTask(with: upload, from: Data("up".utf8)) {
            keep(Outcome(data: $0, response: $1, error: $2))
        }.resume()
        session.downloadTask(with: server.url("/bytes/300")) { file, response, error in
            keep(Outcome(data: file.flatMap { try? Data(contentsOf: $0) }, response: response, error: error))
        }.resume()
        let all = try await outcomes.wait(for: 4)
        #expect(Set(all.map(\.0)) == ["test.handlers"])
        #expect(all.map(\.1.status) == [200, 200, 200, 200])
        #expect(Set(all.compactMap(\.1.data?.count)).isSuperset(of: [5000, 300]))
        #expect(server.requests(to: "/post").map(\.body) == [Data("a=b".utf8)])
        #expect(server.requests(to: "/put").map(\.body) == [Data("up".utf8)])
    }

    @Test("Requests can be awaited", arguments: TestSession.allCases)
    func awaited(maker: TestSession) async throws {
        let session = maker.make()
        defer { session.finishTasksAndInvalidate() }
        let (data, response) = try await session.data(from: server.url("/bytes/700"))
        #expect(data.count == 700)
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        let post = URLRequest(server.url("/post"), "POST")
        #expect(try await session.upload(for: post, from: Data("x".utf8)).0.isEmpty == false)
        let (file, _) = try await session.download(from: server.url("/bytes/80"))
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(try Data(contentsOf: file).count == 80)
        let log = DelegateLog()
        _ = try await session.data(from: server.url("/redirect/1"), delegate: log)
        if maker == .curl { #expect(log.names == ["redirect", "response", "data"]) }
    }

    @Test("A download's delegate gets the bytes, the file and the end, after which the file is removed")
    func download() async throws {
        let log = DelegateLog()
        let session = TestSession.curl.make(delegate: log)
        defer { session.finishTasksAndInvalidate() }
        let outcome = try await log.outcome(of: session.downloadTask(with: server.url("/bytes/100000")))
        #expect(outcome.data?.count == 100_000)
        #expect(log.names == ["wrote", "file", "completed"])
        for case .file(let file, _) in log.events.values { #expect(!FileManager.default.fileExists(atPath: file.path)) }
        let last = log.events.values.last { $0.name == "wrote" }
        guard case .wrote(_, 100_000, 100_000)? = last else {
            Issue.record("The last report is not of the whole file.")
            return
        }
    }

    @Test("Many tasks of one session end, each with its own content", arguments: TestSession.allCases)
    func many(maker: TestSession) async throws {
        server.route("/number/{n}") { .text($0.parameters["n"] ?? "") }
        let session = maker.make()
        defer { session.finishTasksAndInvalidate() }
        let outcomes = Recorder<(Int, Outcome)>()
        for number in 0..<200 {
            session.dataTask(with: server.url("/number/\(number)")) {
                outcomes.record((number, Outcome(data: $0, response: $1, error: $2)))
            }.resume()
        }
        for (number, outcome) in try await outcomes.wait(for: 200) { #expect(outcome.text == "\(number)") }
        #expect(Set(outcomes.values.map(\.0)).count == 200)
    }

    @Test("A Basic challenge is delivered, and the delegate's credential is used")
    func authentication() async throws {
        let log = DelegateLog(
            .with {
                $0.challenge = { _ in
                    (.useCredential, URLCredential(user: "ada", password: "secret", persistence: .none))
                }
            }
        )
        let session = TestSession.curl.make(delegate: log)
        defer { session.finishTasksAndInvalidate() }
        let outcome = try await log.outcome(of: session.dataTask(with: server.url("/basic-auth/ada/secret")))
        #expect(outcome.status == 200)
        // What comes with the 401 is nobody's content.
        #expect(log.names == ["challenge", "response", "data", "completed"])
    }

    @Test("A delegate gets the number of failures with each repeated challenge, until it gives up")
    func refusedCredentials() async throws {
        let log = DelegateLog(
            .with {
                $0.challenge = { challenge in
                    guard challenge.previousFailureCount < 2 else { return (.performDefaultHandling, nil) }
                    return (.useCredential, URLCredential(user: "ada", password: "wrong", persistence: .none))
                }
            }
        )
        let session = TestSession.curl.make(delegate: log)
        defer { session.finishTasksAndInvalidate() }
        let outcome = try await log.outcome(of: session.dataTask(with: server.url("/basic-auth/ada/secret")))
        #expect(outcome.status == 401)
        let failures = log.events.values.compactMap { event -> Int? in
            guard case .challenge(_, let failures) = event else { return nil }
            return failures
        }
        #expect(failures == [0, 1, 2])
    }

    @Test("The disposition useCredential without a credential leads to the 401 response")
    func missingCredential() async throws {
        let log = DelegateLog(.with { $0.challenge = { _ in (.useCredential, nil) } })
        let session = TestSession.curl.make(delegate: log)
        defer { session.finishTasksAndInvalidate() }
        let outcome = try await log.outcome(of: session.dataTask(with: server.url("/basic-auth/ada/secret")))
        #expect(outcome.status == 401)
        #expect(outcome.error == nil)
    }
}
#endif
