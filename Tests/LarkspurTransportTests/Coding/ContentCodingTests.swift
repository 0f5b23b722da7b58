import Testing

@testable import LarkspurTransport

@Suite("Content-Encoding")
struct ContentCodingTests {
    @Test("Every coding that libcurl has a library for is asked for, the commonest first")
    func acceptEncoding() {
        #expect(ContentDecoder.acceptEncoding == "gzip, deflate, br, zstd")
    }

    @Test(
        "A field names codings in any case, with blanks, by old names and with identity among them",
        arguments: [
            ("gzip", [.gzip]), ("GZip", [.gzip]), (" \tx-gzip ", [.gzip]), ("identity, gzip", [.gzip]),
            (",deflate,,", [.deflate]), ("br, ZSTD", [.brotli, .zstd]),
        ] as [(String, [ContentCoding])]
    )
    func names(_ field: String, _ codings: [ContentCoding]) {
        #expect(ContentCoding.list(of: field) == codings)
        #expect(ContentDecoder(contentEncoding: field, maximumExpansion: 1) != nil)
    }

    @Test(
        "Where nothing is coded, or a coding is unknown, the content is left as it is",
        arguments: ["", " , ", "identity", "compress", "gzipped", "gzi", "g\u{F6}ip", "compress, gzip", "gzip, \u{0}"]
    )
    func nothingToDecode(_ field: String) {
        #expect(ContentDecoder(contentEncoding: field, maximumExpansion: 1) == nil)
    }

    @Test("Four codings are undone, not five")
    func limit() {
        #expect(ContentDecoder(contentEncoding: "gzip, gzip, gzip, gzip", maximumExpansion: 1) != nil)
        #expect(ContentDecoder(contentEncoding: "gzip, gzip, gzip, gzip, gzip", maximumExpansion: 1) == nil)
    }
}
