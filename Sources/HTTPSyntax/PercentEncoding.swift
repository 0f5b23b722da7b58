/// Percent-encoding of bytes (RFC 3986, section 2.1).
///
/// The functions are written by hand, because Foundation encodes and decodes text, and a URL may have bytes that are
/// not UTF-8.
package enum PercentEncoding {
    /// Appends the three characters that stand for a byte.
    package static func append(_ byte: UInt8, to result: inout [UInt8]) {
        result.append(UInt8(ascii: "%"))
        result.append(hexadecimalDigit(byte >> 4))
        result.append(hexadecimalDigit(byte & 0xF))
    }

    /// Whether a byte is not escaped in the key and the value of a parameter. The bytes that are not escaped are the
    /// unreserved characters, the slash and the question mark.
    package static func isUnescaped(_ byte: UInt8) -> Bool {
        isUnreserved(byte) || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?")
    }

    /// Whether a byte is an unreserved character (RFC 3986, section 2.3), which separates nothing in a URL.
    package static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
        default: byte.isDigit || byte.isLetter
        }
    }

    /// Whether a byte is a reserved character (RFC 3986, section 2.2), which may separate parts of a URL.
    package static func isReserved(_ byte: UInt8) -> Bool { ":/?#[]@!$&'()*+,;=".utf8.contains(byte) }

    /// Escapes the bytes that are not allowed in a query (RFC 3986, section 3.4), such as a `#`. A `%` is escaped if it
    /// does not begin an escape.
    package static func escapingIllegalQueryCharacters(_ query: String) -> String {
        escaping(query) { byte in
            switch byte {
            case UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "("),
                UInt8(ascii: ")"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: ","), UInt8(ascii: ";"),
                UInt8(ascii: "="), UInt8(ascii: ":"), UInt8(ascii: "@"):
                true
            default: isUnescaped(byte)
            }
        }
    }

    /// Escapes the bytes that are not allowed, but not a `%` that begins an escape.
    package static func escaping(_ text: String, unless isAllowed: (UInt8) -> Bool) -> String {
        if text.utf8.allSatisfy(isAllowed) { return text }
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        for (index, byte) in bytes.enumerated() {
            if isAllowed(byte) || byte == UInt8(ascii: "%") && beginsEscape(bytes[index...]) {
                result.append(byte)
            } else {
                append(byte, to: &result)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Escapes all bytes that are not allowed, even a `%` that begins an escape.
    package static func escapingAll(_ text: String, unless isAllowed: (UInt8) -> Bool) -> String {
        escapingAll(text.utf8, unless: isAllowed)
    }

    /// Returns bytes as text, with escapes in place of all that are not allowed.
    package static func escapingAll(_ bytes: some Sequence<UInt8>, unless isAllowed: (UInt8) -> Bool) -> String {
        var result: [UInt8] = []
        for byte in bytes {
            if isAllowed(byte) { result.append(byte) } else { append(byte, to: &result) }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Whether the bytes begin with a percent sign and two hexadecimal digits.
    static func beginsEscape(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.count > 2 && bytes.dropFirst().prefix(2).allSatisfy { $0.hexDigitValue != nil }
    }

    private static func hexadecimalDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}

extension String {
    /// Decodes the percent escapes of the text. A percent sign without two hexadecimal digits after it remains.
    package func percentDecoded(plusIsSpace: Bool = false) -> String {
        String(networkBytes: percentDecodedBytes(plusIsSpace: plusIsSpace))
    }

    /// Decodes the percent escapes of the text. The resulting bytes need not be UTF-8.
    package func percentDecodedBytes(plusIsSpace: Bool = false) -> [UInt8] {
        let escaped = Array(utf8)
        var bytes: [UInt8] = []
        var index = 0
        while index < escaped.count {
            if escaped[index] == UInt8(ascii: "%"), index + 2 < escaped.count,
                let high = escaped[index + 1].hexDigitValue, let low = escaped[index + 2].hexDigitValue
            {
                bytes.append(high << 4 | low)
                index += 3
            } else {
                let isSpace = plusIsSpace && escaped[index] == UInt8(ascii: "+")
                bytes.append(isSpace ? UInt8(ascii: " ") : escaped[index])
                index += 1
            }
        }
        return bytes
    }
}
