package import Foundation

/// The name for the file of a response. If the server suggests no name, the name comes from the URL. The name is valid
/// in any folder.
///
/// If the suggestion is a path with slashes or backslashes, only its last segment is used (RFC 6266, section 4.3).
/// Control characters, and marks that change the direction of text, become underscores. Dots and hyphens at the
/// beginning become underscores too, because a name must not be `..`, a hidden file, or an option of a command. Blanks
/// at the ends are removed. A name is cut to the 255 bytes that a file system allows, but a short extension is
/// preserved.
package struct SuggestedFilename: Equatable {
    private static let maximumLength = 255
    private static let maximumExtensionLength = 32

    package let text: String

    /// Creates the name from the first suggestion that has a name.
    /// - Parameters:
    ///   - disposition: The response's `Content-Disposition`. An invalid value suggests no name.
    ///   - url: The response's URL.
    package init?(disposition: String?, url: URL?) {
        let name = disposition.flatMap { DispositionField($0)?.fileName }
        guard let filename = Self(name ?? "") ?? Self(url?.lastPathComponent ?? "") else { return nil }
        self = filename
    }

    /// Creates the name from a path; nil if the path has no name.
    package init?(_ path: String) {
        let segments = path.unicodeScalars.split { $0 == "/" || $0 == "\\" }
        guard var name = segments.last?.drop(while: { $0.properties.isWhitespace }) else { return nil }
        while name.last?.properties.isWhitespace == true { name.removeLast() }
        guard !name.isEmpty else { return nil }
        let first = name.prefix { $0 == "." || $0 == "-" }.count
        var scalars = String.UnicodeScalarView()
        for (index, scalar) in name.enumerated() {
            // No more characters can be in the result, so the rest of a very long name is not read.
            guard index < 4 * Self.maximumLength else { break }
            scalars.append(index < first || Self.isHarmful(scalar) ? "_" : scalar)
        }
        text = Self.cut(String(scalars))
    }

    private static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
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
        stem.append(contentsOf: ending.unicodeScalars)
        // The cut may have left a blank at the end.
        while stem.last?.properties.isWhitespace == true { stem.removeLast() }
        return String(stem)
    }
}
