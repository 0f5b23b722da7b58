#if canImport(FoundationNetworking)
import Testing

@testable import LarkspurTransport

@Suite("Requests that the engine writes itself")
struct UpgradeRequestTests {
    @Test("Fields are read in the notation of libcurl, whatever their values are")
    func fields() {
        let lines = ["Host: h", "X-Removed:", "X-Empty;", "X-Colon: a:", "X-Semicolon: b;", "X-Accent: \u{301};"]
        let text = String(decoding: UpgradeRequest.bytes(url: "http://a.test:80/p?q", lines: lines), as: UTF8.self)
        #expect(
            text.split(separator: "\r\n") == [
                "GET /p?q HTTP/1.1", "Host: h", "X-Empty:", "X-Colon: a:", "X-Semicolon: b;", "X-Accent: \u{301};",
            ]
        )
    }
}
#endif
