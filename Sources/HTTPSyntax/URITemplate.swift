/// A URI template (RFC 6570, level 4), such as `users/{id}/files{?page}`.
package struct URITemplate: Equatable, Sendable {
    /// The value of a variable. A list or pairs without an element are no value (section 2.3).
    package enum Value: Equatable, Sendable {
        case text(String)
        case list([String])
        /// Names with values, in their order.
        case pairs([Pair])

        fileprivate var isUndefined: Bool {
            switch self {
            case .text: false
            case .list(let items): items.isEmpty
            case .pairs(let pairs): pairs.isEmpty
            }
        }
    }

    package struct Pair: Equatable, Sendable {
        let name: String
        let value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    package enum Defect: Error, Equatable {
        /// A brace without its counterpart, or an expression that is not one of RFC 6570. The text begins there.
        case invalidExpression(String)
        /// The first characters of the variable are requested, but its value is a list or pairs (section 2.4.1).
        case prefixOfList(String)
    }

    private enum Part: Equatable {
        /// Text of the template. The reader of the reference escapes what a URL cannot contain (section 3.1).
        case literal(String)
        case expression(Expression)
    }

    private let parts: [Part]

    /// Parses a template.
    package init(_ text: String) throws(Defect) {
        var parts: [Part] = []
        var rest = text[...]
        while let brace = rest.utf8.firstIndex(where: { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "}") }) {
            if brace > rest.startIndex { parts.append(.literal(String(rest[..<brace]))) }
            guard rest.utf8[brace] == UInt8(ascii: "{"), let end = rest.utf8[brace...].firstIndex(of: UInt8(ascii: "}"))
            else { throw .invalidExpression(String(rest[brace...])) }
            guard let expression = Expression(rest[rest.utf8.index(after: brace)..<end]) else {
                throw .invalidExpression(String(rest[brace...end]))
            }
            parts.append(.expression(expression))
            rest = rest[rest.utf8.index(after: end)...]
        }
        if !rest.isEmpty { parts.append(.literal(String(rest))) }
        self.parts = parts
    }

    private var expressions: [Expression] {
        parts.compactMap { part in
            if case .expression(let expression) = part { expression } else { nil }
        }
    }

    /// The names of the variables, in the order of the template.
    package var names: [String] { expressions.flatMap(\.variables).map(\.name) }

    /// The expressions with their braces, in the order of the template. Each of them is one value of the reference.
    package var expressionTexts: [String] { expressions.map { "{\($0.text)}" } }

    /// Expands the template (section 3). A variable without a value is left out.
    /// - Parameter values: The values by the names of the variables.
    package func expanded(_ values: [TextKey: Value]) throws(Defect) -> AssembledReference {
        var reference = AssembledReference()
        for part in parts {
            switch part {
            case .literal(let text): reference.append(literal: text)
            case .expression(let expression):
                let texts = try expression.expanded(values)
                // The text before the values is the template's own. An expansion to nothing is a value too, as it may
                // join what stands around it.
                if !texts.isEmpty { reference.append(literal: expression.kind.prefix) }
                reference.append(value: texts.joined(separator: expression.kind.separator), mayBeEmpty: true)
            }
        }
        return reference
    }
}

extension URITemplate {
    /// An expression: an operator and variables (section 2.2).
    fileprivate struct Expression: Equatable {
        /// The text between the braces.
        let text: String
        let kind: Operator
        let variables: [Variable]

        /// Parses the text between the braces; nil if it is not an expression.
        init?(_ text: Substring) {
            let kind = text.utf8.first.flatMap { Operator(rawValue: $0) }
            let list = kind == nil ? text : text[text.utf8.index(after: text.startIndex)...]
            let texts = list.parts(separatedBy: ",", omittingEmptyParts: false)
            let variables = texts.compactMap { Variable($0) }
            guard variables.count == texts.count else { return nil }
            self.text = String(text)
            self.kind = kind ?? .simple
            self.variables = variables
        }

        /// Returns the expansions of the variables that have values.
        func expanded(_ values: [TextKey: Value]) throws(Defect) -> [String] {
            var texts: [String] = []
            for variable in variables {
                guard let value = values[TextKey(variable.name)], !value.isUndefined else { continue }
                texts.append(try kind.expand(variable, value))
            }
            return texts
        }
    }

