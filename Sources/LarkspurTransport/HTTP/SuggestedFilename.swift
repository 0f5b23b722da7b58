#if canImport(FoundationNetworking)

/// A file name that a server suggests, converted to the name of a file that is valid in any folder.
///
/// Slashes, backslashes, control characters, and the marks that change the direction of text become underscores, and so
/// do dots at the beginning: no name is `..`, or hides the file. Blanks around the name are removed. A name is cut to
/// the 255 bytes of a file system; its extension is preserved if it is short. Without a name it is `Unknown`, as in
/// Foundation.
struct SuggestedFilename: Equatable {
    static let unknown = "Unknown"
    private static let maximumLength = 255
    private static let maximumExtensionLength = 32

    let text: String

    init(_ suggestion: String?) {
        var scalars = String.UnicodeScalarView()
        for scalar in (suggestion ?? "").unicodeScalars {
            // The rest of a longer value is ignored.
            guard scalars.count < 4 * Self.maximumLength else { break }
            scalars.append(Self.isHarmful(scalar) ? "_" : scalar)
        }
        var name = Substring(String(scalars)).unicodeScalars.drop { $0.properties.isWhitespace }
        while name.last?.properties.isWhitespace == true { name.removeLast() }
        let dots = name.prefix { $0 == "." }.count
        let text = String(repeating: "_", count: dots) + String(name.dropFirst(dots))
        self.text = text.isEmpty ? Self.unknown : Self.cut(text)
    }

    private static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "/", "\\": true
        case "\u{061C}", "\u{200E}", "\u{200F}", "\u{2028}"..."\u{202E}", "\u{2066}"..."\u{2069}": true
        default: scalar.properties.generalCategory == .control
        }
    }

    private static func cut(_ name: String) -> String {
        guard name.utf8.count > maximumLength else { return name }
        let dot = name.unicodeScalars.lastIndex(of: ".") ?? name.endIndex
        let ending = name[dot...].utf8.count <= maximumExtensionLength ? String(name[dot...]) : ""
        var stem = String.UnicodeScalarView()
        var room = maximumLength - ending.utf8.count
        for scalar in name.unicodeScalars {
            room -= UTF8.width(scalar)
            guard room >= 0 else { break }
            stem.append(scalar)
        }
        return String(stem) + ending
    }
}

#endif
