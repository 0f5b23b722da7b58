#if canImport(FoundationNetworking)
import TestSupport

extension SeededGenerator {
    fileprivate mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

    /// Whether one of so many cases occurs.
    fileprivate mutating func isOne(in count: Int) -> Bool { number(1...count) == 1 }

    fileprivate mutating func one<Value>(of values: Value...) -> Value { values[number(0...values.count - 1)] }

    fileprivate mutating func one<Value>(of values: [Value]) -> Value { values[number(0...values.count - 1)] }
}

/// The generation of responses from random numbers.
extension GeneratedResponse {
    private static let unusualStatuses = [
        201, 202, 203, 204, 204, 205, 299, 300, 302, 304, 304, 307, 400, 401, 403, 404, 410, 416, 418, 429, 500, 502,
        503, 599, 600, 999,
    ]
    private static let reasons = ["", " ", " OK", " Not at all OK", " 200", " a\tb", " caf\u{e9}", " HTTP/1.1 404"]
    private static let names = [
        "X-A", "x-a", "X-Empty", "x-LONG-name", "Date", "server", "ETag", "Cache-Control", "content-type", "Via",
        "Vary", "Age", "Expires", "Last-Modified", "Retry-After", "Content-Language", "X-`'^~|", "Accept-Ranges",
        "Warning", "Keep-Alive", "Pragma", "Trailer", "Allow", "Content-Location", "Link", "x_under", "1",
    ]
    private static let values = [
        "", "a", "a, b", "\"quoted, text\"", "max-age=0, no-store", "text/plain; charset=utf-8", "no-cache", "*", "-1",
        "Thu, 01 Jan 1970 00:00:00 GMT", "x:y:z", "a\tb", "a  b", "0", "chunked", "Content-Length: 3", ";;,,", "=?",
        "(comment (nested))", "%00%0d%0a", "\\", "h3=\":1\"", "http://other.test/",
    ]
    private static let colons = [": ", ": ", ": ", ":", ":\t", ":   "]

    /// - Parameters:
    ///   - method: The method of the request.
    ///   - isSecure: Whether the connection uses TLS.
    init(method: String, isSecure: Bool, using random: inout SeededGenerator) {
        fillHead(&random)
        fillContent(&random)
        staysOpen = !random.isOne(in: 3)
        var groups: [Group] = [.head, .framing, .framing, .fields, .end, .end, .coding]
        for _ in 0..<random.one(of: 0, 0, 0, 1, 1, 1, 1, 1, 2, 2) {
            let group = random.one(of: groups)
            groups.removeAll { $0 == group }
            if let mutation = mutation(group, method: method, isSecure: isSecure, &random) {
                mutations.append(mutation)
            }
        }
    }

    private mutating func fillHead(_ random: inout SeededGenerator) {
        if random.isOne(in: 8) { version = "HTTP/1.0" }
        if random.isOne(in: 3) { status = random.one(of: Self.unusualStatuses) }
        reason = random.one(of: Self.reasons)
        if random.isOne(in: 12) { lineEnd = "\n" }
        for _ in 0..<max(0, random.number(-6...3)) {
            let fields = (0..<random.number(0...2)).map { _ in Self.field(&random) }
            interims.append(Interim(status: random.one(of: 100, 102, 103, 103, 199), fields: fields))
        }
        fields = (0..<random.one(of: 0, 1, 2, 3, 5, 8, random.isOne(in: 40) ? 300 : 4)).map { _ in
            Self.field(&random)
        }
        if random.isOne(in: 4) {
            fields.append(Field(name: "Connection", value: random.one(of: "close", "keep-alive", "Keep-Alive, x")))
        }
    }

    private static func field(_ random: inout SeededGenerator) -> Field {
        Field(
            name: random.one(of: names),
            value: random.one(of: values),
            colon: random.one(of: colons),
            padding: random.one(of: "", "", "", " ", "\t ")
        )
    }

