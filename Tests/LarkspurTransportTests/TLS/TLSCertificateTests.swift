#if canImport(FoundationNetworking)
import Foundation
import Testing

@testable import LarkspurTransport

@Suite("Certificates and keys", .timeLimit(.minutes(5)))
struct TLSCertificateTests {
    @Test(
        "The pin of a certificate's key is the one that openssl computes, from PEM and from DER",
        arguments: [(TLSFixture.certificate, TLSFixture.pin), (TLSFixture.rsaCertificate, TLSFixture.rsaPin)]
    )
    func pins(pem: String, pin: String) throws {
        #expect(PublicKeyPin(certificate: try TLSCertificate(Data(pem.utf8))).base64 == pin)
        #expect(PublicKeyPin(certificate: try TLSCertificate(TLSFixture.der(pem))).base64 == pin)
    }

    @Test(
        "The pin of a public key is that of its certificate, with and without the key's algorithm",
        arguments: [(TLSFixture.publicKey, TLSFixture.pin), (TLSFixture.bareRSAKey, TLSFixture.rsaPin)]
    )
    func keys(pem: String, pin: String) throws {
        #expect(try PublicKeyPin(publicKey: Data(pem.utf8)).base64 == pin)
        #expect(try PublicKeyPin(publicKey: TLSFixture.der(pem)).base64 == pin)
    }

    @Test("A slice of data whose indices do not begin at 0 is read like any other data")
    func slices() throws {
        let data = Data([1, 2, 3]) + TLSFixture.der(TLSFixture.certificate)
        #expect(PublicKeyPin(certificate: try TLSCertificate(data.dropFirst(3))).base64 == TLSFixture.pin)
    }

    @Test("A pin is accepted with and without its prefix", arguments: ["", "sha256/", "sha256//"])
    func prefixes(prefix: String) throws {
        let pin = try PublicKeyPin(sha256: prefix + TLSFixture.pin)
        #expect(pin == PublicKeyPin(certificate: try TLSCertificate(Data(TLSFixture.certificate.utf8))))
        #expect(pin.description == "sha256/" + TLSFixture.pin)
    }

    @Test(
        "A pin that begins with a slash is accepted with and without its prefix",
        arguments: ["", "sha256/", "sha256//"]
    )
    func slashAtBeginning(prefix: String) throws {
        let hash = Data([0xFF]) + Data(count: 31)
        #expect(hash.base64EncodedString().hasPrefix("/"))
        #expect(try PublicKeyPin(sha256: prefix + hash.base64EncodedString()).sha256 == hash)
    }

    @Test(
        "A text that is not a hash of 32 bytes is not a pin",
        arguments: ["", "sha256/", "abc", "sha1/" + TLSFixture.pin, "AAAA", String(TLSFixture.pin.dropLast(4))]
    )
    func badPins(text: String) {
        let error = #expect(throws: TLSConfigurationError.self) { try PublicKeyPin(sha256: text) }
        #expect(error?.reason == .malformedPin)
    }

    @Test("All certificates of a bundle are read, and other blocks and text are skipped")
    func bundle() throws {
        let text =
            "A comment\n"
            + [TLSFixture.certificate, TLSFixture.privateKey, TLSFixture.rsaCertificate]
            .joined(separator: "\r\n\r\nmore\n") + "\n"
        let pins = try TLSCertificate.certificates(in: Data(text.utf8)).map { PublicKeyPin(certificate: $0).base64 }
        #expect(pins == [TLSFixture.pin, TLSFixture.rsaPin])
    }

    @Test("The PEM of a certificate equals the text that it was read from")
    func pem() throws {
        #expect(try TLSCertificate(Data(TLSFixture.certificate.utf8)).pem == TLSFixture.certificate + "\n")
    }

    static let notCertificates = [
        "", "text", TLSFixture.privateKey, TLSFixture.publicKey, "-----BEGIN CERTIFICATE-----\nAAAA\n",
        "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
        "-----BEGIN CERTIFICATE-----\n!!!!\n-----END CERTIFICATE-----\n",
        TLSFixture.certificate + "\n-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n",
    ]

