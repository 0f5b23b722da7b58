/// The terminals of the process.
package enum Terminal {
    /// Returns the number of columns of a terminal; nil if the descriptor is not a terminal. If a terminal does not
    /// report its width, the number is 80.
    package static func width(of descriptor: Int32) -> Int? {
        guard isatty(descriptor) == 1 else { return nil }
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }
}

extension String {
    /// The text with a question mark in place of each character that a terminal would interpret as a control.
    package var printable: String { String(map { $0.isPrintable ? $0 : "?" }) }

    /// The maximum number of terminal columns that the text takes.
    package var columns: Int { reduce(0) { $0 + $1.columns } }

    /// Returns the longest prefix that fits into a number of columns.
    package func prefix(columns: Int) -> String {
        var left = max(0, columns)
        return String(
            prefix { character in
                left -= character.columns
                return left >= 0
            }
        )
    }
}

extension Character {
    /// The maximum number of terminal columns that the character takes (UAX #11): two for the wide characters of East
    /// Asia and for most emoji, otherwise one.
    ///
    /// Terminals differ about emoji that are composed of several other emoji. Here each of the other emoji counts.
    var columns: Int { max(1, unicodeScalars.reduce(0) { $0 + $1.columns }) }
}

extension Unicode.Scalar {
    fileprivate var columns: Int {
        if value < 0x300 { return 1 }
        // The variation selector 16 requests the emoji form of a narrow character.
        if value == 0xFE0F { return 1 }
        if properties.isEmojiPresentation || Self.wide.contains(where: { $0.contains(value) }) { return 2 }
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark: return 0
        default: return 1
        }
    }

    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
        0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1_6FE0...0x1_8DFF, 0x1_AFF0...0x1_B2FF,
        0x1_F200...0x1_F2FF, 0x2_0000...0x3_FFFD,
    ]
}

extension Character {
    /// Whether a terminal only displays the character, and does not interpret it as a control.
    var isPrintable: Bool {
        unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse: false
            default: true
            }
        }
    }
}