    private mutating func fillContent(_ random: inout SeededGenerator) {
        framing = random.one(of: .length, .length, .length, .chunks, .chunks, .chunks, .close)
        framingPlace = random.number(0...8)
        framingStyle = random.number(0...7)
        let sizes = [0, 1, 2, 9, 26, 100, 255, 256, 1000, random.number(0...5_000), random.number(0...300)]
        content = Content(kind: random.one(of: .letters, .lines, .binary, .http), count: random.one(of: sizes))
        if random.isOne(in: 60) { content.count = random.number(20_000...120_000) }
        if random.isOne(in: 3), status != 206 { coding = random.one(of: Coding.allCases) }
        codedBlock = random.one(of: 1, 7, 100, 1 << 15)
        let sizeOfChunk = random.one(of: 1, 5, 16, 17, 255, 256, 4096, 1 << 20)
        chunkSizes = random.isOne(in: 2) ? [sizeOfChunk] : (1...random.number(2...5)).map { _ in random.number(1...99) }
        // A response with thousands of chunks takes long without trying anything new.
        if content.count > 3_000 { chunkSizes = chunkSizes.map { max($0, content.count / 500) } }
        let extensions = ["", "", "", ";a", ";a=b", ";a=\"b;c\"", " ;a = b", ";" + String(repeating: "e", count: 300)]
        chunkExtension = random.one(of: extensions)
        chunkZeros = random.one(of: 0, 0, 0, 1, 5)
        if random.isOne(in: 4) {
            trailers = (0..<random.number(1...3)).map {
                Field(name: "X-Trailer-\($0)", value: random.one(of: Self.values), colon: random.one(of: Self.colons))
            }
        }
    }

    // MARK: Mutations

    private enum Group {
        case head, framing, fields, end, coding
    }

    private func mutation(
        _ group: Group,
        method: String,
        isSecure: Bool,
        _ random: inout SeededGenerator
    ) -> Mutation? {
        switch group {
        case .head: Self.headMutation(&random)
        case .framing: framingMutation(&random)
        case .fields: .oddField(Self.fieldFault(&random), place: random.number(0...8))
        case .end: endMutation(hasContent: hasContent(method), isSecure: isSecure, &random)
        case .coding: isCoded && hasContent(method) ? Self.codingMutation(&random) : nil
        }
    }

    private static func headMutation(_ random: inout SeededGenerator) -> Mutation {
        switch random.number(0...9) {
        case 0: .protocolChange
        case 1: .interimFlood(random.number(101...150))
        case 2...4: .oddStatusLine(random.one(of: oddStatusLines))
        default:
            .brokenStatusLine(random.one(of: brokenStatusLines))
        }
    }

    private static func fieldFault(_ random: inout SeededGenerator) -> FieldFault {
        // The large ones cost as much as a hundred others.
        let rare: [FieldFault] = [.long, .tooMany, .endless]
        return random.isOne(in: 40)
            ? random.one(of: rare) : random.one(of: FieldFault.allCases.filter { !rare.contains($0) })
    }

    private func framingMutation(_ random: inout SeededGenerator) -> Mutation? {
        switch framing {
        case .length:
            switch random.number(0...5) {
            case 0, 1:
                return .malformedLength(random.one(of: Self.malformedLengths))
            case 2: return .contradictoryLengths(inOneField: random.isOne(in: 2))
            case 3: return .repeatedLength(inOneField: random.isOne(in: 2))
            case 4: return .shortContent(missing: random.one(of: 1, 2, 50, 1 << 20, 1 << 40))
            default: return .obscuredFraming(random.one(of: Self.obscuringColons))
            }
        case .chunks:
            let chunk = random.number(0...9)
            switch random.number(0...11) {
            case 0, 1:
                return .malformedChunkSize(chunk: chunk, random.one(of: Self.malformedSizes))
            case 2: return .chunkSizeTooSmall(chunk: chunk)
            case 3: return .chunkWithoutLineEnd(chunk: chunk)
            case 4: return .missingLastChunk
            case 5: return .missingTrailerEnd
            case 6: return .malformedTrailer(random.one(of: Self.malformedTrailers))
            case 7: return .longChunkExtension(20_000)
            case 8: return .lengthBesideChunks(random.one(of: 0, 3, content.count, content.count + 20))
            case 9:
                return .foreignTransferCoding(random.one(of: Self.transferCodings))
            case 10: return .repeatedChunked(inOneField: random.isOne(in: 2))
            default: return .obscuredFraming(random.one(of: Self.obscuringColons))
            }
        case .close: return nil
        }
    }

