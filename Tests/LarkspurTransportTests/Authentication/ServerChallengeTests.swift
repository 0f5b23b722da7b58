#if canImport(FoundationNetworking)
import HTTPSyntax
import LarkspurTesting
import LarkspurTransport
import Testing

@Suite("Challenges of servers", .timeLimit(.minutes(5)))
struct ServerChallengeTests {
    let server: LoopbackServer
    let url: URL

    init() throws {
        server = try LoopbackServer()
        url = server.url("/secret")
    }

    private func outcome(
        _ delegate: ChallengeDelegate?,
        _ request: URLRequest? = nil,
        configuration: URLSessionConfiguration = .testing
    ) async throws -> Outcome {
        let session = CurlURLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        return try await session.outcome(of: request ?? URLRequest(url: url))
    }

    private static let right = URLCredential(user: "user", password: "password", persistence: .forSession)
    private static let wrong = URLCredential(user: "user", password: "wrong", persistence: .forSession)

    @Test(
        "The disposition of the delegate decides how the task ends",
        arguments: [
            ([(.useCredential, right)], 200, [0]), ([(.useCredential, wrong), (.useCredential, right)], 200, [0, 1]),
            ([(.useCredential, wrong), (.performDefaultHandling, nil)], 401, [0, 1]),
            ([(.performDefaultHandling, nil)], 401, [0]), ([(.useCredential, nil)], 401, [0]),
            ([(.rejectProtectionSpace, nil)], 401, [0]), ([(.cancelAuthenticationChallenge, nil)], nil, [0]),
            (
                [
                    (.useCredential, URLCredential(user: "u", password: "", persistence: .none)),
                    (.rejectProtectionSpace, nil),
                ], 401, [0, 1]
            ),
        ] as [([ChallengeDelegate.Answer], Int?, [Int])]
    )
    func answers(answers: [ChallengeDelegate.Answer], status: Int?, failures: [Int]) async throws {
        server.protect("/secret")
        let delegate = ChallengeDelegate(answers)
        let outcome = try await outcome(delegate)
        #expect(outcome.status == status)
        #expect(outcome.text == (status.map { $0 == 200 ? "welcome" : "denied" }))
        #expect(outcome.code == (status == nil ? .cancelled : nil))
        #expect(delegate.failures == failures)
        #expect(delegate.challenges.values.allSatisfy { $0.status == 401 && $0.space.realm == "r" })
    }

