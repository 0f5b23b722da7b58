import Testing

@testable import Larkspur
@testable import LarkspurReachability

@Suite("Network addresses")
struct NetworkAddressTests {
    static let addresses: [(text: String, bytes: [UInt8]?)] = [
        ("192.0.2.1", [192, 0, 2, 1]),
        ("::", [UInt8](repeating: 0, count: 16)),
        ("::1", [UInt8](repeating: 0, count: 15) + [1]),
        ("[::1]", [UInt8](repeating: 0, count: 15) + [1]),
        ("::ffff:192.0.2.1", [192, 0, 2, 1]),
        ("2001:DB8::1", [0x20, 0x01, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [1]),
        ("127.1", nil), ("1.2.3.4.5", nil), ("1.2.3.256", nil), ("0x7f.0.0.1", nil), ("192.0.2.1%1", nil),
        ("", nil), ("[]", nil), ("%", nil), ("::1%", nil), ("::1%no-such-link", nil), ("::1\0", nil),
        ("example.org", nil),
    ]

    @Test("Only numeric addresses are parsed", arguments: addresses)
    func reading(_ test: (text: String, bytes: [UInt8]?)) { #expect(NetworkAddress(test.text)?.bytes == test.bytes) }

    @Test("A link-local address may have a zone")
    func zone() throws {
        let address = try #require(NetworkAddress("fe80::1%7"))
        #expect(address.zone == 7)
        #expect(address.isLinkLocal && address.isV6)
        #expect(NetworkAddress("2001:db8::1")?.isLinkLocal == false)
        #expect(NetworkAddress("192.0.2.1")?.isV6 == false)
    }

    @Test("Data of another length than an address is rejected", arguments: [0, 3, 5, 15, 17])
    func counts(_ count: Int) { #expect(NetworkAddress(bytes: [UInt8](repeating: 1, count: count)) == nil) }

    @Test("A numeric address needs no name lookup")
    func target() throws {
        #expect(ReachabilityTarget.named("[::1]") == .address(try #require(NetworkAddress("::1"))))
        #expect(ReachabilityTarget.named("example.org") == .host("example.org"))
    }
}
