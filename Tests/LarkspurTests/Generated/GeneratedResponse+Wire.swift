#if canImport(FoundationNetworking)
import Foundation
import TestSupport

/// The bytes of a response.
extension GeneratedResponse {
    struct Wire: Sendable {
        var bytes: [UInt8] = []
        /// The number of bytes up to the end of the final header section.
        var headEnd = 0
        /// The number of bytes up to the end of the response. Bytes behind the end do not belong to the response.
        var messageEnd = 0
        var ending = Ending.close
        /// Whether the framing of a chunk is broken.
        var hasBrokenChunk = false
        /// Bytes that are repeated behind the others, until the client has had enough.
        var repetition: [UInt8] = []
    }

    enum Ending: Sendable {
        /// The connection stays open for the next request.
        case open
        /// The connection ends in an orderly way, over TLS with close_notify.
        case close
        case reset
        /// The connection ends, over TLS without close_notify.
        case cut
    }

    /// The content before its coding.
    var plainContent: [UInt8] { content.bytes }

    /// Renders the response.
    /// - Parameter method: The method of the request.
    func wire(method: String) -> Wire {
        var wire = Wire()
        var head = interims.map(text).joined()
        for case .interimFlood(let count) in mutations {
            head += String(repeating: "HTTP/1.1 103 Early Hints\(lineEnd)Link: </a>\(lineEnd)\(lineEnd)", count: count)
        }
        if mutations.contains(.protocolChange) {
            head += text(Interim(status: 101, fields: [Field(name: "Upgrade", value: "x")]))
        }
        head += statusLine + lineEnd
        let coded = codedContent
        head += lines(coded.count).map { $0 + lineEnd }.joined()
        wire.bytes = Array(head.utf8)
        if mutations.contains(where: \.isEndless) {
            wire.repetition = Array(("X-Endless: " + String(repeating: "x", count: 500) + lineEnd).utf8)
            wire.headEnd = .max
            wire.messageEnd = .max
            return wire
        }
        wire.bytes += Array(lineEnd.utf8)
        wire.headEnd = wire.bytes.count
        if hasContent(method) {
            switch framing {
            case .length, .close: wire.bytes += coded
            case .chunks: appendChunks(coded, to: &wire)
            }
        }
        wire.messageEnd = wire.bytes.count
        if hasExcess(method) {
            for case .excess(let text) in mutations { wire.bytes += Array(text.utf8) }
        }
        finish(&wire, method)
        return wire
    }

    /// Whether bytes behind the end can be told from the response.
    func hasExcess(_ method: String) -> Bool {
        guard hasContent(method) else { return true }
        return framing != .close
            && !mutations.contains {
                switch $0 {
                case .missingLastChunk, .missingTrailerEnd, .shortContent: true
                default: false
                }
            }
    }

    private func finish(_ wire: inout Wire, _ method: String) {
        let endsByClosing = framing == .close && hasContent(method)
        wire.ending = staysOpen && !endsByClosing && mutations.allSatisfy(\.allowsOpenConnection) ? .open : .close
        for mutation in mutations {
            switch mutation {
            case .earlyEnd(let place):
                wire.cut(at: place)
                wire.ending = .close
            case .reset(let place):
                wire.cut(at: place)
                wire.ending = .reset
            case .cutWithoutNotification: wire.ending = .cut
            default: break
            }
        }
    }

    private func text(_ interim: Interim) -> String {
        "HTTP/1.1 \(interim.status) Interim\(lineEnd)\(interim.fields.map { $0.line + lineEnd }.joined())\(lineEnd)"
    }

    private var statusLine: String {
        for mutation in mutations {
            if case .brokenStatusLine(let text) = mutation { return filled(text) }
            if case .oddStatusLine(let text) = mutation { return filled(text) }
        }
        return "\(version) \(status)\(reason)"
    }

    private func filled(_ text: String) -> String {
        text.replacingOccurrences(of: "&", with: version).replacingOccurrences(of: "%", with: "\(status)")
    }

