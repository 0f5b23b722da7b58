#if canImport(FoundationNetworking)
import Foundation
import HTTPSyntax
import TestSupport
import Testing

@testable import LarkspurTransport

@Suite("MessageCompression")
struct MessageCompressionTests {
    private func inflater(bits: Int = 15, resetsContext: Bool = false) -> MessageInflater {
        MessageInflater(windowBits: bits, resetsContext: resetsContext)
    }

    private func inflate(
        _ bytes: [UInt8],
        _ inflater: MessageInflater,
        limit: Int = 1 << 24,
        chunkSize: Int = .max
    ) throws -> [UInt8] {
        var output: [UInt8] = []
        var start = 0
        repeat {
            let end = start + min(chunkSize, bytes.count - start)
            try bytes[start..<end].withUnsafeBytes {
                try inflater.inflate($0, isLast: end == bytes.count, into: &output, limit: limit)
            }
            start = end
        } while start < bytes.count
        return output
    }

    private func deflate(_ bytes: [UInt8], _ deflater: MessageDeflater) throws -> [UInt8] {
        var output: [UInt8] = []
        try bytes.withUnsafeBytes { try deflater.deflate($0, into: &output) }
        return output
    }

    @Test(
        "The examples of RFC 7692, section 7.2.3, are decompressed, cut at any position",
        arguments: [
            // One block with fixed codes, one without compression, one that is the last, and two blocks.
            [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00],
            [0x00, 0x05, 0x00, 0xFA, 0xFF, 0x48, 0x65, 0x6C, 0x6C, 0x6F, 0x00],
            [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00],
            [0xF2, 0x48, 0x05, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xCA, 0xC9, 0xC9, 0x07, 0x00],
        ] as [[UInt8]]
    )
    func examples(bytes: [UInt8]) throws {
        for size in 1...bytes.count {
            let inflater = inflater()
            // The second time, the message may refer to the first.
            for _ in 0..<2 {
                #expect(try inflate(bytes, inflater, chunkSize: size) == Array("Hello".utf8))
            }
            // The second message of the example with context takeover.
            #expect(try inflate([0xF2, 0x00, 0x11, 0x00, 0x00], inflater) == Array("Hello".utf8))
        }
    }

