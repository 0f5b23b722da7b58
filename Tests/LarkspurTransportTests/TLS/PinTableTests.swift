#if canImport(FoundationNetworking)
import Foundation
import Testing

@testable import LarkspurTransport

@Suite("Pins by host")
struct PinTableTests {
    static func pin(_ number: UInt8) -> PublicKeyPin { PublicKeyPin(SubjectPublicKeyInfo(encoding: Data([number]))) }

    @Test(
        "The host of pins is stored in its canonical form",
        arguments: [
            ("Example.COM", "example.com"), ("example.com.", "example.com"), ("a_b-c.test", "a_b-c.test"),
            ("127.0.0.1", "127.0.0.1"), ("127.1", "127.0.0.1"), ("0x7f000001", "127.0.0.1"),
            ("2130706433", "127.0.0.1"), ("[::1]", "::1"), ("0:0:0:0:0:0:0:1", "::1"), ("fe80::1%eth0", "fe80::1"),
            ("fe80::1%\u{301}", nil), ("a\u{600}.", nil), ("FE80::A", "fe80::a"), ("", nil), (".", nil),
            ("a b", nil), ("a/b", nil), ("*.example.com", nil),
            ("https://example.com", nil), ("example.com:443", nil), ("bücher.example", "xn--bcher-kva.example"),
            ("1:2", nil),
            ("a%62", nil), ("a..", nil), (".a", nil), ("a..b", nil),
        ] as [(String, String?)]
    )
    func names(host: String, canonical: String?) {
        #expect((try? HostPins(host, pins: []))?.host == canonical)
    }

    @Test("The host of pins may be an international name")
    func internationalName() throws {
        #expect(try HostPins("Bücher.example", pins: []).host == "xn--bcher-kva.example")
    }

    @Test(
        "An invalid host of pins is refused",
        arguments: ["", "https://example.com", "example.com:443", "*.example.com", "exa mple.com", "example.com/a"]
    )
    func badHost(host: String) {
        let error = #expect(throws: TLSConfigurationError.self) { try HostPins(host, pins: []) }
        #expect(error?.reason == .malformedHost)
    }

    private func table() throws -> PinTable {
        PinTable([
            try HostPins("example.com", includesSubdomains: true, pins: [Self.pin(1)], backupPins: [Self.pin(2)]),
            try HostPins("API.example.com", pins: [Self.pin(3)]),
            try HostPins("api.example.com", pins: [Self.pin(4)]),
            try HostPins("in.example.com", includesSubdomains: true, pins: [Self.pin(5)]),
            try HostPins("alone.test", pins: [Self.pin(6)]),
            try HostPins("none.test", pins: []),
        ])
    }

    @Test(
        "The pins of the nearest host apply, and the pins and backup pins of one host are joined",
        arguments: [
            ("example.com", [1, 2]), ("a.example.com", [1, 2]), ("a.b.example.com", [1, 2]),
            ("api.example.com", [3, 4]), ("v1.api.example.com", [1, 2]), ("in.example.com", [5]),
            ("a.in.example.com", [5]), ("alone.test", [6]), ("none.test", []), ("a.alone.test", nil),
            ("badexample.com", nil), ("com", nil), ("", nil), (".", nil), ("example.com.evil.test", nil),
        ] as [(String, [UInt8]?)]
    )
    func nearest(name: String, numbers: [UInt8]?) throws {
        let expected = numbers.map { [Set($0.map(Self.pin))] } ?? []
        #expect(try table().requirements(for: name) == expected)
    }

    @Test("Pins for all hosts apply in addition to those of a host")
    func everywhere() throws {
        let table = PinTable([try HostPins("a.test", pins: [Self.pin(1)])], everywhere: [Self.pin(2)])
        #expect(table.requirements(for: "a.test") == [[Self.pin(2)], [Self.pin(1)]])
        #expect(table.requirements(for: "b.test") == [[Self.pin(2)]])
        #expect(!PinTable([], everywhere: []).isEmpty)
        #expect(PinTable([]).isEmpty)
    }
}
#endif
