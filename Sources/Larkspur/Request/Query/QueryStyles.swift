internal import HTTPSyntax

extension QueryEncoder {
    /// The style in which the elements of an array are named.
    public enum ArrayStyle: Sendable {
        /// `key[]` for each element, as in AFNetworking, Rails and PHP.
        case brackets
        /// The key, repeated for each element: `key`.
        case noBrackets
        /// The name that a closure returns for the array's key and the element's position.
        case custom(@Sendable (_ key: String, _ index: Int) -> String)

        func name(of key: String, index: Int) -> String {
            switch self {
            case .brackets: "\(key)[]"
            case .noBrackets: key
            case .custom(let name): name(key, index)
            }
        }
    }

    /// The style in which booleans are written.
    public enum BooleanStyle: Sendable {
        /// `1` and `0`.
        case numeric
        /// `true` and `false`.
        case literal

        func text(of value: Bool) -> String {
            switch self {
            case .numeric: value ? "1" : "0"
            case .literal: value ? "true" : "false"
            }
        }
    }

    /// The style in which a key is joined to the keys above it.
    public enum KeyPathStyle: Sendable {
        /// `parent[child]`.
        case brackets
        /// `parent.child`.
        case dots
        /// The name that a closure returns for the path so far and the next key.
        case custom(@Sendable (_ parent: String, _ child: String) -> String)

        func join(_ parent: String, _ child: String) -> String {
            switch self {
            case .brackets: "\(parent)[\(child)]"
            case .dots: "\(parent).\(child)"
            case .custom(let join): join(parent, child)
            }
        }
    }

    /// The style in which null is written.
    public enum NullStyle: Sendable {
        /// The key alone, without an equals sign: `key`.
        case keyOnly
        /// Nothing: null is omitted.
        case drop
        /// The value that a closure returns for the key path.
        case custom(@Sendable (_ key: String) -> String)
    }

    /// The style in which a space is written.
    public enum SpaceStyle: Sendable {
        /// `%20`.
        case percentEscaped
        /// `+`, as in HTML forms.
        case plusReplaced
    }

    /// The style in which data is written.
    public enum DataStyle: Sendable {
        /// Base64 (RFC 4648, section 4).
        case base64
        /// The text that a closure returns. A ``LarkspurError`` that it throws is reported unchanged. Another error
        /// becomes the `underlyingError` of a ``LarkspurError``.
        case custom(@Sendable (Data) throws -> String)

        func text(of data: Data, at path: [any CodingKey]) throws(LarkspurError) -> String {
            switch self {
            case .base64:
                return data.base64EncodedString()
            case .custom(let text):
                do { return try text(data) } catch { throw ParameterPath.error(wrapping: error, at: path) }
            }
        }
    }
}

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
        /// The key that a closure returns.
        case custom(@Sendable (_ key: String) -> String)

        func key(for key: String) -> String {
            switch self {
            case .unchanged: key
            case .snakeCase: Self.words(of: key, separator: "_")
            case .kebabCase: Self.words(of: key, separator: "-")
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

extension QueryEncoder {
    /// The style in which dates are written.
    public enum DateStyle: Sendable {
        /// In UTC to the second: `2001-01-01T00:00:00Z` (RFC 3339). A year outside 0–9999 is an error.
        case iso8601
        /// Seconds since 1970, with decimals only where they are needed.
        case secondsSince1970
        /// The text that a closure returns. A ``LarkspurError`` that it throws is reported unchanged. Another error
        /// becomes the `underlyingError` of a ``LarkspurError``.
        case custom(@Sendable (Date) throws -> String)

        // The years 0 to 9999, in seconds since 1970.
        private static let representableSeconds = -62_167_219_200.0..<253_402_300_800.0

        func text(of date: Date, at path: [any CodingKey]) throws(LarkspurError) -> String {
            let seconds = date.timeIntervalSince1970
            guard seconds.isFinite else { throw ParameterPath.error("its date is not finite.", at: path) }
            switch self {
            case .iso8601:
                guard Self.representableSeconds.contains(seconds) else {
                    throw ParameterPath.error("ISO 8601 has no form for its date's year.", at: path)
                }
                return date.formatted(.iso8601)
            case .secondsSince1970:
                return Int64(exactly: seconds).map(String.init) ?? seconds.description
            case .custom(let text):
                do { return try text(date) } catch { throw ParameterPath.error(wrapping: error, at: path) }
            }
        }
    }
}
