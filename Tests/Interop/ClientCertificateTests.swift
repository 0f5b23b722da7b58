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

    @Test("A server that asks is shown who the client is", arguments: [Servers.Port.mutual, .mutual12])
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

    @Test("A server that does not ask is shown nothing")
    func notAsked() async throws {
        let reply = try await session(pem("client", key: "client-key")).reply(to: servers.url(.http1, "/tls"))
        #expect(reply.text.hasSuffix(" NONE "))
    }

    @Test("What a server answers to a client without a certificate is a response like any other")
    func answered() async throws {
        let reply = try await session(nil).reply(to: servers.url(.mutual, "/tls"))
        #expect(reply.status == 400)
        #expect(reply.text.contains("No required SSL certificate was sent"))
    }

    @Test(
        "A server that ends the connection for want of a certificate, or of a better one, fails the task with that reason"
    )
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
        "A certificate that is not accepted is the client's, whatever is wrong with it and whenever the server says so",
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

    @Test(
        "A wrong passphrase, or the key of another certificate, fails the task before it is sent, and prints no secret"
    )
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

    @Test("A session manager names these failures")
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
