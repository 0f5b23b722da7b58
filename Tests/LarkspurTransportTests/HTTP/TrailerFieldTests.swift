import HTTPSyntax
import Testing

@Suite struct TrailerFieldTests {
    @Test(
        "A field that is needed before the content is forbidden in a trailer section",
        arguments: [
            "Content-Length", "Transfer-Encoding", "Connection", "Keep-Alive", "Upgrade", "TE", "Trailer", "Host",
            "Max-Forwards", "Authorization", "Proxy-Authenticate", "Proxy-Authorization", "WWW-Authenticate", "Cookie",
            "Set-Cookie", "Expect", "Range", "If-Match", "if-none-match", "If-Range", "IF-ANYTHING", "Cache-Control",
            "Age", "Date", "Expires", "Location", "Pragma", "Retry-After", "Vary", "Content-Encoding", "Content-Type",
            "Content-Range", "content-length", "HOST",
        ]
    )
    func forbidden(name: String) {
        #expect(!TrailerField.isAllowed(name))
    }

    @Test(
        "A field that is not needed before the content is allowed in a trailer section",
        arguments: [
            "Repr-Digest", "Content-Digest", "Server-Timing", "Authentication-Info", "ETag", "X-Sum", "grpc-status",
            "Iffy", "Hosts", "Content-Lengths", "I", "if",
        ]
    )
    func allowed(name: String) {
        #expect(TrailerField.isAllowed(name))
    }

    @Test(
        "A name that is not a token is not allowed in a trailer section",
        arguments: ["", " ", "X Sum", "X-Sum:", ":status", "X-Sum\r\nHost", "X-Sümme", "X-\u{212A}"]
    )
    func malformed(name: String) {
        #expect(!TrailerField.isAllowed(name))
    }
}
