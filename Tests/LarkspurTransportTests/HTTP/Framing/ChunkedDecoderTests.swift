#if canImport(FoundationNetworking)

import Testing

@testable import LarkspurTransport

@Suite("Chunked content")
struct ChunkedDecoderTests {
    struct Result: Equatable {
        var content = ""
        var isComplete = false
        var trailers: [String] = []
        var failure: ChunkedDecoder.Failure?
    }

    /// The outcome of decoding texts one after the other.
    private func decode(_ texts: [some Collection<UInt8>]) -> Result {
        var decoder = ChunkedDecoder()
        var content: [UInt8] = []
        var failure: ChunkedDecoder.Failure?
        for text in texts where failure == nil {
            Array(text).withUnsafeBytes { bytes in
                do throws(ChunkedDecoder.Failure) {
                    try decoder.decode(bytes) { content.append(contentsOf: $0) }
                } catch {
                    failure = error
                }
            }
        }
        return Result(
            content: String(decoding: content, as: UTF8.self),
            isComplete: decoder.isComplete,
            trailers: decoder.trailers.map { String(decoding: $0, as: UTF8.self) },
            failure: failure
        )
    }

    private func decode(_ text: String) -> Result { decode([Array(text.utf8)]) }

    static let whole: [(text: String, content: String, trailers: [String])] = [
        ("0\r\n\r\n", "", []), ("000\r\n\r\n", "", []), ("5\r\nhello\r\n0\r\n\r\n", "hello", []),
        ("005\r\nhello\r\n0\r\n\r\n", "hello", []), ("2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n", "hello", []),
        ("a\r\n0123456789\r\nA\r\n0123456789\r\n0\r\n\r\n", "01234567890123456789", []),
        ("5;a=b;c=\"d;\"\r\nhello\r\n0;x\r\n\r\n", "hello", []), ("5 \t;a\r\nhello\r\n0 \r\n\r\n", "hello", []),
        ("5\nhello\n0\n\n", "hello", []),
        ("5\r\nhello\r\n0\r\nX: y\r\nZ:\r\n q\r\n\r\n", "hello", ["X: y", "Z:", " q"]),
        ("4\r\n\r\n0\r\r\n0\r\n\r\n", "\r\n0\r", []), ("0000000000000005\r\nhello\r\n0\r\n\r\n", "hello", []),
        ("5\r\nhello\r\n0\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", "hello", []),
    ]

    @Test("Content is decoded from its chunks, wherever the bytes are split", arguments: whole)
    func splits(text: String, content: String, trailers: [String]) {
        let expected = Result(content: content, isComplete: true, trailers: trailers)
        let bytes = Array(text.utf8)
        for split in 0...bytes.count {
            #expect(decode([bytes[..<split], bytes[split...]]) == expected)
        }
        #expect(decode(bytes.map { [$0] }) == expected)
    }

    @Test("Truncated content is incomplete", arguments: whole.dropLast())
    func truncations(text: String, content: String, trailers: [String]) {
        let bytes = Array(text.utf8)
        for count in 0..<bytes.count {
            let result = decode([bytes[..<count]])
            #expect(!result.isComplete)
            #expect(result.failure == nil)
            #expect(content.utf8.starts(with: result.content.utf8))
        }
    }

    @Test(
        "A malformed chunk is a failure, and the content before it is decoded",
        arguments: [
            ("0x5\r\nhello\r\n0\r\n\r\n", "", .malformedSize), ("0 5\r\nhello\r\n0\r\n\r\n", "", .malformedSize),
            ("\r\n", "", .malformedSize), (" 5\r\n", "", .malformedSize), ("g\r\n", "", .malformedSize),
            ("-1\r\n", "", .malformedSize), ("+1\r\n", "", .malformedSize), (";a\r\n", "", .malformedSize),
            ("5,\r\n", "", .malformedSize), ("5\rhello", "", .malformedSize), ("5;a\rb\r\n", "", .malformedSize),
            ("8000000000000000\r\n", "", .malformedSize), ("10000000000000000\r\n", "", .malformedSize),
            ("00000000000000005\r\n", "", .malformedSize), ("\u{660}\r\n", "", .malformedSize),
            ("5\r\nhelloo\r\n", "hello", .missingLineEnd), ("5\r\nhello0\r\n\r\n", "hello", .missingLineEnd),
            ("5\r\nhello\r0\r\n\r\n", "hello", .missingLineEnd), ("5\r\nhello\r\r\n", "hello", .missingLineEnd),
            ("5\r\nhello\r\n\r\n", "hello", .malformedSize),
            ("0\r\ngarbage\r\n\r\n", "", .malformedTrailer), ("0\r\n: x\r\n\r\n", "", .malformedTrailer),
            ("0\r\n folded\r\n\r\n", "", .malformedTrailer), ("0\r\na\u{0}b: c\r\n\r\n", "", .malformedTrailer),
            ("0\r\n\r\r\n", "", .malformedTrailer),
        ] as [(String, String, ChunkedDecoder.Failure?)]
    )
    func failures(text: String, content: String, failure: ChunkedDecoder.Failure?) {
        let bytes = Array(text.utf8)
        for split in 0...bytes.count {
            let result = decode([bytes[..<split], bytes[split...]])
            #expect(result.content == content)
            #expect(!result.isComplete)
            if let failure { #expect(result.failure == failure) }
        }
    }

    @Test("The largest size of a chunk is the largest integer")
    func largestSize() {
        #expect(decode("7fffffffffffffff\r\nabc") == Result(content: "abc"))
    }

    @Test("Chunk extensions and trailers have a limited length")
    func bounds() {
        let long = String(repeating: "x", count: ChunkedDecoder.lineLimit)
        #expect(decode("5;\(long)\r\n").failure == .tooManyBytes(limit: ChunkedDecoder.lineLimit))
        let trailer = "X: \(String(repeating: "y", count: 1000))\r\n"
        let trailers = String(repeating: trailer, count: ChunkedDecoder.trailerLimit / 1000)
        #expect(decode("0\r\n" + trailers).failure == .tooManyBytes(limit: ChunkedDecoder.trailerLimit))
        #expect(decode("0\r\n" + String(repeating: "y", count: ChunkedDecoder.trailerLimit + 1)).failure != nil)
    }
}

#endif
