/// A reference that is assembled from text of the program and from values that the program does not know, with a check
/// that no value changes where the reference leads.
package struct AssembledReference: Equatable, Sendable {
    /// The reason why a reference is refused.
    package struct Defect: Error, Equatable {
        package enum Kind {
            /// The value takes part in the scheme, the user information, the host or the port.
            case changesOrigin
            /// The value makes a segment of the path `.` or `..`.
            case dotSegment
            /// The value is empty, stands in the path, and may not be empty.
            case emptyValue
        }

        package let kind: Kind
        /// The position of the value among the values of the reference, from 0.
        package let index: Int
    }

    private struct Value: Equatable {
        /// The offsets in bytes. They are empty for a value without text.
        let range: Range<Int>
        let mayBeEmpty: Bool
    }

    private var bytes: [UInt8] = []
    /// The values, in the order of their ranges.
    private var values: [Value] = []

    package init() {}

    package var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Appends text of the program. A percent sign that does not begin an escape in this text is escaped, so that it
    /// does not begin one together with a value.
    package mutating func append(literal: String) {
        bytes.append(contentsOf: PercentEncoding.escaping(literal) { $0 != UInt8(ascii: "%") }.utf8)
    }

    /// Appends a value, which is escaped already.
    /// - Parameter mayBeEmpty: Whether the value may be empty in the path.
    package mutating func append(value: String, mayBeEmpty: Bool) {
        let start = bytes.count
        bytes.append(contentsOf: value.utf8)
        values.append(Value(range: start..<bytes.count, mayBeEmpty: mayBeEmpty))
    }

    /// Returns the text, if no value changes where it leads. The text is to be read by ``URLReference/init(reading:)``.
    package func checked() throws(Defect) -> String {
        // The reader removes white space at the ends, and escapes the rest, which separates nothing then.
        let start = bytes.firstIndex { $0 > .space } ?? bytes.endIndex
        let end = bytes.lastIndex { $0 > .space }.map { $0 + 1 } ?? start
        let text = String(decoding: bytes[start..<end], as: UTF8.self)
        guard let first = values.first else { return text }
        let reference = URLReference(text)
        let scheme = reference.scheme.map { $0.utf8.count + 1 } ?? 0
        let path = start + scheme + (reference.authority.map { $0.utf8.count + 2 } ?? 0)
        if first.range.lowerBound < path { throw Defect(kind: .changesOrigin, index: 0) }
        try checkPath(path..<(path + reference.path.utf8.count))
        return text
    }

    private func checkPath(_ path: Range<Int>) throws(Defect) {
        var index = 0
        var start = path.lowerBound
        while start <= path.upperBound {
            let end = bytes[start..<path.upperBound].firstIndex(of: UInt8(ascii: "/")) ?? path.upperBound
            while index < values.count, values[index].range.upperBound < start { index += 1 }
            // A value beside the segment counts, too: without it, the segment might be another one.
            if index < values.count, values[index].range.lowerBound <= end, Self.isDotSegment(bytes[start..<end]) {
                throw Defect(kind: .dotSegment, index: index)
            }
            start = end + 1
        }
        let empty = values.firstIndex {
            $0.range.isEmpty && !$0.mayBeEmpty && $0.range.lowerBound <= path.upperBound
        }
        if let empty { throw Defect(kind: .emptyValue, index: empty) }
    }

    /// Whether servers take a segment for `.` or `..`: also escaped, and with parameters behind a semicolon (RFC 3986,
    /// section 3.3), which some servers remove first.
    private static func isDotSegment(_ segment: ArraySlice<UInt8>) -> Bool {
        let name = segment.prefix { $0 != UInt8(ascii: ";") }
        guard name.count <= "%2E%2E".utf8.count else { return false }
        let text = String(decoding: name, as: UTF8.self).percentDecoded()
        return text == "." || text == ".."
    }
}
