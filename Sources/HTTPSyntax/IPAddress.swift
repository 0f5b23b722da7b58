internal import Foundation

/// An IPv4 or IPv6 address.
package struct IPAddress: Sendable, Hashable {
    /// The 4 or 16 bytes, the most significant first.
    package let bytes: [UInt8]

    /// Creates an address of 4 or 16 bytes.
    package init(bytes: [UInt8]) { self.bytes = bytes }

    /// Parses an address in the notation of RFC 3986: four decimal numbers, or an IPv6 address, which may be in
    /// brackets. Nil if the text is not such an address. ``CanonicalHost`` reads the other notations of URLs.
    package init?(_ text: String) {
        var name = text
        if name.begins(with: "["), name.ends(with: "]") { name = String(Substring(name.utf8.dropFirst().dropLast())) }
        // The function of the system stops at the first null byte.
        guard !name.utf8.contains(0) else { return nil }
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, name, &bytes) == 1 {
            self.bytes = Array(bytes.prefix(4))
        } else if inet_pton(AF_INET6, name, &bytes) == 1 {
            self.bytes = bytes
        } else {
            return nil
        }
    }

    /// Parses an IPv4 address as the URL standard does (section 3.5): one to four numbers, which are decimal, octal
    /// after a zero, or hexadecimal after `0x`. The last number fills the remaining bytes. Nil if a part is not such a
    /// number, or is too large.
    init?(numbersOf name: some StringProtocol) {
        let parts = name.parts(separatedBy: ".", omittingEmptyParts: false)
        let numbers = parts.compactMap { Self.number($0.utf8) }
        guard (1...4).contains(parts.count), numbers.count == parts.count, let last = numbers.last,
            numbers.dropLast().allSatisfy({ $0 < 256 }), last < 1 << (8 * UInt64(5 - numbers.count))
        else { return nil }
        let leading = numbers.dropLast().enumerated().reduce(0) { $0 | $1.element << UInt64(24 - 8 * $1.offset) }
        let value = UInt32(leading | last)
        bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    /// Whether the last label of a name is a number. Such a name is an IPv4 address, or is not valid (URL standard,
    /// section 3.5).
    static func isNumber(_ label: some Collection<UInt8>) -> Bool {
        !label.isEmpty && label.allSatisfy(\.isDigit) || number(label) != nil
    }

    /// Parses a label as a decimal, octal or hexadecimal number. A number above 2³² is returned as 2³². Nil if the
    /// label is not a number.
    private static func number(_ label: some Collection<UInt8>) -> UInt64? {
        guard let first = label.first else { return nil }
        var digits = label[...]
        var radix: UInt64 = 10
        if first == UInt8(ascii: "0"), label.count > 1 {
            digits = digits.dropFirst()
            radix = 8
            if digits.first?.asLowercase == UInt8(ascii: "x") {
                digits = digits.dropFirst()
                radix = 16
            }
        }
        var value: UInt64 = 0
        for byte in digits {
            guard let digit = byte.hexDigitValue.map(UInt64.init), digit < radix else { return nil }
            value = min(value * radix + digit, 1 << 32)
        }
        return value
    }

    /// The address in its canonical notation: four decimal numbers, or the notation of RFC 5952, without brackets.
    package var text: String {
        if bytes.count == 4 { return bytes.map(String.init).joined(separator: ".") }
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
            guard let start = buffer.baseAddress, inet_ntop(AF_INET6, bytes, start, 64) != nil else { return "" }
            return String(cString: start)
        }
    }

    /// Whether the address has the same first bits as another address. If one is IPv4 and the other is IPv6, the result
    /// is false.
    package func hasPrefix(of other: IPAddress, bits: Int) -> Bool {
        guard bytes.count == other.bytes.count else { return false }
        let whole = bits / 8
        guard bytes.prefix(whole) == other.bytes.prefix(whole) else { return false }
        let rest = bits % 8
        guard rest > 0, whole < bytes.count else { return true }
        return (bytes[whole] ^ other.bytes[whole]) >> UInt8(8 - rest) == 0
    }
}
