import HTTPSyntax
import Larkspur

/// A converter of a server's bytes into text that is safe to show on a terminal.
///
/// Control characters other than tabs and line ends become question marks, including the escape that begins a control
/// sequence. Characters that change the direction of text become question marks too, because they can make the text
/// look like another text. Bytes that are invalid in their encoding become U+FFFD.
struct TerminalText {
    private var decoder: TextDecoder

    /// - Parameter charset: The name of the charset; UTF-8 if it is nil or unknown. A byte order mark takes precedence.
    init(charset: String? = nil) { decoder = TextDecoder(charset.flatMap(Charset.init(named:)) ?? Charset(.utf8)) }

    /// Returns the text of the next bytes; nil if they are no text, because they have a zero character.
    mutating func text(of data: Data) -> String? {
        let text = decoder.text(of: data)
        return text.utf8.contains(0) ? nil : Self.printable(text)
    }

    /// Returns the text for the bytes of an incomplete character. Called when no more bytes follow.
    mutating func finish() -> String { Self.printable(decoder.finish()) }

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
