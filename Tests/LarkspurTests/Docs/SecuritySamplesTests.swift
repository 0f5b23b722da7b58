#if canImport(FoundationNetworking)
import LarkspurTesting
import Testing

@testable import Larkspur

/// Runs the samples of `Docs/Security.md`.
@Suite("Samples of the page on security", .timeLimit(.minutes(5)))
struct SecuritySamplesTests {
    let samples = SecuritySamples()
    let folder = TemporaryFolder()
    let certificate: URL

    init() throws { certificate = try folder.file("example.cer", Data(SecurityPolicyTests.certificate.utf8)) }

    @Test func roots() throws {
        #expect(try samples.roots(file: certificate).session is CurlURLSession)
        #expect(throws: TLSConfigurationError.self) {
            try samples.roots(file: folder.url.appendingPathComponent("none.pem"))
        }
    }

    @Test("The samples refuse a request over plain http to a pinned host, and show the reason")
    func pins() async throws {
        let session = try samples.pins(certificateFile: certificate)
        defer { session.finishTasksAndInvalidate() }
        try await samples.reason(session, #require(URL(string: "http://api.example.com/")))
        #expect(samples.output.values == ["not over plain http"])
    }

    @Test func computing() throws {
        let key = try folder.file("key.txt", Data(Self.publicKey.utf8))
        try samples.computing(certificateFile: certificate, publicKeyFile: key)
        let pin = "sha256/rQLwORZM2ja9tYPwgMCjeLjbS0v3On/pG+zIq8Q8QrY="
        #expect(samples.output.values == [pin, pin])
    }

    @Test func policy() async throws {
        let manager = try samples.policy(folder: folder.url)
        #expect(manager.securityPolicy.pinnedCertificates.count == 1)
        let error = await manager.get("http://api.example.com/v1/users").response().error
        #expect(error?.code == .insecureRequest)
    }

    @Test("The samples store the hosts that require https in a file, or preload such hosts")
    func hsts() throws {
        let file = folder.url.appendingPathComponent("hsts.txt")
        #expect(try samples.hsts(file: file).hsts?.hosts.isEmpty == true)
        #expect(samples.preloadedHosts().requiresHTTPS("www.example.com"))
    }

    @Test func identity() throws {
        let key = try folder.file("key.txt", Data(Self.privateKey.utf8))
        #expect(try samples.identity(certificateFile: certificate, keyFile: key).tls.clientIdentity != nil)
        #expect(samples.keyLog(file: key).tls.keyLog == key)
    }

    static let publicKey = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEYMkB5y94zfkJ46jv8yqI01Vu1Vhu
        dhTUHPPiJrCCdXJp0FucYFz5pNcoLRn3AQSmyLrFRQMdWZ44J9jj9eauCQ==
        -----END PUBLIC KEY-----
        """

    static let privateKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgKLZt53QsJ1yotxtX
        wbuz8NDQx5aEPE1/PttbMOdzUzyhRANCAARgyQHnL3jN+QnjqO/zKojTVW7VWG52
        FNQc8+ImsIJ1cmnQW5xgXPmk1ygtGfcBBKbIusVFAx1Znjgn2OP15q4J
        -----END PRIVATE KEY-----
        """
}
#endif
