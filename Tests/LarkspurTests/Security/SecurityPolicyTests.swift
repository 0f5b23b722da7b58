import LarkspurTesting
import Testing

@testable import Larkspur

/// What of a security policy needs no TLS server; the rest is in `Tests/Interop/SecurityPolicyServerTests.swift`.
@Suite("Security policies", .timeLimit(.minutes(5)))
struct SecurityPolicyTests {
    @Test("The default policy has no pins, allows no invalid certificates, and validates the domain name")
    func defaults() {
        let policy = SecurityPolicy.default
        #expect(policy.pinningMode == .none)
        #expect(policy.pinnedCertificates.isEmpty)
        #expect(!policy.allowsInvalidCertificates)
        #expect(policy.validatesDomainName)
        #expect(SessionManager().securityPolicy == .default)
    }

    @Test(
        "Pins require a base URL with https, and a policy without pins accepts every base URL",
        arguments: SecurityPolicy.PinningMode.allCases,
        ["https://example.com/v1", "HTTPS://example.com", "http://example.com", nil]
    )
    func baseURL(_ mode: SecurityPolicy.PinningMode, _ text: String?) throws {
        let isAllowed = mode == .none || text?.lowercased().hasPrefix("https") == true
        do throws(LarkspurError) {
            let policy = SecurityPolicy(pinningMode: mode)
            let manager = try SessionManager(baseURL: text.flatMap(URL.init), securityPolicy: policy)
            #expect(isAllowed)
            #expect(manager.securityPolicy == policy)
            #expect(manager.copy().securityPolicy == policy)
        } catch {
            #expect(!isAllowed)
            #expect(error.code == .invalidSecurityPolicy)
        }
    }

    static let policies: [SecurityPolicy] = [
        SecurityPolicy(pinningMode: .publicKey), SecurityPolicy(pinningMode: .certificate),
        .with { $0.allowsInvalidCertificates = true }, .with { $0.validatesDomainName = false },
        .with {
            $0.allowsInvalidCertificates = true
            $0.validatesDomainName = false
        },
    ]

    @Test("A transport that cannot enforce a policy fails the request, and opens no connection", arguments: policies)
    func notEnforceable(policy: SecurityPolicy) async throws {
        let server = try LoopbackServer()
        let custom = Transport.custom { configuration, delegate, queue in
            CurlURLSession(configuration: configuration, delegate: delegate, delegateQueue: queue)
        }
        for transport in [Transport.foundation, custom] {
            for scheme in ["http", "https"] {
                let manager = try SessionManager(
                    baseURL: URL(string: "https://127.0.0.1:\(server.port)"),
                    configuration: .ephemeral,
                    transport: transport,
                    securityPolicy: policy
                )
                let call = try await manager.call(.get, "\(scheme)://127.0.0.1:\(server.port)/get")
                #expect(call.error?.code == .securityPolicyNotEnforceable)
                #expect(call.task == nil)
            }
        }
        #expect(server.acceptedConnectionCount == 0)
    }

    @Test("A policy without requirements is accepted by every transport", arguments: TestTransport.allCases)
    func systemsOwn(_ transport: TestTransport) async throws {
        let server = try LoopbackServer()
        let manager = try SessionManager(
            baseURL: server.baseURL,
            configuration: .ephemeral,
            transport: transport.transport,
            securityPolicy: SecurityPolicy(pinningMode: .none, pinnedCertificates: [Data([1])])
        )
        #expect(try await manager.call(.get, "get").isSuccess)
    }

    @Test("A custom transport that can enforce policies receives them")
    func custom() async throws {
        let policies = Recorder<SecurityPolicy>()
        let policy = SecurityPolicy(pinningMode: .publicKey)
        let transport = Transport.custom(enforcingSecurityPolicy: { policy, configuration, delegate, queue in
            policies.record(policy)
            return StubURLSession(configuration: configuration, delegate: delegate, delegateQueue: queue) { _ in
                .json("{}")
            }
        })
        let manager = try SessionManager(
            baseURL: URL(string: "https://stub.test"),
            transport: transport,
            securityPolicy: policy
        )
        #expect(try await manager.call(.get, "a").isSuccess)
        #expect(try await SessionManager(transport: transport).call(.get, "https://stub.test/a").isSuccess)
        #expect(policies.values == [policy, .default])
    }

