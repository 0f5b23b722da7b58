#if canImport(FoundationNetworking)
import Foundation
import Larkspur
import LarkspurTransport
import Testing

/// The evaluations of AFNetworking's `AFSecurityPolicyTests`, each by a request to a server; `Tests/Conformance.md` has
/// the rows.
///
/// Where these tests evaluate for no domain, the request here is for the right one: a request is always for one.
@Suite("Security policies against servers", .needsServers, .timeLimit(.minutes(5)))
struct SecurityPolicyServerTests {
    typealias Mode = SecurityPolicy.PinningMode

    let servers: Servers

    init() throws { servers = try Servers() }

    /// Whether a request under a policy is answered; nil for an end that is neither that nor a refusal.
    ///
    /// The roots of both chains stand for those of the system.
    private func allows(
        _ policy: SecurityPolicy,
        _ port: Servers.Port,
        host: String = "localhost"
    ) async throws -> (Bool, LarkspurError?) {
        let manager = try SessionManager(
            baseURL: URL(string: "https://localhost/"),
            configuration: .ephemeral,
            transport: .curl(servers.options(trusting: "chain-root", "other-root")),
            securityPolicy: policy
        )
        let error = try await manager.failure(of: servers.url(port, "/echo", host: host))
        return (error == nil, error)
    }

    private func policy(
        _ mode: Mode,
        pins: [String] = [],
        allowsInvalid: Bool = false,
        validatesName: Bool = true
    ) throws -> SecurityPolicy {
        let certificates = try pins.map { try servers.certificate($0).der }
        var policy = SecurityPolicy(pinningMode: mode, pinnedCertificates: Set(certificates))
        policy.allowsInvalidCertificates = allowsInvalid
        policy.validatesDomainName = validatesName
        return policy
    }

    // MARK: The default policy

    @Test("A policy allows a valid certificate for the right domain name")
    func defaultAllows() async throws {
        #expect(try await allows(.default, .chain).0)
    }

    @Test("A policy does not allow an invalid certificate")
    func defaultInvalid() async throws {
        let (isAllowed, error) = try await allows(.default, .selfSigned)
        #expect(!isAllowed)
        #expect(error?.code == .certificateUnknownRoot)
    }

    @Test("A policy does not allow a certificate for another domain name")
    func defaultName() async throws {
        let (isAllowed, error) = try await allows(.default, .chain, host: "127.0.0.1")
        #expect(!isAllowed)
        #expect(error?.code == .certificateHostMismatch)
    }

    // MARK: Pins

    @Test(
        "A pinning policy contains the certificate from a folder once",
        arguments: [Mode.publicKey, .certificate]
    )
    func folder(_ mode: Mode) throws {
        let certificates = try SecurityPolicy.certificates(in: servers.file("pinned"))
        let policy = SecurityPolicy(pinningMode: mode, pinnedCertificates: certificates)
        #expect(policy.pinnedCertificates == [try servers.certificate("chain-leaf").der])
    }

    @Test(
        "A pin of the leaf, the intermediate or the root, alone or with other pins, allows the server",
        arguments: [Mode.publicKey, .certificate],
        [
            ["chain-leaf"], ["chain-intermediate"], ["chain-root"],
            ["chain-leaf", "chain-intermediate", "chain-root"], ["chain-leaf", "self-signed-name"],
        ]
    )
    func pinned(_ mode: Mode, pins: [String]) async throws {
        let (isAllowed, error) = try await allows(policy(mode, pins: pins), .chain)
        #expect(isAllowed, "\(String(describing: error))")
    }

    @Test("A pinning policy without pins allows no server", arguments: [Mode.publicKey, .certificate])
    func noPins(_ mode: Mode) async throws {
        let (isAllowed, error) = try await allows(policy(mode), .chain)
        #expect(!isAllowed)
        #expect(error?.code == .certificatePinMismatch)
    }

    @Test(
        "Pins of other servers do not allow the server, and the error names the host and its keys",
        arguments: [Mode.publicKey, .certificate],
        [["chain-leaf"], ["chain-leaf", "self-signed-name"]]
    )
    func otherPins(_ mode: Mode, pins: [String]) async throws {
        let (isAllowed, error) = try await allows(policy(mode, pins: pins), .otherChain)
        #expect(!isAllowed)
        #expect(error?.code == .certificatePinMismatch)
        #expect(error?.errorCode == NSURLErrorServerCertificateUntrusted)
        #expect(error?.message.contains("localhost") == true)
        let pin = PublicKeyPin(certificate: try servers.certificate("other-chain"))
        #expect(error?.message.contains(pin.base64) == true)
        #expect((error?.underlyingError as? URLError)?.code == .serverCertificateUntrusted)
        #expect(error?.failingURL == (try servers.url(.otherChain, "/echo")))
    }

