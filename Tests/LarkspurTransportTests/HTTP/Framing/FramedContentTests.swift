#if canImport(FoundationNetworking)

import Testing

@testable import LarkspurTransport

@Suite("The framing of received content")
struct FramedContentTests {
    private func take(_ texts: [String], _ framing: ResponseFraming) -> (content: FramedContent, text: String) {
        var content = FramedContent(framing)
        var bytes: [UInt8] = []
        for text in texts {
            Array(text.utf8).withUnsafeBytes { content.take($0).withUnsafeBytes { bytes.append(contentsOf: $0) } }
        }
        return (content, String(decoding: bytes, as: UTF8.self))
    }

    @Test(
        "Content is complete when the announced bytes have arrived",
        arguments: [
            (.length(5), ["he", "llo"], "hello", true), (.length(5), ["he", "ll"], "hell", false),
            (.length(0), [], "", true), (.length(5), [], "", false), (.close, ["he", "llo"], "hello", true),
            (.close, [], "", true), (.stream, ["x"], "x", true), (.none, [], "", true), (.none, ["x"], "", true),
            (.chunked, [], "", false), (.chunked, ["1\r\nx\r\n1\r\ny\r\n0\r\n", "\r\n"], "xy", true),
            (.chunked, ["1\r\nx\r\n1\r\ny\r\n0\r\n"], "xy", false),
        ] as [(ResponseFraming, [String], String, Bool)]
    )
    func completeness(framing: ResponseFraming, texts: [String], text: String, isComplete: Bool) {
        let result = take(texts, framing)
        #expect(result.text == text)
        #expect(result.content.count == Int64(text.utf8.count))
        #expect(result.content.isComplete == isComplete)
        #expect(result.content.failure == nil)
    }

    @Test("Surplus content or a malformed chunk is a permanent failure")
    func failures() {
        let excess = take(["hello", "!", "x"], .length(5))
        #expect(excess.text == "hello")
        #expect(excess.content.failure == .excess)
        let chunks = take(["1\r\nx\r\n0x1\r\n", "0\r\n\r\n"], .chunked)
        #expect(chunks.text == "x")
        #expect(chunks.content.failure == .chunks(.malformedSize))
        #expect(!excess.content.isComplete)
        #expect(!chunks.content.isComplete)
    }

    @Test("The number of bytes is known in advance if a length or no content is announced")
    func expectedCount() {
        #expect(FramedContent(.length(5)).expectedCount == 5)
        #expect(FramedContent(.none).expectedCount == 0)
        #expect(FramedContent(.chunked).expectedCount == nil)
        #expect(FramedContent(.close).expectedCount == nil)
        #expect(FramedContent(.stream).expectedCount == nil)
    }
}

#endif
