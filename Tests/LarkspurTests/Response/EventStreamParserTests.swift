import TestSupport
import Testing

@testable import Larkspur

@Suite("The parser of event streams")
struct EventStreamParserTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let stream: [UInt8]
        let events: [ServerSentEvent]

        init(_ name: String, _ stream: String, _ events: ServerSentEvent...) {
            self.init(name, Array(stream.utf8), events)
        }

        init(_ name: String, _ stream: [UInt8], _ events: [ServerSentEvent]) {
            self.name = name
            self.stream = stream
            self.events = events
        }

        var testDescription: String { name }
    }

    static let cases: [Case] = [
        // The examples of WHATWG HTML, section 9.2.
        Case(
            "messages of several lines",
            "data: This is the first message.\n\ndata: This is the second message, it\n"
                + "data: has two lines.\n\ndata: This is the third message.\n\n",
            ServerSentEvent(data: "This is the first message."),
            ServerSentEvent(data: "This is the second message, it\nhas two lines."),
            ServerSentEvent(data: "This is the third message.")
        ),
        Case(
            "types",
            "event: add\ndata: 73857293\n\nevent: remove\ndata: 2153\n\nevent: add\ndata: 113411\n\n",
            ServerSentEvent(type: "add", data: "73857293"),
            ServerSentEvent(type: "remove", data: "2153"),
            ServerSentEvent(type: "add", data: "113411")
        ),
        Case(
            "numbers with commas",
            "data: YHOO\ndata: +2\ndata: 10\n\n",
            ServerSentEvent(data: "YHOO\n+2\n10")
        ),
        Case(
            "a comment, an ID, its reset, and an incomplete event",
            ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\ndata: fourth",
            ServerSentEvent(data: "first event", id: "1"),
            ServerSentEvent(data: "second event"),
            ServerSentEvent(data: " third event")
        ),
        Case(
            "empty data",
            "data\n\ndata\ndata\n\ndata:",
            ServerSentEvent(data: ""),
            ServerSentEvent(data: "\n")
        ),
        Case("one leading space", "data:test\n\ndata: test\n\n", .init(data: "test"), .init(data: "test")),
        // Beyond the examples.
        Case("nothing", ""),
        Case("LF", "data: a\ndata: b\n\n", ServerSentEvent(data: "a\nb")),
        Case("CR", "data: a\rdata: b\r\rdata: c\r\r", ServerSentEvent(data: "a\nb"), ServerSentEvent(data: "c")),
        Case("CRLF", "data: a\r\ndata: b\r\n\r\n", ServerSentEvent(data: "a\nb")),
        Case("mixed ends", "data: a\r\ndata: b\rdata: c\n\r", ServerSentEvent(data: "a\nb\nc")),
        Case("LF CR is two ends", "data: a\n\rdata: b\n\r", ServerSentEvent(data: "a"), ServerSentEvent(data: "b")),
        Case("other separators end no line", "data: a\u{85}\u{2028}\u{B}b\n\n", .init(data: "a\u{85}\u{2028}\u{B}b")),
        Case("BOM", "\u{FEFF}data: a\n\n\u{FEFF}data: b\n\n", ServerSentEvent(data: "a")),
        Case("two BOMs", "\u{FEFF}\u{FEFF}data: a\n\ndata: b\n\n", ServerSentEvent(data: "b")),
        Case("BOM and an empty line", "\u{FEFF}\n\u{FEFF}data: a\n\n"),
        Case("unknown fields and case", "Data: a\nDATA: b\nfoo: c\ndatas: d\ndat: e\n data: f\ndata : g\n\n"),
        Case("an event without data has no type left", "event: a\n\ndata: b\n\n", ServerSentEvent(data: "b")),
        Case("an empty type", "event: a\nevent:\ndata: b\n\n", ServerSentEvent(data: "b")),
        Case(
            "an ID with NUL",
            "id: 1\ndata: a\n\nid: 2\u{0}\ndata: b\n\n",
            .init(data: "a", id: "1"),
            .init(data: "b", id: "1")
        ),
        Case("an ID without data", "id: 1\n\ndata: a\n\n", ServerSentEvent(data: "a", id: "1")),
        Case(
            "a colon in the value",
            "data: a: b\n\ndata::\n\n",
            ServerSentEvent(data: "a: b"),
            ServerSentEvent(data: ":")
        ),
        Case("a tab is no space", "data:\ta\n\n", ServerSentEvent(data: "\ta")),
        Case("an incomplete line", "data: a\n\ndata: b\n", ServerSentEvent(data: "a")),
        Case("UTF-8", "event: é\ndata: 日本\nid: 🎈\n\n", ServerSentEvent(type: "é", data: "日本", id: "🎈")),
        Case(
            "invalid UTF-8",
            Array("data: ".utf8) + [0xFF, 0x61, 0xE6, 0x97] + Array("\n\n".utf8),
            [ServerSentEvent(data: "\u{FFFD}a\u{FFFD}")]
        ),
    ]

    @Test("Streams are parsed the same for any chunks", arguments: cases)
    func table(_ sample: Case) throws {
        #expect(try events(in: [sample.stream[...]]) == sample.events)
        #expect(try events(in: sample.stream.map { [$0] }) == sample.events)
        for position in sample.stream.indices {
            let chunks = [sample.stream[..<position], sample.stream[position...]]
            #expect(try events(in: chunks) == sample.events, "split at \(position)")
        }
        #expect(Self.reference(sample.stream) == sample.events)
    }

    @Test(
        "Random streams, as a whole and in chunks, have the events that a simple reference parser finds",
        .seeded
    )
    func fuzz() throws {
        var generator = SeededGenerator()
        let words: [[UInt8]] =
            [
                "data", "event", "id", "retry", ":", " ", "\n", "\r", "\r\n", "\n\n", "x", "é", "\u{FEFF}", "\u{0}",
                "12",
            ].map { Array($0.utf8) } + [[0xFF], [0xE6, 0x97], [0xEF, 0xBB]]
        for round in 0..<2000 {
            var stream: [UInt8] = []
            for _ in 0..<Int.random(in: 0...60, using: &generator) {
                let isWord = round % 4 != 0 || Bool.random(using: &generator)
                stream +=
                    isWord ? words.randomElement(using: &generator) ?? [] : [.random(in: 0...255, using: &generator)]
            }
            var chunks: [ArraySlice<UInt8>] = []
            var rest = stream[...]
            while !rest.isEmpty {
                let count = Int.random(in: 1...min(rest.count, 9), using: &generator)
                chunks.append(rest.prefix(count))
                rest = rest.dropFirst(count)
            }
            let whole = try events(in: [stream[...]])
            #expect(try events(in: chunks) == whole, "\(stream)")
            #expect(whole == Self.reference(stream), "\(stream)")
        }
    }

    @Test(
        "The delay before a reconnection is a number of digits",
        arguments: [
            ("retry: 1500\n", Duration.milliseconds(1500)), ("retry:0\n", .zero),
            ("retry: 1\nretry: 2\n", .milliseconds(2)),
            ("retry: 15\n\n", .milliseconds(15)), ("retry: 99999999999999999999\n", .milliseconds(Int64.max)),
            ("retry: 1.5\n", nil), ("retry: -1\n", nil), ("retry: +1\n", nil), ("retry:  1\n", nil),
            ("retry: 1 \n", nil),
            ("retry\n", nil), ("retry:\n", nil), ("retry: ٣\n", nil), ("retry: 5", nil),
            ("retry: 5\nretry: x\n", .milliseconds(5)),
        ]
    )
    func retry(_ stream: String, _ delay: Duration?) throws {
        var parser = EventStreamParser()
        parser.append(stream.utf8)
        #expect(try parser.next() == nil && parser.retry == delay)
        parser.restart()
        #expect(parser.retry == delay)
    }

    @Test("The last event ID counts from the end of its event, and only this ID stays for the next stream")
    func restart() throws {
        var parser = EventStreamParser(lastEventID: "0")
        parser.append("id: 1\ndata: a\n".utf8)
        #expect(try parser.next() == nil && parser.lastEventID == "0")
        parser.append("\nid: 2\nevent: x\ndata: b\nda".utf8)
        #expect(try parser.next() == ServerSentEvent(data: "a", id: "1"))
        #expect(try parser.next() == nil && parser.lastEventID == "1")

        parser.restart()
        parser.append("\u{FEFF}data: c\n\n".utf8)
        #expect(try parser.next() == ServerSentEvent(data: "c", id: "1"))
        parser.append("id\n\n".utf8)
        #expect(try parser.next() == nil && parser.lastEventID.isEmpty)
    }

    @Test("A carriage return ends an event at once")
    func carriageReturn() throws {
        var parser = EventStreamParser()
        parser.append("data: a\r\r".utf8)
        #expect(try parser.next() == ServerSentEvent(data: "a"))
    }

    @Test("The length of a line and of an event's data is limited", arguments: [1, 3, 100])
    func limits(length: Int) throws {
        let limits = EventStreamParser.Limits(line: 10, data: 12)
        let good = ["data: 2345\ndata: 2345\ndata: 2\n\n", ":234567890\r\n0123456789\n\n"]
        let bad = ["data: 23456\n\n", ":2345678901", "01234567890\n", "data: 2345\ndata: 2345\ndata: 23\ndata: 456\n"]

        for stream in good {
            _ = try events(in: Self.chunks(of: stream, length), limits)
        }
        for stream in bad {
            let error = #expect(throws: LarkspurError.self, "\(stream)") {
                try events(in: Self.chunks(of: stream, length), limits)
            }
            #expect(error?.code == .contentTooLarge)
        }
    }

    @Test("A line and the data of an event may each have up to 1 MiB")
    func defaultLimits() throws {
        let line = "data:" + String(repeating: "x", count: (1 << 20) - 5)
        #expect(try events(in: [Array((line + "\n\n").utf8)[...]]).first?.data.utf8.count == (1 << 20) - 5)
        #expect(throws: LarkspurError.self) { try events(in: [Array((line + "x\n\n").utf8)[...]]) }
        #expect(throws: LarkspurError.self) { try events(in: [Array((line + "\n" + line + "\n\n").utf8)[...]]) }
    }

    @Test("An ID of more than 4 KiB is ignored, and the ID before it stays")
    func longID() throws {
        let longest = String(repeating: "\u{E9}", count: 2048)
        for (id, isKept) in [(longest, true), (longest + "x", false), (String(repeating: "y", count: 1 << 19), false)] {
            let stream = Array("id: 1\ndata: a\n\nid: \(id)\ndata: b\n\n".utf8)
            let ids = try events(in: [stream[...]]).map(\.id)
            #expect(ids == ["1", isKept ? id : "1"])
        }
        // 2,000 invalid bytes are 6,000 bytes of text.
        let invalid = Array("id:".utf8) + Array(repeating: 0xFF, count: 2000) + Array("\ndata: a\n\n".utf8)
        #expect(try events(in: [invalid[...]]).map(\.id) == [""])
    }

    private func events(
        in chunks: [ArraySlice<UInt8>],
        _ limits: EventStreamParser.Limits = .init()
    ) throws -> [ServerSentEvent] {
        var parser = EventStreamParser(limits: limits)
        var events: [ServerSentEvent] = []
        for chunk in chunks {
            parser.append(chunk)
            while let event = try parser.next() { events.append(event) }
        }
        return events
    }

    private static func chunks(of stream: String, _ length: Int) -> [ArraySlice<UInt8>] {
        let bytes = Array(stream.utf8)
        return stride(from: 0, to: bytes.count, by: length).map { bytes[$0..<min($0 + length, bytes.count)] }
    }

    /// The standard's own steps, on the text as a whole.
    private static func reference(_ stream: [UInt8]) -> [ServerSentEvent] {
        var scalars = Array(String(decoding: stream, as: UTF8.self).unicodeScalars)
        if scalars.first == "\u{FEFF}" { scalars.removeFirst() }
        var lines: [[Unicode.Scalar]] = [[]]
        for (index, scalar) in scalars.enumerated() {
            if scalar == "\n", index > 0, scalars[index - 1] == "\r" { continue }
            if scalar == "\n" || scalar == "\r" { lines.append([]) } else { lines[lines.count - 1].append(scalar) }
        }
        var (events, data, type, id): ([ServerSentEvent], String, String, String) = ([], "", "", "")
        for line in lines.dropLast() {
            guard !line.isEmpty else {
                if !data.isEmpty {
                    data.unicodeScalars.removeLast()
                    events.append(ServerSentEvent(type: type.isEmpty ? "message" : type, data: data, id: id))
                }
                (data, type) = ("", "")
                continue
            }
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            var value = parts.count > 1 ? parts[1] : []
            if value.first == " " { value = value.dropFirst() }
            let text = String(String.UnicodeScalarView(value))
            switch String(String.UnicodeScalarView(parts[0])).unicodeScalars.map(\.value) {
            case "data".unicodeScalars.map(\.value): data += text + "\n"
            case "event".unicodeScalars.map(\.value): type = text
            case "id".unicodeScalars.map(\.value): if !value.contains("\u{0}") { id = text }
            default: break
            }
        }
        return events
    }
}