    @Test("A request over plain http to a host with a pinned key fails without a connection")
    func plain() async throws {
        let server = try LoopbackServer()
        let manager = try SessionManager(
            baseURL: URL(string: "https://example.com"),
            configuration: .ephemeral,
            transport: .curl,
            securityPolicy: SecurityPolicy(pinningMode: .publicKey)
        )
        let call = try await manager.call(.get, server.url("/get").absoluteString)
        #expect(call.error?.code == .insecureRequest)
        #expect(server.acceptedConnectionCount == 0)
    }

    @Test("The certificates of a folder are read from its PEM and DER files, each once")
    func folder() throws {
        let certificate = try TLSCertificate(Data(Self.certificate.utf8))
        let folder = TemporaryFolder()
        _ = try folder.file("a.cer", certificate.der)
        _ = try folder.file("b.PEM", Data(Self.certificate.utf8))
        _ = try folder.file("c.txt", Data("no certificate".utf8))
        #expect(try SecurityPolicy.certificates(in: folder.url) == [certificate.der])

        _ = try folder.file("d.crt", Data("no certificate".utf8))
        let error = #expect(throws: LarkspurError.self) { try SecurityPolicy.certificates(in: folder.url) }
        #expect(error?.code == .invalidSecurityPolicy)
        #expect(throws: LarkspurError.self) {
            try SecurityPolicy.certificates(in: folder.url.appendingPathComponent("none"))
        }
    }

    @Test("A policy has value semantics, and is unchanged after archiving")
    func archive() throws {
        var policy = SecurityPolicy(pinningMode: .certificate, pinnedCertificates: [Data([1, 2, 3])])
        policy.allowsInvalidCertificates = true
        policy.validatesDomainName = false
        var copy = policy
        #expect(copy == policy)
        let decoded = try JSONDecoder().decode(SecurityPolicy.self, from: JSONEncoder().encode(policy))
        #expect(decoded == policy)
        copy.validatesDomainName = true
        #expect(copy != policy && !policy.validatesDomainName)
    }

    static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIBhDCCASugAwIBAgIULcubxrGvG2zCLbRnwEK+aRgw3akwCgYIKoZIzj0EAwIw
        FzEVMBMGA1UEAwwMZml4dHVyZS50ZXN0MCAXDTI2MTEyMTE2Mzg0MloYDzIxMjYx
        MDI4MTYzODQyWjAXMRUwEwYDVQQDDAxmaXh0dXJlLnRlc3QwWTATBgcqhkjOPQIB
        BggqhkjOPQMBBwNCAARgyQHnL3jN+QnjqO/zKojTVW7VWG52FNQc8+ImsIJ1cmnQ
        W5xgXPmk1ygtGfcBBKbIusVFAx1Znjgn2OP15q4Jo1MwUTAdBgNVHQ4EFgQUnWgM
        oo+DxecW6CXesMt2ni/wF/8wHwYDVR0jBBgwFoAUnWgMoo+DxecW6CXesMt2ni/w
        F/8wDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNHADBEAiBsrgKMlQoh5Ulg
        VO1oEezd5gdBfO9ic4ELAnl3hkvosgIgY6IxLKFL7zy6m4XfGbq+TIiURkBijFE7
        CLkqTNAEpFI=
        -----END CERTIFICATE-----
        """
}

extension SecurityPolicy {
    static func with(_ change: (inout SecurityPolicy) -> Void) -> SecurityPolicy {
        var policy = SecurityPolicy.default
        change(&policy)
        return policy
    }
}
