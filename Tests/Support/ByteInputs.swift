/// Inputs for measurements of a parser's cost. They cover every class of bytes, because a parser may be slow for a few
/// bytes only. A sample of bytes would not show this.
package enum ByteInputs {
    /// The bytes that grammars treat in different ways: controls, punctuation, and bytes of UTF-8.
    private static let distinct: [UInt8] =
        [0x00, 0x09, 0x0A, 0x0D, 0x20] + Array("\"%&,-/0:;=\\a{".utf8) + [0x80, 0xA8, 0xA9, 0xC2, 0xC3, 0xE2, 0xFF]

    /// Returns the names of the inputs for which the cost of work grows faster than their length.
    ///
    /// The inputs are: each byte, repeated; each pair of distinct bytes, repeated; and each such pair at the two ends
    /// of an input. Each input is measured once. If the result is suspicious, the input is measured again with several
    /// runs.
    /// - Parameters:
    ///   - size: The length in bytes of an input of one repeated byte. Inputs of pairs have half this length. Default:
    ///     8 KiB.
    ///   - work: Processes an input.
    package static func excesses(upTo size: Int = 1 << 13, _ work: ([UInt8]) -> Void) -> [String] {
        var names: [String] = []
        func measure(_ name: String, _ size: Int, _ make: (Int) -> [UInt8]) {
            guard Growth.isSuspicious(of: make, upTo: size, work) else { return }
            let factor = Growth.factor(of: make, upTo: size * 4, work)
            if factor >= Growth.linear { names.append("\(name): \(factor)") }
        }
        for byte in UInt8.min...UInt8.max {
            measure(name(byte), size) { Array(repeating: byte, count: $0) }
        }
        for first in distinct {
            for last in distinct {
                let pair = name(first) + " " + name(last)
                measure(pair + " repeated", size / 2) { count in
                    var bytes = Array(repeating: first, count: count)
                    for index in stride(from: 1, to: count, by: 2) { bytes[index] = last }
                    return bytes
                }
                measure(pair + " at the ends", size / 2) { count in
                    var bytes = Array(repeating: UInt8(ascii: "x"), count: max(2, count))
                    bytes[0] = first
                    bytes[bytes.count - 1] = last
                    return bytes
                }
            }
        }
        return names
    }

    private static func name(_ byte: UInt8) -> String { String(byte, radix: 16, uppercase: true) }
}
