import Foundation
import HTTPSyntax
import TestSupport
import Testing

@Suite("WebSocketReader")
struct WebSocketReaderTests {
    typealias Message = (bytes: [UInt8], events: [WebSocketEvent])

    @Test(
        "The examples of RFC 6455, section 5.7, are read",
        arguments: [
            ([0x81, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F], .client, .message(.text("Hello"))),
            (
                [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58], .server,
                .message(.text("Hello"))
            ),
            ([0x01, 0x03, 0x48, 0x65, 0x6C, 0x80, 0x02, 0x6C, 0x6F], .client, .message(.text("Hello"))),
            ([0x89, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F], .client, .ping(Data("Hello".utf8))),
            (
                [0x8A, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58], .server,
                .pong(Data("Hello".utf8))
            ),
            (
                [0x82, 0x7E, 0x01, 0x00] + [UInt8](repeating: 7, count: 256), .client,
                .message(.binary(Data(repeating: 7, count: 256)))
            ),
        ] as [([UInt8], WebSocketRole, WebSocketEvent)]
    )
    func examples(bytes: [UInt8], role: WebSocketRole, event: WebSocketEvent) {
        var reader = WebSocketReader(role: role)
        #expect(reader.read(bytes) == [event])
        #expect(reader.isBetweenMessages)
    }

    /// A sequence of frames with everything that a connection may have, and its events.
    private static func sequence(_ role: WebSocketRole) -> Message {
        let frame = role == .client ? WebSocketFrames.server : WebSocketFrames.client
        let big = (0..<300).map { UInt8(truncatingIfNeeded: $0) }
        let parts = [
            frame(.text, Array("Grüße, 😀".utf8), true, 0),
            frame(.text, [0xF0, 0x9F], false, 0), frame(.ping, [1, 2, 3], true, 0),
            frame(.continuation, [], false, 0), frame(.continuation, [0x98], false, 0), frame(.pong, [], true, 0),
            frame(.continuation, [0x80, 0x21], true, 0),
            frame(.binary, big, true, 0), frame(.binary, [], true, 0), frame(.text, [], true, 0),
            frame(.binary, [9], false, 0), frame(.continuation, [], true, 0),
            frame(.close, [0x0F, 0xA0] + Array("bye é".utf8), true, 0),
        ]
        return (
            parts.flatMap { $0 },
            [
                .message(.text("Grüße, 😀")), .ping(Data([1, 2, 3])), .pong(Data()), .message(.text("😀!")),
                .message(.binary(Data(big))), .message(.binary(Data())), .message(.text("")),
                .message(.binary(Data([9]))), .close(code: 4000, reason: "bye é"),
            ]
        )
    }

    @Test("Bytes may be split at any position and into chunks of any size", arguments: [WebSocketRole.client, .server])
    func everySplit(role: WebSocketRole) {
        let (bytes, events) = Self.sequence(role)
        for cut in 0...bytes.count {
            var reader = WebSocketReader(role: role)
            #expect(reader.read([bytes[..<cut], bytes[cut...]]) == events, "cut at \(cut)")
            #expect(reader.hasEnded)
        }
        for size in 1...20 {
            var reader = WebSocketReader(role: role)
            let chunks = stride(from: 0, to: bytes.count, by: size).map { bytes[$0..<min($0 + size, bytes.count)] }
            #expect(reader.read(chunks) == events, "chunks of \(size)")
        }
    }