    @Test("A text without a certificate or with a damaged one is an error", arguments: notCertificates)
    func notACertificate(text: String) {
        let error = #expect(throws: TLSConfigurationError.self) {
            try TLSCertificate.certificates(in: Data(text.utf8))
        }
        #expect(error?.reason == .malformedCertificate)
    }

    @Test("A certificate with trailing bytes is refused")
    func trailing() {
        #expect(throws: TLSConfigurationError.self) {
            try TLSCertificate(TLSFixture.der(TLSFixture.certificate) + [0])
        }
    }

    @Test("A private key is refused as a public key, and the error says what to do")
    func privateKey() {
        let error = #expect(throws: TLSConfigurationError.self) {
            try PublicKeyPin(publicKey: Data(TLSFixture.privateKey.utf8))
        }
        #expect(error?.reason == .malformedKey)
        #expect(error?.message.contains("openssl pkey -pubout") == true)
        #expect(throws: TLSConfigurationError.self) {
            try PublicKeyPin(publicKey: Data(TLSFixture.certificate.utf8))
        }
    }

    @Test("A missing file is an error at once, and the error names the file")
    func missingFile() {
        let file = URL(fileURLWithPath: "/none/such.pem")
        for read in [
            { _ = try TLSCertificate(contentsOf: file) }, { _ = try PublicKeyPin(publicKeyContentsOf: file) },
            { _ = try ClientIdentity.pkcs12(file: file, passphrase: "") },
        ] as [() throws -> Void] {
            let error = #expect(throws: TLSConfigurationError.self) { try read() }
            #expect(error?.reason == .fileUnreadable)
            #expect(error?.message.contains("/none/such.pem") == true)
        }
    }

    // MARK: Hostile bytes

    @Test(
        "A certificate that is truncated at any place is refused",
        arguments: [TLSFixture.certificate, TLSFixture.rsaCertificate]
    )
    func truncations(pem: String) {
        let der = TLSFixture.der(pem)
        for count in 0..<der.count {
            #expect(SubjectPublicKeyInfo(certificate: der.prefix(count)) == nil)
            #expect(SubjectPublicKeyInfo(publicKey: der.prefix(count)) == nil)
        }
        #expect(SubjectPublicKeyInfo(certificate: der) != nil)
    }

    @Test("A certificate with one changed bit is read or refused, and its key lies within its bytes")
    func bitFlips() {
        let der = TLSFixture.der(TLSFixture.certificate)
        for index in der.indices {
            for bit in 0..<8 {
                var changed = der
                changed[index] ^= 1 << UInt8(bit)
                guard let key = SubjectPublicKeyInfo(certificate: changed) else { continue }
                #expect(changed.range(of: key.encoding) != nil)
            }
        }
    }

    @Test("If one bit of a PEM certificate is changed, some results are still read, and others are refused")
    func textBitFlips() throws {
        let text = Data(TLSFixture.certificate.utf8)
        var readable = 0
        for index in text.indices {
            for bit in 0..<8 {
                var changed = text
                changed[index] ^= 1 << UInt8(bit)
                if (try? TLSCertificate.certificates(in: changed))?.count == 1 { readable += 1 }
            }
        }
        #expect(readable > 0 && readable < text.count * 8)
    }

    @Test(
        "A false, indefinite or overlong length ends the reading",
        arguments: [
            [0x30], [0x30, 0x80], [0x30, 0x81], [0x30, 0x81, 0x7F], [0x30, 0x82, 0x00, 0x80], [0x30, 0x01],
            [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF], [0x30, 0x85, 0, 0, 0, 0, 1, 0], [0x30, 0xFF], [0x1F, 0x01, 0x00],
            // With all of the content that they announce.
            [0x30, 0x81, 0x01, 0x00], [0x30, 0x82, 0x00, 0x80] + [UInt8](repeating: 0, count: 128),
            [0x30, 0x80, 0x00, 0x00],
        ] as [[UInt8]]
    )
    func lengths(bytes: [UInt8]) {
        var reader = DERReader(bytes[...])
        #expect(reader.read() == nil)
    }

    @Test(
        "A value is written with the shortest length, and is read back unchanged",
        arguments: [0, 1, 127, 128, 255, 256, 70000]
    )
    func roundTrip(count: Int) {
        let content = [UInt8](repeating: 7, count: count)
        var reader = DERReader(DERReader.encoded(0x04, content)[...])
        #expect(reader.read(0x04)?.content.elementsEqual(content) == true)
        #expect(reader.isAtEnd)
    }
}
#endif
