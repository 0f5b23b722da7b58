#if canImport(FoundationNetworking)
import HTTPSyntax

/// Several `Set-Cookie` values as the single value that `HTTPCookie.cookies(withResponseHeaderFields:for:)` splits.
///
/// For that method, a cookie ends at a comma that is followed by a token and an equals sign. So the comma in an
/// `Expires` date does not end a cookie. The method counts UTF-16 units instead of characters, and traps if the two
/// numbers differ in a name or a date. So this list omits cookies with such a name or date. The session's storage still
/// gets them.
struct SetCookieList {
    /// The joined values; nil if no cookie is left.
    let text: String?

    init(_ values: [String]) {
        let safe = values.filter(Self.isSafe)
        text = safe.isEmpty ? nil : safe.count == 1 ? safe[0] : safe.joined(separator: ", ")
    }

    /// Whether each character of the names and dates is one UTF-16 unit. Other values may have longer characters.
    private static func isSafe(_ value: String) -> Bool {
        guard value.utf8.contains(where: { $0 >= 0x80 }) else { return true }
        // The part of the name or date that has been read; nil within other values.
        var name: String? = ""
        // The separators are included, because the value may begin with a combining mark, or end with a character that
        // joins with the next one.
        for character in ", " + value + ", " {
            let isOneUnit = character.utf16.count == 1
            switch character.unicodeScalars.first {
            case ";", ",":
                guard isOneUnit else { return false }
                name = ""
            case "=" where name != nil:
                guard isOneUnit else { return false }
                if name?.trimmed.inLowercase != "expires" { name = nil }
            default:
                guard isOneUnit || name == nil else { return false }
                name?.append(character)
            }
        }
        return true
    }
}

extension String {
    fileprivate var trimmed: Substring {
        let text = drop(while: \.isWhitespace)
        return text[..<(text.lastIndex { !$0.isWhitespace }.map(text.index(after:)) ?? text.startIndex)]
    }
}
#endif
