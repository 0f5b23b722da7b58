import Foundation
import HTTPSyntax
import TestSupport
import Testing

/// Each reader of WebSocket with 512 KiB of its worst: the cost grows with the length.
@Suite("Costs of WebSocket", .enabled(if: Growth.isMeasured), .serialized, .timeLimit(.minutes(5)))
struct WebSocketCostTests {
    private static func beginning(_ opcode: WebSocketOpcode) -> [UInt8] {
        WebSocketFrames.client(opcode, isFinal: false)
    }

    static let units: [[UInt8]] = [
        WebSocketFrames.client(.continuation, isFinal: false),
        WebSocketFrames.client(.continuation, [0x41], isFinal: false),
        WebSocketFrames.client(.continuation, Array(repeating: 0x41, count: 200), isFinal: false),
        WebSocketFrames.client(.ping),
        WebSocketFrames.client(.pong, Array(repeating: 1, count: 125)),
        WebSocketFrames.client(.continuation, [0xC3], isFinal: false)
            + WebSocketFrames.client(.continuation, [0xA9], isFinal: false),
    ]

    @Test("The cost of a fragmented message is linear, for chunks of any size", arguments: units, [1, 100, 1 << 16])
    func fragments(unit: [UInt8], chunkSize: Int) {
        let inputs = { (size: Int) in
            Self.beginning(.text) + (0..<(size / unit.count)).flatMap { _ in unit }
        }
        let growth = Growth.factor(of: inputs) { bytes in
            var reader = WebSocketReader(role: .server)
            for start in stride(from: 0, to: bytes.count, by: chunkSize) {
                let events = reader.read(Array(bytes[start..<min(start + chunkSize, bytes.count)]))
                if events.failureCode != nil { Issue.record("\(events)") }
            }
        }
        #expect(growth < Growth.linear)
    }

    @Test("The cost of one frame in small chunks is linear", arguments: [1, 7, 1_000])
    func frame(chunkSize: Int) {
        let inputs = { (size: Int) in WebSocketFrames.client(.text, Array(repeating: 0x41, count: size)) }
        let growth = Growth.factor(of: inputs) { bytes in
            var reader = WebSocketReader(role: .server)
            for start in stride(from: 0, to: bytes.count, by: chunkSize) {
                _ = reader.read(Array(bytes[start..<min(start + chunkSize, bytes.count)]))
            }
        }
        #expect(growth < Growth.linear)
    }

    @Test("The cost of consecutive messages is linear", arguments: [0, 1, 1_000])
    func messages(length: Int) {
        let unit = WebSocketFrames.client(.binary, Array(repeating: 1, count: length))
        let inputs = { (size: Int) in (0..<(size / unit.count)).flatMap { _ in unit } }
        let growth = Growth.factor(of: inputs) { bytes in
            var reader = WebSocketReader(role: .server)
            _ = reader.read(bytes)
        }
        #expect(growth < Growth.linear)
    }

    @Test("The cost of writing in fragments is linear", arguments: [1, 100, 1 << 20])
    func writing(fragmentSize: Int) {
        let inputs = { (size: Int) in Data(repeating: 1, count: size) }
        let growth = Growth.factor(of: inputs, upTo: 1 << 18) { data in
            var writer = WebSocketWriter(role: .server, fragmentSize: fragmentSize)
            var output: [UInt8] = []
            try? writer.write(.binary(data), into: &output)
        }
        #expect(growth < Growth.linear)
    }

    @Test(
        "The cost of a response's fields is linear",
        arguments: [",", ";", "; a", "; a=b", "\"", "\"\\", "permessage-deflate,", " ", "\u{301}"]
    )
    func fields(unit: String) throws {
        let handshake = try WebSocketHandshake(protocols: ["chat"], offer: .init())
        let values = { (size: Int) in "permessage-deflate; " + String(repeating: unit, count: size / unit.utf8.count) }
        for name in [
            "Upgrade", "Connection", "Sec-WebSocket-Accept", "Sec-WebSocket-Protocol", "Sec-WebSocket-Extensions",
        ] {
            let growth = Growth.factor(of: values, upTo: 1 << 17) { value in
                let valid = [
                    (name: "Upgrade", value: "websocket"), (name: "Connection", value: "Upgrade"),
                    (name: "Sec-WebSocket-Accept", value: handshake.key.accept),
                ]
                let fields = valid.filter { $0.name != name } + [(name: name, value: value)]
                _ = try? handshake.agreement(version: "HTTP/1.1", status: 101, fields: fields)
                _ = try? WebSocketRequest(method: "GET", fields: handshake.requestFields + [(name: name, value: value)])
                _ = PerMessageDeflate(accepting: [value])
            }
            #expect(growth < Growth.linear, "\(name)")
        }
    }
}
