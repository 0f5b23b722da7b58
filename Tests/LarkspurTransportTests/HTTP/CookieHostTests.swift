#if canImport(FoundationNetworking)

import Testing

@testable import LarkspurTransport

@Suite struct CookieHostTests {
    @Test(
        "A host is within a domain that it equals or ends in after a dot, unless it is an address",
        arguments: [
            ("a.example.com", "example.com", true), ("example.com", "example.com", true),
            ("Example.COM", "example.com", true),
            ("badexample.com", "example.com", false), ("example.com", "a.example.com", false),
            ("1.2.3.4", "3.4", false),
            ("1.2.3.4", "1.2.3.4", true), ("::1", "1", false), ("::1", "::1", true), ("a", "", false), ("", "a", false),
        ]
    )
    func domains(host: String, domain: String, isWithin: Bool) {
        #expect(CookieHost(host).isWithin(domain) == isWithin)
    }

    @Test(
        "Single labels and the registries' names are nobody's",
        arguments: [
            ("com", true), ("localhost", true), ("co.uk", true), ("com.au", true), ("example.com", false),
            ("t.co", false), ("a.co.uk", false),
        ]
    )
    func publicSuffixes(name: String, isPublic: Bool) {
        #expect(CookieHost(name).isPublicSuffix == isPublic)
    }

    @Test(
        "A site is what one owner has",
        arguments: [
            ("www.example.com", "example.com"), ("a.b.example.co.uk", "example.co.uk"), ("localhost", "localhost"),
            ("1.2.3.4", "1.2.3.4"),
            ("::1", "::1"),
        ]
    )
    func sites(host: String, site: String) {
        #expect(CookieHost(host).site == site)
    }
}

#endif
