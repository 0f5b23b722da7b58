#if canImport(FoundationNetworking)
/// The splitter of bytes into lines, which returns each line as soon as its end arrives, and leaves out empty lines.
struct LineSplitter: Sendable {
    private var line: [UInt8] = []

    /// Takes a byte, and returns the line that it ends, if it ends one that is not empty.
    mutating func take(_ byte: UInt8) -> String? {
        switch byte {
        // LF, VT, FF and CR. The line feed after a carriage return ends an empty line.
        case 0x0A...0x0D: return flush()
        case 0x85 where line.last == 0xC2: return flush(dropping: 1)
        case 0xA8 where line.suffix(2) == [0xE2, 0x80], 0xA9 where line.suffix(2) == [0xE2, 0x80]:
            return flush(dropping: 2)
        default:
            line.append(byte)
            return nil
        }
    }

    /// Returns the text after the last line end.
    mutating func finish() -> String? { flush() }

    private mutating func flush(dropping count: Int = 0) -> String? {
        line.removeLast(count)
        defer { line.removeAll(keepingCapacity: true) }
        return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
    }
}
#endif