    @Test(
        "Frames in a wrong order or with invalid content fail with a close code",
        arguments: [
            // A continuation without a beginning, also after a message and after a control frame.
            (WebSocketFrames.server(.continuation, [1]), 1002),
            (WebSocketFrames.server(.text) + WebSocketFrames.server(.continuation), 1002),
            (WebSocketFrames.server(.ping) + WebSocketFrames.server(.continuation, isFinal: false), 1002),
            // A message within another.
            (WebSocketFrames.server(.text, isFinal: false) + WebSocketFrames.server(.text), 1002),
            (
                WebSocketFrames.server(.binary, isFinal: false) + WebSocketFrames.server(.ping)
                    + WebSocketFrames.server(.binary), 1002
            ),
            // Close frames.
            (WebSocketFrames.server(.close, [3]), 1002), (WebSocketFrames.server(.close, [0x03, 0xE8, 0xFF]), 1007),
            (WebSocketFrames.server(.close, [0x03, 0xE8, 0xE2, 0x82]), 1007),
            // Text.
            (WebSocketFrames.server(.text, [0xFF]), 1007), (WebSocketFrames.server(.text, [0xC3]), 1007),
            (WebSocketFrames.server(.text, [0xC3], isFinal: false) + WebSocketFrames.server(.continuation), 1007),
            (WebSocketFrames.server(.text, [0xED, 0xA0, 0x80]), 1007),
            // Reserved bits of a continuation.
            (WebSocketFrames.server(.text, isFinal: false) + WebSocketFrames.server(.continuation, reserved: 4), 1002),
        ] as [([UInt8], UInt16)]
    )
    func faults(bytes: [UInt8], code: UInt16) {
        for cut in 0...bytes.count {
            var reader = WebSocketReader(role: .client)
            let events = reader.read([bytes[..<cut], bytes[cut...]])
            #expect(events.failureCode == code)
            #expect(reader.hasEnded)
            #expect(reader.read(WebSocketFrames.server(.text, [0x41])) == [])
        }
    }

    @Test("Close codes of the registry, of libraries and of programs are accepted, and no others")
    func closeCodes() {
        let allowed = Set<UInt16>(1000...1003).union(1007...1014).union(3000...4999)
        for code in UInt16.min ... .max {
            var reader = WebSocketReader(role: .client)
            let events = reader.read(WebSocketFrames.server(.close, [UInt8(code >> 8), UInt8(code & 0xFF)]))
            if allowed.contains(code) {
                #expect(events == [.close(code: code, reason: "")])
            } else {
                #expect(events.failureCode == 1002, "\(code)")
            }
        }
        var reader = WebSocketReader(role: .client)
        #expect(reader.read(WebSocketFrames.server(.close)) == [.close(code: nil, reason: "")])
    }

    @Test("Text fails at its first invalid byte, in the middle of a frame")
    func failsFast() throws {
        // "κόσμε", then U+110000, then "edited".
        let text = Array("κόσμε".utf8) + [0xF4, 0x90, 0x80, 0x80] + Array("edited".utf8)
        let frame = WebSocketFrames.server(.text, text)
        let bad = try #require(frame.firstIndex(of: 0x90))
        var reader = WebSocketReader(role: .client)
        #expect(reader.read(Array(frame[..<bad])) == [])
        let events = reader.read([frame[bad]])
        guard case .failure(let failure) = try #require(events.first) else {
            Issue.record("\(events)")
            return
        }
        #expect(failure.closeCode == 1007)
        #expect(failure.sentence == "A text message is not UTF-8: its byte 11 is 0x90.")
    }

    @Test("Bytes after a close frame are not read")
    func nothingAfterClose() {
        var reader = WebSocketReader(role: .client)
        let bytes = WebSocketFrames.server(.close, [0x03, 0xE8]) + WebSocketFrames.server(.text, [0x41]) + [0xFF]
        #expect(reader.read(bytes) == [.close(code: 1000, reason: "")])
        #expect(reader.read(WebSocketFrames.server(.ping)) == [])
    }

    @Test("A reader knows whether the connection ends between messages", arguments: [0, 1, 2, 5, 7, 8, 9, 10])
    func position(count: Int) {
        // "abc" in a frame, and "d" in two.
        let bytes =
            WebSocketFrames.server(.text, [0x61, 0x62, 0x63]) + WebSocketFrames.server(.text, [0x64], isFinal: false)
            + WebSocketFrames.server(.continuation)
        var reader = WebSocketReader(role: .client)
        _ = reader.read(Array(bytes[..<count]))
        #expect(reader.isBetweenMessages == [0, 5, 10].contains(count))
    }
}

