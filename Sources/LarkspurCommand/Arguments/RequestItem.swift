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
        let characters = Array(text)
        var name = ""
        var index = 0
        while index < characters.count {
            if characters[index] == "\\", index + 1 < characters.count {
                // An escaped character of a separator loses its backslash. Other characters keep it, because keys of
                // nested JSON use backslashes too.
                if !Self.isSpecial(characters[index + 1]) { name.append("\\") }
                name.append(characters[index + 1])
                index += 2
            } else if let kind = Self.separator(in: characters, at: index) {
                let value = Self.unescaped(characters[(index + kind.rawValue.count)...])
                self.init(name, kind, value)
                if kind == .emptyHeader, !value.isEmpty {
                    throw UsageError("“\(name);…” is no valid item: an empty field is written as “\(name);”.")
                }
                return
            } else {
                name.append(characters[index])
                index += 1
            }
        }
        throw UsageError("“\(text)” is no valid item: it has none of the separators \(Self.list).")
    }

    private static let list = Kind.allCases.map(\.rawValue).joined(separator: " ")

    private static func isSpecial(_ character: Character) -> Bool { ":;=@".contains(character) }

    private static func separator(in characters: [Character], at index: Int) -> Kind? {
        guard isSpecial(characters[index]) else { return nil }
        return (1...3).reversed().lazy
            .compactMap { length in
                index + length <= characters.count ? Kind(rawValue: String(characters[index..<index + length])) : nil
            }
            .first
    }

    private static func unescaped(_ characters: ArraySlice<Character>) -> String {
        var text = ""
        var rest = characters
        while let character = rest.popFirst() {
            if character == "\\", let next = rest.first, isSpecial(next) {
                rest.removeFirst()
                text.append(next)
            } else {
                text.append(character)
            }
        }
        return text
    }
}
