/// Properties of single bytes, inlinable because they are read for every request.
extension UInt8 {
    @inlinable package static var tab: UInt8 { 0x09 }
    @inlinable package static var lineFeed: UInt8 { 0x0A }
    @inlinable package static var carriageReturn: UInt8 { 0x0D }
    @inlinable package static var space: UInt8 { 0x20 }

    @inlinable package var isBlank: Bool { self == .space || self == .tab }

    @inlinable package var isDigit: Bool { self &- 0x30 < 10 }

    /// Whether the byte is an ASCII letter.
    @inlinable package var isLetter: Bool { asLowercase &- 0x61 < 26 }

    /// The byte; an upper-case ASCII letter is converted to lower case.
    @inlinable package var asLowercase: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }

    /// Whether the byte may occur in a token, such as a method or a field name (RFC 9110, section 5.6.2).
    ///
    /// The bits of the first number mean the bytes 33, 35...39, 42, 43, 45, 46 and the digits. The bits of the second
    /// number mean the letters and the bytes 94, 95, 96, 124 and 126.
    @inlinable package var isToken: Bool {
        self < 64
            ? (0x03FF_6CFA_0000_0000 as UInt64) >> UInt64(self) & 1 == 1
            : self < 128 && (0x57FF_FFFF_C7FF_FFFE as UInt64) >> UInt64(self &- 64) & 1 == 1
    }

    /// The value of a hexadecimal digit; nil for other bytes.
    @inlinable package var hexDigitValue: UInt8? {
        if isDigit { return self &- 0x30 }
        let letter = asLowercase &- 0x61
        return letter < 6 ? letter + 10 : nil
    }
}

extension BidirectionalCollection<UInt8> {
    /// The bytes without spaces and tabs at their ends.
    package var trimmingBlanks: SubSequence {
        let start = firstIndex { !$0.isBlank } ?? endIndex
        let end = self[start...].lastIndex { !$0.isBlank }.map { index(after: $0) } ?? start
        return self[start..<end]
    }

    /// Reads a decimal number. If it is above the limit, returns the limit; nil if there are other characters than
    /// digits.
    package func decimalNumber(atMost limit: Int) -> Int? {
        guard !isEmpty, allSatisfy(\.isDigit) else { return nil }
        return reduce(0) { Swift.min($0 * 10 + Int($1 &- UInt8(ascii: "0")), limit) }
    }
}

extension StringProtocol {
    /// Whether the texts are equal if the case of ASCII letters is ignored.
    @inlinable package func hasSameLetters(as other: some StringProtocol) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        return zip(utf8, other.utf8).allSatisfy { $0 == $1 || $0.asLowercase == $1.asLowercase }
    }

    /// The text with its ASCII letters in lower case.
    ///
    /// `lowercased()` also converts other letters, and makes an ASCII letter of the Kelvin sign (U+212A).
    package var inLowercase: String {
        utf8.contains { $0 &- 0x41 < 26 } ? String(decoding: utf8.lazy.map(\.asLowercase), as: UTF8.self) : String(self)
    }

    /// Whether the text is a token: one or more ASCII letters, digits, and some ASCII signs.
    @inlinable package var isToken: Bool { !isEmpty && utf8.allSatisfy(\.isToken) }

    /// Whether the text has a byte that would end the line to which the text is written: CR, LF or NUL.
    ///
    /// The bytes are searched, because CR LF is one `Character` in Swift: a search for the `Character` CR or LF would
    /// not find it.
    @inlinable package var breaksLine: Bool {
        utf8.contains { $0 == .carriageReturn || $0 == .lineFeed || $0 == 0 }
    }

    /// The text without spaces and tabs at its ends, which HTTP calls optional white space.
    package var trimmingBlanks: String {
        String(Substring(String(self).utf8.trimmingBlanks))
    }

    /// The text without a pair of double quotes around it.
    package var unquoted: String {
        utf8.count >= 2 && begins(with: "\"") && ends(with: "\"")
            ? String(decoding: utf8.dropFirst().dropLast(), as: UTF8.self) : String(self)
    }
}

extension String {
    /// Decodes bytes from the network: as UTF-8 if they are valid, otherwise as ISO 8859-1, in which all bytes are
    /// valid.
    package init(networkBytes bytes: some Collection<UInt8>) {
        self =
            String(validating: bytes, as: UTF8.self)
            ?? String(latin1: bytes)
    }

    /// The text with its control characters escaped, so that it stays on one line of a log. The controls from U+0080
    /// are among them, because some terminals take U+009B for the begin of a control sequence.
    package var onOneLine: String {
        var result = ""
        for scalar in unicodeScalars {
            if scalar.value < 0x20 || 0x7F...0x9F ~= scalar.value {
                result += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

extension Sequence<UInt8> {
    /// The bytes as text, with two lower-case hexadecimal digits for each.
    package var hexadecimal: String {
        String(
            decoding: flatMap { byte in [byte >> 4, byte & 15].map { Array("0123456789abcdef".utf8)[Int($0)] } },
            as: UTF8.self
        )
    }
}

/// The name of a field, as a key. Names that differ only in the case of ASCII letters are equal (RFC 9110, section
/// 5.1).
package struct CaselessName: Hashable, Sendable {
    /// The name in its original spelling.
    package let text: String

    package init(_ text: String) { self.text = text }

    package static func == (left: Self, right: Self) -> Bool { left.text.hasSameLetters(as: right.text) }

    package func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte.asLowercase) }
    }
}
