#if canImport(FoundationNetworking)
import LarkspurTesting
import SessionClients
import Testing

@testable import LarkspurTransport

/// Sends a request as code does that was compiled without LarkspurTransport.
extension AsyncCall {
    func outcome(
        _ request: URLRequest,
        with session: URLSession,
        delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> Outcome {
        let content = try TemporaryFile(Data("content".utf8))
        do {
            let (data, response) = try await send(request, content: content.url, with: session, delegate: delegate)
            return Outcome(data: data, response: response)
        } catch {
            return Outcome(error: error)
        }
    }
}

@Suite("A session in code that was compiled without this module", .timeLimit(.minutes(5)))
struct HandedSessionTests {
    let server: LoopbackServer
    let session = CurlURLSession(configuration: .testing)

    init() throws { server = try LoopbackServer() }

    @Test("The engine performs every async method", arguments: AsyncCall.allCases)
    func carried(call: AsyncCall) async throws {
        server.route("/carried", .text("carried"))
        let configuration = URLSessionConfiguration.testing { $0.httpAdditionalHeaders = ["X-Additional": "a"] }
        let session = CurlURLSession(configuration: configuration)
        let outcome = try await call.outcome(URLRequest(server.url("/carried"), "PUT"), with: session)
        #expect(outcome.text == "carried")
        #expect(outcome.status == 200)
        #expect(outcome.response?.url == server.url("/carried"))
        let request = try #require(server.requests.last)
        #expect(request.method == (call.takesRequest ? "PUT" : "GET"))
        #expect(request.body == (call == .uploadData || call == .uploadFile ? Data("content".utf8) : Data()))
        #expect(request.headers["X-Additional"] == "a")
        // FoundationNetworking's engine sends this field, and would have sent what follows as well.
        #expect(request.headers["Connection"] == nil)
    }

    @Test(
        "Content in memory has the session's size limit, and files have none",
        arguments: AsyncCall.allCases
    )
    func maximumContentSize(call: AsyncCall) async throws {
        var options = CurlURLSession.Options()
        options.maximumContentSize = 1000
        let session = CurlURLSession(configuration: .testing, options: options)
        defer { session.finishTasksAndInvalidate() }
        for count in [1000, 1001] {
            server.route("/\(count)", .data(Data(count: count)))
            server.route("/chunked/\(count)", .chunked([Data(count: 500), Data(count: count - 500)]))
        }
        let isFile = call == .downloadForRequest || call == .downloadFromURL
        for path in ["/", "/chunked/"] {
            let fitting = try await call.outcome(URLRequest(server.url(path + "1000"), "PUT"), with: session)
            #expect(fitting.data?.count == 1000)
            let larger = try await call.outcome(URLRequest(server.url(path + "1001"), "PUT"), with: session)
            #expect(larger.data?.count == (isFile ? 1001 : nil))
            #expect(larger.code == (isFile ? nil : .dataLengthExceedsMaximum))
        }
    }

    @Test("Without a credential, a 401 is the response", arguments: AsyncCall.allCases, Self.challenges)
    func refused(call: AsyncCall, challenge: String) async throws {
        server.route("/refused", .text("denied", status: 401).adding("WWW-Authenticate", challenge))
        let outcome = try await call.outcome(URLRequest(url: server.url("/refused")), with: session)
        #expect(outcome.status == 401)
        #expect(outcome.text == "denied")
        #expect(outcome.field("WWW-Authenticate") == challenge)
        #expect(outcome.response?.url == server.url("/refused"))
    }

    static let challenges = [
        #"Basic realm="r""#, "Basic", "Bearer", #"Digest realm="r", nonce="n", qop="auth""#,
        #"Bearer, Basic realm="r""#, "Negotiate", "nonsense !",
    ]

    @Test("The delegate of the call handles challenges, or else that of the session", arguments: [true, false])
    func challenged(isDelegateOfCall: Bool) async throws {
        server.protect("/protected")
        for (path, text) in [("/protected", "welcome"), ("/digest-auth/auth/user/password", nil)] {
            let delegate = ChallengeDelegate(user: "user", "password")
            let other = ChallengeDelegate((.cancelAuthenticationChallenge, nil))
            let session = CurlURLSession(
                configuration: .testing,
                delegate: isDelegateOfCall ? other : delegate,
                delegateQueue: nil
            )
            defer { session.invalidateAndCancel() }
            let outcome = try await AsyncCall.dataForRequest.outcome(
                URLRequest(url: server.url(path)),
                with: session,
                delegate: isDelegateOfCall ? delegate : nil
            )
            #expect(outcome.status == 200)
            #expect(text == nil || outcome.text == text)
            #expect(delegate.challenges.values.count == 1)
            #expect(other.challenges.values.isEmpty)
        }
    }