    @Test("Basic without a realm has the host as its realm, and credentials for it go to no other host")
    func withoutRealm() async throws {
        server.route("/secret") { request in
            if request.headers["Authorization"] != nil { return .text("welcome") }
            var refusal = LoopbackServer.Response.text("denied", status: 401)
            refusal.headers["WWW-Authenticate"] = "Basic"
            return refusal
        }
        let delegate = ChallengeDelegate(user: "user", "password")
        #expect(try await outcome(delegate).status == 200)
        #expect(delegate.challenges.values.map { $0.space.realm } == ["127.0.0.1"])

        // A storage's credential for the host is found without a delegate, and not for a host of another name.
        let configuration = URLSessionConfiguration.testing
        let space = URLProtectionSpace(
            host: "127.0.0.1",
            port: try #require(url.port),
            protocol: "http",
            realm: "127.0.0.1",
            authenticationMethod: NSURLAuthenticationMethodHTTPBasic
        )
        configuration.urlCredentialStorage?.set(Self.right, for: space)
        #expect(try await outcome(nil, configuration: configuration).status == 200)
        var components = try #require(URLComponents(url: url, resolvingAgainstBaseURL: false))
        components.host = "localhost"
        let other = URLRequest(url: try #require(components.url))
        #expect(try await outcome(nil, other, configuration: configuration).status == 401)
    }

    @Test("A delegate that always gives the same credential gets the 401 response in the end")
    func endless() async throws {
        server.protect("/secret")
        let delegate = ChallengeDelegate(user: "user", "wrong")
        #expect(try await outcome(delegate).status == 401)
        #expect(delegate.failures == Array(0..<20))
    }

    @Test(
        "Of several challenges the delegate gets the strongest, and after its rejection the next",
        arguments: [
            [#"Basic realm="b", Digest realm="d", nonce="n""#], [#"Basic realm="b""#, #"Digest realm="d", nonce="n""#],
            [#"Unknown a="b,c", Basic realm="b""#, #"Bearer, Digest realm="d", nonce="n""#],
        ]
    )
    func several(challenges: [String]) async throws {
        server.protect("/secret", challenges: challenges)
        let delegate = ChallengeDelegate((.rejectProtectionSpace, nil), (.useCredential, Self.right))
        #expect(try await outcome(delegate).status == 200)
        let methods = [NSURLAuthenticationMethodHTTPDigest, NSURLAuthenticationMethodHTTPBasic]
        #expect(delegate.challenges.values.map(\.method) == methods)
        #expect(delegate.challenges.values.map(\.space.realm) == ["d", "b"])
    }

    @Test(
        "A 401 without a supported challenge is the response",
        arguments: [[], ["Bearer"], [""], [",=;\"\\"], ["Digest realm=\"r\""], ["Digest nonce=n, algorithm=SHA-512"]]
    )
    func unanswerable(challenges: [String]) async throws {
        server.protect("/secret", challenges: challenges)
        let delegate = ChallengeDelegate(user: "user", "password")
        let outcome = try await outcome(delegate)
        #expect(outcome.status == 401)
        #expect(outcome.text == "denied")
        #expect(delegate.failures.isEmpty)
    }

    @Test(
        "A server accepts the credentials for its Digest challenge",
        arguments: ["auth", "none"],
        ["MD5", "MD5-sess", "SHA-256", "SHA-256-sess"]
    )
    func digest(qop: String, algorithm: String) async throws {
        let request = URLRequest(url: server.url("/digest-auth/\(qop)/user/pass%20word/\(algorithm)?a=b"))
        let delegate = ChallengeDelegate(user: "user", "pass word")
        #expect(try await outcome(delegate, request).status == 200)
        #expect(delegate.failures == [0])
        #expect(server.requests.count == 2)
    }

    @Test(
        "Challenges are handled for all methods and kinds of tasks",
        arguments: Style.allCases,
        ["GET", "HEAD", "POST", "DELETE"]
    )
    func kinds(style: Style, method: String) async throws {
        server.protect("/secret")
        var request = URLRequest(url, method, body: method == "POST" ? Data("content".utf8) : nil)
        request.url = URL(string: url.absoluteString.replacing("://", with: "://user:password@"))
        let outcome = try await style.send(request)
        #expect(outcome.error == nil)
        #expect(outcome.text == (method == "HEAD" ? "" : "welcome"))
        #expect(server.requests.map(\.method) == [method, method])
        if method == "POST" { #expect(server.requests.map(\.body) == [Data("content".utf8), Data("content".utf8)]) }
    }

    @Test("By default, the credential of the URL is tried once", arguments: [("password", 200, 2), ("wrong", 401, 2)])
    func credentialOfURL(password: String, status: Int, count: Int) async throws {
        server.protect("/secret")
        let url = try #require(URL(string: "http://user:\(password)@127.0.0.1:\(server.port)/secret"))
        #expect(try await outcome(nil, URLRequest(url: url)).status == status)
        #expect(server.requests.count == count)
        #expect(server.requests.first?.headers["Authorization"] == nil)
    }

    @Test("A request's own Authorization field is sent unchanged, and its refusal is a challenge")
    func ownField() async throws {
        server.protect("/secret")
        let request = URLRequest(url, "GET", headers: ["Authorization": "Bearer own"])
        let delegate = ChallengeDelegate(user: "user", "password")
        #expect(try await outcome(delegate, request).status == 200)
        #expect(delegate.failures == [0])
        #expect(server.values(of: "Authorization", at: "/secret").first == "Bearer own")
        #expect(try await outcome(nil, request).status == 401)
    }

    @Test("A task's own delegate gets the challenge in place of the session's")
    func taskDelegate() async throws {
        server.protect("/secret")
        let (own, other) = (ChallengeDelegate(user: "user", "password"), ChallengeDelegate(user: "user", "wrong"))
        let session = CurlURLSession(configuration: .testing, delegate: other, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        let (_, response) = try await session.data(for: URLRequest(url: url), delegate: own)
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        #expect(own.failures == [0] && other.failures.isEmpty)
    }

    @Test(
        "The large content of a 401 is discarded if a credential follows, and else delivered",
        arguments: [true, false]
    )
    func largeRefusal(isAnswered: Bool) async throws {
        let content = Data(repeating: 7, count: 3 << 20)
        let refusal = LoopbackServer.Response.data(content, status: 401).adding("WWW-Authenticate", "Basic realm=r")
        server.route("/secret", refusal, .text("welcome"))
        let delegate = ChallengeDelegate(isAnswered ? (.useCredential, Self.right) : (.performDefaultHandling, nil))
        let outcome = try await outcome(delegate)
        #expect(outcome.status == (isAnswered ? 200 : 401))
        #expect(outcome.data?.count == (isAnswered ? 7 : content.count))
    }

    @Test("A stale nonce is renewed even if the refusal has large content")
    func largeRenewal() async throws {
        func refusal(_ field: String) -> LoopbackServer.Response {
            .data(Data(repeating: 7, count: 3 << 20), status: 401).adding("WWW-Authenticate", field)
        }
        server.route(
            "/secret",
            refusal("Digest realm=r, nonce=a, qop=auth"),
            refusal("Digest realm=r, nonce=b, qop=auth, stale=true"),
            .text("welcome")
        )
        let delegate = ChallengeDelegate(user: "user", "password")
        #expect(try await outcome(delegate).text == "welcome")
        #expect(delegate.failures == [0])
    }

    @Test("A task that is cancelled before its challenge is handled ends once")
    func unanswered() async throws {
        server.protect("/secret")
        let delegate = SilentDelegate()
        let session = CurlURLSession(configuration: .testing, delegate: delegate, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        let task = session.dataTask(with: url)
        task.resume()
        let answer = try await delegate.handlers.first()
        task.cancel()
        let errors = try await delegate.ends.wait(for: 1)
        #expect((errors.first as? URLError)?.code == .cancelled)
        // Too late, and without effect.
        answer(.useCredential, Self.right)
        #expect(try await session.outcome(of: server.url("/get")).status == 200)
        #expect(delegate.ends.values.count == 1)
        #expect(server.requests(to: "/secret").count == 1)
    }
}

/// Keeps the handlers of challenges, and does not call them.
private final class SilentDelegate: NSObject, URLSessionTaskDelegate {
    typealias Handler = @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void

    let handlers = Recorder<Handler>()
    let ends = Recorder<(any Error)?>()

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @Sendable @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        handlers.record(completionHandler)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        ends.record(error)
    }
}
#endif
