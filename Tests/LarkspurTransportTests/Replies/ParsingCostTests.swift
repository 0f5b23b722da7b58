#if canImport(FoundationNetworking)
internal import HTTPSyntax
import TestSupport
import Testing

@testable import LarkspurTransport

/// The costs of what servers send: four times as much takes about four times as long, whatever it is.
@Suite("Costs of parsing", .enabled(if: Growth.isMeasured), .serialized, .timeLimit(.minutes(5)))
struct ParsingCostTests {
    /// A text of about so many bytes, of parts by their numbers.
    private static func text(_ size: Int, _ part: (Int) -> String) -> String {
        var text = ""
        var index = 0
        while text.utf8.count < size {
            text += part(index)
            index += 1
        }
        return text
    }

    struct Lines: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let line: @Sendable (Int) -> String
    }

    static let heads = [
        Lines(testDescription: "names beginning with X-") { "X-\($0): v" },
        Lines(testDescription: "other names") { "h\($0): v" },
        Lines(testDescription: "names that differ in case alone") { "x-a\($0 % 2 == 0 ? "b" : "B"): v" },
        Lines(testDescription: "one name") { _ in "Via: a" },
        Lines(testDescription: "one name beginning with X-") { _ in "X-A: a" },
        Lines(testDescription: "lengths") { _ in "Content-Length: 1" },
        Lines(testDescription: "codings") { _ in "Transfer-Encoding: chunked" },
        Lines(testDescription: "challenges") { _ in "WWW-Authenticate: Basic" },
        Lines(testDescription: "folded lines") { $0 == 0 ? "Via: a" : " b" },
        Lines(testDescription: "folded blanks") { $0 == 0 ? "Via: a" : " " },
        Lines(testDescription: "folded lengths") { $0 == 0 ? "Content-Length: 1" : " 2" },
        Lines(testDescription: "lines that are no fields") { _ in "x y: z" },
        Lines(testDescription: "control characters") { "X-\($0): \r\r\r\r\r\r\r\0\0\0\0" },
        Lines(testDescription: "Latin-1") { "X-\($0): \u{80}\u{80}" },
    ]

    @Test("The cost of a head is linear, up to the size limit", arguments: heads)
    func headCost(_ lines: Lines) {
        let make = { (size: Int) in
            var all: [[UInt8]] = [Array("HTTP/1.1 200 OK\r\n".utf8)]
            var count = 0
            while count < size {
                all.append(Array((lines.line(all.count - 1) + "\r\n").utf8))
                count += all.last?.count ?? 0
            }
            return all + [Array("\r\n".utf8)]
        }
        let growth = Growth.factor(of: make, upTo: ResponseHeadParser.maximumByteCount * 9 / 10) { lines in
            var parser = ResponseHeadParser()
            var head: ResponseHead?
            for line in lines { head = (try? parser.consume(bytes: line)) ?? head }
            #expect(head != nil)
            _ = try? head.map { try ResponseFraming($0.framing, status: 200, version: "HTTP/1.1", method: "GET") }
            _ = head?["not-there"]
        }
        #expect(growth < Growth.linear)
    }

    struct Value: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let part: @Sendable (Int) -> String
        let parse: @Sendable (String) -> Void
    }

    static let values: [Value] = {
        let digest: @Sendable (String) -> Void = { _ = ChallengeField.challenges(in: [$0]) }
        let control: @Sendable (String) -> Void = { _ = CacheControl($0) }
        let location: @Sendable (String) -> Void = {
            let base = URLReference("http://a.example/b/c")
            _ = URLReference($0).percentEncoded.resolved(against: base).text
        }
        let parameters: @Sendable (String) -> Void = { _ = FieldParameters($0).values.count }
        let vary: @Sendable (String) -> Void = { _ = StoreDecision.names(in: $0) }
        let codings: @Sendable (String) -> Void = { _ = ContentDecoder(contentEncoding: $0, maximumExpansion: 100) }
        return [
            Value(testDescription: "challenges", part: { "Basic realm=\"\($0)\", " }, parse: digest),
            Value(testDescription: "parameters of a challenge", part: { "a\($0)=\"b\", " }, parse: digest),
            Value(testDescription: "schemes alone", part: { "s\($0) " }, parse: digest),
            Value(testDescription: "commas in challenges", part: { _ in "," }, parse: digest),
            Value(
                testDescription: "open quotes in challenges",
                part: { $0 == 0 ? "Digest a=\"" : "\\\"" },
                parse: digest
            ),
            Value(testDescription: "quotes in challenges", part: { _ in "\"" }, parse: digest),
            Value(testDescription: "equals signs in challenges", part: { _ in "=" }, parse: digest),
            Value(testDescription: "directives", part: { "d\($0)=\($0), " }, parse: control),
            Value(testDescription: "ages", part: { "max-age=\($0)," }, parse: control),
            Value(testDescription: "one age", part: { $0 == 0 ? "max-age=" : "9" }, parse: control),
            Value(testDescription: "commas in directives", part: { _ in ", " }, parse: control),
            Value(testDescription: "quotes in directives", part: { _ in "a=\"," }, parse: control),
            Value(testDescription: "segments of a location", part: { _ in "/a" }, parse: location),
            Value(testDescription: "dots of a location", part: { _ in "../" }, parse: location),
            Value(testDescription: "segments and dots of a location", part: { _ in "/a/.." }, parse: location),
            Value(testDescription: "octets to be escaped in a location", part: { _ in "\u{E4}" }, parse: location),
            Value(testDescription: "slashes of a location", part: { _ in "/" }, parse: location),
            Value(testDescription: "colons of a location", part: { _ in ":" }, parse: location),
            Value(testDescription: "parameters", part: { "a\($0)=b;" }, parse: parameters),
            Value(testDescription: "quoted parameters", part: { "a\($0)=\"\\\";\";" }, parse: parameters),
            Value(testDescription: "one quoted parameter", part: { $0 == 0 ? "a=\"" : "\\\"" }, parse: parameters),
            Value(testDescription: "names that responses vary by", part: { "a\($0)," }, parse: vary),
            Value(testDescription: "blanks in names that responses vary by", part: { _ in " " }, parse: vary),
            Value(testDescription: "codings", part: { _ in "gzip," }, parse: codings),
            Value(testDescription: "identities", part: { _ in "identity," }, parse: codings),
            Value(testDescription: "blanks in codings", part: { _ in " " }, parse: codings),
            Value(
                testDescription: "a content range",
                part: { $0 == 0 ? "bytes 0-" : "9" },
                parse: { _ = ContentRange($0) }
            ),
            Value(
                testDescription: "dashes of a content range",
                part: { $0 == 0 ? "bytes " : "-/" },
                parse: {
                    _ = ContentRange($0)
                }
            ),
            Value(testDescription: "a date", part: { "\($0) " }, parse: { _ = HTTPDate.parse($0) }),
            Value(testDescription: "lengths", part: { _ in "1," }, parse: { _ = ContentLength($0) }),
            Value(testDescription: "a length", part: { _ in "0" }, parse: { _ = ContentLength($0) }),
        ]
    }()

    @Test("The cost of a field value is linear", arguments: values)
    func valueCost(_ value: Value) {
        #expect(Growth.factor(of: { Self.text($0, value.part) }, value.parse) < Growth.linear)
    }

    @Test(
        "The cost of chunks is linear",
        arguments: [
            "1\r\nx\r\n", "1;\(String(repeating: "e", count: 1000))\r\nx\r\n",
            "10000\r\n\(String(repeating: "x", count: 1 << 16))\r\n",
        ]
    )
    func chunkCost(chunk: String) {
        let make = { (size: Int) in
            Array(Self.text(size) { _ in chunk }.utf8)
        }
        let growth = Growth.factor(of: make) { bytes in
            var content = FramedContent(.chunked)
            var count = 0
            bytes.withUnsafeBytes { bytes in
                for start in stride(from: 0, to: bytes.count, by: 1 << 16) {
                    let part = bytes[start..<min(start + 1 << 16, bytes.count)]
                    content.take(UnsafeRawBufferPointer(rebasing: part)).withUnsafeBytes { count += $0.count }
                }
            }
            #expect(content.failure == nil)
            #expect(content.count == Int64(count))
        }
        #expect(growth < Growth.linear)
    }

    @Test(
        "The cost of trailers is linear, up to the size limit",
        arguments: ["X: y\r\n", "X: y\r\n \r\n", "\(String(repeating: "n", count: 60000)): v\r\n"]
    )
    func trailers(line: String) {
        let make = { (size: Int) in
            Array(("0\r\n" + Self.text(size) { _ in line } + "\r\n").utf8)
        }
        let growth = Growth.factor(of: make, upTo: ChunkedDecoder.trailerLimit * 8 / 10) { bytes in
            var content = FramedContent(.chunked)
            bytes.withUnsafeBytes { _ = content.take($0) }
            #expect(content.isComplete)
            #expect(ResponseHeadParser.trailers(of: content.trailers)?.count == 1)
        }
        #expect(growth < Growth.linear)
    }

    @Test("The cost of a line is linear", arguments: ["\n", "a\n", "a", "\u{2028}", "\u{E2}", "\u{C2}\u{85}"])
    func lineCost(part: String) {
        let make = { (size: Int) in
            Array(Self.text(size) { _ in part }.utf8)
        }
        let growth = Growth.factor(of: make) { bytes in
            var splitter = LineSplitter()
            var count = 0
            for byte in bytes where splitter.take(byte) != nil { count += 1 }
            if splitter.finish() != nil { count += 1 }
            #expect(count >= 0)
        }
        #expect(growth < Growth.linear)
    }

    struct Parser: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let parse: @Sendable ([UInt8]) -> Void

        init(_ description: String, _ parse: @escaping @Sendable ([UInt8]) -> Void) {
            testDescription = description
            self.parse = parse
        }

        init(text description: String, _ parse: @escaping @Sendable (String) -> Void) {
            self.init(description) { parse(String(networkBytes: $0)) }
        }
    }

    static let parsers = [
        Parser("lines") { bytes in
            var splitter = LineSplitter()
            for byte in bytes { _ = splitter.take(byte) }
            _ = splitter.finish()
        },
        Parser("lines that end with a line feed") { bytes in
            var splitter = NewlineSplitter()
            for start in stride(from: 0, to: bytes.count, by: 100) {
                splitter.append(Data(bytes[start..<min(start + 100, bytes.count)]))
                while splitter.next() != nil {}
            }
            _ = splitter.finish()
        },
        Parser("a head") { bytes in
            var parser = ResponseHeadParser()
            let field = Array("A: ".utf8) + bytes + Array("\r\n".utf8)
            for line in [Array("HTTP/1.1 200 OK\r\n".utf8), field, Array("\r\n".utf8)] {
                _ = try? parser.consume(bytes: line)
            }
        },
        Parser("chunks") { bytes in
            var content = FramedContent(.chunked)
            for start in stride(from: 0, to: bytes.count, by: 100) {
                bytes[start..<min(start + 100, bytes.count)].withUnsafeBytes { _ = content.take($0) }
            }
        },
        Parser(text: "challenges") { _ = ChallengeField.challenges(in: [$0]) },
        Parser(text: "directives") { _ = CacheControl($0) },
        Parser(text: "a location") {
            _ = URLReference($0).percentEncoded.resolved(against: URLReference("http://a.example/b/c")).text
        },
        Parser(text: "parameters") { _ = FieldParameters($0).values.count },
        Parser(text: "content types") { _ = ContentTypeField.effective($0) },
        Parser(text: "links") { _ = LinkField($0) },
        Parser(text: "names that responses vary by") { _ = StoreDecision.names(in: $0) },
        Parser(text: "codings") { _ = ContentDecoder(contentEncoding: $0, maximumExpansion: 100) },
        Parser(text: "a content range") { _ = ContentRange($0) },
        Parser(text: "a date") { _ = HTTPDate.parse($0) },
        Parser(text: "a length") { _ = ContentLength($0) },
        Parser(text: "a cookie") { _ = SetCookie($0) },
        Parser(text: "cookies") { _ = SetCookieList([$0]) },
    ]

    @Test("The cost of lines with every class of bytes is linear", arguments: parsers)
    func byteClasses(_ parser: Parser) {
        #expect(ByteInputs.excesses(parser.parse) == [])
    }

    /// Members of gzip without content: a decoder has most to do for each byte.
    @Test("The cost of decoding is linear, whatever the size of the parts", arguments: [1, 100, 1 << 16])
    func codingCost(partSize: Int) throws {
        let member = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0])
        let make = { (size: Int) in
            (0..<(size / member.count)).reduce(into: Data()) { data, _ in data += member }
        }
        let growth = Growth.factor(of: make, upTo: partSize == 1 ? 1 << 17 : 1 << 20) { data in
            guard let decoder = ContentDecoder(contentEncoding: "gzip", maximumExpansion: 100) else { return }
            data.withUnsafeBytes { bytes in
                for start in stride(from: 0, to: bytes.count, by: partSize) {
                    let part = UnsafeRawBufferPointer(rebasing: bytes[start..<min(start + partSize, bytes.count)])
                    #expect(throws: Never.self) { try decoder.decode(part) { _ in true } }
                }
            }
            #expect(throws: Never.self) { try decoder.finish() }
        }
        #expect(growth < Growth.linear)
    }

    @Test("The cost of decoding is linear for a consumer that takes one part at a time")
    func slowConsumer() throws {
        let growth = Growth.factor(of: { CodedSample.zeros(members: $0) }, upTo: 256) { data in
            guard let decoder = ContentDecoder(contentEncoding: "gzip", maximumExpansion: .max) else { return }
            var parts = 0
            data.withUnsafeBytes { bytes in try? decoder.decode(bytes) { _ in false } }
            while decoder.hasRest {
                parts += 1
                try? decoder.decode(UnsafeRawBufferPointer(start: nil, count: 0)) { _ in false }
            }
            #expect(parts > 0)
        }
        #expect(growth < Growth.linear)
    }

    @Test("20,000 fields whose names begin with X- are read, or 4,000 with a libcurl that limits their number")
    func manyFields() async throws {
        let count = Libcurl.isAtLeast(8, 13) ? 4_000 : 20_000
        let fields = (0..<count).map { "X-\($0): v\r\n" }.joined()
        let server = try RawServer { connection in
            connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\n\(fields)Content-Length: 2\r\n\r\nok")
        }
        defer { server.stop() }
        let outcome = try await Style.delegate.send(URLRequest(url: server.url))
        #expect(outcome.text == "ok")
        #expect((outcome.response as? HTTPURLResponse)?.allHeaderFields.count == count + 1)
    }
}
#endif
