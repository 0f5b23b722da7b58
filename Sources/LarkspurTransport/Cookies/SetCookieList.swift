#if canImport(FoundationNetworking)
/// Several `Set-Cookie` values as the single value that `HTTPCookie.cookies(withResponseHeaderFields:for:)` splits.
///
/// That method takes a comma for the end of a cookie when a token and an equals sign follow, and so distinguishes it
/// from the comma of an `Expires` date. It counts UTF-16 units where it should count characters, and traps if the two
/// differ in a name or a date. Cookies with such characters there are left out; the session's storage gets them all the
/// same.
struct SetCookieList {
    /// The joined values; nil if no cookie is left.
    let text: String?

    init(_ values: [String]) {
        let safe = values.filter(Self.isSafe)
        text = safe.isEmpty ? nil : safe.count == 1 ? safe[0] : safe.joined(separator: ", ")
    }

    /// Whether every character that is more than one UTF-16 unit stands in a value that is not a date.
    private static func isSafe(_ value: String) -> Bool {
        guard value.utf8.contains(where: { $0 >= 0x80 }) else { return true }
        // Nil within a value that is not a date.
        var name: String? = ""
        // A combining mark may begin the value, and a character that joins with the next one may end it.
        for character in ", " + value + ", " {
            let isOneUnit = character.utf16.count == 1
            switch character.unicodeScalars.first {
            case ";", ",":
                guard isOneUnit else { return false }
                name = ""
            case "=" where name != nil:
                guard isOneUnit else { return false }
                if name?.trimmed.lowercased() != "expires" { name = nil }
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
