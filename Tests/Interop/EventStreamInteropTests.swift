#if canImport(FoundationNetworking)
import Foundation
import LarkspurTesting
import TestSupport
import Testing

@testable import Larkspur

/// The parser of event streams beside one that we did not write. Scripts/parse_event_streams.py lists the differences
/// that the standard decides.
@Suite("Event streams, beside another parser", .needsServers, .seeded, .timeLimit(.minutes(5)))
struct EventStreamInteropTests {
    private struct Parsed: Codable {
        struct Event: Codable {
            let event: String
            let data: String
            let id: String

            init(_ event: ServerSentEvent) {
                self.event = event.type
                data = event.data
                id = event.id
            }

            /// Texts as bytes, as different texts may be equal as characters.
            var bytes: [[UInt8]] { [event, data, id].map { Array($0.utf8) } }
        }

        var events: [Event] = []
        /// The delay in milliseconds.
        var retry: Int64?
    }

    private static let texts =
        [
            "data", "event", "id", "retry", "data:", "data: ", "event: ", "id: ", "id:", "retry: ", "retry:", ":", ": ",
            " ", "\n", "\r", "\r\n", "\n\n", "\r\r", "\n\r", "x", "é", "e\u{301}", "\u{FEFF}", "\u{0}", "12", "+3",
            "1_0", "٣", "99999999999999999999", "\u{85}", "\u{2028}", "\u{B}", "\u{1F600}", "\t", "data: a\nid: 1\n\n",
        ]

    /// Bytes that are not UTF-8: alone, too many, too few, overlong, a surrogate and beyond the last character.
    private static let invalid: [[UInt8]] = [
        [0xFF], [0xE6, 0x97], [0xEF, 0xBB], [0xBF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF0],
    ]

    /// Returns streams in chunks, of words of the grammar and of any bytes.
    private static func streams(_ count: Int) -> [[[UInt8]]] {
        var generator = SeededGenerator()
        let words = texts.map { Array($0.utf8) } + invalid
        return (0..<count).map { number in
            var stream: [UInt8] = number % 10 == 0 ? [0xEF, 0xBB, 0xBF] : []
            for _ in 0..<Int.random(in: 0...80, using: &generator) {
                let isWord = number % 4 != 0 || Int.random(in: 0..<8, using: &generator) > 0
                stream +=
                    isWord ? words.randomElement(using: &generator) ?? [] : [.random(in: 0...255, using: &generator)]
            }
            var chunks: [[UInt8]] = []
            var rest = stream[...]
            let longest = [1, 3, 20, 1000][number / 4 % 4]
            while !rest.isEmpty {
                chunks.append(Array(rest.prefix(.random(in: 1...longest, using: &generator))))
                rest = rest.dropFirst(chunks.last?.count ?? 0)
            }
            return chunks
        }
    }

    private func expected(of streams: [[[UInt8]]]) throws -> [Parsed] {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("streams-\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: file) }
        try JSONEncoder().encode(streams.map { $0.map { Data($0) } }).write(to: file)
        return try PythonScript("parse_event_streams", usesPackages: true).run([file.path])
    }

    @Test("Random streams in random chunks have the same events, IDs and delays as with httpx-sse")
    func parser() throws {
        let streams = Self.streams(4000)
        let expected = try expected(of: streams)
        try #require(expected.count == streams.count)
        var count = 0
        for (number, (chunks, parsed)) in zip(streams, expected).enumerated() {
            var parser = EventStreamParser()
            var events: [Parsed.Event] = []
            for chunk in chunks {
                parser.append(chunk)
                while let event = try parser.next() { events.append(Parsed.Event(event)) }
            }
            let delay = parsed.retry.map { Duration.milliseconds($0) }
            #expect(events.map(\.bytes) == parsed.events.map(\.bytes), "\(number): \(chunks)")
            #expect(parser.retry == delay, "\(number): \(chunks)")
            count += events.count
        }
        // Streams without events would prove nothing.
        #expect(count > streams.count / 5)
    }

    @Test("Streams over a connection have the same events as with httpx-sse")
    func calls() async throws {
        let server = try LoopbackServer()
        let manager = SessionManager(baseURL: server.baseURL, configuration: .ephemeral)
        let streams = Self.streams(400)
        for (number, (chunks, parsed)) in zip(streams, try expected(of: streams)).enumerated() {
            let path = "events/\(number)"
            let steps = chunks.map { LoopbackServer.Response.Step.bytes(Data($0)) }
            server.route("/" + path, .stream(steps, contentType: "text/event-stream", framing: .chunked))
            var events: [Parsed.Event] = []
            for try await event in manager.get(path).events { events.append(Parsed.Event(event)) }
            #expect(events.map(\.bytes) == parsed.events.map(\.bytes), "\(number): \(chunks)")
        }
    }
}
#endif
