#if canImport(FoundationNetworking)
import Foundation
import Testing

@testable import LarkspurTransport

@Suite("Client identities")
struct ClientIdentityTests {
    private func make(_ key: String, passphrase: String? = nil) throws -> ClientIdentity {
        try .pem(
            certificates: Data(TLSFixture.certificate.utf8),
            key: Data(key.utf8),
            passphrase: passphrase
        )
    }

    @Test("A key may be plain, or encrypted with a passphrase")
    func keys() throws {
        _ = try make(TLSFixture.privateKey)
        for key in [TLSFixture.encryptedKey, TLSFixture.traditionallyEncryptedKey] {
            _ = try make(key, passphrase: "secret")
        }
    }

    @Test(
        "An encrypted key without a passphrase is an error at once",
        arguments: [TLSFixture.encryptedKey, TLSFixture.traditionallyEncryptedKey]
    )
    func missingPassphrase(key: String) {
        let error = #expect(throws: TLSConfigurationError.self) { try make(key) }
        #expect(error?.reason == .missingPassphrase)
    }

    @Test(
        "Data that is not a private key is an error at once",
        arguments: ["", TLSFixture.publicKey, TLSFixture.certificate]
    )
    func noKey(text: String) {
        let error = #expect(throws: TLSConfigurationError.self) { try make(text) }
        #expect(error?.reason == .malformedKey)
    }

    @Test(
        "Data that is not a PKCS #12 container is an error at once",
        arguments: [Data(), Data([0x30, 0x03, 0x02, 0x01, 0x02])]
    )
    func noContainer(data: Data) {
        let error = #expect(throws: TLSConfigurationError.self) {
            try ClientIdentity.pkcs12(data, passphrase: "secret")
        }
        #expect(error?.reason == .malformedKey)
    }

    @Test("No description or dump of an identity or its configuration contains the key or the passphrase")
    func secrets() throws {
        var configuration = TLSConfiguration()
        configuration.clientIdentity = try make(TLSFixture.encryptedKey, passphrase: "a passphrase")
        var text = "\(configuration) \(String(reflecting: configuration))"
        dump(configuration, to: &text)
        #expect(!text.contains("a passphrase"))
        #expect(!text.contains("PRIVATE KEY"))
        #expect(!text.contains("bytes"))
    }
}
#endif