    @Test(
        "Redirects are followed by the engine, and the delegate of the call may refuse them",
        arguments: AsyncCall.allCases
    )
    func redirected(call: AsyncCall) async throws {
        server.route("/away", .redirect(to: "/there", status: 307))
        server.route("/there", .text("there"))
        let request = URLRequest(server.url("/away"), "POST")
        let followed = try await call.outcome(request, with: session)
        #expect(followed.text == "there")
        #expect(followed.response?.url?.path == "/there")
        #expect(server.requests(to: "/there").map(\.body) == server.requests(to: "/away").map(\.body))

        let log = DelegateLog(.with { $0.redirect = { _, _, decide in decide(nil) } })
        let refused = try await call.outcome(request, with: session, delegate: log)
        #expect(refused.status == 307)
        #expect(log.names.contains("redirect"))
        #expect(server.requests(to: "/there").count == 1)
    }

    @Test(
        "An error before the response, during the content, or because of a missing URL is thrown",
        arguments: AsyncCall.allCases
    )
    func failed(call: AsyncCall) async throws {
        let broken = try RawServer { connection in
            connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\nContent-Le")
        }
        defer { broken.stop() }
        let urls = [broken.url, server.url("/fault/short-body"), try #require(URL(string: "http://127.0.0.1:1/"))]
        for url in urls {
            let outcome = try await call.outcome(URLRequest(url: url), with: session)
            #expect(outcome.error is URLError)
        }
        guard call.takesRequest else { return }
        var request = URLRequest(url: server.url("/get"))
        request.url = nil
        #expect(try await call.outcome(request, with: session).error is URLError)
        request = URLRequest(server.url("/get"), "A B")
        #expect(try await call.outcome(request, with: session).error is URLError)
    }

    @Test("Responses to HEAD, empty content and decoded content are delivered")
    func contents() async throws {
        server.route("/empty", .status(204))
        server.route("/coded", .text(String(repeating: "coded ", count: 10_000)).encoded(as: .gzip))
        for call in [AsyncCall.dataForRequest, .downloadForRequest] {
            let head = try await call.outcome(URLRequest(server.url("/bytes/100"), "HEAD"), with: session)
            #expect(head.status == 200)
            #expect(head.data?.isEmpty == true)
            let empty = try await call.outcome(URLRequest(url: server.url("/empty")), with: session)
            #expect(empty.status == 204)
            #expect(empty.data?.isEmpty == true)
            let coded = try await call.outcome(URLRequest(url: server.url("/coded")), with: session)
            #expect(coded.data?.count == 60_000)
            let large = try await call.outcome(URLRequest(url: server.url("/bytes/1000000")), with: session)
            #expect(large.data?.count == 1_000_000)
        }
    }

    @Test("The body or stream of a request is sent, and cookies follow the engine's rules")
    func requests() async throws {
        let url = server.url("/post")
        let request = URLRequest(url, "POST", body: Data("body".utf8))
        #expect(try await AsyncCall.dataForRequest.outcome(request, with: session).status == 200)
        var streamed = URLRequest(url, "POST")
        streamed.httpBodyStream = InputStream(data: Data("stream".utf8))
        #expect(try await AsyncCall.dataForRequest.outcome(streamed, with: session).status == 200)
        #expect(server.requests.map(\.body) == [Data("body".utf8), Data("stream".utf8)])

        let set = server.url("/response-headers?Set-Cookie=a%3Db%3B%20Path%3D/elsewhere")
        _ = try await AsyncCall.dataFromURL.outcome(URLRequest(url: set), with: session)
        for path in ["/elsewhere", "/anything"] {
            let own = URLRequest(server.url(path), "GET", headers: ["Cookie": "own=1"])
            _ = try await AsyncCall.dataForRequest.outcome(own, with: session)
        }
        #expect(server.values(of: "Cookie", at: "/anything") == ["own=1"])
    }

    @Test("Content in a data URL is decoded and downloaded, and a malformed data URL is an error")
    func dataURL() async throws {
        let url = try #require(URL(string: "data:text/plain;base64,Y29udGVudA=="))
        #expect(try await AsyncCall.dataFromURL.outcome(URLRequest(url: url), with: session).text == "content")
        let download = try await AsyncCall.downloadFromURL.outcome(URLRequest(url: url), with: session)
        #expect(download.text == "content")
        for text in ["data:;base64,%%%", "data:text/plain"] {
            let malformed = URLRequest(url: try #require(URL(string: text)))
            for call in [AsyncCall.dataFromURL, .dataForRequest, .downloadFromURL] {
                #expect(try await call.outcome(malformed, with: session).code == .badURL, "\(call) \(text)")
            }
        }
    }

    @Test("An upload may be empty or large", arguments: [AsyncCall.uploadData, .uploadFile], [0, 1, 3_000_000])
    func uploads(call: AsyncCall, size: Int) async throws {
        let content = try TemporaryFile(Data((0..<size).map { UInt8(truncatingIfNeeded: $0) }))
        server.route("/upload", .text("taken"))
        let request = URLRequest(server.url("/upload"), "PUT")
        let (data, _) = try await call.send(request, content: content.url, with: session)
        #expect(String(decoding: data, as: UTF8.self) == "taken")
        #expect(try server.requests.last?.body == Data(contentsOf: content.url))
    }

    @Test("An upload of a missing file is an error")
    func missingFile() async throws {
        let file = URL(fileURLWithPath: "/nonexistent/file")
        let request = URLRequest(server.url("/post"), "POST")
        await #expect(throws: URLError.self) {
            try await AsyncCall.uploadFile.send(request, content: file, with: session)
        }
    }

    @Test("The caller's URLProtocol classes load their requests")
    func urlProtocol() async throws {
        let session = CurlURLSession(configuration: .testing { $0.protocolClasses = [StubProtocol.self] })
        for call in [AsyncCall.dataForRequest, .downloadForRequest] {
            for path in ["/plain", "/redirect"] {
                let url = try #require(URL(string: "http://stub.test\(path)"))
                #expect(try await call.outcome(URLRequest(url: url), with: session).text == "stubbed")
            }
        }
    }

    @Test(
        "If the superclass has an unexpected layout, the error says which module to import",
        arguments: AsyncCall.allCases
    )
    func unknownLayout(call: AsyncCall) async throws {
        let session = CurlURLSession(
            .ephemeral,
            delegate: nil,
            queue: nil,
            options: .init(),
            callsDelegateOnLoop: false,
            unavailability: nil,
            tlsAbilities: nil,
            layout: nil
        )
        let outcome = try await call.outcome(URLRequest(url: server.url("/get")), with: session)
        #expect(outcome.error?.localizedDescription.contains("Import LarkspurTransport") == true)
        #expect(server.requests.isEmpty)
        #expect(try await session.outcome(of: server.url("/get")).status == 200)
    }

    @Test("The session's configuration equals the original, and works with URLSession")
    func configuration() async throws {
        let classes = session.configuration.protocolClasses ?? []
        #expect(!classes.contains { $0 == HandedTaskProtocol.self })
        #expect(session.configuration.httpCookieStorage != nil)
        let other = URLSession(configuration: session.configuration)
        #expect(
            try await AsyncCall.dataForRequest.outcome(URLRequest(url: server.url("/get")), with: other).status == 200
        )
        #expect(server.requests.last?.headers["Connection"] == "keep-alive")
    }

    @Test("Clients with common designs work")
    func clients() async throws {
        let client = JSONClient(base: server.url("/"), session: session)
        struct Echo: Decodable, Sendable { let data: String }
        let echo: Echo = try await client.send("anything", method: "POST", body: Data(#""text""#.utf8))
        #expect(echo.data == #""text""#)
        server.route("/refused", .text("denied", status: 401).adding("WWW-Authenticate", #"Basic realm="r""#))
        await #expect(throws: JSONClient.UnacceptableStatus.self) { () -> Echo in try await client.send("refused") }

        let transport = BufferingTransport(session: session)
        let (status, fields, data) = try await transport.send(
            URLRequest(server.url("/anything"), "PUT"),
            body: Data("up".utf8)
        )
        #expect(status == 200)
        #expect(fields["content-type"]?.hasPrefix("application/json") == true)
        #expect(String(decoding: data, as: UTF8.self).contains("up"))
    }
}
#endif
