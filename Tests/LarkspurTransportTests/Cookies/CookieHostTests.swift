#if canImport(FoundationNetworking)

import Testing

@testable import LarkspurTransport

@Suite struct CookieHostTests {
    @Test(
        "A host is within an equal domain or a superdomain, unless it is an address",
        arguments: [
            ("a.example.com", "example.com", true), ("example.com", "example.com", true),
            ("Example.COM", "example.com", true),
            ("badexample.com", "example.com", false), ("example.com", "a.example.com", false),
            ("1.2.3.4", "3.4", false),
            ("1.2.3.4", "1.2.3.4", true), ("0x7f.0x1", "0x1", false), ("127.0x1", "0x1", false),
            ("1.2.3.4.", "3.4.", false), ("a.0x7g", "0x7g", true), ("a.example.com.", "example.com", false),
            ("a.example.com.", "example.com.", true), ("1.0x", "0x", false),
            ("::1", "1", false), ("::1", "::1", true), ("a", "", false), ("", "a", false),
        ]
    )
    func domains(host: String, domain: String, isWithin: Bool) {
        #expect(CookieHost(host).isWithin(domain) == isWithin)
    }

    @Test(
        "Single labels and registry names are public suffixes with either list, also with a dot at the end",
        arguments: [
            ("com", true), ("localhost", true), ("co.uk", true), ("com.au", true), ("example.com", false),
            ("t.co", false), ("a.co.uk", false), ("com.", true), ("co.uk.", true), ("example.com.", false),
            ("", true), (".", true), ("..", true), (".com", true), ("a..", true),
        ],
        [PublicSuffixList.heuristic, .current]
    )
    func publicSuffixes(_ row: (name: String, isPublic: Bool), list: PublicSuffixList) {
        #expect(CookieHost(row.name, suffixes: list).isPublicSuffix == row.isPublic)
    }

    @Test(
        "The system's list of public suffixes is used if there is one",
        .enabled(if: PublicSuffixList.current == .system),
        arguments: [
            ("github.io", true), ("a.github.io", false), ("tokyo.jp", true), ("xn--fiqs8s", true),
            ("xn--55qx5d.cn", true), ("a.xn--55qx5d.cn", false), ("www.ck", false), ("a.ck", true),
        ]
    )
    func systemList(name: String, isPublic: Bool) {
        #expect(CookieHost(name).isPublicSuffix == isPublic)
    }

    @Test(
        "A site is a public suffix and one more label",
        arguments: [
            ("www.example.com", "example.com"), ("www.example.com.", "example.com."), ("0x7f.1", "0x7f.1"),
            ("com", "com"),
            ("a.b.example.co.uk", "example.co.uk"), ("localhost", "localhost"),
            ("1.2.3.4", "1.2.3.4"),
            ("::1", "::1"),
        ]
    )
    func sites(host: String, site: String) {
        #expect(CookieHost(host).site == site)
    }
}

#endif
