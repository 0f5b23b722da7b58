#if canImport(FoundationNetworking)
import Foundation
import LarkspurTesting
import Testing

@testable import LarkspurTransport

@Suite("TLS configurations of hosts", .timeLimit(.minutes(5)))
struct HostTLSTests {
    private func table(_ rules: [(String, Bool)]) throws -> HostTLSTable {
        let rules = try rules.map { try HostTLS($0.0, includesSubdomains: $0.1, TLSConfiguration()) }
        return HostTLSTable(TLSConfiguration(), rules, abilities: .present)
    }

    @Test("The host itself takes precedence over the longest domain, and the last of equal entries applies")
    func precedence() throws {
        let table = try table([
            ("example.com", true), ("api.example.com", true), ("api.example.com", false), ("EXAMPLE.net", false),
            ("127.0.0.1", false), ("example.net", false), ("[::1]", false),
        ])
        for (name, number) in [
            ("example.com", 1), ("www.example.com", 1), ("a.b.example.com", 1), ("api.example.com", 3),
            ("v2.api.example.com", 2), ("notexample.com", 0), ("com", 0), ("example.net", 6), ("www.example.net", 0),
            ("127.0.0.1", 5), ("::1", 7), ("", 0),
        ] {
            #expect(table.number(for: name) == number, "\(name)")
        }
        #expect(table.isCustom && table.hasRules)
        let none = try self.table([])
        #expect(!none.isCustom && !none.hasRules && none.number(for: "example.com") == 0)
    }

    @Test(
        "A text that is not a host is an error at once",
        arguments: ["", "https://example.com", "*.example.com", "a b"]
    )
    func malformed(_ host: String) {
        let error = #expect(throws: TLSConfigurationError.self) { try HostTLS(host, TLSConfiguration()) }
        #expect(error?.reason == .malformedHost)
    }

    /// A session that trusts a server only as 127.0.0.1.
    private func session(_ server: LoopbackServer, _ change: (inout EngineOptions) throws -> Void = { _ in }) throws
        -> CurlURLSession
    {
        var configuration = TLSConfiguration()
        configuration.trustedRoots = .only([try TLSCertificate(try #require(server.certificate).der)])
        var options = EngineOptions()
        options.hostTLS = [try HostTLS("127.0.0.1", configuration)]
        try change(&options)
        return CurlURLSession(configuration: .ephemeral, options: options)
    }

    private func url(_ host: String, _ server: LoopbackServer, _ path: String = "/get") throws -> URL {
        try #require(URL(string: "https://\(host):\(server.port)\(path)"))
    }

    @Test("Each host gets its own configuration, also after a redirect, in any order")
    func hosts() async throws {
        let server = try LoopbackServer(tls: .selfSigned())
        server.route("/away", .redirect(to: try url("localhost", server).absoluteString))
        let session = try session(server)
        defer { session.invalidateAndCancel() }
        for _ in 0..<3 {
            let (_, response) = try await session.data(from: url("127.0.0.1", server))
            #expect((response as? HTTPURLResponse)?.statusCode == 200)
            for target in [try url("localhost", server), try url("127.0.0.1", server, "/away")] {
                let error = await #expect(throws: URLError.self) { _ = try await session.data(from: target) }
                #expect(error?.tlsFailure?.reason == .unknownRoot, "\(target)")
            }
        }
        #expect(server.requests.map(\.target) == Array(repeating: ["/get", "/away"], count: 3).flatMap(\.self))
    }

    @Test("Roots besides those of the system are trusted only for their host, in any order", arguments: [0, 1])
    func additionalRoots(first: Int) async throws {
        let server = try LoopbackServer(tls: .selfSigned())
        let session = try session(server) { options in
            options.http2 = .never
            options.hostTLS[0].configuration.trustedRoots = .systemAnd([
                try TLSCertificate(#require(server.certificate).der)
            ])
        }
        defer { session.invalidateAndCancel() }
        server.route("/closed", .text("a").adding("Connection", "close"))
        for number in first..<first + 6 {
            let isTrusted = number.isMultiple(of: 2)
            let target = try url(isTrusted ? "127.0.0.1" : "localhost", server, "/closed")
            let result = try await session.outcome(of: target)
            #expect((result.status == 200) == isTrusted, "\(target) \(String(describing: result.error))")
        }
    }

    @Test("Pins of a host's configuration refuse plain http to this host only")
    func insecure() async throws {
        let server = try LoopbackServer()
        var pinned = TLSConfiguration()
        pinned.pins = [try HostPins("127.0.0.1", pins: [])]
        var options = EngineOptions()
        options.hostTLS = [try HostTLS("127.0.0.1", pinned)]
        let session = CurlURLSession(configuration: .ephemeral, options: options)
        defer { session.invalidateAndCancel() }
        let error = await #expect(throws: URLError.self) { _ = try await session.data(from: server.url("/get")) }
        #expect(error?.tlsFailure?.reason == .insecureRequest && server.requests.isEmpty)
        let (_, response) = try await session.data(
            from: try #require(URL(string: "http://localhost:\(server.port)/get"))
        )
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
    }

    @Test("Configurations of hosts are refused together with DNS over HTTPS")
    func dnsOverHTTPS() async throws {
        let server = try LoopbackServer(tls: .selfSigned())
        let session = try session(server) { $0.dnsOverHTTPS = URL(string: "https://127.0.0.1:1/") }
        defer { session.invalidateAndCancel() }
        let target = try url("127.0.0.1", server)
        let error = await #expect(throws: URLError.self) { _ = try await session.data(from: target) }
        #expect(error?.code == .cannotFindHost && error?.localizedDescription.contains("DNS over HTTPS") == true)
    }

    @Test(
        "A session with configurations of hosts has a cache of its own, and its loop is lent unless closures are called"
    )
    func settings() throws {
        var options = EngineOptions()
        options.hostTLS = [try HostTLS("a.test", TLSConfiguration())]
        #expect(SessionSettings(.default, options: options).mayLendLoop)
        var chosen = TLSConfiguration()
        chosen.clientIdentity = .byHost { _ in nil }
        options.hostTLS.append(try HostTLS("b.test", chosen))
        let settings = SessionSettings(.default, options: options)
        #expect(!settings.mayLendLoop && settings.tls.isCustom)
        #expect(!settings.tls.admitsForeignTask(for: URL(string: "wss://b.test/")))
    }
}
#endif
