#if canImport(FoundationNetworking)
import LarkspurTesting
import Testing

@testable import LarkspurTransport

@Suite("TLS settings", .timeLimit(.minutes(5)))
struct TLSSettingsTests {
    static let without = TLSAbilities(trustUnavailability: "libcurl uses GnuTLS/3", library: "GnuTLS/3.7.9")

    private func certificate() throws -> TLSCertificate { try TLSCertificate(Data(TLSFixture.certificate.utf8)) }

    private func settings(
        _ abilities: TLSAbilities? = nil,
        _ change: (inout TLSConfiguration) throws -> Void
    ) rethrows -> TLSSettings {
        var configuration = TLSConfiguration()
        try change(&configuration)
        return TLSSettings(configuration, abilities: abilities ?? .present)
    }

    @Test("OpenSSL can be used on this machine, so that no test is skipped")
    func openSSL() {
        #expect(ServerTrust.unavailability == nil)
        #expect(Libcurl.tlsLibrary?.hasPrefix("OpenSSL/") == true)
    }

    @Test("By default, the check within the handshake only requires a name in the certificate")
    func defaults() throws {
        let settings = TLSSettings(TLSConfiguration(), abilities: .present)
        #expect(!settings.isCustom)
        guard case .trust(let rules) = settings.method else {
            Issue.record("Common names count.")
            return
        }
        #expect(rules.requiresNames && rules.requiresValidChain && !rules.requiresAnchor && rules.pins.isEmpty)
    }

    @Test("Without OpenSSL, with common names or without verification, libcurl's options suffice")
    func libcurlAlone() throws {
        for settings in [
            TLSSettings(TLSConfiguration(), abilities: Self.without), settings { $0.acceptsCommonNames = true },
            settings { $0.dangerouslySkipsHostNameVerification = true },
            settings { $0.dangerouslySkipsCertificateVerification = true },
        ] {
            guard case .options(let options) = settings.method else {
                Issue.record("The check within the handshake is on.")
                continue
            }
            #expect(options.roots == nil && options.pins.isEmpty)
            #expect(settings.defect == nil)
        }
    }

    @Test("Options that only relax TLS do not make the settings custom")
    func lenience() {
        #expect(!settings { $0.acceptsCommonNames = true }.isCustom)
        #expect(!settings { $0.acceptsMissingCloseNotify = true }.isCustom)
        #expect(settings { $0.minimumVersion = .tls13 }.isCustom)
    }

    @Test("TLS versions have an order and a name, and a switch over them has a default")
    func versions() {
        #expect(TLSVersion.allCases.sorted() == [.tls12, .tls13] && TLSVersion.tls12 < .tls13)
        let names = TLSVersion.allCases.map { version in
            switch version {
            case .tls12: "RFC 5246, \(version)"
            default: "\(version)"
            }
        }
        #expect(names == ["RFC 5246, TLS 1.2", "TLS 1.3"])
    }

    @Test("Settings that libcurl's options do not support are checked within the handshake")
    func trust() throws {
        let certificate = try certificate()
        for settings in [
            settings { $0.trustedRoots = .only([certificate]) },
            settings { $0.trustedRoots = .systemAnd([certificate]) },
            try settings { $0.pins = [try HostPins("a.test", pins: [])] }, settings { $0.pinsForAllHosts = [] },
            settings { $0.anchorsForAllHosts = [certificate] },
            settings { $0.serverTrust = ServerTrustEvaluator { _ in .accept } },
            settings { $0.revocationLists = RevocationLists(files: []) },
        ] {
            guard case .trust = settings.method else {
                Issue.record("libcurl's options are thought to do.")
                continue
            }
            #expect(settings.defect == nil)
        }
    }

    @Test("Without OpenSSL, settings that cannot be enforced are refused")
    func unenforceable() throws {
        let certificate = try certificate()
        #expect(settings(Self.without) { $0.trustedRoots = .systemAnd([certificate]) }.defect != nil)
        #expect(settings(Self.without) { $0.anchorsForAllHosts = [certificate] }.defect != nil)
        let evaluator = ServerTrustEvaluator { _ in .accept }
        #expect(settings(Self.without) { $0.serverTrust = evaluator }.defect?.contains("evaluator") == true)
        let lists = settings(Self.without) { $0.revocationLists = RevocationLists(files: []) }
        #expect(lists.defect == "Revocation lists cannot be checked: libcurl uses GnuTLS/3.")
        let identity = try ClientIdentity.pem(
            certificates: Data(TLSFixture.certificate.utf8),
            key: Data(TLSFixture.privateKey.utf8)
        )
        #expect(settings(Self.without) { $0.clientIdentity = identity }.defect != nil)
        #expect(settings(Self.without) { $0.trustedRoots = .only([certificate]) }.defect == nil)
        #expect(try settings(Self.without) { $0.pins = [try HostPins("a.test", pins: [])] }.defect == nil)
    }

