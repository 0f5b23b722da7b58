internal import Foundation

/// The rule that recognizes secrets by the names of their fields, parameters or members.
package enum SecretName {
    /// Whether a value with this name is hidden. Hidden are credentials and cookies, and values whose names suggest a
    /// token, key, session, secret or password. The case of letters and the usual separators do not matter.
    package static func matches(_ name: String) -> Bool {
        let words = words(of: name)
        let joined = words.joined()
        if words.contains(where: { wholeWords.contains($0) }) || wholeWords.contains(joined) { return true }
        if let last = words.last, lastWords.contains(last) { return true }
        return parts.contains { joined.holds($0) }
    }

    /// Whether a parameter with this name is hidden in a query or a form, although the name is harmless elsewhere. This
    /// applies to `code`, the name of the code that OAuth exchanges for a token.
    package static func matches(parameter name: String) -> Bool { words(of: name) == ["code"] }

    /// Words that only count as whole words, because they also occur within harmless words.
    private static let wholeWords: Set<TextKey> = [
        "appkey", "assertion", "auth", "authentication", "authkey", "authorization", "cookie", "cookie2", "creds",
        "dpop", "jwt", "key", "masterkey", "otp", "pass", "passkey", "pin", "pw", "pwd", "samlart", "session", "sid",
        "sig", "signingkey", "totp",
    ]

    /// Words that only count at the end of a name: a `service_ticket` is a secret, but `ticket_id` is not.
    private static let lastWords: Set<TextKey> = ["bearer", "ticket"]

    private static let parts = [
        "token", "apikey", "accesskey", "privatekey", "secret", "password", "passwd", "passphrase", "passcode",
        "credential", "signature", "sessionid", "sessid", "csrf", "xsrf", "samlresponse", "codeverifier", "devicecode",
        "recoverycode", "backupcode",
    ]

    /// Returns the lowercased words of a name. They are the same for `accessKey`, `access-key`, `ACCESS_KEY` and
    /// `access.key`.
    private static func words(of name: String) -> [String] {
        var words: [String] = []
        var word = ""
        var followsLowercase = false
        for character in folded(name) {
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

    /// Returns a name without accents and characters that are not displayed. Such characters would make `token` another
    /// word.
    package static func folded(_ name: String) -> String {
        if name.utf8.allSatisfy({ $0 < 0x80 }) { return name }
        let letters = name.decomposedStringWithCanonicalMapping.unicodeScalars.filter { scalar in
            switch scalar.properties.generalCategory {
            case .nonspacingMark, .spacingMark, .enclosingMark, .format: false
            default: true
            }
        }
        return String(String.UnicodeScalarView(letters))
    }
}
