#if canImport(FoundationNetworking)
import Foundation
import Testing

@testable import LarkspurTransport

/// The checks that libcurl's own options make where the handshake cannot be looked into: pins of the server's own key,
/// and roots in place of the system's.
@Suite("TLS without OpenSSL", .needsServers, .timeLimit(.minutes(5)))
struct TLSFallbackTests {
    let servers: Servers

    init() throws { servers = try Servers() }

    private func session(_ change: (inout TLSConfiguration) throws -> Void) rethrows -> CurlURLSession {
        var options = servers.options(trusting: "chain-root", "other-root")
        try change(&options.tls)
        return session(options)
    }

    private func session(_ options: CurlURLSession.Options) -> CurlURLSession {
        CurlURLSession(
            .ephemeral,
            delegate: nil,
            queue: nil,
            options: options,
            callsDelegateOnLoop: false,
            tlsAbilities: TLSAbilities(trustUnavailability: "it is not to be used", library: "OpenSSL/3")
        )
    }

    private func pins(_ name: String, host: String = "localhost") throws -> [HostPins] {
        [try HostPins(host, pins: [PublicKeyPin(certificate: servers.certificate(name))])]
    }

    @Test("Roots that replace the system's are the only trusted roots")
    func roots() async throws {
        let session = session { _ in }
        #expect(try await session.reply(to: servers.url(.chain, "/echo")).status == 200)
        #expect(try await session.failure(of: servers.url(.h2, "/echo")).tlsFailure?.reason == .unknownRoot)
        let none = self.session { $0.trustedRoots = .only([]) }
        #expect(try await none.failure(of: servers.url(.h2, "/echo")).code != .unknown)
    }

    @Test("An https proxy is verified with the same roots")
    func rootsOfProxy() async throws {
        let proxy = ProxyServer(kind: .https, host: "localhost", port: try servers.number(of: .chain))
        for (root, isTrusted) in [("chain-root", true), ("other-root", false)] {
            var options = servers.options(trusting: root)
            options.proxy = .server(proxy)
            let error = try await session(options).failure(of: servers.url(.otherChain, "/echo"))
            // nginx does not know CONNECT.
            #expect((error.code == .cannotConnectToHost) == isTrusted)
            #expect((error.tlsFailure == nil) == isTrusted)
        }
    }

    @Test("The pin of a server's own key is enforced, separately for each host")
    func leafPins() async throws {
        let session = try session { $0.pins = try pins("chain-leaf") }
        #expect(try await session.reply(to: servers.url(.chain, "/echo")).status == 200)
        let error = try await session.failure(of: servers.url(.otherChain, "/echo"))
        #expect(error.code == .serverCertificateUntrusted)
        #expect(error.tlsFailure?.reason == .pinMismatch)

        let socket = try servers.secureSocketURL("/echo")
        #expect(try await session.reply(to: socket).status == 200)
        let wrong = try self.session { $0.pins = try pins("other-chain") }
        #expect(try await wrong.failure(of: socket).tlsFailure?.reason == .pinMismatch)

        let elsewhere = try self.session { $0.pins = try pins("chain-leaf", host: "other.test") }
        #expect(try await elsewhere.reply(to: servers.url(.otherChain, "/echo")).status == 200)
    }

    @Test("Pins that libcurl cannot compare, and an empty list of pins, refuse the server")
    func otherPins() async throws {
        for change in [
            { $0.pins = try pins("chain-root") }, { $0.pins = [try HostPins("localhost", pins: [])] },
            { $0.pinsForAllHosts = [] },
        ] as [(inout TLSConfiguration) throws -> Void] {
            let error = try await session(change).failure(of: servers.url(.chain, "/echo"))
            #expect(error.tlsFailure?.reason == .pinMismatch)
        }
    }

    @Test("Without verification, pins are still enforced")
    func withoutVerification() async throws {
        let session = try session {
            $0.pins = try pins("self-signed")
            $0.dangerouslySkipsCertificateVerification = true
        }
        #expect(try await session.reply(to: servers.url(.selfSigned, "/echo")).status == 200)
        #expect(try await session.failure(of: servers.url(.chain, "/echo")).tlsFailure?.reason == .pinMismatch)
    }
}
#endif
