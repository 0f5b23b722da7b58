import Foundation
import HTTPSyntax
import Testing

@Suite("WebSocketWriter")
struct WebSocketWriterTests {
    private static let messages: [WebSocketMessage] = [
        .text(""), .text("Hello"), .text("Grüße, 😀"), .binary(Data()), .binary(Data([0, 255])),
        .binary(Data(repeating: 7, count: 125)), .binary(Data(repeating: 7, count: 126)),
        .binary(Data(repeating: 7, count: 70_000)), .text(String(repeating: "é", count: 40_000)),
    ]

    @Test(
        "Messages are read as they were written",
        arguments: [WebSocketRole.client, .server],
        [nil, 0, 1, 3, 125, 1_000_000]
    )
    func roundTrip(role: WebSocketRole, fragmentSize: Int?) throws {
        let isSmall = fragmentSize.map { $0 < 100 } ?? false
        let messages = isSmall ? Array(Self.messages.prefix(7)) : Self.messages
        for isCompressed in [false, true] {
            var writer = WebSocketWriter(
                role: role,
                fragmentSize: fragmentSize,
                deflater: isCompressed ? MarkingDeflater() : nil
            )
            var bytes: [UInt8] = []
            for message in messages { try writer.write(message, into: &bytes) }
            var reader = WebSocketReader(
                role: role == .client ? .server : .client,
                inflater: isCompressed ? MarkingInflater() : nil
            )
            #expect(reader.read(bytes) == messages.map { .message($0) })
        }
    }

    @Test("A fragmented message has frames of the specified size, and RSV1 only in the first")
    func fragments() throws {
        var writer = WebSocketWriter(role: .server, fragmentSize: 2, deflater: MarkingDeflater())
        var bytes: [UInt8] = []
        try writer.write(.binary(Data([1, 2, 3, 4])), into: &bytes)
        #expect(bytes == [0x42, 2, MarkingDeflater.mark, 1, 0x00, 2, 2, 3, 0x80, 1, 4])
        var plain = WebSocketWriter(role: .server, fragmentSize: 2)
        bytes = []
        try plain.write(.text("abcd"), into: &bytes)
        #expect(bytes == [0x01, 2, 0x61, 0x62, 0x80, 2, 0x63, 0x64])
    }

    @Test("A client masks each frame with another key, and a server masks none")
    func masks() throws {
        var writer = WebSocketWriter(role: .client)
        var keys: Set<UInt32> = []
        for _ in 0..<50 {
            var bytes: [UInt8] = []
            try writer.write(.text("abc"), into: &bytes)
            #expect(bytes[1] == 0x80 | 3 && bytes.count == 9)
            keys.insert(bytes[2..<6].reduce(0) { $0 << 8 | UInt32($1) })
        }
        // That random keys are equal is possible, but not for many of them.
        #expect(keys.count > 45)
        var server = WebSocketWriter(role: .server)
        var bytes: [UInt8] = []
        try server.write(.text("abc"), into: &bytes)
        #expect(bytes == [0x81, 3, 0x61, 0x62, 0x63])
    }

    @Test("Pings and pongs have up to 125 bytes")
    func pings() throws {
        var writer = WebSocketWriter(role: .client)
        var reader = WebSocketReader(role: .server)
        var bytes: [UInt8] = []
        let longest = Data(repeating: 9, count: 125)
        try writer.writePing(longest, into: &bytes)
        try writer.writePong(Data(), into: &bytes)
        #expect(throws: WebSocketArgumentError.self) { try writer.writePing(longest + [1], into: &bytes) }
        #expect(throws: WebSocketArgumentError.self) { try writer.writePong(longest + [1], into: &bytes) }
        #expect(reader.read(bytes) == [.ping(longest), .pong(Data())])
    }

    @Test(
        "Reasons are shortened to 123 bytes, between characters",
        arguments: [
            ("bye", "bye"), (String(repeating: "a", count: 123), String(repeating: "a", count: 123)),
            (String(repeating: "a", count: 124), String(repeating: "a", count: 123)),
            ("a" + String(repeating: "é", count: 100), "a" + String(repeating: "é", count: 61)),
            (String(repeating: "é", count: 100), String(repeating: "é", count: 61)),
            (String(repeating: "😀", count: 100), String(repeating: "😀", count: 30)),
            ("abc" + String(repeating: "😀", count: 30), "abc" + String(repeating: "😀", count: 30)),
        ]
    )
    func reasons(reason: String, sent: String) throws {
        var writer = WebSocketWriter(role: .server)
        var bytes: [UInt8] = []
        try writer.writeClose(code: 1000, reason: reason, into: &bytes)
        var reader = WebSocketReader(role: .client)
        #expect(reader.read(bytes) == [.close(code: 1000, reason: sent)])
    }

    @Test("A close frame without a code is empty, and a code that must not be sent is refused")
    func closeCodes() throws {
        var writer = WebSocketWriter(role: .server)
        var bytes: [UInt8] = []
        try writer.writeClose(code: nil, reason: "ignored", into: &bytes)
        #expect(bytes == [0x88, 0])
        for code in [0, 999, 1004, 1005, 1006, 1015, 1016, 2999, 5000, 65_535] as [UInt16] {
            #expect(throws: WebSocketArgumentError.self) { try writer.writeClose(code: code, into: &bytes) }
        }
        #expect(bytes == [0x88, 0])
    }

    @Test("A compressor's failure is thrown, and nothing is written")
    func failure() {
        final class FailingDeflater: WebSocketDeflating {
            func deflate(_ bytes: UnsafeRawBufferPointer, into output: inout [UInt8]) throws(WebSocketFailure) {
                throw WebSocketFailure(closeCode: 1011, sentence: "No memory.")
            }
        }
        var writer = WebSocketWriter(role: .server, deflater: FailingDeflater())
        var bytes: [UInt8] = []
        #expect(throws: WebSocketFailure(closeCode: 1011, sentence: "No memory.")) {
            try writer.write(.text("a"), into: &bytes)
        }
        #expect(bytes == [])
    }
}
