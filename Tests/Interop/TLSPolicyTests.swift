#if canImport(FoundationNetworking)
import Foundation
import LarkspurTransport
import Testing

/// What is configured for TLS, against servers that know what came of it.
@Suite("TLS policy", .needsServers, .timeLimit(.minutes(5)))
struct TLSPolicyTests {
    let servers: Servers

    init() throws { servers = try Servers() }

    private func pin(_ name: String) throws -> PublicKeyPin {
        PublicKeyPin(certificate: try servers.certificate(name))
    }

    private static let wrongPin = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

    private func pinned(
        _ pins: [PublicKeyPin],
        host: String = "localhost",
        change: (inout TLSConfiguration) -> Void = { _ in }
    ) throws -> CurlURLSession.Options {
        try options(trusting: "chain-root") {
            $0.pins = [try HostPins(host, pins: Set(pins))]
            change(&$0)
        }
    }

    private func options(
        trusting name: String? = nil,
        change: (inout TLSConfiguration) throws -> Void
    ) rethrows -> CurlURLSession.Options {
        var options =
            name.map { servers.options(trusting: $0) } ?? servers.options(trusting: "chain-root", "other-root")
        try change(&options.tls)
        return options
    }

    // MARK: Pins

    @Test(
        "With a wrong pin the server gets a handshake and no request, and with the right pin a request",
        arguments: ["/echo?wrong-pin", "/echo?right-pin"]
    )
    func proof(target: String) async throws {
        let isRight = target.hasSuffix("right-pin")
        let pin = isRight ? try pin("chain-leaf") : try PublicKeyPin(sha256: Self.wrongPin)
        let session = servers.makeSession(options: try pinned([pin]))
        var request = URLRequest(url: try servers.url(.chain, target))
        request.httpMethod = "POST"
        request.httpBody = Data("a secret".utf8)

        if isRight {
            #expect(try await session.reply(to: request).status == 200)
        } else {
            let error = await #expect(throws: URLError.self) { _ = try await session.reply(to: request) }
            #expect(error?.code == .serverCertificateUntrusted)
            #expect(error?.tlsFailure?.reason == .pinMismatch)
            #expect(error?.tlsFailure?.host == "localhost")
            #expect(
                try error?.tlsFailure?.presentedPins
                    == ["chain-leaf", "chain-intermediate", "chain-root"].map(self.pin)
            )
            #expect(error?.localizedDescription.contains(try self.pin("chain-leaf").base64) == true)
            if LibcurlTraits.sendsAlertsOfRefusals {
                let failed = try await servers.failedHandshakes(.chain)
                #expect(failed.contains { $0.contains("alert") })
            }
        }