    enum Obstacle: CaseIterable {
        case versions, contradiction, pinsOfHost, pinsOfAllHosts

        var scheme: String { self == .versions || self == .contradiction ? "https" : "http" }

        var reason: TLSFailure.Reason { scheme == "https" ? .notEnforceable : .insecureRequest }

        func put(into configuration: inout TLSConfiguration) throws {
            switch self {
            case .versions:
                configuration.minimumVersion = .tls13
                configuration.maximumVersion = .tls12
            case .contradiction: configuration.contradiction = "A contradiction."
            case .pinsOfHost: configuration.pins = [try HostPins("127.0.0.1", pins: [PinTableTests.pin(1)])]
            case .pinsOfAllHosts: configuration.pinsForAllHosts = []
            }
        }
    }

    @Test(
        "A request that does not meet the TLS settings fails without a connection, and with the reason",
        arguments: Obstacle.allCases
    )
    func refused(_ obstacle: Obstacle) async throws {
        let server = try LoopbackServer()
        var options = CurlURLSession.Options()
        try obstacle.put(into: &options.tls)
        let session = CurlURLSession(configuration: .testing, options: options)
        defer { session.finishTasksAndInvalidate() }

        let url = try #require(URL(string: "\(obstacle.scheme)://127.0.0.1:\(server.port)/get"))
        let error = try await session.outcome(of: URLRequest(url: url)).error as? URLError

        #expect(error?.tlsFailure?.reason == obstacle.reason)
        #expect(error?.tlsFailure?.host == "127.0.0.1")
        #expect(error?.localizedDescription.hasSuffix(".") == true)
        #expect(server.acceptedConnectionCount == 0)
    }

    @Test("A redirect to plain http does not bypass the pins of a host")
    func redirect() async throws {
        let server = try LoopbackServer()
        let target = try #require(URL(string: "http://localhost:\(server.port)/get"))
        server.route("/to-pinned", .status(302, headers: ["Location": target.absoluteString]))
        var options = CurlURLSession.Options()
        options.tls.pins = [try HostPins("localhost", pins: [PinTableTests.pin(1)])]
        let session = CurlURLSession(configuration: .testing, options: options)
        defer { session.finishTasksAndInvalidate() }

        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/to-pinned"))
        let error = try await session.outcome(of: URLRequest(url: url)).error as? URLError

        #expect(error?.code == .appTransportSecurityRequiresSecureConnection)
        #expect(error?.tlsFailure?.reason == .insecureRequest)
        #expect(server.requests.map(\.path) == ["/to-pinned"])
    }

    @Test("A TLS socket is checked against the settings as the server localhost")
    func socket() throws {
        let secure = try #require(URL(string: "HTTPS+unix://%2Frun%2Fa.sock/"))
        let plain = try #require(URL(string: "http+unix://%2Frun%2Fa.sock/"))
        let contradictory = settings { $0.contradiction = "A contradiction." }
        let error = #expect(throws: URLError.self) { try contradictory.admit(secure) }
        #expect(error?.tlsFailure == TLSFailure(.notEnforceable, host: "localhost"))
        try contradictory.admit(plain)

        let pinned = try settings { $0.pins = [try HostPins("localhost", pins: [PinTableTests.pin(1)])] }
        try pinned.admit(secure)
        #expect(pinned.requirements(for: secure.nameOfServer) == [[PinTableTests.pin(1)]])
        let pinnedEverywhere = settings { $0.pinsForAllHosts = [PinTableTests.pin(1)] }
        try pinnedEverywhere.admit(secure)
        #expect(throws: URLError.self) { try pinnedEverywhere.admit(plain) }
        #expect(TransferFailure(curlCode: 35, isTLS: true).error(url: secure).tlsFailure?.host == "localhost")
    }