    @Test(
        "A matching pin does not allow a certificate for another domain name",
        arguments: [Mode.publicKey, .certificate]
    )
    func pinnedName(_ mode: Mode) async throws {
        let (isAllowed, error) = try await allows(policy(mode, pins: ["chain-leaf"]), .chain, host: "127.0.0.1")
        #expect(!isAllowed)
        #expect(error?.code == .certificateHostMismatch)
    }

    @Test("A matching pin does not allow an invalid certificate", arguments: [Mode.publicKey, .certificate])
    func pinnedInvalid(_ mode: Mode) async throws {
        let (isAllowed, error) = try await allows(policy(mode, pins: ["self-signed"]), .selfSigned)
        #expect(!isAllowed)
        #expect(error?.code == .certificateUnknownRoot)
    }

    // MARK: Domain names

    @Test("Without validation of the domain name, a certificate for another name is allowed", arguments: Mode.allCases)
    func withoutName(_ mode: Mode) async throws {
        let policy = try policy(mode, pins: ["chain-leaf"], validatesName: false)
        #expect(try await allows(policy, .chain, host: "127.0.0.1").0)
    }

    @Test(
        "If invalid certificates are allowed, a pinned self-signed certificate for the domain name is allowed",
        arguments: [(Servers.Port.selfSignedName, "self-signed-name"), (.selfSigned, "self-signed")]
    )
    func selfSigned(_ port: Servers.Port, pin: String) async throws {
        #expect(try await allows(policy(.publicKey, pins: [pin], allowsInvalid: true), port).0)
        #expect(try await allows(policy(.certificate, pins: [pin], allowsInvalid: true), port).0)
    }

    @Test("A pinned self-signed certificate without the domain name is not allowed")
    func selfSignedNobody() async throws {
        let policy = try policy(.certificate, pins: ["self-signed-nobody"], allowsInvalid: true)
        let (isAllowed, error) = try await allows(policy, .selfSignedNobody)
        #expect(!isAllowed)
        #expect(error?.code == .certificateHostMismatch)
    }

    @Test("If invalid certificates are allowed, a pinned key allows a certificate with another name")
    func selfSignedNobodysKey() async throws {
        let policy = try policy(.publicKey, pins: ["self-signed-nobody"], allowsInvalid: true)
        #expect(try await allows(policy, .selfSignedNobody).0)
    }

    @Test("A pinned certificate that has expired is not allowed, because it is invalid with itself as the anchor too")
    func expired() async throws {
        let policy = try policy(.certificate, pins: ["expired"], allowsInvalid: true)
        let (isAllowed, error) = try await allows(policy, .expired)
        #expect(!isAllowed)
        #expect(error?.code == .certificatePinMismatch)
        #expect(try await allows(self.policy(.publicKey, pins: ["expired"], allowsInvalid: true), .expired).0)
    }

    // MARK: Invalid certificates

    @Test("Without validation of the domain name, an allowed invalid certificate needs no pins")
    func invalidAllowed() async throws {
        let policy = try policy(.none, allowsInvalid: true, validatesName: false)
        #expect(try await allows(policy, .selfSigned).0)
        #expect(try await allows(policy, .selfSignedNobody).0)
    }

    @Test(
        "With validation of the domain name, invalid certificates cannot be allowed without pins",
        arguments: [(Mode.publicKey, []), (.certificate, []), (.none, ["self-signed"]), (.none, [])]
            as [(Mode, [String])]
    )
    func invalidWithName(_ mode: Mode, pins: [String]) async throws {
        let (isAllowed, error) = try await allows(policy(mode, pins: pins, allowsInvalid: true), .selfSigned)
        #expect(!isAllowed)
        #expect(error?.code == .securityPolicyNotEnforceable)
    }

    @Test(
        "A pinned intermediate that did not issue the server's certificate does not allow the server",
        arguments: [Mode.publicKey, .certificate]
    )
    func impostor(_ mode: Mode) async throws {
        let policy = try policy(mode, pins: ["chain-intermediate"], allowsInvalid: true)
        let (isAllowed, error) = try await allows(policy, .impostor)
        #expect(!isAllowed)
        #expect(error?.code == .certificatePinMismatch)
    }
}
#endif
