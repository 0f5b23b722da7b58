#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The parser of response heads. It receives libcurl's header lines one at a time, each with its line end.
///
/// It accepts the forms that real servers send: a missing reason phrase, no blank after the colon, a blank before the
/// colon, bare line feeds, text in ISO 8859-1, and folded lines. It skips lines that are not fields. It replaces
/// control characters by spaces, because another recipient could read them as the end of a line (RFC 9110, section
/// 5.5). It records input that could make the end of the content uncertain (``FramingFields/obscured``).
///
/// The engine parses heads itself for two reasons. libcurl's own functions for fields exist only since 7.83, and they
/// hide the causes of an ambiguous head.
struct ResponseHeadParser {
    enum Failure: Error, Equatable {
        case invalidStatusLine, invalidLineEnd
        case invalidStatus(Int)
        case tooManyBytes(limit: Int)

        var sentence: String {
            switch self {
            case .invalidStatusLine: "The server's reply does not begin with an HTTP status line."
            case .invalidStatus(let status): "The server sent the status \(status), which is not between 100 and 999."
            case .invalidLineEnd: "A line of the server's reply begins with a carriage return."
            case .tooManyBytes(let limit): "The fields of the server's reply are longer than \(limit) bytes."
            }
        }
    }

    /// A field of the section.
    struct Field {
        let name: FieldName
        var value: String
    }

    private enum Stage {
        case statusLine, fields, trailers
    }

    static let maximumByteCount = 512 * 1024

    private var stage = Stage.statusLine
    private var byteCount = 0
    private var draft: ResponseHead.Draft?
    /// The last field. The next line may continue it.
    private var pending: Field?
    /// Whether the last field consists of more than one line.
    private var isFolded = false
    private var finishedTrailers: [CaselessName: String] = [:]
    /// The number of lines so far, without continuation lines.
    private var lineCount = 0
    private let memory: HeadMemory?
    /// The last head of the origin, while all lines so far are the same as the lines of that head; nil otherwise. No
    /// line is parsed until a line differs.
    private var known: HeadMemory.KnownHead?
    private var statusLine: [UInt8] = []
    /// The lines so far; nil if one of them cannot be stored in the memory.
    private var lines: [HeadMemory.Line]?

    /// - Parameter memory: The last head of the origin, and its lines. Default: nil, so that every line is parsed.
    init(memory: HeadMemory? = nil) { self.memory = memory }

    /// The fields after the content, by their canonical names; nil if there are none. They are complete when the
    /// transfer has ended. Fields that must not be in a trailer section are removed.
    var trailers: [String: String]? {
        guard stage == .trailers, pending != nil || !finishedTrailers.isEmpty else { return nil }
        var copy = self
        copy.keepPending()
        guard !copy.finishedTrailers.isEmpty else { return nil }
        return Dictionary(uniqueKeysWithValues: copy.finishedTrailers.map { ($0.text, $1) })
    }

    /// Returns the fields of the trailer section of chunked content; nil if there are none. The rules are the same as
    /// for header sections.
    /// - Parameter lines: The lines of the section, without their line ends.
    static func trailers(of lines: [[UInt8]]) -> [String: String]? {
        guard !lines.isEmpty else { return nil }
        var parser = Self()
        parser.stage = .trailers
        for line in lines { line.withUnsafeBytes { parser.read($0) } }
        return parser.trailers
    }

    /// Consumes the next line.
    ///
    /// Returns the head if the line is the empty line that ends it; otherwise returns nil. The head may be final or
    /// informational. Lines after a final head are trailers. A status line always begins a new head, because libcurl
    /// may repeat a request automatically.
    mutating func consume(_ line: UnsafeRawBufferPointer) throws(Failure) -> ResponseHead? {
        byteCount += line.count
        guard byteCount <= Self.maximumByteCount else { throw .tooManyBytes(limit: Self.maximumByteCount) }
        let content = Self.withoutLineEnd(line)
        // libcurl treats a line that begins with a carriage return in the same way as the empty line.
        guard content.first != .carriageReturn else { throw .invalidLineEnd }
        switch stage {
        case .statusLine:
            try begin(content)
        case .fields:
            if let known {
                if lineCount < known.lines.count, known.lines[lineCount].bytes.equals(content) {
                    lineCount += 1
                    return nil
                }
                if content.isEmpty, lineCount == known.lines.count { return finish(known.head) }
                readKnownLines(of: known)
            }
            guard !content.isEmpty else { return finish() }
            read(content)
        case .trailers:
            if StatusLine.begins(content) {
                try begin(content)
            } else {
                read(content)
            }
        }
        return nil
    }

