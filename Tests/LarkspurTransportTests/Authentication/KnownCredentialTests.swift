#if canImport(FoundationNetworking)
import HTTPSyntax
import LarkspurTesting
import LarkspurTransport
import Synchronization
import Testing

@Suite("Stored and accepted credentials", .timeLimit(.minutes(5)))
struct KnownCredentialTests {
    let server: LoopbackServer
    let configuration = URLSessionConfiguration.testing

    init() throws { server = try LoopbackServer() }

    private func makeSession(_ delegate: (any URLSessionDelegate)? = nil) -> CurlURLSession {
        CurlURLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    }

    private func space(_ method: String = NSURLAuthenticationMethodHTTPBasic) -> URLProtectionSpace {
        URLProtectionSpace(
            host: "127.0.0.1",
            port: Int(server.port),
            protocol: "http",
            realm: "r",
            authenticationMethod: method
        )
    }

    private static let basic = "Basic " + Data("user:password".utf8).base64EncodedString()

    @Test("The default credential of the storage is proposed to the delegate, and used by default")
    func proposed() async throws {
        server.protect("/a")
        let credential = URLCredential(user: "user", password: "password", persistence: .permanent)
        configuration.urlCredentialStorage?.setDefaultCredential(credential, for: space())
        let delegate = ChallengeDelegate()
        let session = makeSession(delegate)
        defer { session.finishTasksAndInvalidate() }
        #expect(try await session.outcome(of: server.url("/a")).status == 200)
        #expect(delegate.challenges.values.map(\.proposed) == ["user"])
    }

    @Test("No credential is sent if the delegate releases the handler without a call")
    func unanswered() async throws {
        server.protect("/a")
        let credential = URLCredential(user: "user", password: "password", persistence: .permanent)
        configuration.urlCredentialStorage?.setDefaultCredential(credential, for: space())
        let delegate = ReleasingDelegate()
        let session = makeSession(delegate)
        defer { session.finishTasksAndInvalidate() }
        let outcome = try await session.outcome(of: server.url("/a"))
        #expect(outcome.status == 401 && outcome.error == nil)
        #expect(delegate.questions.values == ["challenge"])
        #expect(server.values(of: "Authorization", at: "/a") == [nil])
    }

    @Test("A stored credential that the server refuses is tried once")
    func wrong() async throws {
        server.protect("/a")
        let credential = URLCredential(user: "user", password: "wrong", persistence: .permanent)
        configuration.urlCredentialStorage?.setDefaultCredential(credential, for: space())
        let session = makeSession()
        defer { session.finishTasksAndInvalidate() }
        #expect(try await session.outcome(of: server.url("/a")).status == 401)
        #expect(server.requests.count == 2)
    }

