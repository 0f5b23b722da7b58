internal import HTTPSyntax

extension QueryEncoder {
    /// The style in which the elements of an array are named.
    public enum ArrayStyle: Sendable {
        /// `key[]` for each element, as in AFNetworking, Rails and PHP.
        case brackets
        /// The key, repeated for each element: `key`.
        case noBrackets
        /// `key[0]`, `key[1]` …
        case indexInBrackets
        /// The name that a closure returns for the array's key and the element's position.
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

    /// The style in which a key is joined to those above it.
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
        /// Nothing: null is left out.
        case drop
        /// `key=null`.
        case literal
        /// `key=`.
        case empty
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
        /// Lowercase hexadecimal digits.
        case hexadecimal
        /// The text that a closure returns. An error that it throws becomes the `underlyingError` of a
        /// ``LarkspurError``, or is reported unchanged if it is a ``LarkspurError``.
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