    private mutating func begin(_ line: UnsafeRawBufferPointer) throws(Failure) {
        if let last = memory?.head, last.statusLine.equals(line) {
            known = last
        } else {
            let (status, version) = try StatusLine.parse(line)
            draft = ResponseHead.Draft(status: status, version: version)
            if memory != nil { (statusLine, lines) = (Array(line), []) }
        }
        pending = nil
        finishedTrailers = [:]
        lineCount = 0
        stage = .fields
    }

    /// Reads the fields of the lines that were the same as in the last head. Called when a line differs.
    private mutating func readKnownLines(of last: HeadMemory.KnownHead) {
        known = nil
        statusLine = last.statusLine
        draft = ResponseHead.Draft(status: last.head.status, version: last.head.version)
        lines = Array(last.lines[..<lineCount])
        for line in last.lines[..<lineCount] {
            keepPending()
            pending = line.field
        }
    }

    private mutating func finish() -> ResponseHead? {
        keepPending()
        guard let head = draft.take()?.finished() else { return nil }
        memory?.remember(head, statusLine: statusLine, lines: lines.take())
        return finish(head)
    }

    private mutating func finish(_ head: ResponseHead) -> ResponseHead {
        known = nil
        stage = head.status < 200 ? .statusLine : .trailers
        return head
    }

    private mutating func read(_ line: UnsafeRawBufferPointer) {
        if let first = line.first, first.isBlank {
            // Each fold becomes one space, except at the beginning and the end of the value (RFC 9112, section 5.2).
            let text = Self.text(Self.trimmed(line))
            if pending?.value.isEmpty == true { pending?.value = text } else { pending?.value += " " + text }
            isFolded = true
            lines = nil
            if let name = pending?.name, name.isFraming { draft?.noteObscured(name) }
            return
        }
        keepPending()
        lineCount += 1
        if let same = memory?.line(line, at: lineCount - 1) {
            lines?.append(same)
            return pending = same.field
        }
        var lines = lines.take()
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return }
        let written = UnsafeRawBufferPointer(rebasing: line[..<colon])
        let value = Self.text(Self.trimmed(UnsafeRawBufferPointer(rebasing: line[(colon + 1)...])))
        if let name = FieldName(written) {
            let field = Field(name: name, value: value)
            pending = field
            guard let line = memory?.remember(field, of: line, at: lineCount - 1) else { return }
            lines?.append(line)
            self.lines = lines
        } else if let name = repairedName(written) {
            pending = Field(name: name, value: value)
        }
    }

    /// Returns the name without surrounding blanks. Other recipients may read the name differently or ignore the field.
    /// So if the field can determine the end of the content, this method records the name.
    private mutating func repairedName(_ written: UnsafeRawBufferPointer) -> FieldName? {
        if let name = FieldName(Self.token(written)), name.isFraming { draft?.noteObscured(name) }
        return FieldName(Self.trimmed(written))
    }

    private mutating func keepPending() {
        guard var field = pending.take() else { return }
        if exchange(&isFolded, with: false) {
            while field.value.utf8.last?.isBlank == true { field.value.unicodeScalars.removeLast() }
        }
        if stage == .trailers {
            Self.add(field, to: &finishedTrailers)
        } else {
            draft?.add(field.name, field.value)
        }
    }

    private static func add(_ field: Field, to trailers: inout [CaselessName: String]) {
        guard TrailerField.isAllowed(field.name.text) else { return }
        let name = CaselessName(field.name.text)
        let value = field.value.readable
        if trailers[name]?.append(", " + value) == nil { trailers[name] = value }
    }
}

