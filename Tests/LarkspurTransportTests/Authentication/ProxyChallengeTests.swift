#if canImport(FoundationNetworking)
import HTTPSyntax
import LarkspurTesting
import LarkspurTransport
import Testing

@Suite("Challenges of proxies", .timeLimit(.minutes(5)))
struct ProxyChallengeTests {
    /// Takes every request, and answers those for other hosts itself.
    let proxy: LoopbackServer

    init() throws { proxy = try LoopbackServer() }

    private static let field = "Basic " + Data("user:password".utf8).base64EncodedString()
    private static let right = URLCredential(user: "user", password: "password", persistence: .forSession)

    private func protect(
        challenges: [String] = [#"Basic realm="p""#],
        serverField: String? = nil,
        accepts isAccepted: @escaping @Sendable (LoopbackServer.Request) -> Bool = {
            $0.headers["Proxy-Authorization"] == Self.field
        }
    ) {
        proxy.route("*") { request in
            guard isAccepted(request) else {
                return challenges.reduce(LoopbackServer.Response.text("denied", status: 407)) {
                    $0.adding("Proxy-Authenticate", $1)
                }
                .adding("Set-Cookie", "proxy=1").adding("Location", "http://elsewhere.invalid/")
            }
            // What stands behind a tunnel is no server, so that TLS fails.
            if request.method == "CONNECT" { return .text("no server here", status: 200) }
            if let serverField, request.headers["Authorization"] != serverField {
                return .text("who", status: 401).adding("WWW-Authenticate", #"Basic realm="s""#)
            }
            return .text("welcome")
        }
    }

    private func makeSession(
        _ delegate: ChallengeDelegate?,
        user: String? = nil,
        configuration: URLSessionConfiguration = .testing
    ) -> CurlURLSession {
        var options = CurlURLSession.Options()
        options.proxy = .server(
            ProxyServer(host: "127.0.0.1", port: Int(proxy.port), user: user, password: user.map { _ in "password" })
        )
        return CurlURLSession(configuration: configuration, delegate: delegate, options: options)
    }

    private func outcome(_ delegate: ChallengeDelegate?, _ url: String, user: String? = nil) async throws -> Outcome {
        let session = makeSession(delegate, user: user)
        defer { session.finishTasksAndInvalidate() }
        return try await session.outcome(of: try #require(URL(string: url)))
    }

    @Test("A proxy's 407 is a challenge with the proxy's space, and the response if there is no credential")
    func plain() async throws {
        protect()
        let delegate = ChallengeDelegate((.useCredential, Self.right))
        #expect(try await outcome(delegate, "http://server.invalid/a").text == "welcome")
        let challenge = try #require(delegate.challenges.values.first)
        #expect(challenge.space.isProxy() && challenge.space.proxyType == NSURLProtectionSpaceHTTPProxy)
        #expect(challenge.space.host == "127.0.0.1" && challenge.space.port == Int(proxy.port))
        #expect(challenge.space.realm == "p" && challenge.status == 407)
        let refusal = try await outcome(nil, "http://server.invalid/a")
        #expect(refusal.status == 407 && refusal.text == "denied")
    }

    @Test(
        "The credential of the proxy's address is proposed to the delegate, and used by default",
        arguments: ["http", "https"]
    )
    func ownLogin(scheme: String) async throws {
        protect()
        let delegate = ChallengeDelegate()
        _ = try await outcome(delegate, "\(scheme)://server.invalid/a", user: "user")
        #expect(delegate.challenges.values.map(\.proposed) == ["user"])
        #expect(proxy.requests.map { $0.headers["Proxy-Authorization"] }.last == Self.field)
    }

    @Test("Credentials that a proxy has accepted are sent to it with every further request, for any server")
    func known() async throws {
        protect()
        let delegate = ChallengeDelegate((.useCredential, Self.right))
        let configuration = URLSessionConfiguration.testing
        let session = makeSession(delegate, configuration: configuration)
        defer { session.finishTasksAndInvalidate() }
        for host in ["a", "b"] {
            #expect(try await session.outcome(of: try #require(URL(string: "http://\(host).invalid/x/"))).status == 200)
        }
        #expect(delegate.failures == [0])
        #expect(proxy.requests.count == 3)
        let space = try #require(configuration.urlCredentialStorage?.allCredentials.keys.first)
        #expect(space.isProxy() && space.realm == "p")
    }

    @Test("The proxy and the server each get their own credentials")
    func both() async throws {
        let serverField = "Basic " + Data("s:t".utf8).base64EncodedString()
        protect(serverField: serverField)
        let delegate = ChallengeDelegate(
            (.useCredential, Self.right),
            (.useCredential, URLCredential(user: "s", password: "t", persistence: .none))
        )
        #expect(try await outcome(delegate, "http://server.invalid/a").text == "welcome")
        #expect(delegate.challenges.values.map { $0.space.isProxy() } == [true, false])
        #expect(delegate.failures == [0, 0])
        #expect(proxy.requests.map { $0.headers["Authorization"] } == [nil, nil, serverField])
        #expect(proxy.requests.map { $0.headers["Proxy-Authorization"] } == [nil, Self.field, Self.field])
    }

    @Test("Credentials are not stored if a proxy responds to them with a 401 without a challenge")
    func refusalWithoutChallenge() async throws {
        proxy.route("*") { request in
            if request.headers["Proxy-Authorization"] != nil { return .text("wrong", status: 401) }
            return .text("who", status: 407).adding("Proxy-Authenticate", "Basic realm=p")
        }
        let configuration = URLSessionConfiguration.testing
        let session = makeSession(ChallengeDelegate((.useCredential, Self.right)), configuration: configuration)
        defer { session.finishTasksAndInvalidate() }
        let url = try #require(URL(string: "http://server.invalid/"))
        for _ in 0..<2 { #expect(try await session.outcome(of: url).text == "wrong") }
        #expect(proxy.requests.map { $0.headers["Proxy-Authorization"] != nil } == [false, true, false, true])
        #expect(configuration.urlCredentialStorage?.allCredentials.isEmpty == true)
    }

    // MARK: Tunnels

    @Test("A proxy that refuses a tunnel gets the credentials for its challenge", arguments: [false, true])
    func tunnel(isDigest: Bool) async throws {
        let url = "https://server.invalid:8443/a?b=c"
        let digest = #"Digest realm="p", nonce="n", qop="auth", algorithm=SHA-256"#
        protect(challenges: isDigest ? [#"Basic realm="p""#, digest] : [#"Basic realm="p""#]) { request in
            let field = request.headers["Proxy-Authorization"] ?? ""
            guard isDigest else { return field == Self.field }
            return field.hasPrefix("Digest ") && field.contains("uri=\"server.invalid:8443\"")
                && field.contains("nc=00000001")
        }
        let delegate = ChallengeDelegate((.useCredential, Self.right))
        let session = makeSession(delegate)
        defer { session.finishTasksAndInvalidate() }
        let request = URLRequest(
            try #require(URL(string: url)),
            "GET",
            headers: ["Authorization": "Bearer s", "X-Own": "x"]
        )
        let outcome = try await session.outcome(of: request)
        // The tunnel was made, and at its end is no TLS.
        #expect(outcome.code == .secureConnectionFailed)
        #expect(proxy.requests.map(\.method).prefix(2) == ["CONNECT", "CONNECT"])
        #expect(proxy.requests.map(\.target).prefix(2) == ["server.invalid:8443", "server.invalid:8443"])
        let isTaken = proxy.requests.prefix(2).map { $0.headers["Proxy-Authorization"] != nil }
        #expect(isTaken == [false, true])
        #expect(proxy.requests.allSatisfy { $0.headers["Authorization"] == nil && $0.headers["X-Own"] == nil })
        let method = isDigest ? NSURLAuthenticationMethodHTTPDigest : NSURLAuthenticationMethodHTTPBasic
        #expect(delegate.challenges.values.map(\.method) == [method])
        #expect(delegate.challenges.values.first?.space.isProxy() == true)
    }

    @Test("Without a credential for a tunnel the 407 is the response, without the proxy's content and cookies")
    func refusedTunnel() async throws {
        protect()
        let configuration = URLSessionConfiguration.testing
        let session = makeSession(nil, configuration: configuration)
        defer { session.finishTasksAndInvalidate() }
        let outcome = try await session.outcome(of: try #require(URL(string: "https://server.invalid/")))
        #expect(outcome.status == 407)
        #expect(outcome.data == Data())
        #expect(outcome.field("Proxy-Authenticate") == #"Basic realm="p""#)
        #expect(outcome.field("Set-Cookie") == nil && outcome.field("Location") == nil)
        #expect(configuration.httpCookieStorage?.cookies?.isEmpty == true)
    }

    @Test("Wrong credentials for a tunnel count as failures, and the task ends with the 407 response")
    func wrongTunnel() async throws {
        protect()
        let delegate = ChallengeDelegate(
            (.useCredential, URLCredential(user: "user", password: "wrong", persistence: .none)),
            (.performDefaultHandling, nil)
        )
        #expect(try await outcome(delegate, "https://server.invalid/").status == 407)
        #expect(delegate.failures == [0, 1])
    }

    @Test("A cancelled challenge of a tunnel cancels the task")
    func cancelledTunnel() async throws {
        protect()
        let delegate = ChallengeDelegate((.cancelAuthenticationChallenge, nil))
        #expect(try await outcome(delegate, "https://server.invalid/").code == .cancelled)
    }

    @Test("A stream that was not read during a refused tunnel is sent after the tunnel is made")
    func stream() async throws {
        protect()
        let log = DelegateLog(
            .with {
                $0.challenge = { _ in (.useCredential, Self.right) }
                $0.stream = { _, answer in answer(InputStream(data: Data("content".utf8))) }
            }
        )
        var options = CurlURLSession.Options()
        options.proxy = .server(ProxyServer(host: "127.0.0.1", port: Int(proxy.port)))
        let session = CurlURLSession(configuration: .testing, delegate: log, options: options)
        defer { session.finishTasksAndInvalidate() }
        let url = try #require(URL(string: "https://server.invalid/"))
        let outcome = try await log.outcome(of: session.uploadTask(withStreamedRequest: URLRequest(url, "POST")))
        #expect(outcome.code == .secureConnectionFailed)
        #expect(log.events.values.filter { $0.name == "stream" }.count == 1)
    }

    @Test(
        "A request's own Proxy-Authorization field is sent to the proxy, and to no server",
        arguments: ["http", "https"]
    )
    func ownField(scheme: String) async throws {
        protect()
        let session = makeSession(nil)
        defer { session.finishTasksAndInvalidate() }
        let url = try #require(URL(string: "\(scheme)://server.invalid/"))
        let outcome = try await session.outcome(
            of: URLRequest(url, "GET", headers: ["proxy-authorization": Self.field])
        )
        #expect(scheme == "http" ? outcome.status == 200 : outcome.code == .secureConnectionFailed)
        #expect(proxy.requests.first?.headers["Proxy-Authorization"] == Self.field)
        #expect(proxy.requests.count == 1 || scheme == "https")
    }

    @Test("A proxy authorization field of the session is sent to the proxy, and a line break in it fails the request")
    func fieldOfSession() async throws {
        protect()
        for (value, isTaken) in [(Self.field, true), ("a\r\nX: y", false)] {
            let configuration = URLSessionConfiguration.testing {
                $0.httpAdditionalHeaders = ["Proxy-authorization": value]
            }
            let session = makeSession(nil, configuration: configuration)
            defer { session.finishTasksAndInvalidate() }
            let outcome = try await session.outcome(of: try #require(URL(string: "http://server.invalid/")))
            #expect((outcome.status == 200) == isTaken)
            #expect((outcome.error == nil) == isTaken)
        }
        #expect(proxy.requests.map { $0.headers["Proxy-Authorization"] } == [Self.field])
    }

    @Test("Without a proxy, the Proxy-Authorization field is not sent", arguments: [true, false])
    func fieldWithoutProxy(isOfSession: Bool) async throws {
        let configuration = URLSessionConfiguration.testing
        var request = URLRequest(url: proxy.url("/echo"))
        if isOfSession {
            configuration.httpAdditionalHeaders = ["proxy-authorization": Self.field, "X-A": "b"]
        } else {
            request.allHTTPHeaderFields = ["Proxy-Authorization": Self.field, "X-A": "b"]
        }
        let session = CurlURLSession(configuration: configuration)
        defer { session.finishTasksAndInvalidate() }
        #expect(try await session.outcome(of: request).error == nil)
        let seen = try #require(proxy.requests.first).headers
        #expect(seen["Proxy-Authorization"] == nil)
        #expect(seen["X-A"] == "b")
    }

    @Test("A server's 407 without a proxy is an ordinary response")
    func withoutProxy() async throws {
        protect()
        let delegate = ChallengeDelegate((.useCredential, Self.right))
        let session = CurlURLSession(configuration: .testing, delegate: delegate, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        #expect(try await session.outcome(of: proxy.url("/a")).status == 407)
        #expect(delegate.failures.isEmpty)
    }
}
#endif
