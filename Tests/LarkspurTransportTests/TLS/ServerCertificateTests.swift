#if canImport(FoundationNetworking)
import Foundation
import Testing

@testable import LarkspurTransport

@Suite("Certificates of servers")
struct ServerCertificateTests {
    private func der(_ pem: String) throws -> Data { try TLSCertificate(Data(pem.utf8)).der }

    private func value(_ tag: UInt8, _ contents: [UInt8]...) -> [UInt8] {
        DERReader.encoded(tag, Array(contents.joined()))
    }

    @Test("All fields are read from the DER")
    func fields() throws {
        let certificate = ServerCertificate(der: try der(RevocationFixture.named))
        let email = "1.2.840.113549.1.9.1=#160F616461406578616D706C652E636F6D"
        let subject = email + #",CN=x=\"y\"\;\<z\>\\,OU=\ a#b\+c\ ,O=Ä\, Inc.,C=DE"#
        #expect(certificate.subject == subject)
        #expect(certificate.issuer == subject)
        #expect(certificate.serialNumber == Data([0x81, 0x23, 0x45, 0x67, 0x89]))
        #expect(certificate.notBefore == Date(timeIntervalSince1970: 1_795_897_104))
        #expect(certificate.notAfter == Date(timeIntervalSince1970: 4_949_497_104))
        #expect(certificate.dnsNames == ["localhost", "*.example.com"])
        #expect(certificate.addresses == ["192.0.2.7", "2001:db8::1"])
        #expect(certificate.uris == ["spiffe://example.com/service"])
        #expect(certificate.emailAddresses == ["ada@example.com"])
        #expect(certificate.publicKeyPin == PublicKeyPin(certificate: try TLSCertificate(certificate.der)))
        #expect("\(certificate)" == "certificate of \(subject)")
    }

    @Test("A truncated or changed certificate lacks fields, and keeps its bytes")
    func truncated() throws {
        let whole = try der(RevocationFixture.named)
        for count in 0..<whole.count {
            let certificate = ServerCertificate(der: whole.prefix(count))
            #expect(certificate.der.count == count)
            #expect(certificate.subject == nil && certificate.publicKeyPin == nil && certificate.dnsNames.isEmpty)
        }
        for index in whole.indices {
            var changed = whole
            changed[index] ^= 0x1F
            #expect(ServerCertificate(der: changed).der == changed)
        }
        #expect("\(ServerCertificate(der: Data()))" == "certificate of an unreadable subject")
    }

    /// Returns a certificate with dates and extensions.
    private func certificate(
        from: [UInt8] = [],
        until: [UInt8] = [],
        _ extensions: [UInt8]...
    ) -> ServerCertificate {
        let fields =
            value(0x02, [1]) + value(0x30) + value(0x30) + value(0x30, from, until) + value(0x30) + value(0x30)
            + value(0xA3, value(0x30, Array(extensions.joined())))
        return ServerCertificate(der: Data(value(0x30, value(0x30, fields), value(0x30), value(0x03))))
    }

    private func names(_ names: [UInt8]..., isCritical: Bool = false) -> [UInt8] {
        let critical = isCritical ? value(0x01, [0xFF]) : []
        return value(0x30, value(0x06, [0x55, 0x1D, 0x11]), critical, value(0x04, value(0x30, Array(names.joined()))))
    }

    @Test("Names with blanks, control characters or other bytes are omitted")
    func unusualNames() {
        let texts = ["a.test", "a.test\0.b", "b test", "ä.test", "", "\u{7F}"]
        let list = texts.map { value(0x82, Array($0.utf8)) } + [value(0x87, [1, 2, 3]), value(0x87, [1, 2, 3, 4])]
        let certificate = certificate(names(Array(list.joined()), isCritical: true))
        #expect(certificate.dnsNames == ["a.test", ""])
        #expect(certificate.addresses == ["1.2.3.4"])
    }