extension ResponseHeadParser {
    private static func withoutLineEnd(_ line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        var end = line.count
        if end > 0, line[end - 1] == .lineFeed { end -= 1 }
        if end > 0, line[end - 1] == .carriageReturn { end -= 1 }
        return UnsafeRawBufferPointer(rebasing: line[..<end])
    }

    private static func trimmed(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        var start = 0
        var end = bytes.count
        while start < end, bytes[start].isBlank { start += 1 }
        while end > start, bytes[end - 1].isBlank { end -= 1 }
        return UnsafeRawBufferPointer(rebasing: bytes[start..<end])
    }

    /// Returns the first sequence of characters that are permitted in names.
    private static func token(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        var start = 0
        while start < bytes.count, !bytes[start].isToken { start += 1 }
        var end = start
        while end < bytes.count, bytes[end].isToken { end += 1 }
        return UnsafeRawBufferPointer(rebasing: bytes[start..<end])
    }

    private static func text(_ bytes: UnsafeRawBufferPointer) -> String {
        // The loop does not stop at the first control character, so that the compiler can test many bytes at once.
        var controls: UInt8 = 0
        var all: UInt8 = 0
        for byte in bytes {
            controls |= byte < 0x20 ? 1 : 0
            all |= byte
        }
        if controls != 0, bytes.contains(where: isLineEnd) {
            return bytes.map { isLineEnd($0) ? .space : $0 }.withUnsafeBytes { text(trimmed($0)) }
        }
        if all < 0x80 { return String(decoding: bytes, as: UTF8.self) }
        return String(octets: bytes)
    }

    private static func isLineEnd(_ byte: UInt8) -> Bool {
        byte == 0 || byte == .carriageReturn || byte == .lineFeed
    }
}

/// The last header section of an origin, and its lines. In the next header section of the origin, many lines or all
/// lines are often the same. Such a line is not parsed again.
///
/// It is used only on the loop's thread.
final class HeadMemory {
    struct Line {
        let bytes: [UInt8]
        let field: ResponseHeadParser.Field
    }

    /// A head, and the lines from which it was read. It never changes. So one parser can compare lines with it while
    /// the parser of another response stores new lines.
    final class KnownHead {
        let statusLine: [UInt8]
        let lines: [Line]
        let head: ResponseHead

        init(statusLine: [UInt8], lines: [Line], head: ResponseHead) {
            self.statusLine = statusLine
            self.lines = lines
            self.head = head
        }
    }

    /// The maximum number of stored lines. Together with ``longest``, it limits the memory that a server can occupy.
    private static let capacity = 24
    /// The maximum length of a stored line, in bytes.
    private static let longest = 256

    @exclusivity(unchecked) private var lines: [Line?] = []
    /// The last head; nil if one of its lines was not stored.
    @exclusivity(unchecked) private(set) var head: KnownHead?

    /// Returns the stored line at an index, if it is the same as the received line; nil otherwise.
    func line(_ line: UnsafeRawBufferPointer, at index: Int) -> Line? {
        guard index < lines.count, let known = lines[index], known.bytes.equals(line) else { return nil }
        return known
    }

    /// Stores a line and its field. They replace the stored line at this index.
    /// - Returns: The line; nil if the line is too long or the index is too large.
    func remember(_ field: ResponseHeadParser.Field, of line: UnsafeRawBufferPointer, at index: Int) -> Line? {
        guard index < Self.capacity else { return nil }
        while lines.count <= index { lines.append(nil) }
        lines[index] = line.count > Self.longest ? nil : Line(bytes: Array(line), field: field)
        return lines[index]
    }

    /// Stores a whole head as the last head.
    /// - Parameter lines: All of its lines; nil if one of them was not stored.
    func remember(_ head: ResponseHead, statusLine: [UInt8], lines: [Line]?) {
        guard statusLine.count <= Self.longest, let lines else { return self.head = nil }
        self.head = KnownHead(statusLine: statusLine, lines: lines, head: head)
    }
}

extension [UInt8] {
    /// Whether the bytes are the same.
    func equals(_ other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        guard let start = other.baseAddress else { return isEmpty }
        return withUnsafeBytes { $0.baseAddress.map { memcmp($0, start, count) == 0 } ?? true }
    }
}
#endif
