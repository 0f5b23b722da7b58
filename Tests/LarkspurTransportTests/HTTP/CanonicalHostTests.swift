import Foundation
import HTTPSyntax
import Testing

@Suite("The canonical form of hosts")
struct CanonicalHostTests {
    @Test(
        "All spellings of a host in URLs have one canonical form",
        arguments: [
            ("localhost", "localhost"), ("LocalHost", "localhost"), ("local%68ost", "localhost"),
            ("%4C%4fcalhost", "localhost"), ("x%2elocalhost", "x.localhost"), ("\u{FF2C}ocalhost", "localhost"),
            ("a_b.test", "a_b.test"), ("_dmarc.a.test", "_dmarc.a.test"), ("x~.localhost", "x~.localhost"),
            ("-a-.test", "-a-.test"), ("xn--bcher-kva.test", "xn--bcher-kva.test"), ("a.test.", "a.test."),
            ("B\u{DC}CHER.test", "xn--bcher-kva.test"), ("b%C3%BCcher.test", "xn--bcher-kva.test"),
            ("\u{FC}\u{3002}test", "xn--tda.test"), ("a\u{AD}b.test", "ab.test"), ("r3---sn.test", "r3---sn.test"),
            ("127.0.0.1", "127.0.0.1"), ("127.1", "127.0.0.1"), ("2130706433", "127.0.0.1"), ("0x7f.1", "127.0.0.1"),
            ("0X7F000001", "127.0.0.1"), ("0177.0.0.1", "127.0.0.1"), ("127.0.1", "127.0.0.1"),
            ("%31%32%37.1", "127.0.0.1"), ("\u{2460}\u{2461}\u{2466}.0.0.1", "127.0.0.1"), ("127.0.0.1.", "127.0.0.1"),
            ("4294967295", "255.255.255.255"), ("0", "0.0.0.0"), ("0x", "0.0.0.0"), ("1.0x", "1.0.0.0"),
            ("1.16777215", "1.255.255.255"), ("1.2.65535", "1.2.255.255"), ("0x7g", "0x7g"), ("1.a", "1.a"),
            ("[::1]", "[::1]"), ("[0:0:0:0:0:0:0:1]", "[::1]"), ("[2001:DB8:0:0:1::]", "[2001:db8:0:0:1::]"),
            ("[::ffff:1.2.3.4]", "[::ffff:1.2.3.4]"), ("[::FFFF:102:304]", "[::ffff:1.2.3.4]"),
            ("[fe80::1%25eth0]", "[fe80::1%25eth0]"), ("[FE80:0::1%eth0]", "[fe80::1%25eth0]"),
        ]
    )
    func spellings(text: String, form: String) throws {
        let host = try CanonicalHost(inURL: text)
        #expect(host.urlText == form)
        #expect(try CanonicalHost(inURL: host.urlText) == host)
        #expect(try CanonicalHost(named: host.plainText) == host)
        if let url = URL(string: "http://user:password@\(text):8080/a?b#c") {
            #expect(try CanonicalHost(of: url) == host)
        }
    }

