#if canImport(FoundationNetworking)
/// The last header section of an origin, and its lines. In the next header section of the origin, most lines are often
/// the same, or even all. A line that is the same is not parsed again.
///
/// It is used only on the loop's thread.
final class HeadMemory {
    struct Line {
        let bytes: [UInt8]
        let field: ResponseHeadParser.Field
    }

    /// A head, and the lines from which it was read. It never changes, because a parser can still compare with it while
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

    /// The maximum number of lines that are stored. With ``longest`` it limits the memory that a server can occupy.
    private static let capacity = 24
    /// The maximum length of a line that is stored, in bytes.
    private static let longest = 256

    @exclusivity(unchecked) private var lines: [Line?] = []
    /// The last head; nil if one of its lines was not stored.
    @exclusivity(unchecked) private(set) var head: KnownHead?

    /// Returns the stored line at an index, if it is the same as the received line; nil otherwise.
    func line(_ line: UnsafeRawBufferPointer, at index: Int) -> Line? {
        guard index < lines.count, let known = lines[index], known.bytes.equals(line) else { return nil }
        return known
    }

    /// Stores a line and its field, in place of the stored line at this index.
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
