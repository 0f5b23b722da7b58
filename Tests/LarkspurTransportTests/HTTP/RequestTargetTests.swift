#if canImport(FoundationNetworking)

import Foundation
import Testing

@testable import LarkspurTransport

@Suite struct RequestTargetTests {
    @Test(
        "A URL becomes what libcurl is told",
        arguments: [
            ("http://a", "http://a"), ("HTTPS://A:443/b?c#d", "HTTPS://A:443/b?c"),
            ("http://u:p%40@a:8/b?c@d#e", "http://a:8/b?c@d"),
            ("http://a/../b/./c//", "http://a/../b/./c//"),
            ("http://[::1]:65535/", "http://[::1]:65535/"), ("http://a:0", "http://a:0"),
            ("http://a:/", "http://a:/"),
            ("http://b\u{FC}cher.example/\u{E4}", "http://xn--bcher-kva.example/%C3%A4"),
            ("http://a?x/y@z", "http://a?x/y@z"),
            ("http://a#/@b", "http://a"),
        ]
    )
    func targets(url: String, text: String) throws {
        let target = try RequestTarget(try #require(URL(string: url)))
        #expect(target.text == text)
    }

    @Test("A relative URL is taken with its base")
    func relative() throws {
        let base = try #require(URL(string: "http://a/b/"))
        #expect(try RequestTarget(try #require(URL(string: "c?d", relativeTo: base))).text == "http://a/b/c?d")
    }

    @Test(
        "A URL without a host, or with an impossible port, is refused",
        arguments: [
            "a/b", "http:a", "http:/a", "http://", "http:///x", "http://:80/", "http://u@/", "http://a:65536/",
            "http://a:99999999999999999999/",
            "?http://a/", "http:", "http:/", "https:", "http://?x", "http://#x",
        ]
    )
    func invalid(text: String) throws {
        guard let url = URL(string: text) else { return }
        #expect(throws: RequestHead.Failure.invalidURL) { try RequestTarget(url) }
    }

    @Test(
        "Other schemes are refused",
        arguments: ["ftp://a/", "file:///a", "mailto:x", "htt://a/", "httpx://a/", "data:,x", "ws://a/"]
    )
    func otherSchemes(text: String) throws {
        let url = try #require(URL(string: text))
        #expect(throws: RequestHead.Failure.unsupportedScheme) { try RequestTarget(url) }
    }
}

#endif
