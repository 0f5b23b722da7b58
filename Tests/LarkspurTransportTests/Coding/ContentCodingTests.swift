import Testing

@testable import LarkspurTransport

@Suite("Content-Encoding")
struct ContentCodingTests {
    @Test("Accept-Encoding has every coding whose library libcurl has, the most common first")
    func acceptEncoding() {
        #expect(ContentDecoder.acceptEncoding == "gzip, deflate, br, zstd")
    }

    @Test(
        "A field names codings in any case, with blanks, by old names, and with identity among them",
        arguments: [
            ("gzip", [.gzip]), ("GZip", [.gzip]), (" \tx-gzip ", [.gzip]), ("identity, gzip", [.gzip]),
            (",deflate,,", [.deflate]), ("br, ZSTD", [.brotli, .zstd]),
        ] as [(String, [ContentCoding])]
    )
    func names(_ field: String, _ codings: [ContentCoding]) {
        #expect(ContentCoding.list(ContentCoding.names(in: field)) == codings)
        #expect(ContentDecoder(contentEncoding: field, maximumExpansion: 1) != nil)
    }

    @Test(
        "Content without a coding or in an unknown one is left undecoded",
        arguments: ["", " , ", "identity", "compress", "gzipped", "gzi", "g\u{F6}ip", "compress, gzip", "gzip, \u{0}"]
    )
    func nothingToDecode(_ field: String) {
        #expect(ContentDecoder(contentEncoding: field, maximumExpansion: 1) == nil)
    }

    @Test(
        "Up to four codings are decoded, and more are an error, whether they are known or not",
        arguments: [
            ("gzip, gzip, gzip, gzip", true), ("identity,,gzip, x-gzip, identity, br, deflate ,", true),
            ("gzip, gzip, gzip, gzip, gzip", false), ("br,identity,gzip,zstd,deflate,GZIP", false),
            ("a, b, c, d, e", false), (String(repeating: "gzip,", count: 1_000), false),
        ]
    )
    func limit(_ field: String, _ isUndone: Bool) throws {
        let decoder = try #require(ContentDecoder(contentEncoding: field, maximumExpansion: 1))
        let failure: ContentDecoder.Failure? = [1, 2].withUnsafeBytes { bytes in
            do throws(ContentDecoder.Failure) {
                try decoder.decode(bytes) { _ in true }
                return nil
            } catch {
                return error
            }
        }
        #expect((failure != .tooManyCodings(limit: 4)) == isUndone)
    }
}
