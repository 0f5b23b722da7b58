extension QueryEncoder {
    /// How each key is written; it applies to the keys of dictionaries and of `Encodable` types, at every level.
    public enum KeyStyle: Sendable {
        /// As it is.
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
        /// A key of one's own.
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

        /// Puts a separator where a word begins: at an upper-case letter after another character, and at the last of
        /// several before a lower-case one.
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
