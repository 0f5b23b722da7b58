#if canImport(FoundationNetworking)
import Foundation
import LarkspurTesting
import Testing
import TestSupport

@testable import LarkspurTransport

@Suite("Connections in advance", .timeLimit(.minutes(5)))
struct ConnectTests {
    private func session(
        connectionsPerHost: Int = 6,
        trusting server: LoopbackServer? = nil,
        delegate: (any URLSessionDelegate)? = nil,
        _ change: (URLSessionConfiguration) -> Void = { _ in }
    ) throws -> CurlURLSession {
        let configuration = URLSessionConfiguration.testing
        configuration.httpMaximumConnectionsPerHost = connectionsPerHost
        change(configuration)
        var options = CurlURLSession.Options()
        options.proxy = configuration.connectionProxyDictionary == nil ? .direct : .automatic
        if let certificate = server?.certificate {
            options.tls.trustedRoots = .only([try TLSCertificate(certificate.der)])
        }
        return CurlURLSession(configuration: configuration, delegate: delegate, options: options)
    }

    @Test("The connections are open, idle, and used by the next requests", arguments: [false, true], [1, 3])
    func connections(_ isSecure: Bool, _ count: Int) async throws {
        let server = isSecure ? try LoopbackServer(tls: .selfSigned()) : try LoopbackServer()
        let session = try session(trusting: server)
        defer { session.invalidateAndCancel() }
        try await session.connect(to: server.url("/path?query=1"), count: count)
        let origin = try #require(await session.connections.first)
        #expect(origin.open == count && origin.idle == count)
        #expect(server.acceptedConnectionCount == count)
        #expect(server.requests.map(\.method) == Array(repeating: "HEAD", count: count))
        #expect(Set(server.requests.map(\.target)) == ["/"])
        #expect(try await session.outcome(of: server.url("/get")).status == 200)
        #expect(server.acceptedConnectionCount == count)
    }

    @Test("Connections that are open already count, and those that are missing are opened")
    func present() async throws {
        let server = try LoopbackServer()
        let gate = LoopbackServer.Gate()
        server.route("/wait", .text("done").held(until: gate))
        let session = try session()
        defer { session.invalidateAndCancel() }
        try await session.connect(to: server.baseURL)
        try await session.connect(to: server.baseURL)
        #expect(server.requests.count == 1)
        let outcomes = Recorder<Int?>()
        for _ in 0..<2 {
            session.dataTask(with: server.url("/wait")) { _, response, _ in
                outcomes.record((response as? HTTPURLResponse)?.statusCode)
            }
            .resume()
        }
        try await server.waitForRequests(3)
        // Two have requests.
        try await session.connect(to: server.baseURL, count: 2)
        #expect(server.requests.count == 3)
        try await session.connect(to: server.baseURL, count: 4)
        #expect(server.acceptedConnectionCount == 4)
        gate.open()
        #expect(try await outcomes.wait(for: 2) == [200, 200])
        // An idle connection is not used instead of a new one.
        try await session.connect(to: server.baseURL, count: 6)
        #expect(server.acceptedConnectionCount == 6)
        #expect(await session.connections.first?.idle == 6)
    }

    @Test("No more connections are opened than the configuration allows, and none for a count below 1")
    func limit() async throws {
        let server = try LoopbackServer()
        let session = try session(connectionsPerHost: 2)
        defer { session.invalidateAndCancel() }
        for count in [-1, 0, 1000] {
            try await session.connect(to: server.baseURL, count: count)
            #expect(server.acceptedConnectionCount == (count > 0 ? 2 : 0))
        }
    }

    @Test("The connection of a WebSocket does not count")
    func webSocket() async throws {
        let server = try LoopbackServer()
        let gate = LoopbackServer.Gate()
        server.webSocket("/socket") { _ in gate.wait() }
        let session = try session()
        defer { session.invalidateAndCancel() }
        let socket = session.webSocket(with: server.url("/socket"))
        try await socket.open()
        try await session.connect(to: server.baseURL)
        #expect(server.acceptedConnectionCount == 2)
        gate.open()
        socket.cancel()
    }

