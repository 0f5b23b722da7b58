import HTTPSyntax
import LarkspurTestSupport
import LarkspurTesting
import TestSupport
import Testing

@testable import LarkspurCredentials

@Suite("OAuth 2 in a browser", .timeLimit(.minutes(5)))
struct BrowserTests {
    private let fake: AuthorizationServer
    /// The manager that plays the browser.
    private let browser: SessionManager

    init() throws {
        fake = try AuthorizationServer()
        browser = SessionManager(configuration: .testing, transport: TestTransport.allCases[0].transport)
        fake.loopback.route("/token", .json(#"{"access_token": "a1", "refresh_token": "r1"}"#))
    }

    /// Returns a parameter of the URL that the program opens.
    private static func parameter(_ name: String, of url: URL) throws -> String {
        let items = URLComponents(url: url, resolvingAgainstBaseURL: true)?.queryItems
        return try #require(items?.first { $0.name == name }?.value)
    }

    /// Returns the status of the program's response to a redirect of the browser.
    private static func status(_ browser: SessionManager, _ url: URL, _ query: String) async throws -> Int? {
        let redirect = try parameter("redirect_uri", of: url)
        let state = try parameter("state", of: url)
        let text = query.replacing("STATE", with: state)
        // The program cancels its closure when the redirect has arrived. The browser gets the response nevertheless.
        return await Task { await browser.get("\(redirect)\(text)").response().statusCode }.value
    }

    /// Logs in with a query for the redirect.
    private func login(
        _ query: String,
        server: OAuth2Server? = nil
    ) async throws(LarkspurError) -> OAuth2Credential {
        let client = OAuth2Client("app", server: server ?? fake.server, manager: fake.manager)
        return try await client.authorizeInBrowser { [browser] url in
            _ = try await Self.status(browser, url, query)
        }
    }

    @Test("The code of the redirect is exchanged, with the proof", arguments: TestTransport.allCases)
    func token(_ transport: TestTransport) async throws {
        let fake = try AuthorizationServer(transport)
        fake.loopback.route("/token", .json(#"{"access_token": "a1", "refresh_token": "r1"}"#))
        let urls = Recorder<URL>()
        let statuses = Recorder<Int?>()
        let credential = try await fake.client(secret: "s").authorizeInBrowser(
            scope: "read write",
            parameters: ["prompt": "consent"],
            redirectPath: "/done"
        ) { [browser] url in
            urls.record(url)
            statuses.record(try await Self.status(browser, url, "?code=c%2B1+2&state=STATE&iss=\(fake.issuer)"))
        }
        #expect(credential == OAuth2Credential(accessToken: "a1", refreshToken: "r1"))
        #expect(statuses.values == [200])

        let url = try #require(urls.values.first)
        #expect(url.absoluteString.hasPrefix(fake.issuer + "/authorize?tenant=a&"))
        let names = ["response_type", "client_id", "scope", "prompt", "code_challenge_method"]
        #expect(
            try names.map { try Self.parameter($0, of: url) } == ["code", "app: 1", "read write", "consent", "S256"]
        )
        let redirect = try Self.parameter("redirect_uri", of: url)
        #expect(redirect.wholeMatch(of: /http:\/\/127\.0\.0\.1:\d+\/done/) != nil)
        let form = try #require(fake.forms(to: "/token").first)
        #expect(form["grant_type"] == "authorization_code" && form["code"] == "c+1 2")
        #expect(form["redirect_uri"] == redirect && form["client_id"] == nil)
        let verifier = try #require(form["code_verifier"])
        #expect(try verifier.utf8.count == 43 && Self.parameter("code_challenge", of: url) == hash(verifier))
    }

    private func hash(_ verifier: String) -> String { SHA256.hash(Data(verifier.utf8)).base64URL }

    @Test("State and proof are new for each login")
    func random() async throws {
        let urls = Recorder<URL>()
        for _ in 0..<2 {
            _ = try await fake.client().authorizeInBrowser { [browser] url in
                urls.record(url)
                _ = try await Self.status(browser, url, "?code=c&state=STATE")
            }
        }
        for name in ["state", "code_challenge"] {
            #expect(Set(try urls.values.map { try Self.parameter(name, of: $0) }).count == 2)
        }
        #expect(try Self.parameter("state", of: urls.values[0]).utf8.count == 43)
    }

    @Test("Requests with another state, path or method get a 404, and the login continues")
    func others() async throws {
        let statuses = Recorder<Int?>()
        let credential = try await fake.client().authorizeInBrowser { [browser] url in
            for query in [
                "", "?code=x", "?code=x&state=wrong", "?code=x&state=STATE&state=STATE", "/more?code=x&state=STATE",
                "?code=x&state=STATE%00", "?error=access_denied&state=",
            ] {
                statuses.record(try await Self.status(browser, url, query))
            }
            let redirect = try Self.parameter("redirect_uri", of: url)
            let target = try "\(redirect)?code=x&state=\(Self.parameter("state", of: url))"
            statuses.record(await browser.post(target, parameters: ["a": "b"]).response().statusCode)
            statuses.record(await browser.head(target).response().statusCode)
            statuses.record(try await Self.status(browser, url, "?code=right&state=STATE"))
        }
        #expect(statuses.values == Array(repeating: 404, count: 9) + [200])
        #expect(credential.accessToken == "a1" && fake.forms(to: "/token").map { $0["code"] } == ["right"])
    }

    @Test("A refusal of the server is the error, and no code is exchanged")
    func refusal() async throws {
        let query = "?error=access_denied&error_description=The+user+said+no.&error_uri=https://id.test/e&state=STATE"
        let error = await #expect(throws: LarkspurError.self) { try await login(query) }
        let failure = try #require(error?.oauth2Failure)
        #expect(error?.code == .authorizationFailed && failure.code == "access_denied" && failure.statusCode == nil)
        #expect(failure.explanation == "The user said no" && failure.page?.absoluteString == "https://id.test/e")
        #expect(fake.loopback.requests.isEmpty)
    }

    @Test(
        "A redirect from another issuer, or without exactly one code, is refused",
        arguments: [
            ("?code=c&state=STATE&iss=https://evil.test", false, "another issuer"),
            ("?error=access_denied&state=STATE&iss=https://evil.test", false, "another issuer"),
            ("?code=c&state=STATE&iss=", false, "another issuer"), ("?code=c&state=STATE", true, "name its issuer"),
            ("?state=STATE", false, "exactly one code"), ("?code=&state=STATE", false, "exactly one code"),
            ("?code=a&code=b&state=STATE", false, "exactly one code"),
        ]
    )
    func refused(_ query: String, _ sendsIssuer: Bool, _ reason: String) async throws {
        var server = fake.server
        server.sendsIssuer = sendsIssuer
        let error = await #expect(throws: LarkspurError.self) { try await login(query, server: server) }
        #expect(error?.code == .authorizationFailed && error?.message.contains(reason) == true)
        #expect(error?.oauth2Failure == nil && fake.loopback.requests.isEmpty)
    }

    @Test("A server whose issuer is unknown may name itself")
    func unknownIssuer() async throws {
        var server = fake.server
        server.issuer = nil
        #expect(try await login("?code=c&state=STATE&iss=https://id.test", server: server).accessToken == "a1")
    }

    @Test("A wrong code is the server's error, without the code and the proof")
    func wrongCode() async throws {
        fake.loopback.route("/token") { request in
            .json(#"{"error": "invalid_grant", "error_description": "\#(request.text)"}"#, status: 400)
        }
        let error = try await #require(throws: LarkspurError.self) { try await login("?code=c0de-1&state=STATE") }
        let verifier = try #require(fake.forms(to: "/token").first?["code_verifier"])
        #expect(error.oauth2Failure?.code == "invalid_grant" && printed(error).contains("redacted"))
        #expect(!printed(error).contains("c0de-1") && !printed(error).contains(verifier))
    }

    @Test("A cancelled login closes its port")
    func cancellation() async throws {
        let urls = Recorder<URL>()
        let task = Task { [fake] in try await fake.client().authorizeInBrowser { urls.record($0) } }
        let url = try await urls.first()
        #expect(try await Self.status(browser, url, "") == 404)
        task.cancel()
        let error = await #expect(throws: LarkspurError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        let redirect = try Self.parameter("redirect_uri", of: url)
        #expect(await browser.get(redirect).response().error?.code == .cannotConnectToHost)
    }

    @Test("A login that takes too long ends, and its port is closed")
    func timeLimit() async throws {
        let clock = TestClock()
        fake.manager.clock = clock
        let urls = Recorder<URL>()
        let task = Task { [fake] in
            try await fake.client().authorizeInBrowser(timeLimit: .seconds(60)) { urls.record($0) }
        }
        let url = try await urls.first()
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(60))
        let error = await #expect(throws: LarkspurError.self) { try await task.value }
        #expect(error?.code == .timedOut)
        let redirect = try Self.parameter("redirect_uri", of: url)
        #expect(await browser.get(redirect).response().error?.code == .cannotConnectToHost)
    }

    @Test("The error of the closure ends the login")
    func failedOpening() async throws {
        let error = await #expect(throws: LarkspurError.self) {
            try await fake.client().authorizeInBrowser { _ in throw POSIXError(.ENOENT) }
        }
        #expect(error?.code == .authorizationFailed && (error?.underlyingError as? POSIXError)?.code == .ENOENT)
    }

    @Test("Without a page, without S256 and with a wrong path, nothing is opened")
    func unsupported() async throws {
        let urls = Recorder<URL>()
        var server = fake.server
        server.supportsS256 = false
        for server in [server, OAuth2Server(tokenEndpoint: fake.server.tokenEndpoint)] {
            let client = OAuth2Client("app", server: server, manager: fake.manager)
            let error = await #expect(throws: LarkspurError.self) {
                try await client.authorizeInBrowser { urls.record($0) }
            }
            #expect(error?.code == .unsupported)
        }
        for path in ["", "callback", "/a?b", "/a b", "//\r\n"] {
            let error = await #expect(throws: LarkspurError.self) {
                try await fake.client().authorizeInBrowser(redirectPath: path) { urls.record($0) }
            }
            #expect(error?.code == .invalidURL)
        }
        #expect(urls.values.isEmpty)
    }

    @Test("A port of the program's choice is used, and a port in use is an error")
    func port() async throws {
        let listener = try LoopbackListener()
        let port = listener.port
        let error = await #expect(throws: LarkspurError.self) {
            try await fake.client().authorizeInBrowser(port: port) { _ in }
        }
        #expect(error?.code == .authorizationFailed)
        #expect((error?.underlyingError as? POSIXError)?.code == .EADDRINUSE)
    }

    @Test("The challenge is the one of RFC 7636, appendix B")
    func vector() {
        let challenge = CodeChallenge(verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
        #expect(challenge.challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
        #expect([0xFB, 0xFF, 0xFE].base64URL == "-__-" && [0xFF].base64URL == "_w" && [UInt8]().base64URL.isEmpty)
    }
}
