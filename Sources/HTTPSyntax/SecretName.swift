/// The rule that recognizes secrets by the names of their fields, parameters or members.
package enum SecretName {
    /// Whether a value with this name is hidden. Hidden are credentials and cookies, and values whose names suggest a
    /// token, key, session, secret or password. The case of letters and the usual separators do not matter.
    package static func matches(_ name: String) -> Bool {
        let words = words(of: name)
        if words.contains(where: { wholeWords.contains($0) }) { return true }
        let joined = words.joined()
        return parts.contains { joined.holds($0) }
    }

    /// Whether a parameter with this name is hidden in a query or a form, although the name is harmless elsewhere. This
    /// applies to `code`, the name of the code that OAuth exchanges for a token.
    package static func matches(parameter name: String) -> Bool { words(of: name) == ["code"] }

    /// Words that only count as whole words, because they also occur within harmless words.
    private static let wholeWords: Set<TextKey> = [
        "assertion", "auth", "authentication", "authorization", "cookie", "cookie2", "jwt", "key", "otp", "pass", "pin",
        "pwd", "samlart", "session", "sid", "sig",
    ]

    private static let parts = [
        "token", "apikey", "accesskey", "privatekey", "secret", "password", "passwd", "passphrase", "passcode",
        "credential", "signature", "sessionid", "sessid", "csrf", "xsrf", "samlresponse", "codeverifier", "devicecode",
    ]

    /// Returns the lowercased words of a name. They are the same for `accessKey`, `access-key`, `ACCESS_KEY` and
    /// `access.key`.
    private static func words(of name: String) -> [String] {
        var words: [String] = []
        var word = ""
        var followsLowercase = false
        for character in name {
            let isSeparator = !character.isLetter && !character.isNumber
            if isSeparator || character.isUppercase && followsLowercase {
                if !word.isEmpty { words.append(word) }
                word = ""
            }
            if !isSeparator { word += character.lowercased() }
            followsLowercase = character.isLowercase
        }
        if !word.isEmpty { words.append(word) }
        return words
    }
}
