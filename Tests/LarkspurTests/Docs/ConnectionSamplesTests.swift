#if canImport(FoundationNetworking)
import Foundation
import Larkspur
import LarkspurTesting
import Testing

/// Runs the samples about connections, and what they promise through a session manager.
@Suite("Samples about connections", .timeLimit(.minutes(5)))
struct ConnectionSamplesTests {
    let samples = ConnectionSamples()

    @Test("The samples create the configurations that they describe")
    func made() {
        #expect(samples.dictionary().connectionProxyDictionary?.count == 3)
        #expect(samples.proxy().session is CurlURLSession)
        #expect(samples.socket()?.absoluteString == "http+unix://%2Fvar%2Frun%2Fdocker%2Esock/v1.41/version")
        #expect(samples.addresses().hostAddresses.count == 1)
        #expect(samples.dnsOverHTTPS().dnsOverHTTPS?.host == "dns.example.com")
        #expect(samples.limits().maximumConnections == 100)
    }

    @Test("The program's closure looks up names, and its error fails the call")
    func resolver() async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        let registry = ConnectionSamples.Registry(addresses: ["users.test": ["127.0.0.1"]])
        let manager = SessionManager(transport: .curl(samples.resolver(registry: registry)))
        server.route("/name", .text("found"))
        #expect(try await manager.get("http://users.test:\(server.port)/name").string == "found")
        let error = await manager.get("http://other.test:\(server.port)/get").response().error
        #expect(error?.code == .cannotFindHost)
    }

    @Test("The method opens the connection that the next requests use, and the snapshot lists the connection")
    func advance() async throws {
        let server = try LoopbackServer(tls: .selfSigned())
        defer { server.stop() }
        var options = CurlURLSession.Options()
        options.tls.trustedRoots = .only([try TLSCertificate(server.certificate?.der ?? Data())])
        let session = CurlURLSession(configuration: .ephemeral, options: options)
        defer { session.invalidateAndCancel() }
        try await samples.connect(session, to: server.url("/missing"))
        let lines = Recorder<String>()
        await samples.snapshot(of: session) { items in lines.record(items.map { "\($0)" }.joined(separator: " ")) }
        #expect(lines.values == ["https://127.0.0.1:\(server.port) 1 open, 1 idle, 0 waiting"])
        _ = try await session.data(from: server.url("/get"))
        #expect(server.requests.map(\.method) == ["HEAD", "GET"])
        #expect(server.acceptedConnectionCount == 1)
    }

    @Test("A session manager sends requests to a socket, with a base URL and parameters")
    func socket() async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString.prefix(8)).sock")
            .path
        let server = try LoopbackServer(unixSocket: path)
        defer { server.stop() }
        let manager = SessionManager(baseURL: URL(unixSocket: path, resource: "/v1/"), transport: .curl)
        server.route("/v1/version", .json(#"{"version": 1}"#))
        let call = try await manager.call(.get, "version", parameters: ["all": 1])
        #expect(call.json?["version"] as? Int == 1)
        #expect(server.requests.map(\.target) == ["/v1/version?all=1"])
    }

    @Test("A session manager uses the proxy of its configuration")
    func proxy() async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.connectionProxyDictionary = [
            "HTTPEnable": true, "HTTPProxy": "127.0.0.1", "HTTPPort": Int(server.port),
        ]
        let manager = SessionManager(configuration: configuration, transport: .curl)
        #expect(try await manager.call(.get, "http://nowhere.test/anything").isSuccess)
        #expect(server.requests.map(\.target) == ["http://nowhere.test/anything"])
    }
}
#endif
