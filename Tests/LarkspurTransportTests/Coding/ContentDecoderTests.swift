import Foundation
import LarkspurTesting
import Testing

@testable import LarkspurTransport

@Suite("Decoding of content", .timeLimit(.minutes(5)))
struct ContentDecoderTests {
    typealias Coding = LoopbackServer.ContentCoding

    @Test("Each coding is decoded, whatever the sizes of the parts", arguments: CodedSample.all, [1, 2, 7, .max])
    func decode(_ sample: CodedSample, _ chunk: Int) throws {
        #expect(try ContentDecoder.decode(sample.coded, sample.field, chunk: chunk) == CodedSample.text)
    }

    @Test("Content that is truncated at any place is an error", arguments: CodedSample.all, [1, .max])
    func truncated(_ sample: CodedSample, _ chunk: Int) throws {
        let coding = try #require(ContentCoding.list([Substring(sample.field)])?.first)
        for count in 1..<sample.coded.count {
            #expect(throws: ContentDecoder.Failure.truncated(coding), "after \(count) bytes") {
                try ContentDecoder.decode(sample.coded.prefix(count), sample.field, chunk: chunk)
            }
        }
    }

    @Test("Empty content is complete", arguments: CodedSample.all)
    func empty(_ sample: CodedSample) throws {
        #expect(try ContentDecoder.decode(Data(), sample.field) == Data())
    }

    @Test("Content that is empty after the first of two codings is truncated, which is an error")
    func emptyInside() {
        let nothing = Coding.gzip.encode(Data())
        #expect(throws: ContentDecoder.Failure.truncated(.deflate)) {
            try ContentDecoder.decode(nothing, "deflate, gzip")
        }
    }

    @Test("A zstd frame whose last block is empty has the size that its header states", arguments: [1, 7, .max])
    func statedSize(_ chunk: Int) throws {
        guard ContentCoding.zstd.isAvailable else { return }
        // A header, a raw block of three bytes, and an empty last block (RFC 8878, section 3.1.1).
        func frame(_ size: UInt8) -> Data {
            Data([0x28, 0xB5, 0x2F, 0xFD, 0x20, size, 0x18, 0, 0, 0x61, 0x62, 0x63, 1, 0, 0])
        }
        #expect(try ContentDecoder.decode(frame(3) + frame(3), "zstd", chunk: chunk) == Data("abcabc".utf8))
        for broken in [frame(62), frame(2), frame(3) + frame(62)] {
            #expect(throws: ContentDecoder.Failure.malformed(.zstd)) {
                try ContentDecoder.decode(broken, "zstd", chunk: chunk)
            }
        }
    }

    /// A frame of zstd with blocks that repeat a byte (RFC 8878, section 3.1.1).
    /// - Parameters:
    ///   - header: The header of the frame, after its magic number.
    ///   - sizes: The sizes of the blocks.
    private func frame(_ header: [UInt8], blocks sizes: [Int]) -> Data {
        var frame = Data([0x28, 0xB5, 0x2F, 0xFD] + header)
        for (index, size) in sizes.enumerated() {
            let block = size << 3 | 1 << 1 | (index == sizes.count - 1 ? 1 : 0)
            frame += [
                UInt8(truncatingIfNeeded: block), UInt8(truncatingIfNeeded: block >> 8), UInt8(block >> 16), 0x61,
            ]
        }
        return frame
    }

    @Test("A window of zstd has at most 8 MB, also in a frame with a single segment", arguments: [1, 7, .max])
    func windows(_ chunk: Int) throws {
        guard ContentCoding.zstd.isAvailable else { return }
        let word = [5]
        let segments = Array(repeating: 1 << 17, count: 64)
        let permitted = [
            frame([0x00, 0x68], blocks: word), frame([0x00, 0x67], blocks: word),
            frame([0xA0, 0x00, 0x00, 0x80, 0x00], blocks: segments),
        ]
        for content in permitted {
            let decoded = try ContentDecoder.decode(content, "zstd", chunk: chunk)
            #expect(decoded?.count == (content.count < 100 ? 5 : 8 << 20))
        }
        let refused = [
            frame([0x00, 0x69], blocks: word), frame([0x00, 0x88], blocks: word), frame([0x00, 0xFF], blocks: word),
            frame([0xA0, 0x01, 0x00, 0x80, 0x00], blocks: segments + [1]),
            frame([0x00, 0x50], blocks: word) + frame([0x00, 0x69], blocks: word),
        ]
        for content in refused {
            #expect(throws: ContentDecoder.Failure.needsLargeWindow(.zstd)) {
                try ContentDecoder.decode(content, "zstd", chunk: chunk)
            }
        }
        #expect(ContentDecoder.Failure.needsLargeWindow(.zstd).sentence.contains("8 MB"))
    }

    @Test("A zstd frame from before the standard is malformed, because its window would have no limit")
    func oldFrames() {
        guard ContentCoding.zstd.isAvailable else { return }
        for version in UInt8(0x22)...0x27 {
            #expect(throws: ContentDecoder.Failure.malformed(.zstd)) {
                try ContentDecoder.decode(Data([version, 0xB5, 0x2F, 0xFD, 0x00, 0x88]), "zstd")
            }
        }
    }

    @Test("Skippable frames of zstd may precede and follow others", arguments: [1, 7, .max])
    func skippedFrames(_ chunk: Int) throws {
        guard ContentCoding.zstd.isAvailable else { return }
        let skipped = Data([0x5A, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 1, 2, 3])
        let content =
            skipped + frame([0x00, 0x50], blocks: [2]) + skipped + frame([0x00, 0x50], blocks: [3]) + skipped
        #expect(try ContentDecoder.decode(content, "zstd", chunk: chunk) == Data("aaaaa".utf8))
    }

    @Test("The large windows of brotli, which the standard does not have, are not decoded")
    func largeBrotliWindow() {
        guard ContentCoding.brotli.isAvailable else { return }
        // The first seven bits announce such a window.
        #expect(throws: ContentDecoder.Failure.malformed(.brotli)) {
            try ContentDecoder.decode(Data([0x11, 0x1E, 0x02, 0x00, 0x68, 0x65, 0x6C, 0x6C, 0x6F, 0x03]), "br")
        }
    }

    @Test("Content that is not in its coding is an error", arguments: CodedSample.all, [1, .max])
    func garbage(_ sample: CodedSample, _ chunk: Int) throws {
        for text in ["This is no coded content at all, as anyone can see.", "{\"error\": 1}", "\u{1F}\u{8}\u{1F}\u{8}"]
        {
            #expect(throws: ContentDecoder.Failure.self, "\(text)") {
                try ContentDecoder.decode(Data(text.utf8), sample.field, chunk: chunk)
            }
        }
    }

    @Test("A flipped bit leads to an error or to other content of limited size", arguments: CodedSample.all)
    func wrongBits(_ sample: CodedSample) {
        var errors = 0
        for index in sample.coded.indices {
            for bit in 0..<8 {
                var coded = sample.coded
                coded[index] ^= 1 << bit
                do {
                    let decoded = try ContentDecoder.decode(coded, sample.field)
                    #expect((decoded?.count ?? 0) < 1 << 20)
                } catch {
                    errors += 1
                }
            }
        }
        #expect(errors > sample.coded.count)
    }

    @Test("Consecutive gzip members or zstd frames are decoded as one content", arguments: [1, 5, .max])
    func members(_ chunk: Int) throws {
        for sample in CodedSample.all where sample.field == "gzip" || sample.field == "zstd" {
            let coded = sample.coded + sample.coded + sample.coded
            let text = CodedSample.text + CodedSample.text + CodedSample.text
            #expect(try ContentDecoder.decode(coded, sample.field, chunk: chunk) == text)
            #expect(throws: ContentDecoder.Failure.self) {
                try ContentDecoder.decode(coded.dropLast(), sample.field, chunk: chunk)
            }
            let second = sample.coded + sample.coded.prefix(5)
            #expect(throws: ContentDecoder.Failure.self) {
                try ContentDecoder.decode(second, sample.field, chunk: chunk)
            }
        }
    }

    @Test(
        "Bytes after the end of gzip, deflate and brotli are ignored, as in browsers",
        arguments: CodedSample.all.filter { $0.field != "zstd" },
        [Data(count: 700), Data([0]), Data("\u{1F}x and more".utf8), Data("<!-- served in 3 ms -->".utf8)]
    )
    func padding(_ sample: CodedSample, _ padding: Data) throws {
        for chunk in [1, .max] {
            #expect(
                try ContentDecoder.decode(sample.coded + padding, sample.field, chunk: chunk) == CodedSample.text
            )
        }
    }

    @Test("Several codings are decoded in reverse order", arguments: [1, 11, .max])
    func chain(_ chunk: Int) throws {
        let chained = Coding.gzip.encode(Coding.deflate.encode(Coding.gzip.encode(CodedSample.brotli.coded)))

        #expect(
            try ContentDecoder.decode(chained, "br, gzip, deflate, x-gzip", chunk: chunk) == CodedSample.text
        )
        #expect(throws: ContentDecoder.Failure.truncated(.gzip)) {
            try ContentDecoder.decode(chained.dropLast(), "br, gzip, deflate, gzip", chunk: chunk)
        }
        #expect(throws: ContentDecoder.Failure.truncated(.brotli)) {
            let inner = Coding.gzip.encode(CodedSample.brotli.coded.dropLast())
            return try ContentDecoder.decode(inner, "br, gzip", chunk: chunk)
        }
        #expect(throws: ContentDecoder.Failure.self) {
            try ContentDecoder.decode(chained, "gzip, br, deflate, gzip", chunk: chunk)
        }
    }

    @Test("The decoding of content that expands beyond the limit stops, at most one part later")
    func bomb() throws {
        let bomb = CodedSample.zeros(members: 4096)
        var largest = 0
        var total = 0
        #expect(throws: ContentDecoder.Failure.expands(limit: 100)) {
            try ContentDecoder.decode(bomb, "gzip") {
                largest = max(largest, $0.count)
                total += $0.count
            }
        }
        #expect(largest <= ContentDecoder.chunkSize)
        #expect(total <= max(Int(ContentDecoder.harmlessSize), 101 * bomb.count))
    }

    @Test("The decoding of content that expands too much inside its outer coding stops, even without output")
    func hiddenBomb() throws {
        let bomb = Coding.gzip.encode(CodedSample.gzip.coded) + CodedSample.zeros(members: 1024)
        #expect(throws: ContentDecoder.Failure.expands(limit: 100)) {
            try ContentDecoder.decode(bomb, "gzip, gzip")
        }
    }

    @Test("Content up to 16 MiB may expand at any factor, and beyond that up to the limit")
    func harmlessExpansion() throws {
        let small = try ContentDecoder.decode(CodedSample.zeros(members: 256), "gzip", maximumExpansion: 1)
        let large = try ContentDecoder.decode(CodedSample.zeros(members: 512), "gzip", maximumExpansion: 1000)
        #expect(small == Data(count: 16 << 20))
        #expect(large == Data(count: 32 << 20))
    }

    @Test(
        "A consumer that stops gets no content until it continues, and then gets the rest",
        arguments: [500, 1000, .max]
    )
    func stop(_ chunk: Int) throws {
        let content = CodedSample.zeros(members: 40) + CodedSample.gzip.coded
        let decoder = try #require(ContentDecoder(contentEncoding: "gzip", maximumExpansion: 100))
        var decoded = Data()
        var parts = 0
        func takeOne(_ part: UnsafeRawBufferPointer) -> Bool {
            #expect(part.count <= ContentDecoder.chunkSize)
            parts += 1
            decoded.append(contentsOf: part)
            return false
        }

        var rest = content
        while !rest.isEmpty {
            let before = parts
            try decoder.feed(rest.prefix(chunk), takeOne)
            #expect(parts <= before + 1)
            rest = rest.dropFirst(chunk)
        }
        #expect(decoded.count < 40 << 16)
        #expect(decoder.hasRest)
        while decoder.hasRest {
            let before = parts
            try decoder.feed(Data(), takeOne)
            #expect(parts <= before + 1)
        }
        try decoder.finish()

        #expect(decoded == Data(count: 40 << 16) + CodedSample.text)
        #expect(decoder.codedBytes == Int64(content.count))
        #expect(decoder.decodedBytes == Int64(decoded.count))
    }

    @Test("A chunk of 14 bytes that expands to 16 MiB is delivered in parts, without further input")
    func smallInput() throws {
        var sizes: [Int] = []
        let decoded = try ContentDecoder.decode(CodedSample.brotliZeros, "br", chunk: .max) { sizes.append($0.count) }
        #expect(decoded == Data(count: 16 << 20))
        #expect(sizes.count >= 256)
        #expect(sizes.allSatisfy { $0 <= ContentDecoder.chunkSize })
    }
}