    // MARK: The fields

    private func lines(_ count: Int) -> [String] {
        var lines = fields.map(\.line)
        if coding != .none { lines.append("Content-Encoding: \(coding.rawValue)") }
        lines.insert(contentsOf: framingLines(count), at: framingPlace % (lines.count + 1))
        for case .oddField(let fault, let place) in mutations {
            lines.insert(contentsOf: fault.lines(lineEnd), at: place % (lines.count + 1))
        }
        return lines
    }

    private func framingLines(_ count: Int) -> [String] {
        let (name, value): (String, String)
        switch framing {
        case .close: return []
        case .length:
            (name, value) = (["Content-Length", "content-length", "CONTENT-LENGTH"][framingStyle % 3], "\(count)")
        case .chunks:
            (name, value) = (
                ["Transfer-Encoding", "transfer-encoding", "Transfer-ENCODING"][framingStyle % 3],
                ["chunked", "Chunked", "chunked", "CHUNKED"][framingStyle % 4]
            )
        }
        let colon = [": ", ":", ":\t", ":  "][framingStyle % 4]
        let usual = name + colon + value
        for mutation in mutations {
            switch mutation {
            case .malformedLength(let text): return ["\(name): \(text)"]
            case .contradictoryLengths(let inOneField):
                return inOneField ? ["\(name): \(count), \(count + 1)"] : [usual, "\(name): \(count + 1)"]
            case .repeatedLength(let inOneField):
                return inOneField ? ["\(name): \(count), \(count)"] : [usual, "Content-Length: \(count)"]
            case .shortContent(let missing): return ["\(name): \(count + missing)"]
            case .obscuredFraming(let colon): return [name + colon + value]
            case .lengthBesideChunks(let length):
                return framingStyle < 4 ? [usual, "Content-Length: \(length)"] : ["Content-Length: \(length)", usual]
            case .foreignTransferCoding(let text): return ["\(name): \(text)"]
            case .repeatedChunked(let inOneField):
                return inOneField ? ["\(name): \(value), chunked"] : [usual, "Transfer-Encoding: chunked"]
            default: continue
            }
        }
        return [usual]
    }

    // MARK: The content

    /// The content in its coding, with the deviations of the coding.
    var codedContent: [UInt8] {
        var bytes = plainContent
        guard isCoded, !mutations.contains(.plainAsCoded) else { return bytes }
        switch coding {
        case .none, .unknown: break
        case .gzip, .oldGzip: bytes = StoredCoding.gzip(bytes, block: codedBlock)
        case .deflate: bytes = StoredCoding.deflate(bytes, block: codedBlock)
        case .twice:
            bytes = StoredCoding.gzip(StoredCoding.deflate(bytes, block: codedBlock), block: 1 << 15)
        case .five: for _ in 0..<5 { bytes = StoredCoding.gzip(bytes, block: 1 << 15) }
        }
        for mutation in mutations {
            switch mutation {
            case .truncatedCoding(let missing): bytes.removeLast(min(missing, bytes.count))
            // The last four bytes are gzip's length, or the checksum of deflate.
            case .damagedCoding: bytes[bytes.count - 2] ^= 0x40
            case .bytesBehindCoding(let count): bytes += Array(repeating: UInt8(ascii: "z"), count: count)
            default: break
            }
        }
        return bytes
    }