        // nginx writes a line when it has answered, so that with the second answer the first line is there.
        let other = servers.makeSession()
        for _ in 0..<2 { _ = try await other.reply(to: servers.url(.h2, target)) }
        let port = try servers.url(.chain, "").port ?? 0
        let ofChain = try servers.requests().filter { $0.contains(target) && $0.hasPrefix("\(port) ") }
        #expect(ofChain == (isRight ? ["\(port) POST \(target) HTTP/2.0"] : []))
    }

    @Test(
        "A pin matches any certificate of the chain, also a root that is not sent, and beside other pins",
        arguments: ["chain-leaf", "chain-intermediate", "chain-root"]
    )
    func chain(name: String) async throws {
        let options = try pinned([pin(name), PublicKeyPin(sha256: Self.wrongPin)])
        #expect(try await servers.makeSession(options: options).reply(to: servers.url(.chain, "/echo")).status == 200)
    }

    @Test("A backup pin counts too, and the pin of a public key file equals that of its certificate")
    func backup() async throws {
        let options = try self.options(trusting: "chain-root") {
            $0.pins = [
                try HostPins(
                    "localhost",
                    pins: [PublicKeyPin(sha256: Self.wrongPin)],
                    backupPins: [PublicKeyPin(publicKeyContentsOf: servers.certificates("chain-leaf-public"))]
                )
            ]
        }
        #expect(try await servers.makeSession(options: options).reply(to: servers.url(.chain, "/echo")).status == 200)
    }

    @Test("Pins of one host do not apply to another, and those of an address apply to that address")
    func hosts() async throws {
        let url = try servers.url(.chain, "/echo")
        let elsewhere = try pinned([PublicKeyPin(sha256: Self.wrongPin)], host: "other.test")
        #expect(try await servers.makeSession(options: elsewhere).reply(to: url).status == 200)

        // The good certificate is for 127.0.0.1, too; there is no name in the handshake then.
        let address = try servers.url(.h2, "/echo", host: "127.0.0.1")
        var options = servers.options
        options.tls.pins = [try HostPins("127.0.0.1", pins: [PublicKeyPin(sha256: Self.wrongPin)])]
        #expect(
            try await servers.makeSession(options: options).failure(of: address).tlsFailure?.reason == .pinMismatch
        )
        let spelling = try servers.url(.h2, "/echo", host: "127.1")
        #expect(
            try await servers.makeSession(options: options).failure(of: spelling).tlsFailure?.reason == .pinMismatch
        )
        #expect(try await servers.makeSession(options: options).reply(to: servers.url(.h2, "/echo")).status == 200)
        options.tls.pins = [try HostPins("127.0.0.1", pins: [pin("good")])]
        #expect(try await servers.makeSession(options: options).reply(to: address).status == 200)
    }

    @Test("A socket with TLS is verified as the server named localhost")
    func socket() async throws {
        let url = try servers.secureSocketURL("/echo")
        let right = try pinned([pin("chain-leaf")])
        #expect(try await servers.makeSession(options: right).reply(to: url).status == 200)
        let wrong = try pinned([PublicKeyPin(sha256: Self.wrongPin)])
        let error = try await servers.makeSession(options: wrong).failure(of: url)
        #expect(error.tlsFailure?.reason == .pinMismatch)
        #expect(error.tlsFailure?.host == "localhost")
        let strangers = try await servers.makeSession().failure(of: url)
        #expect(strangers.tlsFailure?.reason == .unknownRoot)
    }

    @Test("A pin requires a valid certificate and the right host name too")
    func validity() async throws {
        var options = try pinned([pin("expired")])
        options.tls.trustedRoots = servers.options.tls.trustedRoots
        let expired = try await servers.makeSession(options: options).failure(of: servers.url(.expired, "/echo"))
        #expect(expired.tlsFailure?.reason == .certificateExpired)
        // The certificate of the chain is for localhost alone.
        let session = servers.makeSession(options: try pinned([pin("chain-leaf")], host: "127.0.0.1"))
        let mismatch = try await session.failure(of: servers.url(.chain, "/echo", host: "127.0.0.1"))
        #expect(mismatch.tlsFailure?.reason == .hostMismatch)
    }

    @Test("A redirect to a host whose pins do not match fails")
    func redirect() async throws {
        let options = try self.options {
            $0.pins = [try HostPins("localhost", pins: [pin("chain-leaf")])]
        }
        let session = servers.makeSession(options: options)
        let error = try await session.failure(of: servers.url(.chain, "/to-other"))
        #expect(error.tlsFailure?.reason == .pinMismatch)
        #expect(error.failingURL?.port == (try servers.url(.otherChain, "").port))
    }

    @Test(
        "TLS sessions are resumed within a session, and give no other session a way past its pins",
        arguments: TLSVersion.allCases
    )
    func resumption(_ version: TLSVersion) async throws {
        func makeSession(_ pin: PublicKeyPin) throws -> CurlURLSession {
            var options = try pinned([pin]) { $0.maximumVersion = version }
            options.http2 = .never
            return servers.makeSession(options: options)
        }
        let url = try servers.url(.chain, "/tls")
        let session = try makeSession(pin("chain-leaf"))
        var resumed: [Bool] = []
        for _ in 0..<3 { resumed.append(try await session.reply(to: url).text.contains(" r ")) }
        #expect(resumed == [false, true, true])

        let other = try makeSession(PublicKeyPin(sha256: Self.wrongPin))
        for _ in 0..<3 { #expect(try await other.failure(of: url).tlsFailure?.reason == .pinMismatch) }
        #expect(try await session.reply(to: url).status == 200)
    }

    @Test("Each of many requests at once to a server without the pinned key fails with that reason")
    func many() async throws {
        let session = servers.makeSession(options: try pinned([PublicKeyPin(sha256: Self.wrongPin)]))
        let url = try servers.url(.chain, "/echo")
        let reasons = try await withThrowingTaskGroup(of: TLSFailure.Reason?.self) { group in
            for _ in 0..<20 { group.addTask { try await session.failure(of: url).tlsFailure?.reason } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(reasons == Array(repeating: .pinMismatch, count: 20))
    }

    @Test("The error of a transfer does not contain the TLS fault of an earlier transfer")
    func nextTransfer() async throws {
        let session = servers.makeSession(options: try pinned([PublicKeyPin(sha256: Self.wrongPin)]))
        #expect(try await session.failure(of: servers.url(.chain, "/echo")).tlsFailure?.reason == .pinMismatch)
        let error = try await session.failure(of: #require(URL(string: "https://localhost:1/")))
        #expect(error.code == .cannotConnectToHost)
        #expect(error.tlsFailure == nil)
        #expect(!error.localizedDescription.contains("pinned"))
    }

    // MARK: Trust

    @Test("Added roots are trusted besides the system's, and no others")
    func additionalRoots() async throws {
        let options = try self.options { $0.trustedRoots = .systemAnd([try servers.certificate("chain-root")]) }
        let session = servers.makeSession(options: options)
        #expect(try await session.reply(to: servers.url(.chain, "/echo")).status == 200)
        let error = try await session.failure(of: servers.url(.h2, "/echo"))
        #expect(error.tlsFailure?.reason == .unknownRoot)
    }

    @Test("Without any root, no server is trusted")
    func noRoots() async throws {
        let session = servers.makeSession(options: servers.options())
        #expect(try await session.failure(of: servers.url(.h2, "/echo")).tlsFailure?.reason == .unknownRoot)
    }

    @Test(
        "Without verification, an untrusted certificate is accepted for the right host only",
        arguments: [Servers.Port.selfSigned, .expired, .unknownIssuer, .impostor]
    )
    func skipsVerification(_ port: Servers.Port) async throws {
        let options = self.options { $0.dangerouslySkipsCertificateVerification = true }
        let session = servers.makeSession(options: options)
        #expect(try await session.reply(to: servers.url(port, "/echo")).status == 200)
        let error = try await session.failure(of: servers.url(.otherHost, "/echo"))
        #expect(error.tlsFailure?.reason == .hostMismatch)

        var system = CurlURLSession.Options()
        system.tls.dangerouslySkipsCertificateVerification = true
        #expect(try await servers.makeSession(options: system).reply(to: servers.url(port, "/echo")).status == 200)
    }

    @Test("Without verification of the host name, a valid certificate for another host is accepted")
    func skipsHostName() async throws {
        let options = options(trusting: "authority") { $0.dangerouslySkipsHostNameVerification = true }
        let session = servers.makeSession(options: options)
        #expect(try await session.reply(to: servers.url(.otherHost, "/echo")).status == 200)
        #expect(try await session.failure(of: servers.url(.selfSigned, "/echo")).tlsFailure?.reason == .unknownRoot)
    }

    @Test("Without verification, pins are still enforced")
    func pinsWithoutVerification() async throws {
        func session(_ pin: PublicKeyPin) throws -> CurlURLSession {
            servers.makeSession(options: try pinned([pin]) { $0.dangerouslySkipsCertificateVerification = true })
        }
        let url = try servers.url(.selfSigned, "/echo")
        #expect(try await session(pin("self-signed")).reply(to: url).status == 200)
        #expect(try await session(pin("chain-leaf")).failure(of: url).tlsFailure?.reason == .pinMismatch)
        #expect(try await session(pin("chain-root")).reply(to: servers.url(.chain, "/echo")).status == 200)
    }

    @Test("A certificate in the chain that did not issue the server's certificate does not match a pin")
    func impostor() async throws {
        let url = try servers.url(.impostor, "/echo")
        let options = try pinned([pin("chain-intermediate")]) { $0.dangerouslySkipsCertificateVerification = true }
        let error = try await servers.makeSession(options: options).failure(of: url)
        #expect(error.tlsFailure?.reason == .pinMismatch)
        let own = try pinned([pin("impostor-leaf")]) { $0.dangerouslySkipsCertificateVerification = true }
        #expect(try await servers.makeSession(options: own).reply(to: url).status == 200)
    }

    // MARK: Versions

    @Test("The versions of TLS have a minimum and a maximum")
    func versions() async throws {
        let url = try servers.url(.http1, "/tls")
        func session(_ minimum: TLSVersion, _ maximum: TLSVersion?) -> CurlURLSession {
            servers.makeSession(
                options: self.options(trusting: "authority") {
                    $0.minimumVersion = minimum
                    $0.maximumVersion = maximum
                }
            )
        }
        #expect(try await session(.tls12, nil).reply(to: url).text.hasPrefix("TLSv1.3"))
        #expect(try await session(.tls12, .tls12).reply(to: url).text.hasPrefix("TLSv1.2"))
        #expect(try await session(.tls13, nil).reply(to: url).text.hasPrefix("TLSv1.3"))
        let error = try await session(.tls13, nil).failure(of: servers.url(.tls12, "/tls"))
        #expect(error.code == .secureConnectionFailed)
        #expect(error.tlsFailure?.reason == .other)
    }
}
#endif
