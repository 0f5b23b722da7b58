/// The media types of files.
enum MIMEType {
    /// The media type of a file of unknown type.
    static let unknown = "application/octet-stream"

    /// Returns the media type of files with an extension; ``unknown`` if the table has none.
    /// - Parameter fileExtension: The extension without its dot, in any case.
    static func ofFiles(withExtension fileExtension: String) -> String {
        table[fileExtension.lowercased()] ?? unknown
    }

    /// Returns the media type of a file by the extension of its name.
    static func ofFile(named name: String) -> String {
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else { return unknown }
        return ofFiles(withExtension: String(name[name.utf8.index(after: dot)...]))
    }
}
