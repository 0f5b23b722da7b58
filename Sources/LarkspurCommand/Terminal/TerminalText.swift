import HTTPSyntax
import Larkspur

/// A converter of a server's bytes into text that is safe to show on a terminal.
///
/// Control characters other than tabs and line ends become question marks, including the escape that begins a control
/// sequence. Characters that change the direction of text become question marks too, because they can make the text
/// look like another text. Bytes that are invalid in their encoding become U+FFFD.
struct TerminalText {
    private let encoding: String.Encoding
    /// The bytes of an incomplete character.
    private var pending: [UInt8] = []

    /// - Parameter charset: The encoding's name in a Content-Type; UTF-8 if it is nil or unknown.
    init(charset: String? = nil) {
        switch charset?.lowercased() {
        case "iso-8859-1", "latin1", "latin-1", "windows-1252": encoding = .isoLatin1
        default: encoding = .utf8
        }
    }

    /// Returns the text of the next bytes.
    mutating func text(of data: Data) -> String {
        guard encoding == .utf8 else {
            return Self.printable(String(String.UnicodeScalarView(data.map(Unicode.Scalar.init))))
        }
        var bytes = pending
        bytes.append(contentsOf: data)
        let count = Self.incompleteSuffix(of: bytes)
        pending = Array(bytes.suffix(count))
        return Self.printable(String(decoding: bytes.dropLast(count), as: UTF8.self))
    }

    /// Returns the text for the bytes of an incomplete character. Called when no more bytes follow.
    mutating func finish() -> String {
        defer { pending = [] }
        return Self.printable(String(decoding: pending, as: UTF8.self))
    }

    /// The number of bytes at the end that belong to an incomplete character of UTF-8.
    private static func incompleteSuffix(of bytes: [UInt8]) -> Int {
        for (distance, byte) in bytes.suffix(3).reversed().enumerated() {
            let length =
                switch byte {
                case 0xC2...0xDF: 2
                case 0xE0...0xEF: 3
                case 0xF0...0xF4: 4
                case 0x80...0xBF: 0
                default: 1
                }
            if length == 0 { continue }
            return length > distance + 1 ? distance + 1 : 0
        }
        return 0
    }

    /// Returns a text with question marks in place of control characters, except for tabs and line feeds. A carriage
    /// return before a line feed is removed.
    static func printable(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        var hasReturn = false
        for scalar in text.unicodeScalars {
            if hasReturn, scalar != "\n" { result.append("?") }
            hasReturn = scalar == "\r"
            if hasReturn { continue }
            result.append(isDisplayed(scalar) ? scalar : "?")
        }
        return String(result)
    }

    /// Returns a text on one line.
    static func line(_ text: String) -> String {
        printable(text).replacing("\n", with: "?").replacing("\t", with: " ")
    }

    private static func isDisplayed(_ scalar: Unicode.Scalar) -> Bool {
        if scalar == "\n" || scalar == "\t" { return true }
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate: return false
        case .format: return !scalar.properties.isBidiControl
        default: return true
        }
    }
}