    @Test("With two lists of names, or damaged extensions, there are no names")
    func twoLists() {
        let first = names(value(0x82, Array("a.test".utf8)))
        #expect(certificate(first).dnsNames == ["a.test"])
        #expect(certificate(value(0x30, value(0x06, [0x55]), value(0x04)), first).dnsNames == ["a.test"])
        #expect(certificate(first, first).dnsNames.isEmpty)
        #expect(certificate(first, [0x04, 0x00]).dnsNames.isEmpty)
        #expect(certificate(first, [0x30]).dnsNames.isEmpty)
    }

    @Test(
        "Dates have seconds and are in UTC",
        arguments: [
            (0x17, "700101000000Z", 0), (0x17, "491231235959Z", 2_524_607_999), (0x17, "500101000000Z", -631_152_000),
            (0x18, "20500101000000Z", 2_524_608_000), (0x18, "20240229000000Z", 1_709_164_800),
            (0x18, "20230229000000Z", nil), (0x17, "7001010000Z", nil), (0x17, "700101000000", nil),
            (0x17, "700101000000+0100", nil), (0x18, "19700101000000.5Z", nil), (0x17, "19700101000000Z", nil),
            (0x17, "70010100000xZ", nil), (0x0C, "700101000000Z", nil), (0x17, "", nil), (0x17, "701301000000Z", nil),
        ] as [(UInt8, String, TimeInterval?)]
    )
    func dates(tag: UInt8, text: String, seconds: TimeInterval?) {
        let date = value(tag, Array(text.utf8))
        let certificate = certificate(from: date, until: date)
        #expect(certificate.notBefore == seconds.map { Date(timeIntervalSince1970: $0) })
        #expect(certificate.notAfter == certificate.notBefore)
    }

    @Test(
        "Names have the notation of RFC 4514",
        arguments: [
            ([(0x55, 0x04, 0x03, 0x13)], "a", "CN=a"), ([(0x55, 0x04, 0x03, 0x0C)], "#a", ##"CN=\#a"##),
            ([(0x55, 0x04, 0x03, 0x13)], "", "CN="), ([(0x55, 0x04, 0x03, 0x0C)], "a\nb", #"CN=a\0Ab"#),
            ([(0x55, 0x04, 0x03, 0x0C)], " ", #"CN=\ "#), ([(0x55, 0x04, 0x05, 0x13)], "a", "2.5.4.5=#130161"),
            ([(0x55, 0x04, 0x03, 0x14)], "a", "CN=#140161"), ([(0x55, 0x04, 0x03, 0x1E)], "\0a", "CN=a"),
            ([(0x55, 0x04, 0x03, 0x1E)], "a", "CN=#1E0161"),
            ([(0x55, 0x04, 0x03, 0x13), (0x55, 0x04, 0x0A, 0x13)], "a", "CN=a+O=a"),
            ([], "", nil), ([(0x80, 0x04, 0x03, 0x13)], "a", nil),
        ] as [([(UInt8, UInt8, UInt8, UInt8)], String, String?)]
    )
    func distinguishedNames(attributes: [(UInt8, UInt8, UInt8, UInt8)], text: String, expected: String?) {
        let encoded = attributes.map { first, second, third, tag in
            value(0x30, value(0x06, [first, second, third]), value(tag, Array(text.utf8)))
        }
        let name = value(0x31, Array(encoded.joined()))
        #expect(DistinguishedName.text(name[...]) == expected)
        #expect(DistinguishedName.text((name + [0x05, 0x00])[...]) == nil)
    }

    @Test(
        "Object identifiers are numbers with dots",
        arguments: [
            ([0x55, 0x1D, 0x11], "2.5.29.17"), ([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D], "1.2.840.113549"),
            ([0x00], "0.0"), ([0x27], "0.39"), ([0x28], "1.0"), ([0x88, 0x37], "2.999"), ([], nil),
            ([0x2A, 0x86], nil),
            ([0x2A, 0x80, 0x01], nil), ([0x80, 0x01], nil), ([UInt8](repeating: 0xFF, count: 12) + [0x01], nil),
        ] as [([UInt8], String?)]
    )
    func objectIdentifiers(bytes: [UInt8], text: String?) {
        #expect(DottedIdentifier.text(bytes[...]) == text)
    }

    @Test("An empty name is empty text")
    func emptyName() { #expect(DistinguishedName.text([]) == "") }
}
#endif
