#if canImport(FoundationNetworking)
import LarkspurTesting
import Synchronization
import Testing

@testable import LarkspurTransport

@Suite("Authentication schemes of connections", .timeLimit(.minutes(5)))
struct ConnectionSchemeTests {
    let server: LoopbackServer

    init() throws { server = try LoopbackServer() }

    /// The second message of NTLM: a signature, a type, no target, flags for Unicode and NTLM, a nonce.
    private static let challenge: String = {
        var message = Data("NTLMSSP\0".utf8) + [2, 0, 0, 0] + [0, 0, 0, 0, 40, 0, 0, 0]
        message += [0x01, 0x02, 0x08, 0x00] + [1, 2, 3, 4, 5, 6, 7, 8] + Data(repeating: 0, count: 8)
        return message.base64EncodedString()
    }()

    /// Which message of NTLM a request brings; 0 for none.
    private static func step(_ request: LoopbackServer.Request) -> Int {
        guard let field = request.headers["Authorization"], field.hasPrefix("NTLM "),
            let message = Data(base64Encoded: String(field.dropFirst(5))), message.count > 8
        else { return 0 }
        return Int(message[8])
    }

    /// Answers whoever goes through the messages of NTLM on one connection with a status.
    private func route(_ path: String, _ status: Int) {
        let connections = Mutex<Set<Int>>([])
        server.route(path) { request in
            switch Self.step(request) {
            case 1:
                connections.withLock { _ = $0.insert(request.connection) }
                return .text("continue", status: 401).adding("WWW-Authenticate", "NTLM \(Self.challenge)")
            case 3 where connections.withLock({ $0.contains(request.connection) }) && status == 200:
                return .text("welcome \(request.body.count)")
            default: return .text("denied", status: 401).adding("WWW-Authenticate", "NTLM")
            }
        }
    }