    @Test(
        "A text without a canonical form has a defect",
        arguments: [
            ("", CanonicalHost.Defect.empty), (".", .emptyLabel), ("a..b", .emptyLabel), (".a", .emptyLabel),
            ("a..", .emptyLabel), ("a%2E%2Eb", .emptyLabel), ("x..localhost", .emptyLabel),
            ("a b", .forbiddenCharacter), ("a%20b", .forbiddenCharacter), ("a%00b", .forbiddenCharacter),
            ("a%0Ab", .forbiddenCharacter), ("a%2Fb", .forbiddenCharacter), ("a%40b", .forbiddenCharacter),
            ("a%2541", .forbiddenCharacter), ("a%", .forbiddenCharacter), ("a*b", .forbiddenCharacter),
            ("a\u{FF05}\u{FF14}\u{FF11}", .forbiddenCharacter), ("a<b", .forbiddenCharacter),
            ("a:b", .forbiddenCharacter),
            ("a[b", .forbiddenCharacter), ("\u{FC} b", .forbiddenCharacter), ("%FF", .noASCIIForm),
            ("\u{AD}", .noASCIIForm), ("\u{378}.test", .noASCIIForm), ("a\u{FF0F}b", .noASCIIForm),
            ("1.2.3.4.5", .malformedIPv4), ("256.1", .malformedIPv4), ("a.09", .malformedIPv4), ("09", .malformedIPv4),
            ("4294967296", .malformedIPv4), ("1.16777216", .malformedIPv4), ("1.2.3.0x100", .malformedIPv4),
            ("99999999999999999999999999", .malformedIPv4), ("a.0x7f", .malformedIPv4),
            ("\u{FF11}.2.3.4.5", .malformedIPv4),
            ("[]", .malformedIPv6), ("[::1", .malformedIPv6), ("[1.2.3.4]", .malformedIPv6), ("[a]", .malformedIPv6),
            ("[::1%25]x]", .malformedIPv6), ("[fe80::1%25a/b]", .malformedIPv6), ("[fe80::1%]", .malformedIPv6),
            ("[fe80::1%25aaaaaaaaaaaaaaaa]", .malformedIPv6), ("[::1\u{0}]", .malformedIPv6),
            ("[::12345]", .malformedIPv6),
        ]
    )
    func defects(text: String, defect: CanonicalHost.Defect) {
        #expect(throws: defect) { try CanonicalHost(inURL: text) }
    }

    @Test("Names and labels have the lengths of DNS, with or without the dot of the root")
    func lengths() throws {
        let label = String(repeating: "a", count: 63)
        let longest = [label, label, label, String(label.dropLast(2))].joined(separator: ".")
        #expect(longest.utf8.count == 253)
        for text in [label, longest, longest + "."] { #expect(try CanonicalHost(inURL: text).plainText == text) }
        for text in [label + "a", "b." + label + "a.test", longest + "a", "a" + longest] {
            #expect(throws: CanonicalHost.Defect.tooLong) { try CanonicalHost(inURL: text) }
        }
    }

    @Test("The zone is part of the host, and not of its name or Host field")
    func zone() throws {
        let host = try CanonicalHost(inURL: "[fe80::1%25lo]")
        #expect((host.name, host.fieldText, host.plainText) == ("fe80::1", "[fe80::1]", "fe80::1%lo"))
        #expect(host != (try CanonicalHost(inURL: "[fe80::1]")))
        #expect(URLReference("http://[fe80::1%25lo]:81/").hostField == "[fe80::1]:81")
    }

    @Test("The dot of the root is part of the host, and not of its name")
    func root() throws {
        let host = try CanonicalHost(inURL: "a.test.")
        #expect((host.name, host.fieldText, host.plainText) == ("a.test", "a.test.", "a.test."))
        #expect(host != (try CanonicalHost(inURL: "a.test")))
    }

    @Test("The host in a setting has no escapes, and may omit the brackets")
    func settings() throws {
        #expect(try CanonicalHost(named: "::1").urlText == "[::1]")
        #expect(try CanonicalHost(named: "[::1]").urlText == "[::1]")
        #expect(try CanonicalHost(named: "fe80::1%lo").urlText == "[fe80::1%25lo]")
        #expect(try CanonicalHost(named: "127.1").name == "127.0.0.1")
        #expect(throws: CanonicalHost.Defect.forbiddenCharacter) { try CanonicalHost(named: "local%68ost") }
        #expect(throws: CanonicalHost.Defect.malformedIPv6) { try CanonicalHost(named: "a.test:80") }
        #expect(throws: CanonicalHost.Defect.malformedIPv6) { try CanonicalHost(named: "[\u{301}::1]") }
    }

    @Test("A URL without an authority has no host", arguments: ["mailto:a@b", "file:///x", "http:/a//b", "data:,//x"])
    func hostless(text: String) throws {
        let url = try #require(URL(string: text))
        #expect(throws: CanonicalHost.Defect.empty) { try CanonicalHost(of: url) }
    }

    @Test("An address is written in the notation of RFC 5952")
    func addresses() {
        #expect(IPAddress("2001:0DB8:0:0:0:0:0:1")?.text == "2001:db8::1")
        #expect(IPAddress("127.0.0.1")?.text == "127.0.0.1")
        // Other notations than those of RFC 3986 are only read in hosts.
        #expect(IPAddress("127.1") == nil && IPAddress("::1\u{0}") == nil)
    }
}