@Suite("Limits of WebSocketReader")
struct WebSocketReaderLimitTests {
    @Test("A frame above the limit fails when its length is announced, and allocates nothing", arguments: [16, 62])
    func announcedLength(exponent: UInt64) {
        var bytes: [UInt8] = []
        WebSocketFrameHeader(opcode: .binary, length: 1 << exponent).write(into: &bytes)
        var reader = WebSocketReader(role: .client, limits: .init(messageSize: 1 << 15))
        #expect(reader.read(bytes).failureCode == 1009)
        // Without a limit, it fails only if the bytes come.
        var patient = WebSocketReader(role: .client, limits: .init(messageSize: .max))
        #expect(patient.read(bytes + [1, 2, 3]) == [])
        #expect(patient.read([UInt8](repeating: 0, count: 1 << 12)) == [])
    }

    @Test("The default limit is 16 MiB")
    func defaultLimit() {
        for (length, code) in [(16 << 20, nil), (16 << 20 + 1, 1009)] as [(UInt64, UInt16?)] {
            var bytes: [UInt8] = []
            WebSocketFrameHeader(opcode: .binary, length: length).write(into: &bytes)
            var reader = WebSocketReader(role: .client)
            #expect(reader.read(bytes).failureCode == code)
        }
    }

    @Test("Messages and frames up to the limit are accepted, and those with one byte more are not")
    func bounds() {
        func events(_ lengths: [Int], _ limits: WebSocketReader.Limits) -> [WebSocketEvent] {
            var reader = WebSocketReader(role: .server, limits: limits)
            return lengths.enumerated().flatMap { index, length in
                reader.read(
                    WebSocketFrames.client(
                        index == 0 ? .binary : .continuation,
                        [UInt8](repeating: 1, count: length),
                        isFinal: index == lengths.count - 1
                    )
                )
            }
        }
        let limits = WebSocketReader.Limits(frameSize: 200, messageSize: 300)
        #expect(events([200, 100], limits) == [.message(.binary(Data(repeating: 1, count: 300)))])
        #expect(events([200, 101], limits).failureCode == 1009)
        #expect(events([201], limits).failureCode == 1009)
        #expect(events([1], .init(messageSize: 0)).failureCode == 1009)
        #expect(events([0], .init(messageSize: -5)) == [.message(.binary(Data()))])
        // Sums that an Int cannot hold.
        var reader = WebSocketReader(role: .client, limits: .init(messageSize: .max))
        var bytes = WebSocketFrames.server(.binary, [1, 2], isFinal: false)
        WebSocketFrameHeader(opcode: .continuation, length: UInt64(Int64.max)).write(into: &bytes)
        #expect(reader.read(bytes).failureCode == 1009)
    }

    @Test("The limit of messages does not apply to control frames")
    func controlFrames() {
        var reader = WebSocketReader(role: .client, limits: .init(messageSize: 1))
        let content = [UInt8](repeating: 5, count: 125)
        #expect(reader.read(WebSocketFrames.server(.ping, content)) == [.ping(Data(content))])
    }

    @Test("The limit applies to decompressed messages")
    func decompressed() {
        let inflater = MarkingInflater(factor: 10)
        let limits = WebSocketReader.Limits(messageSize: 50)
        var reader = WebSocketReader(role: .client, limits: limits, inflater: inflater)
        let mark = MarkingDeflater.mark
        #expect(
            reader.read(WebSocketFrames.server(.binary, [mark, 1, 2, 3, 4, 5], reserved: 4))
                == [.message(.binary(Data((1...5).flatMap { [UInt8](repeating: $0, count: 10) })))]
        )
        #expect(
            reader.read(WebSocketFrames.server(.binary, [mark, 1, 2, 3, 4, 5, 6], reserved: 4)).failureCode == 1009
        )
        #expect(inflater.limits == [50])
    }
}

@Suite("WebSocketReader with compression")
struct WebSocketReaderCompressionTests {
    private let mark = MarkingDeflater.mark