    @Test("A reference to an earlier message is malformed without context takeover")
    func contextTakeover() throws {
        let inflater = inflater(resetsContext: true)
        #expect(try inflate([0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00], inflater) == Array("Hello".utf8))
        let failure = try #require(throws: WebSocketFailure.self) {
            try inflate([0xF2, 0x00, 0x11, 0x00, 0x00], inflater)
        }
        #expect(failure.closeCode == 1007)
    }

    @Test("Messages are compressed as in the examples of RFC 7692, section 7.2.3")
    func compressedExamples() throws {
        let hello = Array("Hello".utf8)
        let keeping = MessageDeflater(windowBits: 15, resetsContext: false)
        #expect(try deflate(hello, keeping) == [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00])
        #expect(try deflate(hello, keeping) == [0xF2, 0x00, 0x11, 0x00, 0x00])
        #expect(try deflate([], keeping) == [0x00])
        #expect(try deflate([], keeping) == [0x00])
        let forgetting = MessageDeflater(windowBits: 15, resetsContext: true)
        for _ in 0..<2 { #expect(try deflate(hello, forgetting) == [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]) }
    }

    /// The messages of another implementation's compressor.
    private static let messages = [
        #"{"user":"ada","text":"Hello, hello, hello"}"#, #"{"user":"ada","text":"Hello again"}"#, "Grüße, 😀",
    ]

    @Test(
        "Messages of Python's zlib are decompressed, with and without context takeover, and with a small window",
        arguments: [
            (
                15, false,
                [
                    "aa562a2d4e2d52b2524a4c4954d2512a49ad2801723c527372f27514329028a55a0000",
                    "aac6ad5421313d31334fa91600",
                    "722f3abce7f0fc541d850ff367340000",
                ]
            ),
            (
                15, true,
                [
                    "aa562a2d4e2d52b2524a4c4954d2512a49ad2801723c527372f27514329028a55a0000",
                    "aa562a2d4e2d52b2524a4c4954d2512a49ad2801723c527372f21512d31333f3946a0100",
                    "722f3abce7f0fc541d850ff367340000",
                ]
            ),
            (
                9, false,
                [
                    "aa562a2d4e2d52b2524a4c4954d2512a49ad2801723c527372f27514329028a55a0000",
                    "aac6ad5421313d31334fa91600",
                    "722f3abce7f0fc541d850ff367340000",
                ]
            ),
        ] as [(Int, Bool, [String])]
    )
    func foreign(bits: Int, resetsContext: Bool, hexadecimal: [String]) throws {
        let inflater = inflater(bits: bits, resetsContext: resetsContext)
        for (message, digits) in zip(Self.messages, hexadecimal) {
            #expect(try inflate(Self.bytes(digits), inflater) == Array(message.utf8))
        }
    }

    private static func bytes(_ hexadecimal: String) -> [UInt8] {
        let digits = hexadecimal.utf8.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    @Test("Messages of any kind are unchanged after compression and decompression", arguments: 9...15, [false, true])
    func roundTrip(bits: Int, resetsContext: Bool) throws {
        var random = SeededGenerator(seed: UInt64(bits))
        let deflater = MessageDeflater(windowBits: bits, resetsContext: resetsContext)
        let inflater = inflater(bits: bits, resetsContext: resetsContext)
        for round in 0..<12 {
            let count = [0, 1, 5, 1 << 14, 1 << 14 + 1, 70_000].randomElement(using: &random) ?? 0
            let letters: ClosedRange<UInt8> = round % 3 == 0 ? 0...255 : 0x61...0x64
            let message = (0..<count).map { _ in UInt8.random(in: letters, using: &random) }
            #expect(try inflate(deflate(message, deflater), inflater, chunkSize: 1_000) == message)
        }
    }

    @Test("Compressed messages contain all of their data, and not the final bytes that the RFC omits")
    func noTail() throws {
        let deflater = MessageDeflater(windowBits: 15, resetsContext: false)
        for count in stride(from: 1, to: 40_000, by: 997) {
            let bytes = try deflate((0..<count).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) }, deflater)
            #expect(bytes.suffix(4) != [0, 0, 0xFF, 0xFF])
        }
    }

    @Test("The decompression of a message that expands beyond the limit stops", arguments: [0, 1, 1_000, 1 << 20])
    func bomb(limit: Int) throws {
        let deflater = MessageDeflater(windowBits: 15, resetsContext: false)
        // 8 MiB in about 8 KiB.
        let bytes = try deflate([UInt8](repeating: 0, count: 8 << 20), deflater)
        #expect(bytes.count < 1 << 14)
        var output: [UInt8] = []
        let failure = try #require(throws: WebSocketFailure.self) {
            try bytes.withUnsafeBytes { try inflater().inflate($0, isLast: true, into: &output, limit: limit) }
        }
        #expect(failure.closeCode == 1009)
        #expect(failure.sentence.contains("\(limit)"))
        #expect(output.count <= limit + 1 << 16)
        // The limit itself is allowed.
        let exact = try deflate(
            [UInt8](repeating: 7, count: limit),
            MessageDeflater(windowBits: 15, resetsContext: true)
        )
        #expect(try inflate(exact, inflater(), limit: limit).count == limit)
    }

    @Test(
        "Malformed and truncated messages fail",
        arguments: [
            // A reserved kind of block, a wrong length, a reference before the beginning, an incomplete block, and a
            // last block without the byte after it.
            [0xFF], [0x00, 0x05, 0x00, 0xFA, 0xFE, 0x48], [0xF2, 0x00, 0x11, 0x00, 0x00], [0xF2, 0x48, 0xCD],
            [0x00, 0x05, 0x00, 0xFA, 0xFF, 0x48], [], [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00],
        ] as [[UInt8]]
    )
    func malformed(bytes: [UInt8]) throws {
        let failure = try #require(throws: WebSocketFailure.self) { try inflate(bytes, inflater()) }
        #expect(failure.closeCode == 1007)
    }

    @Test("The decompression of random bytes fails or ends within the limit", arguments: 0..<10)
    func random(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<100 {
            let inflater = inflater(bits: Int.random(in: 9...15, using: &random))
            let bytes = (0..<Int.random(in: 0...300, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            if let output = try? inflate(bytes, inflater, limit: 1_000, chunkSize: 7) { #expect(output.count <= 1_000) }
        }
    }

    @Test("Each side has the window and the context of the agreement")
    func sides() throws {
        var agreed = PerMessageDeflate()
        agreed.serverMaxWindowBits = 9
        agreed.clientNoContextTakeover = true
        // The same 300 random bytes twice: a window of 9 bits does not reach that far.
        var random = SeededGenerator(seed: 1)
        let half = (0..<600).map { _ in UInt8.random(in: 0...255, using: &random) }
        let client = try #require(MessageCompression.deflater(agreed, role: .client))
        #expect(try deflate(half + half, client).count < 700)
        #expect(try deflate(half, client).count >= 600)
        let server = try #require(MessageCompression.deflater(agreed, role: .server))
        #expect(try deflate(half + half, server).count >= 1_200)
        #expect(try deflate(Array(half.suffix(100)), server).count < 100)

        let hello: [UInt8] = [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]
        let receivers = [(WebSocketRole.client, true), (.server, false)]
        for (role, keepsContext) in receivers {
            let inflater = MessageCompression.inflater(agreed, role: role)
            #expect(try inflate(hello, inflater) == Array("Hello".utf8))
            #expect(((try? inflate([0xF2, 0x00, 0x11, 0x00, 0x00], inflater)) != nil) == keepsContext)
        }
    }

    @Test("A side that may use only a window of 8 bits sends its messages uncompressed")
    func smallestWindow() throws {
        var agreed = PerMessageDeflate()
        agreed.clientMaxWindowBits = 8
        agreed.serverMaxWindowBits = 8
        #expect(MessageCompression.deflater(agreed, role: .client) == nil)
        #expect(MessageCompression.deflater(agreed, role: .server) == nil)
        let inflater = MessageCompression.inflater(agreed, role: .client)
        #expect(try inflate([0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00], inflater) == Array("Hello".utf8))
    }

    @Test("Writers and readers exchange compressed messages", arguments: [WebSocketRole.client, .server])
    func frames(role: WebSocketRole) throws {
        let other: WebSocketRole = role == .client ? .server : .client
        let agreed = PerMessageDeflate()
        let deflater = try #require(MessageCompression.deflater(agreed, role: role))
        var writer = WebSocketWriter(role: role, fragmentSize: 50, deflater: deflater)
        var reader = WebSocketReader(role: other, inflater: MessageCompression.inflater(agreed, role: other))
        let messages = Self.messages.map(WebSocketMessage.text) + [.binary(Data()), .binary(Data(count: 100_000))]
        var bytes: [UInt8] = []
        for message in messages { try writer.write(message, into: &bytes) }
        #expect(bytes[0] & 0x70 == 0x40)
        #expect(bytes.count < 1_000)
        #expect(bytes.flatMap { reader.read([$0]) } == messages.map { .message($0) })
    }
}
#endif
