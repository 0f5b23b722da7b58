#if canImport(FoundationNetworking)
import Foundation
import HTTPSyntax
import TestSupport
import Testing

@testable import LarkspurTransport

/// Frames of random messages, fragments, sizes, compression, pings and closes, in both directions. Faulty frames are
/// the subject of ``WebSocketFuzzTests``.
@Suite(
    "WebSocket frames in both directions, beside Python's websockets",
    .needsServers,
    .seeded,
    .differentialLimit
)
struct FrameDifferentialTests {
    private struct Compression: Codable {
        let noTakeover: Bool
        let bits: Int

        var agreed: PerMessageDeflate {
            var agreed = PerMessageDeflate()
            (agreed.serverNoContextTakeover, agreed.clientNoContextTakeover) = (noTakeover, noTakeover)
            (agreed.serverMaxWindowBits, agreed.clientMaxWindowBits) = (bits, bits)
            return agreed
        }
    }

    private struct Received: Decodable {
        let bytes: Data
        let compression: Compression?
        let events: [String]
        let chunk: Int
    }

    private struct Sent: Encodable {
        let bytes: Data
        let noTakeover: Bool?
        let bits: Int?
    }

    private func text(_ event: WebSocketEvent) -> String {
        switch event {
        case .message(.text(let text)): "text:" + Data(text.utf8).base64EncodedString()
        case .message(.binary(let data)): "data:" + data.base64EncodedString()
        case .ping(let data): "ping:" + data.base64EncodedString()
        case .pong(let data): "pong:" + data.base64EncodedString()
        case .close(let code, let reason): "close:\(code ?? 0):\(reason)"
        case .failure(let failure): "failure:\(failure)"
        }
    }

    @Test("Frames that websockets sends are received, in any chunks")
    func receiving() throws {
        let count = DifferentialRun.count(600)
        let connections: [Received] = try DifferentialRun.cases(of: "differential_frames", count, mode: ["write"])
        try #require(connections.count == count)
        var run = DifferentialRun("Received frames")
        for connection in connections {
            let inflater = connection.compression.map { MessageCompression.inflater($0.agreed, role: .client) }
            var reader = WebSocketReader(role: .client, inflater: inflater)
            var events: [String] = []
            var rest = connection.bytes
            while !rest.isEmpty {
                events += reader.read(Array(rest.prefix(connection.chunk))).map(text)
                rest = rest.dropFirst(connection.chunk)
            }
            if events == connection.events {
                run.agree()
            } else {
                run.differ(nil, "\(connection.events.map { $0.prefix(80) }): \(events.map { $0.prefix(80) })")
            }
        }
        run.finish(agreeing: count)
    }

    @Test("Frames that the client sends are received by websockets")
    func sending() throws {
        let count = DifferentialRun.count(600)
        var random = SeededGenerator()
        var connections: [Sent] = []
        var expected: [[String]] = []
        for _ in 0..<count {
            let compression =
                Bool.random(using: &random)
                ? Compression(noTakeover: .random(using: &random), bits: .random(in: 9...15, using: &random)) : nil
            var writer = WebSocketWriter(
                role: .client,
                fragmentSize: [nil, nil, 1, 100, 4096].randomElement(using: &random) ?? nil,
                deflater: compression.flatMap { MessageCompression.deflater($0.agreed, role: .client) }
            )
            var output: [UInt8] = []
            var events: [String] = []
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                events.append(try write(with: &writer, into: &output, &random))
            }
            let code = ([nil, 1000, 1001, 3000, 4999] as [UInt16?]).randomElement(using: &random) ?? nil
            let reason =
                code == nil ? "" : ["", "end", String(repeating: "é", count: 61)].randomElement(using: &random) ?? ""
            try writer.writeClose(code: code, reason: reason, into: &output)
            events.append("close:\(code ?? 0):\(reason)")
            connections.append(Sent(bytes: Data(output), noTakeover: compression?.noTakeover, bits: compression?.bits))
            expected.append(events)
        }
        let readings: [[String]] = try DifferentialRun.readings(
            of: connections,
            by: "differential_frames",
            mode: ["read"]
        )
        try #require(readings.count == count)
        var run = DifferentialRun("Sent frames")
        for (events, found) in zip(expected, readings) {
            if events == found {
                run.agree()
            } else {
                run.differ(nil, "\(events.map { $0.prefix(80) }): \(found.map { $0.prefix(80) })")
            }
        }
        run.finish(agreeing: count)
    }

    private func write(
        with writer: inout WebSocketWriter,
        into output: inout [UInt8],
        _ random: inout SeededGenerator
    ) throws -> String {
        func pick<Value>(_ values: [Value], or value: Value) -> Value { values.randomElement(using: &random) ?? value }
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
            let letters = ["a", "é", "€", "👋", "\0", " "]
            let text = (0..<pick([0, 1, 30, 1000], or: 0)).map { _ in pick(letters, or: "") }.joined()
            try writer.write(.text(text), into: &output)
            return self.text(.message(.text(text)))
        case 1:
            let data = random.bytes(pick([0, 1, 125], or: 0))
            if pick([true, false], or: true) {
                try writer.writePing(data, into: &output)
                return text(.ping(data))
            }
            try writer.writePong(data, into: &output)
            return text(.pong(data))
        default:
            let isLarge = Int.random(in: 0..<40, using: &random) == 0
            let data = random.bytes(
                isLarge ? pick([65_535, 65_536, 70_000], or: 0) : pick([0, 1, 125, 126, 1000], or: 0)
            )
            try writer.write(.binary(data), into: &output)
            return text(.message(.binary(data)))
        }
    }
}
#endif
