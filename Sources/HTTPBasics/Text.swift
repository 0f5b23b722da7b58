internal import Foundation

extension StringProtocol {
    package func isEqualIgnoringCase(to other: some StringProtocol) -> Bool {
        utf8.elementsEqual(other.utf8) { $0.lowercasedASCII == $1.lowercasedASCII }
    }

    /// The text without spaces and tabs at its ends, which is what HTTP calls optional white space.
    package var trimmingBlanks: String {
        trimmingCharacters(in: CharacterSet(charactersIn: " \t"))
    }

    /// The text without a pair of double quotes around it.
    package var unquoted: String {
        count >= 2 && hasPrefix("\"") && hasSuffix("\"") ? String(dropFirst().dropLast()) : String(self)
    }
}

extension String {
    /// The text of bytes from the network: UTF-8 where they are that, ISO 8859-1 otherwise, which any bytes are.
    package init(networkBytes bytes: some Collection<UInt8>) {
        self =
            String(validating: bytes, as: UTF8.self)
            ?? String(String.UnicodeScalarView(bytes.map { UnicodeScalar($0) }))
    }

    /// The text with its percent escapes replaced; one that is not followed by two hexadecimal digits stays as it is.
    package func percentDecoded(plusIsSpace: Bool = false) -> String {
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
        return String(networkBytes: bytes)
    }
}

extension UInt8 {
    package var lowercasedASCII: UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
    }

    package var hexDigitValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// Whether the byte may stand in a token, such as a method or a field name (RFC 9110, section 5.6.2).
    package var isTokenByte: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default:
            "!#$%&'*+-.^_`|~".utf8.contains(self)
        }
    }
}

extension Sequence<UInt8> {
    /// Two lower-case hexadecimal digits for each byte.
    package var hexadecimal: String {
        String(
            decoding: flatMap { byte in [byte >> 4, byte & 15].map { Array("0123456789abcdef".utf8)[Int($0)] } },
            as: UTF8.self
        )
    }
}
