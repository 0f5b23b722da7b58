internal import HTTPSyntax

/// The quoting of bytes as words of a command line, for a POSIX shell.
package enum ShellQuoting {
    /// Returns a text as one word. If the text has control characters other than line feeds and tabs, the word is a
    /// `printf` command that writes the text. So these characters have no effect on a terminal. A shell removes NUL
    /// bytes, and the line feeds at the end, from the output of that command.
    package static func quoted(_ text: String) -> String {
        if !text.isEmpty, text.utf8.allSatisfy(isPlain) { return text }
        if text.utf8.contains(where: isControl) { return "\"$(" + printf(text.utf8) + ")\"" }
        return "'" + text.parts(separatedBy: "'", omittingEmptyParts: false).joined(separator: "'\\''") + "'"
    }

    /// Returns the `printf` command that writes bytes.
    static func printf(_ bytes: some Sequence<UInt8>) -> String {
        var format = ""
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "%"): format += "%%"
            case UInt8(ascii: "\\"): format += "\\\\"
            case .lineFeed: format += "\\n"
            case UInt8(ascii: "'"), 0..<0x20, 0x7F...:
                // POSIX has only octal escapes. Each escape has three digits. So a digit that follows an escape is not
                // read as part of the escape.
                let digits = String(byte, radix: 8)
                format += "\\" + String(repeating: "0", count: 3 - digits.count) + digits
            default: format.unicodeScalars.append(UnicodeScalar(byte))
            }
        }
        return "printf '" + format + "'"
    }

    /// Returns whether a text that contains the byte has to be written by `printf`.
    static func isControl(_ byte: UInt8) -> Bool {
        byte < 0x20 && byte != .lineFeed && byte != UInt8(ascii: "\t") || byte == 0x7F
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"):
            true
        default: "-_./:@%+,=".utf8.contains(byte)
        }
    }
}
