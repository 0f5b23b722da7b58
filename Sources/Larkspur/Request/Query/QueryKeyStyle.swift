extension QueryEncoder {
    /// The style in which each key is written. It applies to the keys of dictionaries and of `Encodable` types at every
    /// level.
    public enum KeyStyle: Sendable {
        /// The unchanged key.
        case unchanged
        /// `oneTwoThree` becomes `one_two_three`, `profileURL` `profile_url`.
        case snakeCase
        /// `oneTwoThree` becomes `one-two-three`, `profileURL` `profile-url`.
        case kebabCase
        /// The first letter in upper case: `oneTwo` becomes `OneTwo`.
        case capitalized
        /// All letters in upper case.
        case uppercased
        /// All letters in lower case.
        case lowercased
        /// The key that a closure returns.
        case custom(@Sendable (_ key: String) -> String)

        func key(for key: String) -> String {
            switch self {
            case .unchanged: key
            case .snakeCase: Self.words(of: key, separator: "_")
            case .kebabCase: Self.words(of: key, separator: "-")
            case .capitalized: key.prefix(1).uppercased() + key.dropFirst()
            case .uppercased: key.uppercased()
            case .lowercased: key.lowercased()
            case .custom(let transform): transform(key)
            }
        }

        /// Inserts a separator where a word begins: before an upper-case letter that follows a lower-case letter or a
        /// digit, and before the last of several upper-case letters if a lower-case letter follows.
        private static func words(of key: String, separator: String) -> String {
            let characters = Array(key)
            var result = ""
            for (index, character) in characters.enumerated() {
                if character.isUppercase, index > 0 {
                    let previous = characters[index - 1]
                    let followsWord = (previous.isLetter && !previous.isUppercase) || previous.isNumber
                    let endsAcronym =
                        previous.isUppercase && index + 1 < characters.count && characters[index + 1].isLowercase
                    if followsWord || endsAcronym { result += separator }
                }
                result += character.lowercased()
            }
            return result
        }
    }
}