    @Test("RSV1 in the first frame applies to the whole message", arguments: [WebSocketRole.client, .server])
    func fragments(role: WebSocketRole) {
        let frame = role == .client ? WebSocketFrames.server : WebSocketFrames.client
        let parts = [
            frame(.text, [mark, 0xC3], false, 4), frame(.ping, [1], true, 0), frame(.continuation, [], false, 0),
            frame(.continuation, [0xA9], true, 0), frame(.text, [0x41], true, 0), frame(.binary, [mark, 1], true, 4),
        ]
        let bytes = parts.flatMap { $0 }
        for cut in 0...bytes.count {
            var reader = WebSocketReader(role: role, inflater: MarkingInflater())
            #expect(
                reader.read([bytes[..<cut], bytes[cut...]])
                    == [.ping(Data([1])), .message(.text("é")), .message(.text("A")), .message(.binary(Data([1])))]
            )
        }
    }

    @Test("Without compression RSV1 is a fault, and with compression it is valid only in a message's first frame")
    func reservedBit() {
        var reader = WebSocketReader(role: .client)
        #expect(reader.read(WebSocketFrames.server(.text, [mark], reserved: 4)).failureCode == 1002)
        for bytes in [
            WebSocketFrames.server(.ping, reserved: 4), WebSocketFrames.server(.text, [mark], reserved: 6),
            WebSocketFrames.server(.text, [mark], isFinal: false, reserved: 4)
                + WebSocketFrames.server(.continuation, reserved: 4),
        ] {
            var reader = WebSocketReader(role: .client, inflater: MarkingInflater())
            #expect(reader.read(bytes).failureCode == 1002)
        }
    }

    @Test("Text is validated after decompression, and a failure of the decompressor fails the reader")
    func failures() {
        var reader = WebSocketReader(role: .client, inflater: MarkingInflater())
        let bytes = WebSocketFrames.server(.text, [mark, 0x41, 0xFF, 0x41], isFinal: false, reserved: 4)
        #expect(reader.read(Array(bytes.dropLast())).failureCode == 1007)
        var other = WebSocketReader(role: .client, inflater: MarkingInflater())
        #expect(
            other.read(WebSocketFrames.server(.text, [7], reserved: 4))
                == [.failure(WebSocketFailure(closeCode: 1007, sentence: "The mark is missing."))]
        )
    }
}

@Suite("WebSocketReader with random bytes")
struct WebSocketReaderFuzzTests {
    @Test("Random bytes are read without a trap", arguments: 0..<20)
    func random(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<100 {
            let role: WebSocketRole = Bool.random(using: &random) ? .client : .server
            let inflater = Bool.random(using: &random) ? MarkingInflater() : nil
            let size = Int.random(in: 0...4_096, using: &random)
            var reader = WebSocketReader(role: role, limits: .init(messageSize: size), inflater: inflater)
            var count = 0
            while count < 2_000, !reader.hasEnded {
                let chunk = (0..<Int.random(in: 1...64, using: &random)).map { _ in
                    UInt8.random(in: 0...255, using: &random)
                }
                count += chunk.count
                Self.check(reader.read(chunk), limit: size)
            }
        }
    }

    /// Frames that are nearly right come further than random bytes.
    @Test("Frames with some changed bytes have the same events in chunks of any size", arguments: 0..<20)
    func changed(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<100 {
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let opcode = WebSocketOpcode.allCases.randomElement(using: &random) ?? .text
                let count = Int.random(in: 0...(opcode.isControl ? 125 : 300), using: &random)
                let content = (0..<count).map { _ in UInt8.random(in: 0x20...0x80, using: &random) }
                bytes += WebSocketFrames.client(
                    opcode,
                    content,
                    isFinal: opcode.isControl || Bool.random(using: &random)
                )
            }
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            var whole = WebSocketReader(role: .server, limits: .init(messageSize: 1_000))
            let events = whole.read(bytes)
            Self.check(events, limit: 1_000)
            var chunks = WebSocketReader(role: .server, limits: .init(messageSize: 1_000))
            var position = 0
            var others: [WebSocketEvent] = []
            while position < bytes.count {
                let end = min(bytes.count, position + Int.random(in: 1...40, using: &random))
                others += chunks.read(Array(bytes[position..<end]))
                position = end
            }
            #expect(events == others)
        }
    }

    private static func check(_ events: [WebSocketEvent], limit: Int) {
        for event in events.dropLast() {
            switch event {
            case .close, .failure: Issue.record("There is an event after \(event).")
            default: break
            }
        }
        for case .message(let message) in events {
            switch message {
            case .text(let text): #expect(text.utf8.count <= limit)
            case .binary(let data): #expect(data.count <= limit)
            }
        }
    }
}