    @Test(
        "An accepted credential is stored if its persistence allows it, and sent to its folder without a challenge",
        arguments: [(URLCredential.Persistence.forSession, true), (.permanent, true), (.none, false)]
    )
    func accepted(persistence: URLCredential.Persistence, isKept: Bool) async throws {
        for path in ["/a/x", "/a/b/y", "/z"] { server.protect(path) }
        let delegate = ChallengeDelegate(user: "user", "password", persistence)
        let session = makeSession(delegate)
        defer { session.finishTasksAndInvalidate() }
        for path in ["/a/x", "/a/b/y", "/z"] { #expect(try await session.outcome(of: server.url(path)).status == 200) }
        #expect(server.values(of: "Authorization", at: "/a/b/y") == (isKept ? [Self.basic] : [nil, Self.basic]))
        #expect(server.values(of: "Authorization", at: "/z") == [nil, Self.basic])
        #expect(delegate.failures == (isKept ? [0, 0] : [0, 0, 0]))
        let stored = configuration.urlCredentialStorage?.allCredentials.values.flatMap(\.values) ?? []
        #expect(stored.map(\.user) == (isKept ? ["user"] : []))
    }

    @Test("A refused credential is not stored")
    func refused() async throws {
        server.protect("/a")
        let session = makeSession(ChallengeDelegate(user: "user", "wrong"))
        defer { session.finishTasksAndInvalidate() }
        #expect(try await session.outcome(of: server.url("/a")).status == 401)
        #expect(configuration.urlCredentialStorage?.allCredentials.isEmpty == true)
    }

    @Test("A session without a credential storage remembers accepted credentials")
    func withoutStorage() async throws {
        server.protect("/a")
        configuration.urlCredentialStorage = nil
        let delegate = ChallengeDelegate(user: "user", "password")
        let session = makeSession(delegate)
        defer { session.finishTasksAndInvalidate() }
        for _ in 0..<2 { #expect(try await session.outcome(of: server.url("/a")).status == 200) }
        #expect(delegate.challenges.values.map(\.proposed) == [nil])
        #expect(server.requests.count == 3)
    }

    @Test("After a password has changed on the server, the delegate is asked once for the new one")
    func changed() async throws {
        server.protect("/a")
        let delegate = ChallengeDelegate(
            (.useCredential, URLCredential(user: "user", password: "password", persistence: .forSession)),
            (.useCredential, URLCredential(user: "user", password: "new", persistence: .forSession))
        )
        let session = makeSession(delegate)
        defer { session.finishTasksAndInvalidate() }
        #expect(try await session.outcome(of: server.url("/a")).status == 200)
        server.protect("/a", password: "new")
        #expect(try await session.outcome(of: server.url("/a")).status == 200)
        #expect(delegate.failures == [0, 1])
        #expect(delegate.challenges.values.map(\.proposed) == [nil, "user"])
        #expect(try await session.outcome(of: server.url("/a")).status == 200)
        #expect(delegate.failures == [0, 1])
    }

    @Test(
        "Credentials are not sent any more after their removal from the storage or a reset of the session",
        arguments: [true, false]
    )
    func forgotten(isReset: Bool) async throws {
        server.protect("/a")
        let delegate = ChallengeDelegate(
            (.useCredential, URLCredential(user: "user", password: "password", persistence: .forSession)),
            (.performDefaultHandling, nil)
        )
        let session = makeSession(delegate)
        defer { session.finishTasksAndInvalidate() }
        #expect(try await session.outcome(of: server.url("/a")).status == 200)
        if isReset {
            await withCheckedContinuation { continuation in session.reset { continuation.resume() } }
        } else {
            for (space, credentials) in configuration.urlCredentialStorage?.allCredentials ?? [:] {
                for credential in credentials.values {
                    configuration.urlCredentialStorage?.remove(credential, for: space)
                }
            }
        }
        #expect(try await session.outcome(of: server.url("/a")).status == 401)
        #expect(server.values(of: "Authorization", at: "/a") == [nil, Self.basic, nil])
        #expect(configuration.urlCredentialStorage?.allCredentials.values.allSatisfy(\.isEmpty) == true)
    }

    @Test("Accepted credentials of a URL are sent only for URLs with the same credentials")
    func ofURLs() async throws {
        server.protect("/a")
        let session = makeSession()
        defer { session.finishTasksAndInvalidate() }
        let url = try #require(URL(string: "http://user:password@127.0.0.1:\(server.port)/a"))
        for _ in 0..<2 { #expect(try await session.outcome(of: url).status == 200) }
        #expect(server.requests.count == 3)
        #expect(try await session.outcome(of: server.url("/a")).status == 401)
        #expect(server.requests.last?.headers["Authorization"] == nil)
        #expect(configuration.urlCredentialStorage?.allCredentials.isEmpty == true)
    }

    @Test("A request with its own Authorization field is sent with that field")
    func ownField() async throws {
        server.protect("/a")
        let session = makeSession(ChallengeDelegate(user: "user", "password"))
        defer { session.finishTasksAndInvalidate() }
        #expect(try await session.outcome(of: server.url("/a")).status == 200)
        server.route("/a/own", .text("own"))
        _ = try await session.outcome(
            of: URLRequest(server.url("/a/own"), "GET", headers: ["authorization": "Bearer b"])
        )
        #expect(server.values(of: "Authorization", at: "/a/own") == ["Bearer b"])
    }

    // MARK: Digest

    @Test("Concurrent requests use one nonce, each with its own count")
    func counts() async throws {
        let url = server.url("/digest-auth/auth/user/password/SHA-256")
        let delegate = ChallengeDelegate(user: "user", "password")
        let session = makeSession(delegate)
        defer { session.finishTasksAndInvalidate() }
        #expect(try await session.outcome(of: url).status == 200)
        let statuses = try await withThrowingTaskGroup(of: Int?.self) { group in
            for _ in 0..<30 { group.addTask { try await session.outcome(of: url).status } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses == Array(repeating: 200, count: 30))
        #expect(delegate.failures == [0])
        #expect(server.requests.count == 32)
    }

    @Test("A nonce that becomes stale for concurrent requests is renewed without a challenge to the delegate")
    func staleAtOnce() async throws {
        let url = server.url("/digest-auth/auth/user/password/MD5?stale_after=4")
        let delegate = ChallengeDelegate(user: "user", "password")
        let session = makeSession(delegate)
        defer { session.finishTasksAndInvalidate() }
        #expect(try await session.outcome(of: url).status == 200)
        for _ in 0..<12 { #expect(try await session.outcome(of: url).status == 200) }
        #expect(delegate.failures == [0])
    }

    @Test("The next nonce that a server announces is used")
    func nextNonce() async throws {
        let next = Mutex(0)
        server.route("/n") { request in
            guard let field = request.headers["Authorization"] else {
                return .status(401).adding("WWW-Authenticate", #"Digest realm="r", nonce="n0", qop="auth""#)
            }
            let number = next.withLock { number in
                number += 1
                return number
            }
            return .text(field).adding("Authentication-Info", "nextnonce=\"n\(number)\"")
        }
        let session = makeSession(ChallengeDelegate(user: "user", "password"))
        defer { session.finishTasksAndInvalidate() }
        for number in 0..<3 {
            let text = try #require(try await session.outcome(of: server.url("/n")).text)
            #expect(text.contains("nonce=\"n\(number)\"") && text.contains("nc=00000001"))
        }
    }

    @Test("A nonce that the server has forgotten is renewed, even if the server does not call it stale")
    func forgottenNonces() async throws {
        let isRestarted = Mutex(false)
        server.route("/n") { request in
            let nonce = isRestarted.withLock { $0 } ? "new" : "old"
            guard request.headers["Authorization"]?.contains("nonce=\"\(nonce)\"") == true else {
                return .status(401).adding("WWW-Authenticate", "Digest realm=\"r\", nonce=\"\(nonce)\"")
            }
            return .text("welcome")
        }
        let delegate = ChallengeDelegate(user: "user", "password")
        let session = makeSession(delegate)
        defer { session.finishTasksAndInvalidate() }
        for _ in 0..<2 { #expect(try await session.outcome(of: server.url("/n")).status == 200) }
        isRestarted.withLock { $0 = true }
        for _ in 0..<2 { #expect(try await session.outcome(of: server.url("/n")).status == 200) }
        #expect(delegate.failures == [0])
        #expect(server.requests.count == 6)
    }
}
#endif