    @Test("A defect of the TLS settings does not affect plain http")
    func plain() async throws {
        let server = try LoopbackServer()
        var options = CurlURLSession.Options()
        options.tls.contradiction = "A contradiction."
        let session = CurlURLSession(configuration: .testing, options: options)
        defer { session.finishTasksAndInvalidate() }
        #expect(try await session.outcome(of: URLRequest(url: server.url("/get"))).status == 200)
    }

    @Test("Secure tasks of schemes that only the superclass supports fail if the TLS settings are custom")
    func foreign() async throws {
        var options = CurlURLSession.Options()
        options.tls.trustedRoots = .only([])
        let session = CurlURLSession(configuration: .testing, options: options)
        defer { session.finishTasksAndInvalidate() }
        let url = try #require(URL(string: "ftps://localhost/"))
        let error = try await session.outcome(of: URLRequest(url: url)).error as? URLError
        #expect(error?.tlsFailure?.reason == .notEnforceable)

        let socket = try #require(URL(string: "wss://localhost/"))
        #expect(session.core.webSocketURL(socket).host == "0.0.0.0")
        let plain = CurlURLSession(configuration: .testing)
        defer { plain.finishTasksAndInvalidate() }
        #expect(plain.core.webSocketURL(socket).host == "localhost")
    }

    @Test(
        "Each failure of TLS has its reason",
        arguments: [
            (TransferFailure(curlCode: 60, verifyResult: 10), TLSFailure.Reason.certificateExpired),
            (TransferFailure(curlCode: 60, verifyResult: 9), .certificateNotYetValid),
            (TransferFailure(curlCode: 60, verifyResult: 20), .unknownRoot),
            (TransferFailure(curlCode: 60, verifyResult: 62), .hostMismatch),
            (
                TransferFailure(
                    curlCode: 60,
                    message: "SSL: no alternative certificate subject name matches target host name 'a'"
                ), .hostMismatch
            ),
            (
                TransferFailure(curlCode: 51, message: "SSL: unable to obtain common name from peer certificate"),
                .hostMismatch
            ),
            (TransferFailure(curlCode: 60, verifyResult: 23), .certificateRevoked),
            (TransferFailure(curlCode: 60, verifyResult: 24), .certificateUntrusted),
            (TransferFailure(curlCode: 90), .pinMismatch),
            (
                TransferFailure(
                    curlCode: 60,
                    verifyResult: 50,
                    objection: TrustObjection(name: "a.test", error: 50, keys: [PinTableTests.pin(1)])
                ), .pinMismatch
            ),
            // What libcurl says behind an https proxy.
            (
                TransferFailure(
                    curlCode: 35,
                    verifyResult: 20,
                    message: "OpenSSL SSL_connect: SSL_ERROR_SYSCALL in connection to a.test:443",
                    objection: TrustObjection(name: "a.test", error: 20, keys: [])
                ), .unknownRoot
            ),
            (TransferFailure(curlCode: 58), .clientIdentityUnusable),
            (TransferFailure(curlCode: 56, message: "tlsv13 alert certificate required"), .clientCertificateRequired),
            (TransferFailure(curlCode: 56, message: "tlsv1 alert unknown ca"), .clientCertificateRejected),
            (TransferFailure(curlCode: 35), .other),
            (TransferFailure(curlCode: 7), nil),
        ] as [(TransferFailure, TLSFailure.Reason?)]
    )
    func reasons(failure: TransferFailure, reason: TLSFailure.Reason?) {
        var failure = failure
        failure.isTLS = true
        let url = URL(string: "https://host.test/")
        let error = failure.error(url: url)
        #expect(error.tlsFailure?.reason == reason)
        #expect(error.curlError?.code == Int(failure.curlCode))
        failure.isTLS = false
        #expect(failure.error(url: url).tlsFailure == nil)
    }

    @Test("The error of a pin mismatch names the host and the keys of the server")
    func mismatchSentence() {
        let objection = TrustObjection(name: "a.test", error: 50, keys: [PinTableTests.pin(1)])
        let failure = TransferFailure(curlCode: 60, verifyResult: 50, isTLS: true, objection: objection)
        let error = failure.error(url: nil)
        #expect(error.code == .serverCertificateUntrusted)
        #expect(error.tlsFailure == TLSFailure(.pinMismatch, host: "a.test", presentedPins: objection.keys))
        #expect(error.localizedDescription.contains("“a.test”"))
        #expect(error.localizedDescription.contains("\(PinTableTests.pin(1))"))
    }
}
#endif
