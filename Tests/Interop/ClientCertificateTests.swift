#if canImport(FoundationNetworking)
import Foundation
import Larkspur
import LarkspurTransport
import Testing

/// Servers that want to know who the client is.
@Suite("Client certificates", .needsServers, .timeLimit(.minutes(5)))
struct ClientCertificateTests {
    let servers: Servers

    init() throws { servers = try Servers() }

    private func session(_ identity: ClientIdentity?) -> CurlURLSession {
        var options = servers.options
        options.tls.clientIdentity = identity
        return servers.makeSession(options: options)
    }

    private func pem(_ name: String, key: String, passphrase: String? = nil) throws -> ClientIdentity {
        try .pem(
            certificateFile: servers.certificates(name),
            keyFile: servers.certificates(key),
            passphrase: passphrase
        )
    }

    @Test("A server that requests a certificate gets the client's", arguments: [Servers.Port.mutual, .mutual12])
    func identities(_ port: Servers.Port) async throws {
        for identity in [
            try pem("client", key: "client-key"), try pem("client", key: "client-key-encrypted", passphrase: "secret"),
            try .pkcs12(file: servers.file("client.p12"), passphrase: "secret"),
        ] {
            let reply = try await session(identity).reply(to: servers.url(port, "/tls"))
            #expect(reply.status == 200)
            #expect(reply.text.hasSuffix(" SUCCESS CN=client"))
        }
    }

    @Test("A server that requests no certificate gets none")
    func notAsked() async throws {
        let reply = try await session(pem("client", key: "client-key")).reply(to: servers.url(.http1, "/tls"))
        #expect(reply.text.hasSuffix(" NONE "))
    }

    @Test("A server's response to a client without a certificate is delivered as usual")
    func answered() async throws {
        let reply = try await session(nil).reply(to: servers.url(.mutual, "/tls"))
        #expect(reply.status == 400)
        #expect(reply.text.contains("No required SSL certificate was sent"))
    }

    @Test("If a server closes the connection because of the certificate, the error has the reason")
    func refused() async throws {
        let url = try servers.url(.mutualHandshake, "/")
        let wanted = try await session(nil).failure(of: url)
        #expect(wanted.code == .clientCertificateRequired)
        #expect(wanted.tlsFailure?.reason == .clientCertificateRequired)
        let rejected = try await session(pem("stranger", key: "stranger-key")).failure(of: url)
        #expect(rejected.code == .clientCertificateRejected)
        #expect(rejected.tlsFailure?.reason == .clientCertificateRejected)
        #expect(try await session(pem("client", key: "client-key")).reply(to: url).status == 200)
    }

    @Test(
        "The error for a refused client certificate is the same for any fault and time of the refusal",
        arguments: [Servers.Port.mutualHandshake, .mutualHandshake12],
        [true, false]
    )
    func rejected(_ port: Servers.Port, verifiesServer: Bool) async throws {
        for (name, key) in [("stranger", "stranger-key"), ("client-expired", "key")] {
            var options = servers.options
            options.tls.clientIdentity = try pem(name, key: key)
            options.tls.dangerouslySkipsCertificateVerification = !verifiesServer
            let error = try await servers.makeSession(options: options).failure(of: servers.url(port, "/"))
            #expect(error.code == .clientCertificateRejected, "\(name): \(error)")
            #expect(error.tlsFailure?.reason == .clientCertificateRejected, "\(name)")
        }
    }

    @Test("A wrong passphrase or the key of another certificate fails the task before it is sent, and prints no secret")
    func unusable() async throws {
        for identity in [
            try pem("client", key: "client-key-encrypted", passphrase: "wr0ng-passphrase"),
            try pem("client", key: "stranger-key"),
            try .pkcs12(file: servers.file("client.p12"), passphrase: "wr0ng-passphrase"),
        ] {
            let error = try await session(identity).failure(of: servers.url(.mutual, "/tls"))
            #expect(error.code == .clientCertificateRejected, "\(error)")
            #expect(error.tlsFailure?.reason == .clientIdentityUnusable)
            #expect(!"\(error) \(error.userInfo)".contains("wr0ng"))
        }
    }

    @Test("A session manager's errors name the faults of client certificates")
    func sessionManager() async throws {
        let manager = SessionManager(configuration: .ephemeral, transport: .curl(servers.options))
        let error = try await manager.failure(of: servers.url(.mutualHandshake, "/"))
        #expect(error?.code == .clientCertificateRequired)
    }
}

extension SessionManager {
    /// The error with which the loading of a URL fails; nil if it does not.
    func failure(of url: URL) async throws -> LarkspurError? {
        await withCheckedContinuation { continuation in
            get(url.absoluteString, as: .string) { _, _ in
                continuation.resume(returning: nil)
            } failure: { _, error in
                continuation.resume(returning: error)
            }
        }
    }
}
#endif
