#if canImport(FoundationNetworking)
import Foundation
import LarkspurTransport
import Synchronization
import Testing

/// A proxy that is spoken to over TLS, with another name, authority and key than the server behind it.
@Suite("A proxy over TLS", .needsServers, .serialized, .timeLimit(.minutes(5)))
struct SecureProxyTests {
    let servers: Servers

    init() throws { servers = try Servers() }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var roots = ["authority", "chain-root"]
        /// The certificate whose key is pinned for the server, and for the proxy.
        var server: String?
        var proxy: String?
        /// Who is refused, and why.
        var refused: (host: String, reason: TLSFailure.Reason)?

        var reachesProxy: Bool { refused?.host != "other.test" }
        var reachesServer: Bool { refused == nil }
    }

    @Test(
        "The proxy and the server are verified by their own names, and one that fails gets no request",
        arguments: [
            Row(testDescription: "no pins"),
            Row(testDescription: "the server's pin", server: "chain-leaf"),
            Row(
                testDescription: "the pins of both",
                server: "chain-leaf",
                proxy: "other-host"
            ),
            Row(
                testDescription: "the proxy's key for the server",
                server: "other-host",
                refused: ("localhost", .pinMismatch)
            ),
            Row(
                testDescription: "the server's key for the proxy",
                server: "chain-leaf",
                proxy: "chain-leaf",
                refused: ("other.test", .pinMismatch)
            ),
            Row(
                testDescription: "an unknown authority of the proxy",
                roots: ["chain-root"],
                refused: ("other.test", .unknownRoot)
            ),
            Row(
                testDescription: "an unknown authority of the server",
                roots: ["authority"],
                refused: ("localhost", .unknownRoot)
            ),
        ]
    )
    func trust(row: Row) async throws {
        let target = "/echo?secure-proxy-\(UUID().uuidString)"
        var options = try options(trusting: row.roots)
        for case (let host, let name?) in [("localhost", row.server), ("other.test", row.proxy)] {
            options.tls.pins.append(
                try HostPins(host, pins: [PublicKeyPin(certificate: servers.certificate(name))])
            )
        }
        let session = servers.makeSession(options: options)
        defer { session.finishTasksAndInvalidate() }
        let number = try servers.number(of: .chain)
        // Other tests have tunnels to other servers.
        func countTunnels() throws -> Int { try servers.tunnels().count { $0.hasSuffix(":\(number)") } }
        let tunnels = try countTunnels()
        if let refused = row.refused {
            let error = try await session.failure(of: servers.url(.chain, target))
            #expect(error.tlsFailure?.host == refused.host)
            #expect(error.tlsFailure?.reason == refused.reason)
            #expect(error.localizedDescription.contains("The proxy") == !row.reachesProxy)
        } else {
            #expect(try await session.reply(to: servers.url(.chain, target)).status == 200)
        }
        #expect(try countTunnels() - tunnels == (row.reachesProxy ? 1 : 0))

        // nginx writes a line when it has answered, so that with the second answer the first line is there.
        let other = servers.makeSession()
        defer { other.finishTasksAndInvalidate() }
        for _ in 0..<2 { _ = try await other.reply(to: servers.url(.h2, target)) }
        let answered = try servers.requests().filter { $0.hasPrefix("\(number) ") && $0.contains(target) }
        #expect(answered.count == (row.reachesServer ? 1 : 0))
    }

    /// The options of a session that uses the proxy.
    private func options(trusting roots: [String]) throws -> CurlURLSession.Options {
        var options = CurlURLSession.Options()
        options.tls.trustedRoots = .only(try roots.map { try servers.certificate($0) })
        let port = try servers.number(of: .secureProxy)
        options.proxy = .server(ProxyServer(kind: .https, host: "other.test", port: port))
        options.hostAddresses = [HostAddress(host: "other.test", port: port, addresses: ["127.0.0.1"])]
        return options
    }

    @Test("An evaluator gets the proxy and the server, and can accept neither with a certificate for another host")
    func evaluator() async throws {
        let seen = Mutex<[(host: String, reason: TLSFailure.Reason?)]>([])
        var options = try options(trusting: ["chain-root"])
        options.tls.serverTrust = ServerTrustEvaluator { handshake in
            seen.withLock { $0.append((handshake.host, handshake.refusal?.reason)) }
            return .accept
        }
        let session = servers.makeSession(options: options)
        defer { session.finishTasksAndInvalidate() }
        #expect(try await session.reply(to: servers.url(.chain, "/echo")).status == 200)
        let handshakes = seen.withLock { $0 }
        #expect(handshakes.map(\.host) == ["other.test", "localhost"])
        #expect(handshakes.map(\.reason) == [.unknownRoot, nil])
        let error = try await session.failure(of: servers.url(.otherHost, "/echo"))
        #expect(error.tlsFailure?.reason == .hostMismatch)
    }

    @Test(
        "The configuration of each host applies to the proxy too, and no roots or sessions are shared",
        arguments: [true, false]
    )
    func configurationOfHost(byEvaluator: Bool) async throws {
        var options = try options(trusting: ["chain-root"])
        var configuration = options.tls
        if byEvaluator {
            configuration.serverTrust = ServerTrustEvaluator { _ in .accept }
        } else {
            configuration.trustedRoots = .only(try ["authority", "chain-root"].map { try servers.certificate($0) })
        }
        options.hostTLS = [try HostTLS("localhost", configuration)]
        let session = servers.makeSession(options: options)
        defer { session.finishTasksAndInvalidate() }
        for _ in 0..<2 {
            #expect(try await session.reply(to: servers.url(.chain, "/echo")).status == 200)
            let error = try await session.failure(of: servers.url(.chain, "/echo", host: "127.0.0.1"))
            #expect(error.tlsFailure?.host == "other.test")
            #expect(error.tlsFailure?.reason == .unknownRoot)
        }
    }
}
#endif
