#if canImport(FoundationNetworking)
/// The lines of the last head that an origin has sent. Most of them come again in its next one, in the same place, and
/// are not read again then.
///
/// It belongs to the loop's thread.
final class HeadMemory {
    private struct Line {
        let bytes: [UInt8]
        let field: ResponseHeadParser.Field
    }

    /// The number of lines that are remembered. With ``longest`` it bounds what a server can have the process store.
    private static let capacity = 24
    /// The length of the longest line that is remembered, in bytes.
    private static let longest = 256

    @exclusivity(unchecked) private var lines: [Line?] = []

    /// Returns the field of a line, if the last head had the same line in the same place.
    func field(in line: UnsafeRawBufferPointer, at index: Int) -> ResponseHeadParser.Field? {
        guard index < lines.count, let known = lines[index], known.bytes.count == line.count,
            let start = line.baseAddress,
            known.bytes.withUnsafeBytes({ $0.baseAddress.map { memcmp($0, start, line.count) } == 0 })
        else { return nil }
        return known.field
    }

    /// Remembers the field of a line, in place of the one that was there in the last head.
    func remember(_ field: ResponseHeadParser.Field, of line: UnsafeRawBufferPointer, at index: Int) {
        guard index < Self.capacity else { return }
        while lines.count <= index { lines.append(nil) }
        lines[index] = line.count > Self.longest ? nil : Line(bytes: Array(line), field: field)
    }
}
#endif
