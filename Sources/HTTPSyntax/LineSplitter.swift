package import Foundation

/// The splitter of bytes into lines. It returns each line as soon as its end arrives, and leaves out empty lines.
///
/// A line ends at a line feed, a carriage return or both, a vertical tab, a form feed, and U+0085, U+2028 and U+2029.
package struct LineSplitter: Sendable {
    private var line: [UInt8] = []

    package init() {}

    /// The number of bytes of the incomplete line.
    package var length: Int { line.count }

    /// Takes a byte. If the byte ends a line that is not empty, returns the line; otherwise nil.
    package mutating func take(_ byte: UInt8) -> String? {
        switch byte {
        // LF, VT, FF and CR. A line feed after a carriage return ends an empty line, which is left out.
        case 0x0A...0x0D: return flush()
        case 0x85 where line.last == 0xC2: return flush(dropping: 1)
        case 0xA8 where endsInSeparatorStart, 0xA9 where endsInSeparatorStart: return flush(dropping: 2)
        default:
            line.append(byte)
            return nil
        }
    }

    /// Returns the text after the last line end.
    package mutating func finish() -> String? { flush() }

    /// Whether the line ends with the two bytes with which U+2028 and U+2029 begin in UTF-8.
    ///
    /// The two bytes are read by their indices. If the switch read a slice of the line, the slice would still exist at
    /// the next append, which would then copy the whole line.
    private var endsInSeparatorStart: Bool {
        line.count >= 2 && line[line.count - 1] == 0x80 && line[line.count - 2] == 0xE2
    }

    private mutating func flush(dropping count: Int = 0) -> String? {
        line.removeLast(count)
        defer { line.removeAll(keepingCapacity: true) }
        return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
    }
}

/// The splitter of content into lines that end with a line feed.
package struct NewlineSplitter: Sendable {
    private var buffer = Data()
    /// The offset of the next line.
    private var start = 0
    /// The offset up to which the buffer has been searched for a line feed.
    private var searched = 0

    package init() {}

    /// The number of bytes of the incomplete line.
    package var length: Int { buffer.count - start }

    package mutating func append(_ data: Data) {
        if start > 0 {
            buffer.removeSubrange(0..<start)
            searched -= start
            start = 0
        }
        buffer.append(data)
    }

    /// Returns the next line, without its line feed; nil if no line is complete.
    package mutating func next() -> Data? {
        guard let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) else {
            searched = buffer.count
            return nil
        }
        defer { (start, searched) = (end + 1, end + 1) }
        return Data(buffer[start..<end])
    }

    /// Returns the text after the last line feed, if there is any.
    package mutating func finish() -> Data? {
        defer { self = Self() }
        return length == 0 ? nil : Data(buffer[start...])
    }
}
