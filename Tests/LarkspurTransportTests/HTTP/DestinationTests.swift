#if canImport(FoundationNetworking)

import Foundation
import Testing

@testable import LarkspurTransport

@Suite("The destination of a request") struct DestinationTests {
    @Test(
        "The origin has the scheme, the canonical host and the port, and the scheme determines TLS",
        arguments: [
            ("http://a.example", "http://a.example", false), ("https://a.example/b/c?d/e", "https://a.example", true),
            ("HTTPS://A.example:8443?q=/x/", "HTTPS://a.example:8443", true),
            ("http://u:p@a.example/", "http://a.example", false), ("http://%61.example/", "http://a.example", false),
            ("http://127.1:80/", "http://127.0.0.1:80", false), ("http://a..b/c", "http://a..b", false),
            ("https+unix://%2Ftmp%2Fs/x", "https+unix://%2Ftmp%2Fs", true),
            ("http+unix://%2Ftmp%2Fs/x", "http+unix://%2Ftmp%2Fs", false), ("httpsx://a/b", "httpsx://a", false),
            ("https", "https", false), ("?", "", false),
        ]
    )
    func destination(text: String, origin: String, isSecure: Bool) throws {
        let url = try #require(URL(string: text))
        let destination = Destination(url)
        #expect(destination.url == url)
        #expect(destination.origin == origin)
        #expect(destination.isSecure == isSecure)
        #expect(url.isSecure == isSecure)
    }

    @Test("A request without a URL has no origin") func none() {
        #expect(Destination(nil).url == nil)
        #expect(Destination(nil).origin.isEmpty)
        #expect(!Destination(nil).isSecure)
    }
}

#endif
