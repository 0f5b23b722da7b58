/// The grammar of methods, field names and field values (RFC 9110, sections 5.1, 5.5 and 5.6.2).
///
/// Everything here looks at bytes: to Swift, CR LF is one `Character`, and a search for either alone would miss it.
enum FieldSyntax {
    /// Says whether a text is a token: one or more letters, digits, or some of the ASCII signs.
    static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy(isTokenByte)
    }

    /// Says whether a field value stays within its line: it holds no CR, LF or NUL.
    static func isSafeValue(_ text: String) -> Bool {
        !text.utf8.contains { $0 == 0x00 || $0 == 0x0A || $0 == 0x0D }
    }

    static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"),
            UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
            true
        default:
            false
        }
    }

    /// Says whether two names are the same but for the case of ASCII letters.
    static func areSameName(_ left: String, _ right: String) -> Bool {
        left.utf8.count == right.utf8.count
            && left.utf8.elementsEqual(right.utf8) { lowercased($0) == lowercased($1) }
    }

    /// The text with its control characters escaped, so that it stays on one line of a log.
    static func printable(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            if scalar.value < 0x20 || scalar.value == 0x7F {
                result += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Whether a name is letters and hyphens, each word with a capital at its beginning only, as `URLRequest` spells
    /// names.
    static func isCapitalized(_ name: String) -> Bool {
        var isAtStart = true
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: "-"): isAtStart = true
            case UInt8(ascii: "A")...UInt8(ascii: "Z") where isAtStart: isAtStart = false
            case UInt8(ascii: "a")...UInt8(ascii: "z") where !isAtStart: break
            default: return false
            }
        }
        return !name.isEmpty
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
