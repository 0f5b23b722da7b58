import Foundation
import FoundationNetworking
import HTTPSyntax

@testable import Larkspur
@testable import LarkspurTesting
@testable import LarkspurTransport
@testable import LarkspurXML

/// The readers of content: event streams, lines, codings, XML, property lists, JSON, forms.
extension FuzzTarget {
    static let contents = [
        events, lineSplitters, codings, gzip, xmlParser, xmlDocument, propertyLists, jsonContent, charsets,
        serverMessages, multipart, multipartForms, utf8,
    ]

    // MARK: Event streams

    private struct Stream: Equatable {
        var events: [ServerSentEvent] = []
        var lastEventID = ""
        var retry: Duration?
        var hasFailed = false
    }

    private static func stream(_ parts: [ArraySlice<UInt8>]) -> Stream {
        // Small limits, so that the fuzzer reaches them.
        var parser = EventStreamParser(limits: .init(line: 300, data: 200, id: 50))
        var stream = Stream()
        parts: for part in parts {
            parser.append(part)
            do {
                while let event = try parser.next() { stream.events.append(event) }
            } catch {
                stream.hasFailed = true
                break parts
            }
        }
        stream.lastEventID = parser.lastEventID
        stream.retry = parser.retry
        return stream
    }

    private static let events = FuzzTarget(
        "events",
        measured: { bytes in
            var parser = EventStreamParser()
            for part in Division.steady(of: bytes) {
                parser.append(part)
                while (try? parser.next()) != nil {}
            }
        },
        { bytes in
            let whole = stream([bytes[...]])
            for parts in Division.all(of: bytes) { require(stream(parts), equals: whole, "the events of parts") }
            guard !whole.hasFailed else { return }
            let expected = slowStream(bytes)
            require(whole.events, equals: expected.events, "the events")
            require(whole.lastEventID, equals: expected.lastEventID, "the last ID")
            require(whole.retry, equals: expected.retry, "the delay")
        }
    )

    /// Reads a stream as the standard describes it, line by line.
    private static func slowStream(_ bytes: [UInt8]) -> Stream {
        let bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
        var lines: [[UInt8]] = [[]]
        for (index, byte) in bytes.enumerated() {
            if byte == .lineFeed, index > 0, bytes[index - 1] == .carriageReturn { continue }
            if byte == .lineFeed || byte == .carriageReturn {
                lines.append([])
            } else {
                lines[lines.count - 1].append(byte)
            }
        }
        // The last line has no end.
        lines.removeLast()
        var stream = Stream()
        var (type, id) = ("", "")
        var data: [[UInt8]] = []
        for line in lines {
            if line.isEmpty {
                stream.lastEventID = id
                if !data.isEmpty {
                    let text = String(decoding: Array(data.joined(separator: [.lineFeed])), as: UTF8.self)
                    stream.events.append(ServerSentEvent(type: type.isEmpty ? "message" : type, data: text, id: id))
                }
                (type, data) = ("", [])
                continue
            }
            let name = line.prefix { $0 != UInt8(ascii: ":") }
            var value = line.dropFirst(name.count + 1)
            if value.first == .space { value = value.dropFirst() }
            let text = String(decoding: value, as: UTF8.self)
            switch String(decoding: name, as: UTF8.self) {
            case "data": data.append(Array(value))
            case "event": type = text
            case "id" where !value.contains(0) && text.utf8.count <= 50: id = text
            case "retry" where !value.isEmpty && value.allSatisfy(\.isDigit):
                stream.retry = .milliseconds(Int64(text) ?? .max)
            default: break
            }
        }
        return stream
    }

    // MARK: Lines

    private static let lineSplitters = FuzzTarget(
        "lines",
        measured: { bytes in
            var splitter = LineSplitter()
            for byte in bytes { _ = splitter.take(byte) }
        },
        { bytes in
            var splitter = LineSplitter()
            var lines = bytes.compactMap { splitter.take($0) }
            if let last = splitter.finish() { lines.append(last) }
            require(lines, equals: slowLines(bytes), "the lines")
            let expected = bytes.split(separator: .lineFeed, omittingEmptySubsequences: false).map { Data($0) }
            for parts in Division.all(of: bytes) {
                var splitter = NewlineSplitter()
                var lines: [Data] = []
                for part in parts {
                    splitter.append(Data(part))
                    while let line = splitter.next() { lines.append(line) }
                }
                lines.append(splitter.finish() ?? Data())
                require(lines, equals: expected, "the lines that end with a line feed")
            }
        }
    )

