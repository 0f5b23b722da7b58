#if canImport(FoundationNetworking)
import Foundation
import LarkspurTesting
import LarkspurTransport
import Testing
import TestSupport

/// HSTS in sessions, with a server that speaks TLS on the port that the http URLs name.
@Suite("HSTS in sessions", .timeLimit(.minutes(5)))
struct HSTSSessionTests {
    private let server: LoopbackServer
    private let plain: LoopbackServer
    private let store = HSTSStore()

    init() throws {
        server = try LoopbackServer(tls: .selfSigned(hosts: ["a.test", "b.a.test", "other.test", "127.0.0.1"]))
        plain = try LoopbackServer()
        server.route("/strict") { _ in .status(204, headers: ["Strict-Transport-Security": "max-age=100"]) }
    }

    private func options() throws -> CurlURLSession.Options {
        var options = CurlURLSession.Options()
        options.hsts = store
        options.tls.trustedRoots = .only([try TLSCertificate(server.certificate?.der ?? Data())])
        for name in ["a.test", "b.a.test", "other.test"] {
            for port in [server.port, plain.port] {
                options.hostAddresses.append(HostAddress(host: name, port: Int(port), addresses: ["127.0.0.1"]))
            }
        }
        return options
    }

    private func session(
        _ configuration: URLSessionConfiguration = .testing,
        delegate: (any URLSessionDelegate)? = nil,
        _ change: (inout CurlURLSession.Options) -> Void = { _ in }
    ) throws -> CurlURLSession {
        var options = try options()
        change(&options)
        return CurlURLSession(configuration: configuration, delegate: delegate, options: options)
    }

    private func url(_ scheme: String, _ host: String, _ path: String = "/anything") throws -> URL {
        try #require(URL(string: "\(scheme)://\(host):\(server.port)\(path)"))
    }

    private func learn(_ session: CurlURLSession, from host: String = "a.test") async throws {
        #expect(try await session.outcome(of: url("https", host, "/strict")).status == 204)
    }

    @Test("After a Strict-Transport-Security field, an http URL of the host is requested over https")
    func upgrade() async throws {
        let session = try session()
        defer { session.invalidateAndCancel() }
        let early = try await session.outcome(of: url("http", "a.test"))
        #expect(early.error != nil)
        try await learn(session)
        #expect(store.hosts.map(\.name) == ["a.test"])

        let outcomes = Recorder<Outcome>()
        let task = session.dataTask(with: try url("http", "a.test", "/anything?b=c")) {
            outcomes.record(Outcome(data: $0, response: $1, error: $2))
        }
        task.resume()
        let outcome = try await outcomes.first()
        #expect(outcome.status == 200)
        #expect(outcome.response?.url == (try url("https", "a.test", "/anything?b=c")))
        #expect(task.originalRequest?.url == (try url("http", "a.test", "/anything?b=c")))
        #expect(task.currentRequest?.url == (try url("https", "a.test", "/anything?b=c")))
    }

    @Test("Without the hsts option, and for unknown hosts, URLs stay on http")
    func others() async throws {
        let session = try session()
        defer { session.invalidateAndCancel() }
        try await learn(session)
        let http = try #require(URL(string: "http://other.test:\(plain.port)/anything"))
        #expect(try await session.outcome(of: http).status == 200)
        let known = try #require(URL(string: "http://a.test:\(plain.port)/anything"))
        #expect(try await session.outcome(of: known).error != nil)
        let without = try self.session { $0.hsts = nil }
        defer { without.invalidateAndCancel() }
        #expect(try await without.outcome(of: known).status == 200)
    }

    @Test("A Strict-Transport-Security field over plain http or of an IP address is ignored")
    func plainHTTP() async throws {
        plain.route("/strict") { _ in .status(204, headers: ["Strict-Transport-Security": "max-age=100"]) }
        let session = try session()
        defer { session.invalidateAndCancel() }
        let http = try #require(URL(string: "http://a.test:\(plain.port)/strict"))
        #expect(try await session.outcome(of: http).status == 204)
        #expect(try await session.outcome(of: url("https", "127.0.0.1", "/strict")).status == 204)
        #expect(store.hosts.isEmpty)
    }

    @Test("A session that does not verify servers adds no hosts")
    func unverified() async throws {
        for change: (inout TLSConfiguration) -> Void in [
            { $0.dangerouslySkipsCertificateVerification = true }, { $0.dangerouslySkipsHostNameVerification = true },
        ] {
            let session = try session { change(&$0.tls) }
            defer { session.invalidateAndCancel() }
            try await learn(session)
            #expect(store.hosts.isEmpty)
        }
    }

    @Test("Of several Strict-Transport-Security fields, the first one is used, and a malformed one is ignored")
    func repeatedFields() async throws {
        let session = try session()
        defer { session.invalidateAndCancel() }
        for (path, fields, names) in [
            ("/first", ["max-age=100", "max-age=0"], ["a.test"]), ("/none", ["", "max-age=0"], ["a.test"]),
            ("/malformed", ["max-age=0,x", "max-age=0"], ["a.test"]), ("/removed", ["max-age=0", "max-age=9"], []),
        ] {
            server.route(path) { _ in
                var response = LoopbackServer.Response(status: 204)
                for field in fields { response.headers.append("Strict-Transport-Security", field) }
                return response
            }
            #expect(try await session.outcome(of: url("https", "a.test", path)).status == 204)
            #expect(store.hosts.map(\.name) == names, "\(path)")
        }
    }

    @Test("A redirect to an http URL of the host is followed over https, with the origin's credentials")
    func redirects() async throws {
        let target = try url("http", "a.test", "/headers")
        server.route("/redirect") { _ in .status(302, headers: ["Location": target.absoluteString]) }
        let log = DelegateLog()
        let session = try session(delegate: log)
        defer { session.invalidateAndCancel() }
        store.insert(HSTSStore.Host(name: "a.test", expirationDate: .distantFuture))
        let request = URLRequest(
            try url("https", "a.test", "/redirect"),
            "GET",
            headers: ["Authorization": "Bearer secret"]
        )
        let outcome = try await session.outcome(of: request)
        #expect(outcome.response?.url == (try url("https", "a.test", "/headers")))
        #expect(outcome.text?.contains("Bearer secret") == true)

        store.removeAll()
        #expect(
            try await session.outcome(of: request).code == .appTransportSecurityRequiresSecureConnection
        )
    }

    @Test("A request that changes to https has the credentials and cookies of the https URL")
    func credentials() async throws {
        let configuration = URLSessionConfiguration.testing
        configuration.httpAdditionalHeaders = ["Authorization": "Bearer secret"]
        let session = try session(configuration)
        defer { session.invalidateAndCancel() }
        server.route("/cookie") { _ in .status(204, headers: ["Set-Cookie": "a=b; Secure"]) }
        #expect(try await session.outcome(of: url("https", "a.test", "/cookie")).status == 204)
        try await learn(session)
        let text = try await session.outcome(of: url("http", "a.test", "/headers")).text
        #expect(text?.contains("Bearer secret") == true)
        #expect(text?.contains("a=b") == true)
    }

    @Test("A WebSocket's URL changes to wss for a known host")
    func webSocket() async throws {
        server.webSocket("/echo") { _ in }
        let session = try session()
        defer { session.invalidateAndCancel() }
        try await learn(session)
        let socket = session.webSocket(with: try url("ws", "a.test", "/echo"))
        try await socket.open()
        socket.cancel()
    }
}
#endif
