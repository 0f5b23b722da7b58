import HTTPSyntax
import JSONSyntax

/// A key of nested JSON, as in `user[names][0]` or `tags[]`.
struct JSONPath: Equatable {
    enum Step: Equatable {
        case member(String)
        case index(Int)
        case append
    }

    /// The largest index. Without this limit, a short argument could create a huge array.
    static let maximumIndex = 100_000

    /// The error for a key that is malformed or contradicts earlier keys.
    struct Failure: Error, Equatable {
        let message: String
    }

    private(set) var steps: [Step] = []

    /// Reads a key. A bracket after a backslash, and a number in brackets after a backslash, are plain text.
    init(_ text: String) throws(Failure) {
        // Scalars and not characters: an accent after a bracket would make one character with it.
        var rest = text[...].unicodeScalars
        let root = Self.readText(&rest)
        // If the root is an array, it has no name: `[0]=a`, `[]=a`.
        if !root.text.isEmpty || rest.first != "[" { steps.append(.member(root.text)) }
        while let bracket = rest.popFirst() {
            guard bracket == "[" else {
                throw Failure(message: "The key “\(text)” has a bracket too many, or no bracket where one is needed.")
            }
            let part = Self.readText(&rest)
            guard rest.popFirst() == "]" else { throw Failure(message: "The key “\(text)” lacks a closing bracket.") }
            try add(part, in: text)
        }
        if steps.first != .append, case .member(let name) = steps.first, name.isEmpty, text.begins(with: "[") {
            throw Failure(message: "The key “\(text)” begins with a name in brackets; leave the brackets out.")
        }
    }

    private mutating func add(_ part: (text: String, isEscaped: Bool), in key: String) throws(Failure) {
        if part.text.isEmpty, !part.isEscaped {
            steps.append(.append)
        } else if !part.isEscaped, let index = Int(part.text) {
            guard (0...Self.maximumIndex).contains(index) else {
                throw Failure(message: "The index \(index) in “\(key)” is not between 0 and \(Self.maximumIndex).")
            }
            steps.append(.index(index))
        } else {
            if steps.isEmpty {
                throw Failure(message: "The key “\(key)” begins with a name in brackets; leave the brackets out.")
            }
            steps.append(.member(part.text))
        }
    }

    /// Reads up to the next bracket.
    private static func readText(_ rest: inout Substring.UnicodeScalarView) -> (text: String, isEscaped: Bool) {
        var text = String.UnicodeScalarView()
        var isEscaped = false
        while let scalar = rest.first, scalar != "[", scalar != "]" {
            rest.removeFirst()
            guard scalar == "\\", let next = rest.first else {
                text.append(scalar)
                continue
            }
            if "[]\\".unicodeScalars.contains(next) {
                rest.removeFirst()
                text.append(next)
                isEscaped = true
            } else if text.isEmpty, Int(Substring(rest.prefix { $0 != "]" && $0 != "[" })) != nil {
                isEscaped = true
            } else {
                text.append(scalar)
            }
        }
        return (String(text), isEscaped)
    }

    /// Sets the value at the path, and creates missing arrays and objects on the path.
    func set(_ value: JSONNode, in root: inout JSONNode?) throws(Failure) {
        try Self.set(value, at: steps[...], in: &root)
    }

    private static func set(
        _ value: JSONNode,
        at steps: ArraySlice<Step>,
        in target: inout JSONNode?
    ) throws(Failure) {
        guard let step = steps.first else {
            target = value
            return
        }
        let rest = steps.dropFirst()
        switch step {
        case .member(let name):
            guard case .object(var members) = target?.kind ?? .object([]) else { throw mismatch(target, "object") }
            let index = members.firstIndex { $0.name == name }
            var member = index.map { members[$0].value }
            try set(value, at: rest, in: &member)
            if let index {
                members[index].value = member ?? JSONNode(.null)
            } else {
                members.append(JSONNode.Member(name: name, value: member ?? JSONNode(.null)))
            }
            target = JSONNode(.object(members))
        case .index(let index):
            guard case .array(var elements) = target?.kind ?? .array([]) else { throw mismatch(target, "array") }
            while elements.count <= index { elements.append(JSONNode(.null)) }
            var element: JSONNode? = elements[index].kind == .null && !rest.isEmpty ? nil : elements[index]
            try set(value, at: rest, in: &element)
            elements[index] = element ?? JSONNode(.null)
            target = JSONNode(.array(elements))
        case .append:
            guard case .array(var elements) = target?.kind ?? .array([]) else { throw mismatch(target, "array") }
            var element: JSONNode?
            try set(value, at: rest, in: &element)
            elements.append(element ?? JSONNode(.null))
            target = JSONNode(.array(elements))
        }
    }

    private static func mismatch(_ value: JSONNode?, _ needed: String) -> Failure {
        Failure(
            message:
                "A key uses as an \(needed) what another one has made a value of the type \(value?.typeName ?? "null")."
        )
    }
}
