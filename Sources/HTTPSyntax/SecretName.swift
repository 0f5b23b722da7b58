/// The rule by which the name of a field, a parameter or a member says that its value is a secret.
package enum SecretName {
    /// Whether the value under a name is hidden: credentials, cookies, and names that suggest a token, key, session,
    /// secret or password, in any case and with any of the usual separators.
    package static func matches(_ name: String) -> Bool {
        let words = words(of: name)
        if words.contains(where: wholeWords.contains) { return true }
        let joined = words.joined()
        return parts.contains { joined.contains($0) }
    }

    /// Whether the value under a name of a query or a form is hidden that elsewhere is none of a secret: the code that
    /// OAuth exchanges for a token.
    package static func matches(parameter name: String) -> Bool { words(of: name) == ["code"] }

    /// Words that are also part of harmless words, and therefore count only as whole words.
    private static let wholeWords: Set<String> = [
        "assertion", "auth", "authentication", "authorization", "cookie", "cookie2", "jwt", "key", "otp", "pass", "pin",
        "pwd", "samlart", "session", "sid", "sig",
    ]

    private static let parts = [
        "token", "apikey", "accesskey", "privatekey", "secret", "password", "passwd", "passphrase", "passcode",
        "credential", "signature", "sessionid", "sessid", "csrf", "xsrf", "samlresponse", "codeverifier", "devicecode",
    ]

    /// Returns the lowercased words of a name: `accessKey`, `access-key`, `ACCESS_KEY` and `access.key` have the same.
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
