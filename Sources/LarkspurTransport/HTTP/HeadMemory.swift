#if canImport(FoundationNetworking)
/// The last head that an origin has sent, and its lines. Most lines come again in its next head, in the same place, and
/// are not read again then; often the whole head does.
///
/// It belongs to the loop's thread.
final class HeadMemory {
    struct Line {
        let bytes: [UInt8]
        let field: ResponseHeadParser.Field
    }

    /// A head and the lines that it was read from. It does not change, as the lines of several responses can arrive in
    /// turns.
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

    /// The number of lines that are remembered. With ``longest`` it bounds what a server can have the process store.
    private static let capacity = 24
    /// The length of the longest line that is remembered, in bytes.
    private static let longest = 256

    @exclusivity(unchecked) private var lines: [Line?] = []
    /// The last head; nil if it had a line that is not remembered.
    @exclusivity(unchecked) private(set) var head: KnownHead?

    /// Returns a line of the last head, if it is the same and was in the same place.
    func line(_ line: UnsafeRawBufferPointer, at index: Int) -> Line? {
        guard index < lines.count, let known = lines[index], known.bytes.equals(line) else { return nil }
        return known
    }

    /// Remembers a line and its field, in place of the one that was there in the last head.
    /// - Returns: The line; nil if it is too long or too far down.
    func remember(_ field: ResponseHeadParser.Field, of line: UnsafeRawBufferPointer, at index: Int) -> Line? {
        guard index < Self.capacity else { return nil }
        while lines.count <= index { lines.append(nil) }
        lines[index] = line.count > Self.longest ? nil : Line(bytes: Array(line), field: field)
        return lines[index]
    }

    /// Remembers the last head as a whole.
    /// - Parameter lines: All of its lines; nil if one of them is not remembered.
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