    /// A variable of an expression, with its modifier (sections 2.3 and 2.4).
    fileprivate struct Variable: Equatable {
        let name: String
        /// The number of characters that are used; nil for all.
        private(set) var length: Int?
        /// Whether each element of a list or of pairs becomes a value of its own.
        private(set) var isExploded = false

        /// Parses a variable such as `name`, `name*` or `name:3`; nil if it is not one.
        init?(_ text: Substring) {
            var name = text
            if name.ends(with: "*") {
                isExploded = true
                name = Substring(name.utf8.dropLast())
            } else if let (before, digits) = name.cut(at: ":") {
                guard digits.utf8.first != UInt8(ascii: "0"), let length = digits.utf8.decimalNumber(atMost: 10000),
                    length < 10000
                else { return nil }
                self.length = length
                name = before
            }
            guard Self.isName(Array(name.utf8)) else { return nil }
            self.name = String(name)
        }

        /// Whether the bytes are letters, digits, underscores and escapes, with single dots between them.
        private static func isName(_ bytes: [UInt8]) -> Bool {
            var index = 0
            var mayEnd = false
            while index < bytes.count {
                switch bytes[index] {
                case UInt8(ascii: "."):
                    guard mayEnd else { return false }
                    mayEnd = false
                case UInt8(ascii: "%"):
                    guard PercentEncoding.beginsEscape(bytes[index...]) else { return false }
                    index += 2
                    mayEnd = true
                case let byte:
                    guard byte.isLetter || byte.isDigit || byte == UInt8(ascii: "_") else { return false }
                    mayEnd = true
                }
                index += 1
            }
            return mayEnd
        }
    }

    /// The operator of an expression (appendix A).
    fileprivate enum Operator: UInt8 {
        // No operator is written. The byte does not occur in UTF-8.
        case simple = 0xFF
        case reserved = 0x2B
        case fragment = 0x23
        case label = 0x2E
        case path = 0x2F
        case parameters = 0x3B
        case query = 0x3F
        case continuation = 0x26

        /// The text before the first value.
        var prefix: String {
            switch self {
            case .simple, .reserved: ""
            case .fragment: "#"
            case .label: "."
            case .path: "/"
            case .parameters: ";"
            case .query: "?"
            case .continuation: "&"
            }
        }

        var separator: String {
            switch self {
            case .simple, .reserved, .fragment: ","
            case .query: "&"
            case .label, .path, .parameters, .continuation: prefix
            }
        }

        private var hasNames: Bool { self == .parameters || self == .query || self == .continuation }

        /// The text behind a name whose value is empty.
        private var emptyValue: String { self == .parameters ? "" : "=" }

        private static func isAllowedInReserved(_ byte: UInt8) -> Bool {
            PercentEncoding.isUnreserved(byte) || PercentEncoding.isReserved(byte)
        }

        func expand(_ variable: Variable, _ value: Value) throws(Defect) -> String {
            switch value {
            case .text(let text):
                // Characters are code points here (section 2.4.1).
                let start = variable.length.map { String(String.UnicodeScalarView(text.unicodeScalars.prefix($0))) }
                return named(variable.name, escape(start ?? text))
            case .list, .pairs:
                guard variable.length == nil else { throw .prefixOfList(variable.name) }
                guard variable.isExploded else { return named(variable.name, elements(of: value)) }
                return exploded(variable.name, value).joined(separator: separator)
            }
        }

        private func elements(of value: Value) -> String {
            switch value {
            case .text(let text): escape(text)
            case .list(let items): items.map(escape).joined(separator: ",")
            case .pairs(let pairs): pairs.map { escape($0.name) + "," + escape($0.value) }.joined(separator: ",")
            }
        }

        private func exploded(_ name: String, _ value: Value) -> [String] {
            switch value {
            case .text(let text): [named(name, escape(text))]
            case .list(let items): items.map { named(name, escape($0)) }
            case .pairs(let pairs):
                pairs.map { pair in
                    let (name, value) = (escape(pair.name), escape(pair.value))
                    return hasNames ? named(name, value) : name + "=" + value
                }
            }
        }

        private func named(_ name: String, _ value: String) -> String {
            guard hasNames else { return value }
            return name + (value.isEmpty ? emptyValue : "=" + value)
        }

        /// Escapes a value. Reserved expansions keep reserved characters and escapes (section 3.2.1).
        private func escape(_ text: String) -> String {
            self == .reserved || self == .fragment
                ? PercentEncoding.escaping(text, unless: Self.isAllowedInReserved)
                : PercentEncoding.escapingAll(text, unless: PercentEncoding.isUnreserved)
        }
    }
}
