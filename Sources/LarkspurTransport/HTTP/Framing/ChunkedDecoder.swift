#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The decoder of chunked content (RFC 9112, section 7.1).
///
/// libcurl accepts any chunk size that begins with a hexadecimal digit. For example, it reads `0x5` and `0 5` as 0,
/// which means the end of the content. So libcurl determines only when to stop reading, and this type decodes the
/// chunks. As in header sections, a line may end with a line feed alone.
struct ChunkedDecoder: Sendable {
    enum Failure: Error, Equatable {
        case malformedSize, missingLineEnd, malformedTrailer
        case tooManyBytes(limit: Int)
    }

    private enum State {
        case size, blanks, chunkExtension
        /// The carriage return of a line with a chunk's size has arrived.
        case sizeLineFeed
        case data
        /// A chunk's data has arrived.
        case dataEnd
        case dataLineFeed
        case trailers
        case ended
    }

    /// The maximum number of digits of a chunk's size.
    private static let digitLimit = 16
    /// The maximum number of bytes of the line with a chunk's size.
    static let lineLimit = 1 << 14
    /// The maximum number of bytes of the trailer section.
    static let trailerLimit = ResponseHeadParser.maximumByteCount

    private var state = State.size
    /// The number of bytes of the current chunk that have not arrived yet.
    private var rest: Int64 = 0
    private var digits = 0
    private var lineLength = 0
    private var trailerLength = 0
    private var line: [UInt8] = []
    /// The lines of the trailer section, without their line ends.
    private(set) var trailers: [[UInt8]] = []

    /// Whether all of the content and the trailer section have arrived.
    var isComplete: Bool { state == .ended }

    /// Decodes the next bytes. Bytes after the end are ignored.
    /// - Parameter part: Receives the content of the bytes in parts, in order.
    mutating func decode(
        _ bytes: UnsafeRawBufferPointer,
        _ part: (UnsafeRawBufferPointer) -> Void
    ) throws(Failure) {
        var index = 0
        while index < bytes.count {
            switch state {
            case .data:
                let count = Int(min(rest, Int64(bytes.count - index)))
                part(UnsafeRawBufferPointer(rebasing: bytes[index..<(index + count)]))
                rest -= Int64(count)
                index += count
                if rest == 0 { state = .dataEnd }
            case .ended: return
            case .dataEnd, .dataLineFeed:
                try readDataEnd(bytes[index])
                index += 1
            case .trailers:
                try readTrailer(bytes[index])
                index += 1
            case .size, .blanks, .chunkExtension, .sizeLineFeed:
                try readSize(bytes[index])
                index += 1
            }
        }
    }

    private mutating func readSize(_ byte: UInt8) throws(Failure) {
        lineLength += 1
        guard lineLength <= Self.lineLimit else { throw .tooManyBytes(limit: Self.lineLimit) }
        switch (state, byte) {
        case (.size, _) where byte.hexDigitValue != nil:
            digits += 1
            guard digits <= Self.digitLimit, rest <= Int64.max >> 4 else { throw .malformedSize }
            rest = rest << 4 | Int64(byte.hexDigitValue ?? 0)
        case (.size, _) where digits == 0: throw .malformedSize
        case (.sizeLineFeed, .lineFeed), (.size, .lineFeed), (.blanks, .lineFeed), (.chunkExtension, .lineFeed):
            state = rest > 0 ? .data : .trailers
            digits = 0
            lineLength = 0
        case (.sizeLineFeed, _): throw .malformedSize
        case (_, .carriageReturn): state = .sizeLineFeed
        case (.chunkExtension, _): break
        case (_, UInt8(ascii: ";")): state = .chunkExtension
        case (_, .space), (_, .tab): state = .blanks
        default: throw .malformedSize
        }
    }

    private mutating func readDataEnd(_ byte: UInt8) throws(Failure) {
        switch (state, byte) {
        case (_, .lineFeed): state = .size
        case (.dataEnd, .carriageReturn): state = .dataLineFeed
        default: throw .missingLineEnd
        }
    }

    private mutating func readTrailer(_ byte: UInt8) throws(Failure) {
        trailerLength += 1
        guard trailerLength <= Self.trailerLimit else { throw .tooManyBytes(limit: Self.trailerLimit) }
        guard byte == .lineFeed else { return line.append(byte) }
        if line.last == .carriageReturn { line.removeLast() }
        guard !line.isEmpty else { return state = .ended }
        guard isTrailer(line) else { throw .malformedTrailer }
        trailers.append(line)
        line.removeAll(keepingCapacity: true)
    }

    /// Whether a line of the trailer section is a field or continues the previous field.
    private func isTrailer(_ line: [UInt8]) -> Bool {
        if line[0].isBlank { return !trailers.isEmpty }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0 else { return false }
        return line[..<colon].allSatisfy { $0.isToken || $0.isBlank }
    }
}

extension ChunkedDecoder.Failure {
    var sentence: String {
        switch self {
        case .malformedSize: "A chunk of the response's content has no size."
        case .missingLineEnd: "A chunk of the response's content does not end where its size says."
        case .malformedTrailer: "A line after the last chunk of the response's content is not a field."
        case .tooManyBytes(let limit): "A line of a chunk, or the trailer section, is longer than \(limit) bytes."
        }
    }
}

#endif