    private func appendChunks(_ content: [UInt8], to wire: inout Wire) {
        let chunks = chunks(of: content)
        for (index, chunk) in chunks.enumerated() {
            // A line end behind the shorter size would be a valid end of the chunk.
            let endsWithLine = chunk.last == UInt8(ascii: "\r") || chunk.last == UInt8(ascii: "\n")
            var size = sizeLine(chunk.count)
            var end = "\r\n"
            for mutation in mutations {
                switch mutation {
                case .malformedChunkSize(let number, let text) where number % (chunks.count + 1) == index: size = text
                case .chunkSizeTooSmall(let number) where number % chunks.count == index && !endsWithLine:
                    size = sizeLine(chunk.count - 1)
                case .chunkWithoutLineEnd(let number) where number % chunks.count == index: end = ""
                default: continue
                }
                wire.hasBrokenChunk = true
            }
            wire.bytes += Array((size + extensionOfChunk + "\r\n").utf8)
            wire.bytes += chunk
            wire.bytes += Array(end.utf8)
        }
        if mutations.contains(.missingLastChunk) { return }
        var last = "0"
        for case .malformedChunkSize(let number, let text) in mutations
        where number % (chunks.count + 1) == chunks.count {
            last = text
            wire.hasBrokenChunk = true
        }
        var end = last + extensionOfChunk + "\r\n" + trailers.map { $0.line + "\r\n" }.joined()
        for case .malformedTrailer(let text) in mutations { end += text + "\r\n" }
        if !mutations.contains(.missingTrailerEnd) { end += "\r\n" }
        wire.bytes += Array(end.utf8)
    }

    private func sizeLine(_ count: Int) -> String {
        String(repeating: "0", count: chunkZeros) + String(count, radix: 16, uppercase: framingStyle % 2 == 1)
    }

    private var extensionOfChunk: String {
        for case .longChunkExtension(let count) in mutations { return ";" + String(repeating: "e", count: count) }
        return chunkExtension
    }

    private func chunks(of content: [UInt8]) -> [ArraySlice<UInt8>] {
        var chunks: [ArraySlice<UInt8>] = []
        var rest = content[...]
        while !rest.isEmpty {
            let chunk = rest.prefix(max(1, chunkSizes[chunks.count % chunkSizes.count]))
            chunks.append(chunk)
            rest = rest.dropFirst(chunk.count)
        }
        return chunks
    }
}

extension GeneratedResponse.Wire {
    /// Removes the bytes from a place on.
    fileprivate mutating func cut(at place: GeneratedResponse.Place) {
        let end =
            switch place {
            case .permille(let permille): bytes.count * permille / 1000
            case .behindHead(let offset): headEnd + offset
            case .beforeEnd(let offset): messageEnd - offset
            }
        bytes.removeLast(bytes.count - min(max(end, 0), bytes.count))
    }
}

extension GeneratedResponse.Mutation {
    var isEndless: Bool {
        if case .oddField(.endless, _) = self { true } else { false }
    }
}

extension GeneratedResponse.FieldFault {
    /// The lines of the fault, without the last line end.
    fileprivate func lines(_ lineEnd: String) -> [String] {
        switch self {
        case .folded: ["X-Fault: a\(lineEnd)  b"]
        case .null: ["X-Fault: a\u{0}b"]
        case .carriageReturn: ["X-Fault: a\rb"]
        case .withoutColon: ["X-Fault"]
        case .blankBeforeColon: ["X-Fault : a"]
        case .withoutName: [": a"]
        case .malformedName: ["X(Fault): a"]
        case .leadingCarriageReturn: ["\rX-Fault: a"]
        case .long: ["X-Fault: " + String(repeating: "f", count: 150_000)]
        case .tooMany: (0..<6_000).map { "f\($0): a" }
        case .endless: []
        }
    }
}

extension GeneratedResponse.Content {
    var bytes: [UInt8] {
        switch kind {
        case .letters: repeated("the quick brown fox ")
        case .lines: repeated("a line\r\n\r\n0\r\n\r\nb\n\n5\r\n")
        case .http: repeated("HTTP/1.1 404 No\r\nContent-Length: 3\r\n\r\nno\r\n")
        case .binary:
            {
                var random = SeededGenerator(seed: UInt64(count))
                return (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            }()
        }
    }

    private func repeated(_ text: String) -> [UInt8] {
        let pattern = Array(text.utf8)
        return (0..<count).map { pattern[$0 % pattern.count] }
    }
}
#endif
