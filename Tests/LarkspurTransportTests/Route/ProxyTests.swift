#if canImport(FoundationNetworking)
import Foundation
import LarkspurTesting
import Testing

@testable import LarkspurTransport

/// An HTTP server may be told whole URLs, and then looks to a client like a proxy.
@Suite(.timeLimit(.minutes(5))) struct ProxyTests {
    private func session(
        _ proxy: ProxyChoice = .automatic,
        dictionary: [AnyHashable: Any]? = nil,
        _ change: (inout CurlURLSession.Options) -> Void = { _ in }
    ) -> CurlURLSession {
        var options = CurlURLSession.Options()
        options.proxy = proxy
        change(&options)
        return CurlURLSession(
            configuration: .testing { $0.connectionProxyDictionary = dictionary },
            options: options
        )
    }

    @Test("An http request is sent to the proxy with its whole URL")
    func plain() async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        let session = session(.server(ProxyServer(host: "127.0.0.1", port: Int(server.port)), exceptions: ["b.test"]))
        defer { session.invalidateAndCancel() }
        let log = DelegateLog()
        let task = session.dataTask(with: try #require(URL(string: "http://nowhere.test/anything?x=1")))
        task.delegate = log
        #expect(try await log.outcome(of: task).status == 200)
        #expect(server.requests.map(\.target) == ["http://nowhere.test/anything?x=1"])
        #expect(task.transactionMetrics.map(\.isProxyConnection) == [true])
        let excepted = try await session.outcome(of: try #require(URL(string: "http://b.test/")))
        #expect(excepted.code == .cannotFindHost)
    }

    @Test("Each request on a connection to a proxy has the Host of its URL, without a zone")
    func hosts() async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        let session = session(.server(ProxyServer(host: "127.0.0.1", port: Int(server.port))))
        defer { session.invalidateAndCancel() }
        let hosts = [
            "[fe80::1]", "a.test", "[fe80::1%25lo]:81", "b.test:8080", "127.1", "c.test.", "C.test:80", "[::1]",
        ]
        for host in hosts {
            let url = try #require(URL(string: "http://\(host)/anything"))
            #expect(try await session.outcome(of: url).status == 200)
        }
        let expected = [
            "[fe80::1]", "a.test", "[fe80::1]:81", "b.test:8080", "127.0.0.1", "c.test.", "c.test", "[::1]",
        ]
        #expect(server.requests.map { $0.headers["Host"] } == expected)
        #expect(!server.requests.contains { $0.target.contains("%25lo") })
        var own = URLRequest(url: try #require(URL(string: "http://a.test/anything")))
        own.setValue("own.test", forHTTPHeaderField: "Host")
        _ = try await session.data(for: own)
        #expect(server.requests.last?.headers["Host"] == "own.test")
    }

    @Test(
        "A proxy gets no request for an excepted host, in any spelling",
        arguments: ["127.1", "2130706433", "0x7f.1", "0177.0.0.1", "%3127.0.0.1", "127.0.0.1."]
    )
    func exceptedSpelling(host: String) async throws {
        let (server, proxy) = (try LoopbackServer(), try LoopbackServer())
        defer {
            server.stop()
            proxy.stop()
        }
        let choice = ProxyChoice.server(
            ProxyServer(host: "127.0.0.1", port: Int(proxy.port)),
            exceptions: ["127.0.0.1"]
        )
        let session = session(choice)
        defer { session.invalidateAndCancel() }
        let url = try #require(URL(string: "http://\(host):\(server.port)/get"))
        #expect(try await session.outcome(of: url).status == 200)
        #expect(proxy.requests.isEmpty)
        #expect(server.requests.map { $0.headers["Host"] } == ["127.0.0.1:\(server.port)"])
    }

    @Test("The proxy in the configuration's dictionary is used")
    func dictionary() async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        let session = session(dictionary: ["HTTPEnable": 1, "HTTPProxy": "127.0.0.1", "HTTPPort": Int(server.port)])
        defer { session.invalidateAndCancel() }
        let url = try #require(URL(string: "http://nowhere.test/anything"))
        #expect(try await session.outcome(of: url).status == 200)
        #expect(server.requests.map(\.target) == [url.absoluteString])
    }

    @Test("The proxy in the environment is used, unless the session has chosen a direct connection")
    func environment() async throws {
        await #expect(processExitsWith: .success) {
            let server = try LoopbackServer()
            defer { server.stop() }
            setenv("http_proxy", "http://127.0.0.1:\(server.port)", 1)
            let url = try #require(URL(string: "http://nowhere.test/anything"))
            let session = CurlURLSession(configuration: .testing)
            #expect(try await session.outcome(of: url).status == 200)
            var options = CurlURLSession.Options()
            options.proxy = .direct
            let direct = CurlURLSession(configuration: .testing, options: options)
            #expect(try await direct.outcome(of: url).code == .cannotFindHost)
            #expect(server.requests.count == 1)
        }
    }

    @Test("A missing proxy is an error that names it")
    func absent() async throws {
        let session = session(.server(ProxyServer(host: "127.0.0.1", port: 1)))
        defer { session.invalidateAndCancel() }
        let outcome = try await session.outcome(of: try #require(URL(string: "http://nowhere.test/")))
        #expect(outcome.code == .cannotConnectToHost)
        let unknown = self.session(.server(ProxyServer(host: "proxy.invalid")))
        defer { unknown.invalidateAndCancel() }
        let sentence = try await unknown.outcome(of: try #require(URL(string: "http://a.test/"))).error?
            .localizedDescription
        #expect(sentence?.contains("proxy could not be found") == true)
    }

    @Test("A proxy that cannot be used is an error, and nothing is sent")
    func unusable() async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        let session = session(.server(ProxyServer(host: "")))
        defer { session.invalidateAndCancel() }
        #expect(try await session.outcome(of: server.url("/get")).code == .cannotFindHost)
        #expect(server.requests.isEmpty)
    }

    @Test("A host can have fixed addresses in the options")
    func hostAddresses() async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        let port = Int(server.port)
        let session = session(.direct) {
            $0.hostAddresses = [HostAddress(host: "given.test", port: port, addresses: ["127.0.0.1"])]
        }
        defer { session.invalidateAndCancel() }
        let url = try #require(URL(string: "http://given.test:\(port)/anything"))
        #expect(try await session.outcome(of: url).status == 200)
        #expect(server.requests.first?.headers["Host"] == "given.test:\(port)")
    }

    @Test("An invalid fixed address is an error of every request")
    func wrongHostAddress() async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        let session = session(.direct) {
            $0.hostAddresses = [HostAddress(host: "given.test", port: 80, addresses: ["example.com"])]
        }
        defer { session.invalidateAndCancel() }
        #expect(try await session.outcome(of: server.url("/get")).code == .cannotFindHost)
        #expect(server.requests.isEmpty)
    }

    @Test("Connections use the local address of the options")
    func localAddress() async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        let session = session(.direct) { $0.localAddress = "127.0.0.9" }
        defer { session.invalidateAndCancel() }
        let log = DelegateLog()
        let task = session.dataTask(with: server.url("/get"))
        task.delegate = log
        #expect(try await log.outcome(of: task).status == 200)
        #expect(task.transactionMetrics.first?.localAddress == "127.0.0.9")
    }

    @Test("Only the name servers of the options are asked, and if they fail, the request fails")
    func nameServers() async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        let session = session(.direct) { $0.nameServers = ["127.0.0.1:1"] }
        defer { session.invalidateAndCancel() }
        let outcome = try await session.outcome(of: try #require(URL(string: "http://localhost:\(server.port)/get")))
        #expect(outcome.code == .cannotFindHost)
        #expect(server.requests.isEmpty)
    }
}
#endif
