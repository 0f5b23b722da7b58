#if canImport(FoundationNetworking)
import Foundation
import HTTPSyntax
import Testing

@testable import LarkspurTransport

@Suite("Hosts that require https") struct HSTSHostsTests {
    private let start = Date(timeIntervalSince1970: 1_000_000_000)

    private func hosts(_ names: String..., capacity: Int = 100) -> HSTSHosts {
        var hosts = HSTSHosts(capacity: capacity)
        for name in names {
            let includesSubdomains = name.hasPrefix(".")
            let entry = HSTSHosts.Entry(
                includesSubdomains: includesSubdomains,
                expirationDate: start.addingTimeInterval(100)
            )
            hosts.insert(entry, for: includesSubdomains ? String(name.dropFirst()) : name, at: start)
        }
        return hosts
    }

    private func field(_ text: String) throws -> StrictTransportField { try #require(StrictTransportField(text)) }

    @Test(
        "An entry applies to its host, and to subdomains if it includes them (RFC 6797, section 8.2)",
        arguments: [
            ("example.com", true), ("www.example.com", false), ("com", false), ("xample.com", false),
            ("all.test", true), ("a.all.test", true), ("a.b.c.all.test", true), ("ball.test", false), ("test", false),
            ("both.all.test", true), ("a.both.all.test", true), ("host.only.test", true), ("a.host.only.test", false),
            ("only.test", false), ("", false),
        ]
    )
    func matches(_ name: String, _ isKnown: Bool) {
        let hosts = hosts("example.com", ".all.test", "both.all.test", "host.only.test")
        #expect(hosts.contains(name, at: start) == isKnown)
    }

    @Test("An entry applies until it expires, and the host's next field replaces it")
    func expirationDate() throws {
        var hosts = hosts()
        let isChanged1 = hosts.note(try field("max-age=10; includeSubDomains"), of: "a.test", at: start)
        #expect(isChanged1)
        #expect(hosts.contains("a.test", at: start.addingTimeInterval(9.9)))
        #expect(hosts.contains("b.a.test", at: start.addingTimeInterval(9.9)))
        #expect(!hosts.contains("a.test", at: start.addingTimeInterval(10)))
        #expect(!hosts.contains("b.a.test", at: start.addingTimeInterval(10)))
        _ = hosts.note(try field("max-age=20"), of: "a.test", at: start)
        #expect(hosts.contains("a.test", at: start.addingTimeInterval(19)))
        #expect(!hosts.contains("b.a.test", at: start))
        _ = hosts.note(try field("max-age=5"), of: "a.test", at: start)
        #expect(!hosts.contains("a.test", at: start.addingTimeInterval(5)))
    }

    @Test("A max-age of zero removes only the host's own entry")
    func removal() throws {
        var hosts = hosts(".a.test", ".b.a.test")
        let isChanged2 = hosts.note(try field("max-age=0; includeSubDomains"), of: "b.a.test", at: start)
        #expect(isChanged2)
        #expect(hosts.entries.keys.map(\.text).sorted() == ["a.test"])
        #expect(hosts.contains("b.a.test", at: start))
        let isChanged3 = hosts.note(try field("max-age=0"), of: "a.test", at: start)
        #expect(isChanged3)
        #expect(!hosts.contains("b.a.test", at: start))
        let isChanged4 = hosts.note(try field("max-age=0"), of: "a.test", at: start)
        #expect(!isChanged4)
    }

    @Test("Expired hosts are removed first, and then those that were added or renewed longest ago")
    func capacity() throws {
        var hosts = HSTSHosts(capacity: 8)
        for number in 0..<8 {
            let age = number == 6 ? 1 : 100
            _ = hosts.note(try field("max-age=\(age)"), of: "\(number).test", at: start)
        }
        let later = start.addingTimeInterval(1)
        _ = hosts.note(try field("max-age=100"), of: "0.test", at: later)
        _ = hosts.note(try field("max-age=100"), of: "8.test", at: later)
        #expect(hosts.entries.keys.map(\.text).sorted() == [0, 1, 2, 3, 4, 5, 7, 8].map { "\($0).test" })
        _ = hosts.note(try field("max-age=100"), of: "9.test", at: later)
        // The oldest quarter and one more have gone; 0.test was noted again.
        #expect(hosts.entries.keys.map(\.text).sorted() == [0, 4, 5, 7, 8, 9].map { "\($0).test" })
        for number in 10..<1000 {
            _ = hosts.note(try field("max-age=100"), of: "\(number).test", at: later)
            #expect(hosts.entries.count <= 8)
            #expect(hosts.contains("\(number).test", at: later))
        }
        var single = HSTSHosts(capacity: 0)
        _ = single.note(try field("max-age=100"), of: "a.test", at: later)
        _ = single.note(try field("max-age=100"), of: "b.test", at: later)
        #expect(single.entries.keys.map(\.text).sorted() == ["b.test"])
    }

    @Test(
        "The HSTS file is written after an addition, and after a renewal only when the saved expirationDate is outdated"
    )
    func saving() throws {
        var hosts = hosts()
        let month = try field("max-age=2592000")
        let isChanged5 = hosts.note(month, of: "a.test", at: start)
        #expect(isChanged5)
        let isChanged6 = hosts.note(month, of: "a.test", at: start)
        #expect(isChanged6)
        hosts.noteSaved(hosts.entries)
        let isChanged7 = hosts.note(month, of: "a.test", at: start.addingTimeInterval(1))
        #expect(!isChanged7)
        let isChanged8 = hosts.note(month, of: "a.test", at: start.addingTimeInterval(86_400))
        #expect(!isChanged8)
        let isChanged9 = hosts.note(month, of: "a.test", at: start.addingTimeInterval(86_401))
        #expect(isChanged9)
        let isChanged10 = hosts.note(try field("max-age=2592000; includeSubDomains"), of: "a.test", at: start)
        #expect(isChanged10)
        let minute = try field("max-age=60")
        let isChanged11 = hosts.note(minute, of: "b.test", at: start)
        #expect(isChanged11)
        hosts.noteSaved(hosts.entries)
        let isChanged12 = hosts.note(minute, of: "b.test", at: start.addingTimeInterval(6))
        #expect(!isChanged12)
        let isChanged13 = hosts.note(minute, of: "b.test", at: start.addingTimeInterval(7))
        #expect(isChanged13)
    }

    @Test("Hosts that are removed while the file is written do not come back, also if only the file had them")
    func adoption() {
        let snapshot = hosts("a.test", "b.test")
        let written = hosts("a.test", "b.test", "x.test", "y.test")
        var present = snapshot
        let isChanged14 = present.remove("a.test")
        #expect(isChanged14)
        var later = FileChanges<TextKey, HSTSHosts.Entry>()
        for name in ["a.test", "x.test"] { later.set(nil, for: TextKey(name)) }
        present.adopt(written, madeFrom: snapshot, later, at: start)
        #expect(present.entries.keys.map(\.text).sorted() == ["b.test", "y.test"])
        present = hosts()
        later.removeAll()
        present.adopt(written, madeFrom: snapshot, later, at: start)
        #expect(present.entries.isEmpty)
    }

    // MARK: Names and URLs

    @Test(
        "Names are compared in lower-case ASCII, without the dot of the root",
        arguments: [
            ("Example.COM", "example.com"), ("example.com.", "example.com"), ("localhost", "localhost"),
            ("bücher.example", "xn--bcher-kva.example"), ("BÜCHER.example.", "xn--bcher-kva.example"),
            ("xn--bcher-kva.example", "xn--bcher-kva.example"), ("a_b.example", "a_b.example"),
            ("1.example", "1.example"),
            // No addresses (section 8.1.1), in any notation that is an address for the resolver.
            ("127.0.0.1", nil), ("127.1", nil), ("0x7f000001", nil), ("2130706433", nil), ("::1", nil), ("[::1]", nil),
            ("[fe80::1%25eth0]", nil), ("①②⑦.0.0.1", nil), ("a.0x1", nil), ("x~.example", "x~.example"),
            ("", nil), (".", nil), ("a..b", nil), (".a", nil), ("a b", nil), ("a/b", nil), ("a:80", nil),
        ] as [(String, String?)]
    )
    func names(_ name: String, _ expected: String?) {
        #expect(HSTSName.canonical(name) == expected)
    }

    @Test("Each spelling of a host below a domain with includeSubDomains requires https")
    func spellings() throws {
        let store = HSTSStore(now: { [start] in start })
        #expect(
            store.insert(.init(name: "A.test", includesSubdomains: true, expirationDate: start.addingTimeInterval(1)))
        )
        for host in ["b.a.test", "B.A.test.", "x~.a.test", "_x.a.test", "%62.a.test", "b%2ea.test", "\u{FC}.a.test"] {
            #expect(store.requiresHTTPS(host), "\(host)")
            let secured = store.secured(try #require(URL(string: "http://\(host)/")))
            #expect(secured?.scheme == "https", "\(host)")
        }
        for host in ["127.1", "ba.test", "a..a.test", "[::1]"] { #expect(!store.requiresHTTPS(host), "\(host)") }
    }

    @Test("A name and its labels have the lengths that DNS allows")
    func longNames() {
        let label = String(repeating: "a", count: 63)
        #expect(HSTSName.canonical(label + ".test") != nil)
        #expect(HSTSName.canonical(label + "a.test") == nil)
        #expect(HSTSName.canonical([label, label, label, String(label.dropLast(2))].joined(separator: ".")) != nil)
        #expect(HSTSName.canonical([label, label, label, label].joined(separator: ".")) == nil)
    }

    @Test(
        "The scheme and the port 80 change, and nothing else (RFC 6797, section 8.3)",
        arguments: [
            ("http://a.test", "https://a.test"), ("HTTP://A.test/B?c#d", "https://A.test/B?c#d"),
            ("http://a.test:80/", "https://a.test:443/"), ("http://a.test:080/", "https://a.test:443/"),
            ("http://a.test:8080/", "https://a.test:8080/"), ("http://a.test:443/", "https://a.test:443/"),
            ("http://a.test:/", "https://a.test:/"), ("http://a.test?x=:80", "https://a.test?x=:80"),
            ("http://a.test/:80", "https://a.test/:80"), ("http://u:80@a.test/", "https://u:80@a.test/"),
            ("http://u:p@a.test:80/", "https://u:p@a.test:443/"), ("http://[::1]:80/", "https://[::1]:443/"),
            ("http://[::80]/", "https://[::80]/"), ("http://a.test/a%20b;c//../d", "https://a.test/a%20b;c//../d"),
            ("https://a.test:80/", nil), ("ftp://a.test/", nil), ("http+unix://%2Fa/", nil), ("/path", nil),
        ] as [(String, String?)]
    )
    func secured(_ text: String, _ expected: String?) throws {
        let url = try #require(URL(string: text))
        #expect(url.secured?.absoluteString == expected)
    }
}
#endif
