#if canImport(FoundationNetworking)
import LarkspurTesting
import LarkspurTransport
import Testing

@Suite("Content that is sent again after a challenge", .timeLimit(.minutes(5)))
struct ContentReplayTests {
    let server: LoopbackServer
    /// Enough not to be sent together with the head.
    let content = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })

    init() throws {
        server = try LoopbackServer()
        server.protect("/secret")
    }

    private func makeLog(_ stream: InputStream? = nil) -> DelegateLog {
        DelegateLog(
            .with {
                $0.challenge = { _ in
                    (.useCredential, URLCredential(user: "user", password: "password", persistence: .none))
                }
                if stream != nil { $0.stream = { [content] _, answer in answer(InputStream(data: content)) } }
            }
        )
    }

    private func outcome(
        _ log: DelegateLog,
        _ makeTask: (CurlURLSession, URLRequest) -> URLSessionTask
    ) async throws -> Outcome {
        let session = CurlURLSession(configuration: .testing, delegate: log, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        return try await log.outcome(of: makeTask(session, URLRequest(server.url("/secret"), "POST")))
    }

    private var bodies: [Int] { server.requests.map { $0.body == content ? $0.body.count : -1 } }

    @Test("Data of a request and of an upload is sent again after a challenge")
    func data() async throws {
        let content = content
        let uploaded = try await outcome(makeLog()) { $0.uploadTask(with: $1, from: content) }
        #expect(uploaded.text == "welcome")
        let posted = try await outcome(makeLog()) { session, request in
            session.dataTask(with: URLRequest(request.url ?? server.url("/"), "POST", body: content))
        }
        #expect(posted.text == "welcome")
        #expect(bodies == Array(repeating: content.count, count: 4))
    }

    @Test("A file is sent again after a challenge")
    func file() async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try content.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(try await outcome(makeLog()) { $0.uploadTask(with: $1, fromFile: file) }.text == "welcome")
        #expect(bodies == [content.count, content.count])
    }

    @Test("A stream is requested from the delegate again after a challenge")
    func stream() async throws {
        let log = makeLog(InputStream(data: content))
        #expect(try await outcome(log) { $0.uploadTask(withStreamedRequest: $1) }.text == "welcome")
        #expect(bodies == [content.count, content.count])
        #expect(log.events.values.filter { $0.name == "stream" }.count == 2)
    }

    @Test("A stream that cannot be provided again ends in an error with the reason")
    func lostStream() async throws {
        let content = content
        let outcome = try await outcome(makeLog()) { session, request in
            var request = request
            request.httpBodyStream = InputStream(data: content)
            return session.dataTask(with: request)
        }
        #expect(outcome.code == .requestBodyStreamExhausted)
        #expect(outcome.error?.localizedDescription.contains("stream") == true)
        #expect(bodies == [content.count])
    }
}
#endif
