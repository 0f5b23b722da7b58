internal import HTTPSyntax

/// A style of ``QueryEncoder`` that is encoded by its name, unless it is a closure or object of the caller.
protocol PortableStyle: Sendable {
    /// The styles that consist of no closure or object of the caller, by their names.
    static var portable: [String: Self] { get }
    /// The name of the style; nil for one of the caller.
    var portableName: String? { get }
}

extension QueryEncoder.ArrayStyle: PortableStyle {
    static var portable: [String: Self] {
        ["brackets": .brackets, "noBrackets": .noBrackets, "indexInBrackets": .indexInBrackets]
    }

    var portableName: String? {
        switch self {
        case .brackets: "brackets"
        case .noBrackets: "noBrackets"
        case .indexInBrackets: "indexInBrackets"
        case .custom: nil
        }
    }
}

extension QueryEncoder.BooleanStyle: PortableStyle {
    static var portable: [String: Self] { ["numeric": .numeric, "literal": .literal] }

    var portableName: String? {
        switch self {
        case .numeric: "numeric"
        case .literal: "literal"
        }
    }
}

extension QueryEncoder.DataStyle: PortableStyle {
    static var portable: [String: Self] { ["base64": .base64, "hexadecimal": .hexadecimal] }

    var portableName: String? {
        switch self {
        case .base64: "base64"
        case .hexadecimal: "hexadecimal"
        case .custom: nil
        }
    }
}

extension QueryEncoder.DateStyle: PortableStyle {
    static var portable: [String: Self] {
        [
            "iso8601": .iso8601, "secondsSince1970": .secondsSince1970,
            "millisecondsSince1970": .millisecondsSince1970,
        ]
    }

    var portableName: String? {
        switch self {
        case .iso8601: "iso8601"
        case .secondsSince1970: "secondsSince1970"
        case .millisecondsSince1970: "millisecondsSince1970"
        case .formatted, .custom: nil
        }
    }
}

extension QueryEncoder.KeyStyle: PortableStyle {
    static var portable: [String: Self] {
        [
            "unchanged": .unchanged, "snakeCase": .snakeCase, "kebabCase": .kebabCase, "capitalized": .capitalized,
            "uppercased": .uppercased, "lowercased": .lowercased,
        ]
    }

    var portableName: String? {
        switch self {
        case .unchanged: "unchanged"
        case .snakeCase: "snakeCase"
        case .kebabCase: "kebabCase"
        case .capitalized: "capitalized"
        case .uppercased: "uppercased"
        case .lowercased: "lowercased"
        case .custom: nil
        }
    }
}

extension QueryEncoder.KeyPathStyle: PortableStyle {
    static var portable: [String: Self] { ["brackets": .brackets, "dots": .dots] }

    var portableName: String? {
        switch self {
        case .brackets: "brackets"
        case .dots: "dots"
        case .custom: nil
        }
    }
}

extension QueryEncoder.NullStyle: PortableStyle {
    static var portable: [String: Self] {
        ["keyOnly": .keyOnly, "drop": .drop, "literal": .literal, "empty": .empty]
    }

    var portableName: String? {
        switch self {
        case .keyOnly: "keyOnly"
        case .drop: "drop"
        case .literal: "literal"
        case .empty: "empty"
        case .custom: nil
        }
    }
}

extension QueryEncoder.SpaceStyle: PortableStyle {
    static var portable: [String: Self] { ["percentEscaped": .percentEscaped, "plusReplaced": .plusReplaced] }

    var portableName: String? {
        switch self {
        case .percentEscaped: "percentEscaped"
        case .plusReplaced: "plusReplaced"
        }
    }
}