    private static let brokenStatusLines = [
        "& ", "&", "HTTP/1.1 20 OK", "& 2000 OK", "& 099 OK", "& -20", "& 2x0 OK", "& abc", "% OK", "HTP/1.1 % OK",
        "HTTP/11 % OK", "HTTP/x.y % OK", "& %OK", "ICY % OK", "HTTP % OK", "<html>", "HTTP/1.1200 OK", "\0& % OK",
        "X-A: b", "SIP/2.0 % OK", "& 0x1 OK", "& +200 OK", "&, % OK",
    ]
    private static let oddStatusLines = ["&  % OK", "& % ", "& %\t", "&\t% OK", "& % \u{1}"]
    private static let malformedLengths = [
        "0x5", "+5", "-5", "5 0", "", "5;", "five", "1e1", "5.0", "18446744073709551616", "9223372036854775808", "5,",
        ",", "0b1", "\"5\"", "5\u{b}", "\u{ff15}", "5 6", "1_0", "5,x",
    ]
    private static let malformedSizes = [
        "0x5", "0 5", "-5", "+5", "", "g", "5 5", "5,", "5.0", "ffffffffffffffffff", "\t5", "\u{ff15}",
        "8000000000000000", "5\r5", "x5", "#",
    ]
    private static let malformedTrailers = ["no field", ": x", "HTTP/1.1 200 OK", "a b", "(x)", "\0"]
    private static let transferCodings = [
        "gzip", "gzip, chunked", "chunked, gzip", "xchunked", "chunked;q=1", "chunke", "\"chunked\"", "chunked x", "br",
        "chunked,gzip,chunked",
    ]
    private static let excesses = [
        "\r\n", "x", "0\r\n\r\n", "HTTP/1.1 418 Poison\r\nContent-Length: 6\r\n\r\nPoison",
        "HTTP/1.1 408 Timeout\r\n\r\n", "\0", "5\r\nhello\r\n0\r\n\r\n",
    ]
    private static let obscuringColons = [" : ", "\t: ", ":\r\n ", ": \r\n\t", " :", ":\r\n  \r\n "]

    private func endMutation(hasContent: Bool, isSecure: Bool, _ random: inout SeededGenerator) -> Mutation? {
        let place: Place =
            switch random.number(0...3) {
            case 0: .behindHead(random.number(-4...3))
            case 1: .beforeEnd(random.number(0...8))
            default: .permille(random.number(0...999))
            }
        switch random.number(0...5) {
        case 0, 1: return .earlyEnd(place)
        case 2: return .reset(place)
        case 3 where isSecure: return .cutWithoutNotification
        case 3: return .earlyEnd(place)
        case _ where framing == .close && hasContent: return nil
        default:
            return .excess(random.one(of: Self.excesses))
        }
    }

    private static func codingMutation(_ random: inout SeededGenerator) -> Mutation {
        switch random.number(0...3) {
        case 0: .plainAsCoded
        case 1: .truncatedCoding(missing: random.one(of: 1, 3, 4, 7, 8, 9, 20))
        case 2: .damagedCoding
        default: .bytesBehindCoding(random.number(1...20))
        }
    }
}
#endif
