internal import HTTPSyntax

/// Where in the parameters something is, and the errors that say so.
enum ParameterPath {
    /// The depth to which parameters may be nested. A limit is needed because they are walked by recursion, and may
    /// contain themselves.
    static let maximumDepth = 64

    /// A path as it is written in Swift: `filter.tags[2]`.
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

    /// An error that names the parameter and the type of its value, and never the value.
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

    /// What an encoder or a caller's closure threw: a `LarkspurError` as it is, anything else underneath one.
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

    /// The whole path of what failed: an encoder that started at the path reports all of it, one that started anew only
    /// what is below.
    private static func joined(_ path: [any CodingKey], _ reported: [any CodingKey]) -> [any CodingKey] {
        let isWhole = reported.map(\.stringValue).starts(with: path.map(\.stringValue))
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
