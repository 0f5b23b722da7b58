internal import HTTPSyntax

/// The boundary between the parts of a multipart body (RFC 2046, section 5.1.1).
public struct MultipartBoundary: Sendable, Hashable {
    /// The boundary without the hyphens that precede it on a line.
    public let value: String

    /// Creates a boundary of 128 random bits, which no content can be prepared to contain.
    public init() {
        let numbers = [UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max)]
        value = "Larkspur-" + numbers.map { Self.hexadecimal($0) }.joined()
    }

    /// Creates a given boundary, for tests. Content that contains the boundary would break the form.
    /// - Parameter value: 1 to 70 letters, digits, blanks or `'()+_,-./:=?`, of which the last is not a blank.
    /// - Throws: ``LarkspurError`` with the code `invalidHeaderField`.
    public init(_ value: String) throws(LarkspurError) {
        guard (1...70).contains(value.utf8.count), value.utf8.allSatisfy(Self.isAllowed), value.utf8.last != 0x20 else {
            throw LarkspurError(
                .invalidHeaderField,
                "A multipart boundary has 1 to 70 letters, digits, blanks or '()+_,-./:=? and does not end in a blank."
            )
        }
        self.value = value
    }

    /// The boundary as a parameter of a media type: quoted unless it is a token.
    var parameter: String { value.isToken ? value : "\"\(value)\"" }

    private static func hexadecimal(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "'")...UInt8(ascii: ")"), UInt8(ascii: "+")...UInt8(ascii: ":"):
            true
        case UInt8(ascii: " "), UInt8(ascii: "="), UInt8(ascii: "?"), UInt8(ascii: "_"):
            true
        default:
            false
        }
    }
}
