#if canImport(FoundationNetworking)

import Foundation
import HTTPSyntax
import Testing

@testable import LarkspurTransport

@Suite struct CurlURLTests {
    @Test(
        "libcurl gets a URL without user and fragment, with a canonical host",
        arguments: [
            ("http://a", "http://a"), ("HTTPS://A:443/b?c#d", "HTTPS://a:443/b?c"),
            ("http://u:p%40@a:8/b?c@d#e", "http://a:8/b?c@d"),
            ("http://a/../b/./c//", "http://a/../b/./c//"),
            ("http://[::1]:65535/", "http://[::1]:65535/"), ("http://a:0", "http://a:0"),
            ("http://a:/", "http://a:/"),
            ("http://b\u{FC}cher.example/\u{E4}", "http://xn--bcher-kva.example/%C3%A4"),
            ("http://a?x/y@z", "http://a?x/y@z"),
            ("http://a#/@b", "http://a"), ("http://local%68ost/%68", "http://localhost/%68"),
            ("http://x%2Elocalhost:1", "http://x.localhost:1"), ("http://u@127.1/", "http://127.0.0.1/"),
            ("http://0x7f.1?q", "http://127.0.0.1?q"), ("http://[0:0::1]/", "http://[::1]/"),
            ("http://[FE80::1%25lo]:8/", "http://[fe80::1%25lo]:8/"), ("http://a.test./", "http://a.test./"),
            ("http://a_b~.test/", "http://a_b~.test/"),
        ]
    )
    func targets(url: String, text: String) throws {
        let target = try CurlURL(try #require(URL(string: url)))
        #expect(target.text == text)
    }

    @Test("A relative URL is resolved against its base")
    func relative() throws {
        let base = try #require(URL(string: "http://a/b/"))
        #expect(try CurlURL(try #require(URL(string: "c?d", relativeTo: base))).text == "http://a/b/c?d")
    }

    @Test(
        "A URL without a host or with an invalid port is refused",
        arguments: [
            "a/b", "http:a", "http:/a", "http://", "http:///x", "http://a:1:2/", "http://:80/", "http://u@/",
            "http://a:65536/",
            "http://a:99999999999999999999/",
            "?http://a/", "http:", "http:/", "https:", "http://?x", "http://#x",
        ]
    )
    func invalid(text: String) throws {
        guard let url = URL(string: text) else { return }
        #expect(throws: RequestHead.Failure.invalidURL) { try CurlURL(url) }
    }

    @Test(
        "A URL whose host has no canonical form is refused",
        arguments: [
            ("http://x..localhost/", CanonicalHost.Defect.emptyLabel), ("http://a%2e%2eb/", .emptyLabel),
            ("http://1.2.3.4.5/", .malformedIPv4), ("http://a.09/", .malformedIPv4),
            ("http://256.1.1.1/", .malformedIPv4),
            ("http://a%00b/", .forbiddenCharacter), ("http://a%2Fb/", .forbiddenCharacter),
            ("http://a%2540/", .forbiddenCharacter), ("http://a*b/", .forbiddenCharacter),
            ("http://%FF/", .noASCIIForm),
            ("http://\(String(repeating: "a", count: 64)).test/", .tooLong),
            ("http://\(String(repeating: "a.", count: 128))/", .tooLong),
        ]
    )
    func hostless(text: String, defect: CanonicalHost.Defect) throws {
        let url = try #require(URL(string: text))
        #expect(throws: RequestHead.Failure.invalidHost(defect)) { try CurlURL(url) }
    }

    @Test("The URL for a proxy has no zone")
    func zone() throws {
        let zoned = try CurlURL(#require(URL(string: "http://[fe80::1%25lo]:8/a?[b]")))
        #expect(zoned.textForProxy == "http://[fe80::1]:8/a?%5Bb%5D")
        let plain = try CurlURL(#require(URL(string: "http://[fe80::1]/")))
        #expect(plain.textForProxy == plain.text)
    }

    @Test(
        "A URL with a scheme other than http, https and their socket schemes is refused",
        arguments: ["ftp://a/", "file:///a", "mailto:x", "htt://a/", "httpx://a/", "data:,x", "ws://a/"]
    )
    func otherSchemes(text: String) throws {
        let url = try #require(URL(string: text))
        #expect(throws: RequestHead.Failure.unsupportedScheme) { try CurlURL(url) }
    }
}

#endif
