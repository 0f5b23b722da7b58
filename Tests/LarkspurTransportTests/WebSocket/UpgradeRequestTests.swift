#if canImport(FoundationNetworking)
import Foundation
import Testing

@testable import LarkspurTransport

@Suite("Upgrade requests")
struct UpgradeRequestTests {
    @Test("Fields are converted from libcurl's notation, whatever their values are")
    func fields() throws {
        let lines = ["Host: h", "X-Removed:", "X-Empty;", "X-Colon: a:", "X-Semicolon: b;", "X-Accent: \u{301};"]
        let target = try CurlURL(#require(URL(string: "http://a.test:80/p?q")))
        let text = String(decoding: UpgradeRequest.bytes(target: target, lines: lines), as: UTF8.self)
        #expect(
            text.split(separator: "\r\n") == [
                "GET /p?q HTTP/1.1", "Host: h", "X-Empty:", "X-Colon: a:", "X-Semicolon: b;", "X-Accent: \u{301};",
            ]
        )
    }

    @Test(
        "The Host field has neither a zone nor a default port",
        arguments: [
            ("http://[::1%25lo]/", "[::1]"), ("http://[::1%25lo]:81/", "[::1]:81"), ("http://A.test:80/", "a.test"),
            ("https://a.test:443/", "a.test"), ("https://a.test:80/", "a.test:80"),
            ("http://127.1:8080", "127.0.0.1:8080"),
            ("http://a.test.:/", "a.test."),
        ]
    )
    func host(url: String, host: String) throws {
        let target = try CurlURL(#require(URL(string: url)))
        let text = String(decoding: UpgradeRequest.bytes(target: target, lines: []), as: UTF8.self)
        #expect(text == "GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n")
    }
}
#endif