    private func outcome(_ delegate: any URLSessionDelegate, _ request: URLRequest) async throws -> Outcome {
        let session = CurlURLSession(configuration: .testing, delegate: delegate, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        return try await session.outcome(of: request)
    }

    @Test(
        "libcurl handles an NTLM challenge, and sends the content with the last request",
        .enabled(if: ConnectionScheme.available.contains(.ntlm)),
        arguments: [0, 10, 200_000]
    )
    func ntlm(count: Int) async throws {
        route("/secret", 200)
        let delegate = ChallengeDelegate(user: "DOMAIN\\user", "password")
        let request = URLRequest(
            server.url("/secret"),
            count == 0 ? "GET" : "POST",
            body: count == 0 ? nil : Data(count: count)
        )
        let outcome = try await outcome(delegate, request)
        #expect(outcome.text == "welcome \(count)")
        #expect(delegate.challenges.values.map(\.method) == [NSURLAuthenticationMethodNTLM])
        #expect(server.requests.map(Self.step) == [0, 1, 3])
    }

    @Test(
        "After refused NTLM credentials the delegate is asked again, and the task ends with the 401 response",
        .enabled(if: ConnectionScheme.available.contains(.ntlm))
    )
    func refused() async throws {
        route("/secret", 401)
        let wrong = URLCredential(user: "user", password: "wrong", persistence: .forSession)
        let delegate = ChallengeDelegate((.useCredential, wrong), (.performDefaultHandling, nil))
        let outcome = try await outcome(delegate, URLRequest(url: server.url("/secret")))
        #expect(outcome.status == 401)
        #expect(outcome.text == "denied")
        #expect(delegate.failures == [0, 1])
        #expect(delegate.challenges.values.map(\.proposed) == [nil, "user"])
    }

    @Test(
        "A refusal of NTLM credentials with much content is delivered as the response",
        .enabled(if: ConnectionScheme.available.contains(.ntlm))
    )
    func refusedAtLength() async throws {
        let content = Data(count: 3 << 20)
        server.route("/secret") { request in
            switch Self.step(request) {
            case 0: .text("who", status: 401).adding("WWW-Authenticate", "NTLM")
            case 1: .text("continue", status: 401).adding("WWW-Authenticate", "NTLM \(Self.challenge)")
            default: .data(content, status: 401).adding("WWW-Authenticate", "NTLM")
            }
        }
        let credential = URLCredential(user: "user", password: "wrong", persistence: .none)
        let delegate = ChallengeDelegate((.useCredential, credential), (.performDefaultHandling, nil))
        let outcome = try await outcome(delegate, URLRequest(url: server.url("/secret")))
        #expect(outcome.status == 401)
        #expect(outcome.data == content)
        #expect(delegate.failures == [0, 1])
    }

    @Test(
        "A handle that was used for NTLM sends no credentials with the next request",
        .enabled(if: ConnectionScheme.available.contains(.ntlm))
    )
    func nextRequest() async throws {
        route("/secret", 200)
        let session = CurlURLSession(
            configuration: .testing,
            delegate: ChallengeDelegate(user: "user", "password"),
            delegateQueue: nil
        )
        defer { session.finishTasksAndInvalidate() }
        #expect(try await session.outcome(of: server.url("/secret")).status == 200)
        let other = try LoopbackServer()
        for server in [server, other] {
            #expect(try await session.outcome(of: server.url("/get")).status == 200)
            #expect(server.requests.last?.headers["Authorization"] == nil)
        }
        let used = server.requests(to: "/secret").map(\.connection)
        #expect(server.requests.last?.connection != used.last)
    }

    @Test("No Negotiate ticket is sent by default, and a request without a ticket gets the 401 response")
    func negotiate() async throws {
        server.route("/secret", .text("denied", status: 401).adding("WWW-Authenticate", "Negotiate"))
        let ticket = URLCredential(user: "", password: "", persistence: .none)
        let named = URLCredential(user: "user", password: "password", persistence: .none)
        for answer in [(.performDefaultHandling, nil), (.useCredential, named), (.useCredential, ticket)]
            as [ChallengeDelegate.Answer]
        {
            let delegate = ChallengeDelegate(answer, (.performDefaultHandling, nil))
            let outcome = try await outcome(delegate, URLRequest(url: server.url("/secret")))
            #expect(outcome.status == 401)
            let isKnown = ConnectionScheme.available.contains(.negotiate)
            #expect(delegate.challenges.values.first?.method == (isKnown ? NSURLAuthenticationMethodNegotiate : nil))
        }
        #expect(server.values(of: "Authorization", at: "/secret").allSatisfy { $0 == nil })
    }

    @Test(
        "The session delegate gets a connection challenge first, and the task delegate after default handling",
        .enabled(if: ConnectionScheme.available.contains(.ntlm)),
        arguments: [true, false]
    )
    func sessionDelegate(isAnswered: Bool) async throws {
        route("/secret", 200)
        let delegate = SessionChallengeDelegate(answers: isAnswered)
        #expect(try await outcome(delegate, URLRequest(url: server.url("/secret"))).status == 200)
        #expect(delegate.calls.values == (isAnswered ? ["session"] : ["session", "task"]))
        server.protect("/basic")
        #expect(try await outcome(delegate, URLRequest(url: server.url("/basic"))).status == 200)
        #expect(delegate.calls.values.last == "task")
    }

    @Test(
        "A session delegate that releases the handler without a call refuses, and the task delegate is not asked",
        .enabled(if: ConnectionScheme.available.contains(.ntlm))
    )
    func unanswered() async throws {
        route("/secret", 200)
        let delegate = ReleasingDelegate()
        #expect(try await outcome(delegate, URLRequest(url: server.url("/secret"))).status == 401)
        #expect(delegate.questions.values == ["session's challenge"])
        #expect(server.values(of: "Authorization", at: "/secret") == [nil])
    }
}

private final class SessionChallengeDelegate: NSObject, URLSessionTaskDelegate {
    let calls = Recorder<String>()
    private let answers: Bool
    private let credential = URLCredential(user: "user", password: "password", persistence: .none)

    init(answers: Bool) { self.answers = answers }

    func urlSession(
        _ session: URLSession,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @Sendable @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        calls.record("session")
        completionHandler(answers ? .useCredential : .performDefaultHandling, answers ? credential : nil)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @Sendable @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        calls.record("task")
        completionHandler(.useCredential, credential)
    }
}
#endif
