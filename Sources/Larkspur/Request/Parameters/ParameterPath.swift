internal import HTTPSyntax

/// The path of a value in the parameters, and the errors that name it.
enum ParameterPath {
    /// The maximum nesting depth of parameters. Parameters are traversed by recursion, and may contain themselves, so
    /// without a limit the stack would overflow.
    static let maximumDepth = 64

    /// Returns a path in Swift's notation: `filter.tags[2]`.
    static func description(of path: [any CodingKey]) -> String {
        var text = ""
        for key in path {
            if let index = key.intValue {
                text += "[\(index)]"
            } else {
                text += text.isEmpty ? key.stringValue : ".\(key.stringValue)"
            }
        }
        return text.onOneLine
    }

    /// Returns an error that names the parameter and the type of its value, but never the value.
    static func error(
        _ reason: String,
        at path: [any CodingKey],
        underlyingError: (any Error)? = nil
    ) -> LarkspurError {
        let subject = path.isEmpty ? "The parameters" : "The parameter `\(description(of: path))`"
        return LarkspurError(
            .parameterEncodingFailed,
            "\(subject) cannot be encoded: \(reason)",
            underlyingError: underlyingError
        )
    }

    /// Returns the error to report for an error that an encoder or a caller's closure threw. A `LarkspurError` is
    /// returned unchanged. Another error becomes the `underlyingError` of a `LarkspurError`.
    static func error(wrapping error: any Error, at path: [any CodingKey]) -> LarkspurError {
        switch error {
        case let error as LarkspurError:
            error
        case EncodingError.invalidValue(let value, let context):
            Self.error(
                "its encoder refuses this \(type(of: value)).",
                at: joined(path, context.codingPath),
                underlyingError: error
            )
        default:
            Self.error("its encoding threw \(type(of: error)).", at: path, underlyingError: error)
        }
    }

    /// Returns the whole path of the value that failed. An encoder that started with the path reports the whole path.
    /// An encoder that started without it reports only the rest.
    private static func joined(_ path: [any CodingKey], _ reported: [any CodingKey]) -> [any CodingKey] {
        let isWhole = reported.map(\.stringValue).starts(with: path.map(\.stringValue), by: ==)
        return isWhole ? reported : path + reported
    }
}

/// A key of a path: a name, or a position in an array.
struct ParameterKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    init(intValue: Int) {
        stringValue = String(intValue)
        self.intValue = intValue
    }
}

/// The parameters of a request: a dictionary literal, a dictionary, or a value of an `Encodable` type.
///
///     manager.get("users", parameters: ["page": 2, "active": true])
///     manager.get("users", parameters: .dictionary(fields))
///     manager.get("users", parameters: .encodable(filter))
///
/// The parameters become the query or the content of the request. These values are supported, in their Swift or
/// Foundation types: strings, numbers, booleans, dates, data, URLs, UUIDs, `NSNull`, optionals, and arrays, sets,
/// dictionaries and `KeyValuePairs` of these. Any other `Encodable` value encodes itself. For a raw-representable
/// value, the raw value is used.
public enum Parameters: ExpressibleByDictionaryLiteral {
    /// Names and values.
    case dictionary([String: Any])
    /// Values without names, as the top level of a JSON body.
    case array([Any])
    /// A value that encodes itself.
    case encodable(any Encodable)

    /// Creates parameters from a dictionary literal. If the literal has a name twice, the last value counts.
    public init(dictionaryLiteral elements: (String, Any)...) {
        self = .dictionary(Dictionary(elements, uniquingKeysWith: { $1 }))
    }

    /// The associated value of the case.
    var value: Any {
        switch self {
        case .dictionary(let dictionary): dictionary
        case .array(let array): array
        case .encodable(let value): value
        }
    }
}
