/// The name of a locale in POSIX's environment variables, such as `de_AT.UTF-8@euro` (POSIX.1-2024, section 8.2).
struct LocaleName {
    private let text: String

    init(_ text: String) { self.text = text }

    /// Returns the locale of a process's messages; nil if no variable names one. An empty variable counts as unset.
    static func ofMessages(in environment: [String: String]) -> LocaleName? {
        ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }.map(LocaleName.init)
    }

    /// The language tag (RFC 5646), such as `de-AT`; nil for `C`, `POSIX`, and a value that is not the name of a
    /// language, such as the path of a file.
    var languageTag: String? {
        let name = text.prefix { $0 != "." && $0 != "@" }
        let parts = name.split(separator: "_", omittingEmptySubsequences: false)
        guard let language = parts.first, (2...3).contains(language.utf8.count), parts.count <= 2,
            parts.allSatisfy({ part in (2...3).contains(part.utf8.count) && part.utf8.allSatisfy(Self.isAlphanumeric) })
        else { return nil }
        return parts.joined(separator: "-")
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}
