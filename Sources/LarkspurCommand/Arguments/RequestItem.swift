import HTTPSyntax

/// An item of the command line in HTTPie's notation: a field, a query parameter, or data.
struct RequestItem: Equatable, Sendable {
    /// The kind of an item. The raw value is the separator between its name and its value.
    enum Kind: String, Sendable, CaseIterable {
        case header = ":"
        case emptyHeader = ";"
        case headerFile = ":@"
        case query = "=="
        case queryFile = "==@"
        case text = "="
        case textFile = "=@"
        case json = ":="
        case jsonFile = ":=@"
        case file = "@"

        /// Whether the item is part of the request's body.
        var isData: Bool {
            switch self {
            case .text, .textFile, .json, .jsonFile, .file: true
            case .header, .emptyHeader, .headerFile, .query, .queryFile: false
            }
        }
    }

    let name: String
    let kind: Kind
    let value: String

    init(_ name: String, _ kind: Kind, _ value: String) {
        self.name = name
        self.kind = kind
        self.value = value
    }

    /// Reads an item. The first separator in the text divides the name from the value. If several separators match at
    /// its position, the longest one counts. A separator after a backslash is part of the name.
    init(parsing text: String) throws(UsageError) {
        // Scalars and not characters: an accent at the start of the value would make one character with the separator.
        let scalars = Array(text.unicodeScalars)
        var name = String.UnicodeScalarView()
        var index = 0
        while index < scalars.count {
            if scalars[index] == "\\", index + 1 < scalars.count {
                // An escaped character of a separator loses its backslash. Other characters keep it, because keys of
                // nested JSON use backslashes too.
                if !Self.isSpecial(scalars[index + 1]) { name.append("\\") }
                name.append(scalars[index + 1])
                index += 2
            } else if let kind = Self.separator(in: scalars, at: index) {
                let value = Self.unescaped(scalars[(index + kind.rawValue.unicodeScalars.count)...])
                self.init(String(name), kind, value)
                if kind == .emptyHeader, !value.isEmpty {
                    throw UsageError("“\(name);…” is no valid item: an empty field is written as “\(name);”.")
                }
                return
            } else {
                name.append(scalars[index])
                index += 1
            }
        }
        throw UsageError("“\(text)” is no valid item: it has none of the separators \(Self.list).")
    }

    /// Returns the positions of the value's bytes, if the item has the name of a secret, and its value is not the path
    /// of a file; otherwise nil.
    static func secret(in text: String) -> Range<Int>? {
        guard let item = try? RequestItem(parsing: text), SecretName.matches(item.name), !item.value.isEmpty else {
            return nil
        }
        switch item.kind {
        case .header, .query, .text, .json: break
        case .emptyHeader, .headerFile, .queryFile, .textFile, .jsonFile, .file: return nil
        }
        // A name with escapes is longer in the argument than in the item, so it is hidden too.
        let start = item.name + item.kind.rawValue
        return (text.begins(with: start) ? start.utf8.count : 0)..<text.utf8.count
    }

    private static let list = Kind.allCases.map(\.rawValue).joined(separator: " ")

    private static func isSpecial(_ scalar: Unicode.Scalar) -> Bool { ":;=@".unicodeScalars.contains(scalar) }

    private static func separator(in scalars: [Unicode.Scalar], at index: Int) -> Kind? {
        guard isSpecial(scalars[index]) else { return nil }
        return (1...3).reversed().lazy
            .compactMap { length in
                guard index + length <= scalars.count else { return nil }
                return Kind(rawValue: String(String.UnicodeScalarView(scalars[index..<index + length])))
            }
            .first
    }

    private static func unescaped(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        var text = String.UnicodeScalarView()
        var rest = scalars
        while let scalar = rest.popFirst() {
            if scalar == "\\", let next = rest.first, isSpecial(next) {
                rest.removeFirst()
                text.append(next)
            } else {
                text.append(scalar)
            }
        }
        return String(text)
    }
}
