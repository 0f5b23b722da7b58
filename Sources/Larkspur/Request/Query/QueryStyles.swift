internal import HTTPSyntax

extension QueryEncoder {
    /// How the elements of an array are named.
    public enum ArrayStyle: Sendable {
        /// `key[]` for each element: AFNetworking's, Rails's and PHP's way.
        case brackets
        /// The key repeated: `key`.
        case noBrackets
        /// `key[0]`, `key[1]` …
        case indexInBrackets
        /// A name of one's own, from the array's key and the element's position.
        case custom(@Sendable (_ key: String, _ index: Int) -> String)

        func name(of key: String, index: Int) -> String {
            switch self {
            case .brackets: "\(key)[]"
            case .noBrackets: key
            case .indexInBrackets: "\(key)[\(index)]"
            case .custom(let name): name(key, index)
            }
        }
    }

    /// How booleans are written.
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

    /// How a key is joined to those above it.
    public enum KeyPathStyle: Sendable {
        /// `parent[child]`.
        case brackets
        /// `parent.child`.
        case dots
        /// A name of one's own, from the path so far and the next key.
        case custom(@Sendable (_ parent: String, _ child: String) -> String)

        func join(_ parent: String, _ child: String) -> String {
            switch self {
            case .brackets: "\(parent)[\(child)]"
            case .dots: "\(parent).\(child)"
            case .custom(let join): join(parent, child)
            }
        }
    }

    /// How null is written.
    public enum NullStyle: Sendable {
        /// The key alone, without an equals sign: `key`.
        case keyOnly
        /// Not at all.
        case drop
        /// `key=null`.
        case literal
        /// `key=`.
        case empty
        /// A value of one's own, from the key path.
        case custom(@Sendable (_ key: String) -> String)
    }

    /// How a space is written.
    public enum SpaceStyle: Sendable {
        /// `%20`.
        case percentEscaped
        /// `+`, as HTML forms do.
        case plusReplaced
    }

    /// How data is written.
    public enum DataStyle: Sendable {
        /// In Base64 (RFC 4648, section 4).
        case base64
        /// As lowercase hexadecimal digits.
        case hexadecimal
        /// A text of one's own; what it throws is reported underneath a `LarkspurError`, or as it is if it is one.
        case custom(@Sendable (Data) throws -> String)

        func text(of data: Data, at path: [any CodingKey]) throws(LarkspurError) -> String {
            switch self {
            case .base64:
                return data.base64EncodedString()
            case .hexadecimal:
                return data.map { ($0 < 0x10 ? "0" : "") + String($0, radix: 16) }.joined()
            case .custom(let text):
                do { return try text(data) } catch { throw ParameterPath.error(wrapping: error, at: path) }
            }
        }
    }
}