    @Test(
        "Any status will do, and neither challenges nor redirects are followed",
        arguments: [200, 302, 401, 404, 503]
    )
    func statuses(_ status: Int) async throws {
        let server = try LoopbackServer()
        var response = LoopbackServer.Response.status(status)
        response.headers["Location"] = "/get"
        response.headers["WWW-Authenticate"] = "Basic realm=r"
        server.route("/", response)
        let delegate = ChallengeDelegate(user: "ada", "secret")
        let session = try session(delegate: delegate)
        defer { session.invalidateAndCancel() }
        try await session.connect(to: server.baseURL)
        #expect(server.requests.count == 1)
        #expect(delegate.challenges.values.isEmpty)
        #expect(await session.connections.first?.idle == 1)
    }

    @Test("The request has no cookies and credentials, and its response changes neither cookies nor cache")
    func secrets() async throws {
        let server = try LoopbackServer()
        var response = LoopbackServer.Response.text("root")
        response.headers["Set-Cookie"] = "b=2"
        response.headers["Cache-Control"] = "max-age=1000"
        server.route("/", response)
        let cookies = try #require(URLSessionConfiguration.ephemeral.httpCookieStorage)
        let cookie = try #require(
            HTTPCookie(properties: [.name: "a", .value: "1", .domain: "127.0.0.1", .path: "/"])
        )
        cookies.setCookie(cookie)
        let session = try session {
            $0.httpCookieStorage = cookies
            $0.httpCookieAcceptPolicy = .always
            $0.urlCache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: nil)
            $0.httpAdditionalHeaders = ["Authorization": "Bearer secret", "X-Api-Key": "secret", "X-Name": "name"]
        }
        defer { session.invalidateAndCancel() }
        let url = try #require(URL(string: "http://ada:secret@127.0.0.1:\(server.port)/?token=secret#secret"))
        try await session.connect(to: url)
        let request = try #require(server.requests.first)
        #expect(request.headers["X-Name"] == "name")
        for name in ["Authorization", "X-Api-Key", "Cookie"] { #expect(request.headers[name] == nil) }
        #expect(request.target == "/")
        #expect(cookies.cookies?.map(\.name) == ["a"])
        #expect(try await session.outcome(of: server.baseURL).text == "root")
        #expect(server.requests.map(\.method) == ["HEAD", "GET"])
    }

    @Test("A proxy gets its credentials, and its challenge is answered")
    func proxy() async throws {
        let server = try LoopbackServer()
        server.route("/") { request in
            request.headers["Proxy-Authorization"] == nil
                ? .text("who", status: 407).adding("Proxy-Authenticate", "Basic realm=p") : .text("root")
        }
        var options = CurlURLSession.Options()
        let proxy = ProxyServer(host: "127.0.0.1", port: Int(server.port), user: "ada", password: "secret")
        options.proxy = .server(proxy)
        let session = CurlURLSession(configuration: .testing, options: options)
        defer { session.invalidateAndCancel() }
        try await session.connect(to: try #require(URL(string: "http://nowhere.test/path")))
        let fields = server.requests.map { $0.headers["Proxy-Authorization"] }
        #expect(fields.last == "Basic " + Data("ada:secret".utf8).base64EncodedString())
        #expect(server.acceptedConnectionCount == 1)
    }

    @Test("Errors are those of a request")
    func errors() async throws {
        let server = try LoopbackServer()
        let url = server.baseURL
        server.stop()
        let session = try session()
        let refusal = await #expect(throws: URLError.self) { try await session.connect(to: url, count: 2) }
        #expect(refusal?.code == .cannotConnectToHost)
        for text in ["ftp://a.test/", "ws://a.test/", "data:,a", "path"] {
            let other = try #require(URL(string: text))
            let error = await #expect(throws: URLError.self) { try await session.connect(to: other) }
            #expect(error?.code == .unsupportedURL, "\(text)")
        }
        session.invalidateAndCancel()
        let end = await #expect(throws: URLError.self) { try await session.connect(to: url) }
        #expect(end?.code == .cancelled)
    }

    @Test("If the task that waits is cancelled, the connection is not opened")
    func cancellation() async throws {
        let silent = try SilentServer(isFull: false)
        let session = try session()
        defer { session.invalidateAndCancel() }
        let url = try silent.url(scheme: "https")
        let task = Task { try await session.connect(to: url) }
        try await eventually(1) { await session.connections.first?.open }
        task.cancel()
        let error = await #expect(throws: URLError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        try await eventually { await session.connections.first?.open != 1 }
    }
}
#endif