    /// Returns the lines of a text without empty lines. All ends of lines become line feeds first.
    private static func slowLines(_ bytes: [UInt8]) -> [String] {
        var rest = bytes[...]
        var plain: [UInt8] = []
        let ends: [[UInt8]] = [[0x0A], [0x0B], [0x0C], [0x0D], [0xC2, 0x85], [0xE2, 0x80, 0xA8], [0xE2, 0x80, 0xA9]]
        while let byte = rest.first {
            if let end = ends.first(where: { rest.starts(with: $0) }) {
                plain.append(.lineFeed)
                rest = rest.dropFirst(end.count)
            } else {
                plain.append(byte)
                rest = rest.dropFirst()
            }
        }
        return plain.split(separator: .lineFeed).map { String(decoding: $0, as: UTF8.self) }
    }

    private static let utf8 = FuzzTarget("utf-8") { bytes in
        for parts in Division.all(of: bytes) {
            var validator = UTF8Validator()
            var invalid: Int?
            for part in parts where invalid == nil {
                invalid = part.withUnsafeBytes { validator.take($0) }.map { part.startIndex + $0 }
            }
            let isValid = String(validating: bytes, as: UTF8.self) != nil
            require(invalid == nil && validator.isComplete, equals: isValid, "the text is valid, or not")
            guard let invalid else { continue }
            // Up to that byte, the text could become valid, and with that byte, it cannot.
            let start = String(decoding: bytes[..<invalid], as: UTF8.self).unicodeScalars.dropLast()
            require(!start.contains("\u{FFFD}") || bytes.contains(0xBF), "the text is valid before the invalid byte")
        }
    }

    // MARK: Codings

    private static let fields = [
        "gzip", "deflate", "br", "zstd", "gzip, deflate", "br, gzip", "zstd, zstd", "deflate, br",
    ]

    private struct Content: Equatable {
        var bytes: [UInt8] = []
        var failure: ContentDecoder.Failure?
        var end: ContentDecoder.Failure?
    }

    /// - Parameter pause: Returns whether the consumer stops after a chunk.
    private static func decode(
        _ field: String,
        _ parts: [ArraySlice<UInt8>],
        pause: @escaping () -> Bool = { false }
    ) -> Content? {
        guard let decoder = ContentDecoder(contentEncoding: field, maximumExpansion: 64) else { return nil }
        var content = Content()
        let take = { (bytes: UnsafeRawBufferPointer) in
            require(!bytes.isEmpty, "a chunk is not empty")
            if content.bytes.count < 1 << 20 { content.bytes += bytes }
            return !pause()
        }
        do throws(ContentDecoder.Failure) {
            for part in parts {
                let result = part.withUnsafeBytes { part in
                    Result { () throws(ContentDecoder.Failure) in try decoder.decode(part, take) }
                }
                try result.get()
                while decoder.hasRest { try decoder.decode(UnsafeRawBufferPointer(start: nil, count: 0), take) }
            }
        } catch {
            content.failure = error
            return content
        }
        do throws(ContentDecoder.Failure) { try decoder.finish() } catch { content.end = error }
        require(decoder.codedBytes, equals: Int64(parts.reduce(0) { $0 + $1.count }), "the number of coded bytes")
        return content
    }

    private static let codings = FuzzTarget(unmeasured: "codings") { bytes in
        guard let first = bytes.first else { return }
        let field = fields[Int(first) % fields.count]
        let bytes = Array(bytes.dropFirst())
        guard let whole = decode(field, [bytes[...]]) else { return }
        let divided = decode(field, Division.parts(of: bytes))
        // A decoder may notice an error before or after it returns the bytes that precede the error.
        require(divided?.failure == nil, equals: whole.failure == nil, "the failure of parts")
        if whole.failure == nil { require(divided, equals: whole, "the content of parts") }
        var random = SeededGenerator(seed: Division.hash(bytes))
        let slow = decode(field, Division.parts(of: bytes)) { random.next() & 1 == 0 }
        if whole.failure == nil { require(slow, equals: whole, "the content with a slow consumer") }
    }

    private static let gzip = FuzzTarget(unmeasured: "gzip") { bytes in
        let data = Data(bytes + bytes + bytes)
        for (name, compressed) in [("gzip", ContentCompressor.gzip(data)), ("zstd", ContentCompressor.zstd(data))] {
            guard let compressed else { continue }
            require(compressed.count < data.count, "compressed data is shorter")
            let content = decode(name, Division.parts(of: Array(compressed)))
            require(content?.bytes, equals: Array(data), "compressed data is decompressed")
        }
        for coding in LoopbackServer.ContentCoding.allCases {
            let content = decode(coding.rawValue, Division.parts(of: Array(coding.encode(Data(bytes)))))
            require(content, equals: Content(bytes: bytes), "the content that the server encodes")
        }
    }
}
