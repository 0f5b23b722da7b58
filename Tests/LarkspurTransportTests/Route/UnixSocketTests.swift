#if canImport(FoundationNetworking)
import Foundation
import LarkspurTesting
import Testing

@testable import LarkspurTransport

@Suite(.timeLimit(.minutes(5))) struct UnixSocketTests {
    private func makePath() -> String {
        FileManager.default.temporaryDirectory.appendingPathComponent("Larkspur \(UUID().uuidString.prefix(8)).sock")
            .path
    }

    @Test("A URL whose host is the path of a socket is requested from the server at that socket")
    func request() async throws {
        let path = makePath()
        let server = try LoopbackServer(unixSocket: path)
        defer { server.stop() }
        let session = CurlURLSession(configuration: .testing)
        defer { session.invalidateAndCancel() }
        let url = try #require(URL(unixSocket: path, resource: "/anything/a%20b?c=d"))
        let outcome = try await session.outcome(of: url)
        #expect(outcome.status == 200)
        #expect(outcome.response?.url == url)
        #expect(server.requests.map(\.target) == ["/anything/a%20b?c=d"])
        #expect(server.requests.first?.headers["Host"] == "localhost")
    }

    @Test("Connections to sockets and to ports are kept separate, and reused")
    func reuse() async throws {
        let path = makePath()
        let local = try LoopbackServer(unixSocket: path)
        defer { local.stop() }
        let remote = try LoopbackServer()
        defer { remote.stop() }
        let session = CurlURLSession(configuration: .testing)
        defer { session.invalidateAndCancel() }
        let url = try #require(URL(unixSocket: path, resource: "/get"))
        for _ in 0..<3 {
            #expect(try await session.outcome(of: url).status == 200)
            #expect(try await session.outcome(of: remote.url("/get")).status == 200)
        }
        #expect(local.requests.map(\.connection) == [1, 1, 1])
        #expect(remote.requests.map(\.connection) == [1, 1, 1])
    }

    @Test("A relative redirect stays on its socket, and a redirect from elsewhere to a socket fails")
    func redirects() async throws {
        let path = makePath()
        let server = try LoopbackServer(unixSocket: path)
        defer { server.stop() }
        server.route("/relative", .redirect(to: "/get"))
        server.route("/other", .redirect(to: "http+unix://%2Fother.sock/get"))
        let session = CurlURLSession(configuration: .testing)
        defer { session.invalidateAndCancel() }
        let outcome = try await session.outcome(of: try #require(URL(unixSocket: path, resource: "/relative")))
        #expect(outcome.status == 200)
        #expect(outcome.response?.url == URL(unixSocket: path, resource: "/get"))
        let other = try await session.outcome(of: try #require(URL(unixSocket: path, resource: "/other")))
        #expect(other.code == .unsupportedURL)
        let remote = try LoopbackServer()
        defer { remote.stop() }
        let target = try #require(URL(unixSocket: path, resource: "/get"))
        remote.route("/inwards", .redirect(to: target.absoluteString))
        #expect(try await session.outcome(of: remote.url("/inwards")).code == .unsupportedURL)
    }

    @Test("The session's secrets are sent to a requested socket, and cookies from the socket are not stored")
    func secrets() async throws {
        let path = makePath()
        let server = try LoopbackServer(unixSocket: path)
        defer { server.stop() }
        server.route("/cookie", .status(200, headers: ["Set-Cookie": "a=b"]))
        let configuration = URLSessionConfiguration.testing {
            $0.httpAdditionalHeaders = ["Authorization": "Bearer token"]
        }
        let session = CurlURLSession(configuration: configuration)
        defer { session.invalidateAndCancel() }
        for _ in 0..<2 {
            _ = try await session.outcome(of: try #require(URL(unixSocket: path, resource: "/cookie")))
        }
        #expect(server.requests.map { $0.headers["Authorization"] } == ["Bearer token", "Bearer token"])
        #expect(server.requests.map { $0.headers["Cookie"] } == [nil, nil])
    }

    @Test("A socket is connected to directly, even if there is a proxy")
    func proxy() async throws {
        let path = makePath()
        let server = try LoopbackServer(unixSocket: path)
        defer { server.stop() }
        let other = try LoopbackServer()
        defer { other.stop() }
        var options = CurlURLSession.Options()
        options.proxy = .server(ProxyServer(host: "127.0.0.1", port: Int(other.port)))
        let session = CurlURLSession(configuration: .testing, options: options)
        defer { session.invalidateAndCancel() }
        let log = DelegateLog()
        let task = session.dataTask(with: try #require(URL(unixSocket: path, resource: "/get")))
        task.delegate = log
        #expect(try await log.outcome(of: task).status == 200)
        #expect(server.requests.map(\.target) == ["/get"])
        #expect(task.transactionMetrics.map(\.isProxyConnection) == [false])
        #expect(other.requests.isEmpty)
    }

    @Test("A missing socket is an error")
    func absent() async throws {
        let session = CurlURLSession(configuration: .testing)
        defer { session.invalidateAndCancel() }
        let outcome = try await session.outcome(of: try #require(URL(unixSocket: makePath(), resource: "/")))
        #expect(outcome.code == .cannotConnectToHost)
    }

    @Test(
        "A host that is not the path of a socket is an error",
        arguments: [
            "http+unix://docker/", "http+unix:///get", "http+unix://%2Fa:80/",
            "http+unix://\(String(repeating: "%2Fa", count: 60))/",
        ]
    )
    func invalid(text: String) async throws {
        let session = CurlURLSession(configuration: .testing)
        defer { session.invalidateAndCancel() }
        #expect(try await session.outcome(of: try #require(URL(string: text))).code == .badURL)
    }

    // MARK: A socket for all hosts

    private func session(_ path: String, _ change: (inout CurlURLSession.Options) -> Void = { _ in }) -> CurlURLSession
    {
        var options = CurlURLSession.Options()
        options.unixSocket = path
        change(&options)
        return CurlURLSession(configuration: .testing, options: options)
    }

    @Test("With a socket for all hosts, requests keep their URLs, fields and cookies")
    func allHosts() async throws {
        let path = makePath()
        let server = try LoopbackServer(unixSocket: path)
        defer { server.stop() }
        server.route("/cookie", .status(200, headers: ["Set-Cookie": "a=b"]))
        server.route("/moved", .redirect(to: "http://other.test/get"))
        let session = session(path)
        defer { session.invalidateAndCancel() }
        for text in ["http://docker.test/cookie", "http://docker.test/get?a=b", "http://docker.test/moved"] {
            #expect(try await session.outcome(of: try #require(URL(string: text))).status == 200, "\(text)")
        }
        #expect(server.requests.map(\.target) == ["/cookie", "/get?a=b", "/moved", "/get"])
        #expect(
            server.requests.map { $0.headers["Host"] } == ["docker.test", "docker.test", "docker.test", "other.test"]
        )
        #expect(server.requests.map { $0.headers["Cookie"] } == [nil, "a=b", "a=b", nil])
    }

    @Test("With a socket for all hosts, neither a resolver nor a proxy is used, and no family of addresses applies")
    func noNetwork() async throws {
        let path = makePath()
        let server = try LoopbackServer(unixSocket: path)
        defer { server.stop() }
        let proxy = try LoopbackServer()
        defer { proxy.stop() }
        let session = session(path) {
            $0.resolver = { _ in throw URLError(.unknown) }
            $0.proxy = .server(ProxyServer(host: "127.0.0.1", port: Int(proxy.port)))
            $0.addressFamily = .ipv6
        }
        defer { session.invalidateAndCancel() }
        #expect(try await session.outcome(of: try #require(URL(string: "http://docker.test/get"))).status == 200)
        #expect(try await session.outcome(of: try #require(URL(string: "http://127.0.0.1:1/get"))).status == 200)
        #expect(server.requests.count == 2 && proxy.requests.isEmpty)
    }

    @Test("A missing socket, an invalid path, and a rule for addresses are errors")
    func refusedSocket() async throws {
        let url = try #require(URL(string: "http://docker.test/get"))
        let absent = session("/tmp/none-such.sock")
        defer { absent.invalidateAndCancel() }
        let sentence = "The socket /tmp/none-such.sock could not be connected to: No such file or directory."
        #expect((try await absent.outcome(of: url).error as? URLError)?.localizedDescription == sentence)
        for path in ["relative", "", "/" + String(repeating: "a", count: 107)] {
            let session = session(path)
            defer { session.invalidateAndCancel() }
            let error = try await session.outcome(of: url).error as? URLError
            #expect(error?.code == .cannotFindHost)
            #expect(error?.localizedDescription.contains("not the path of a Unix-domain socket") == true)
        }
        let path = makePath()
        let server = try LoopbackServer(unixSocket: path)
        defer { server.stop() }
        let limited = session(path) { $0.allowedAddresses = .publicOnly }
        defer { limited.invalidateAndCancel() }
        let refused = try await limited.outcome(of: url).error as? URLError
        #expect(refused?.localizedDescription.contains("may not connect to Unix-domain sockets") == true)
        #expect(server.requests.isEmpty)
    }
}
#endif
