import HTTPSyntax
internal import JSONSyntax

/// A JSON value (RFC 8259) of any kind, for content that the program has no type for.
///
///     let user = try await manager.get("users/1").value()
///     print(user["name"].string ?? "", user["address"]["lines"][0].string ?? "")
///
/// A `JSONValue` is also `Encodable`, and can be written as a literal. So it can be the body of a request, or a
/// parameter:
///
///     let order: JSONValue = ["item": "tea", "count": 2, "tags": ["new", "vip"], "note": nil]
///     let receipt = try await manager.post("orders", body: .json(order)).value()
///
/// Numbers are equal if their values are equal: `1` and `1.0` are the same value. Decoding is exact for integers of 64
/// bits, signed or unsigned. Other numbers become the nearest `Double`.
public enum JSONValue: Sendable, Hashable {
    /// The value `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number without a fraction.
    case integer(Int128)
    /// A number with a fraction or an exponent. JSON has no infinity.
    case number(Double)
    /// A text.
    case string(String)
    /// A list of values.
    case array([JSONValue])
    /// Members, by their names.
    case object([String: JSONValue])
}

extension JSONValue {
    /// Creates a number from an integer.
    /// - Parameter value: The number. A number that needs more than 128 bits becomes the nearest `Double`.
    public init(_ value: some BinaryInteger) {
        self = Int128(exactly: value).map(JSONValue.integer) ?? .number(Double(value))
    }

    /// Creates a number from a floating-point number.
    /// - Parameter value: The number. A number that is not finite cannot be encoded as JSON.
    public init(_ value: Double) { self = .number(value) }

    /// Creates a string.
    /// - Parameter value: The text.
    public init(_ value: some StringProtocol) { self = .string(String(value)) }

    /// Creates a boolean.
    /// - Parameter value: True or false.
    public init(_ value: Bool) { self = .bool(value) }

    /// Whether the value is `null`. The subscripts return `null` for a member or an element that does not exist.
    var isNull: Bool { self == .null }

    /// The boolean; nil if the value is of another kind.
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

    /// The text; nil if the value is of another kind.
    public var string: String? { if case .string(let value) = self { value } else { nil } }

    /// The integer; nil if the value is of another kind, has a fraction, or does not fit into an `Int`.
    public var int: Int? { whole.flatMap { Int(exactly: $0) } }

    /// The integer from 0 to 2⁶⁴ − 1; nil if the value is of another kind, has a fraction, or is outside this range.
    package var uint64: UInt64? { whole.flatMap { UInt64(exactly: $0) } }

    /// The number, or the nearest `Double` to it; nil if the value is of another kind.
    public var double: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }

    /// The elements; nil if the value is of another kind.
    public var array: [JSONValue]? { if case .array(let value) = self { value } else { nil } }

    /// The members; nil if the value is of another kind.
    public var object: [String: JSONValue]? { if case .object(let value) = self { value } else { nil } }

    /// The member with a name; `null` if there is none, or if the value is not an object. ``object`` distinguishes
    /// these cases.
    ///
    /// Setting a member replaces the former one. A value that is not an object becomes an object with this member
    /// alone, so that `value["a"]["b"] = 1` creates the missing objects.
    public subscript(name: String) -> JSONValue {
        get { object?[name] ?? .null }
        set {
            var members = object ?? [:]
            // Releases the reference of this value to its members. Otherwise the change would copy them.
            self = .null
            members[name] = newValue
            self = .object(members)
        }
    }

    /// The element at an index; `null` if there is none, or if the value is not an array.
    ///
    /// Setting the element after the last one appends it, also to `null`, which becomes an array. Setting another
    /// element that does not exist, or an element of a value of another kind, has no effect.
    public subscript(index: Int) -> JSONValue {
        get {
            guard let array, array.indices.contains(index) else { return .null }
            return array[index]
        }
        set {
            guard var elements = isNull ? [] : array, (0...elements.count).contains(index) else { return }
            self = .null
            if index == elements.count { elements.append(newValue) } else { elements[index] = newValue }
            self = .array(elements)
        }
    }

    /// The number as an integer; nil if it has a fraction, or if the value is not a number.
    private var whole: Int128? {
        switch self {
        case .integer(let value): value
        case .number(let value): Int128(exactly: value)
        default: nil
        }
    }

    /// Returns whether two values are equal. Numbers are compared by their values.
    public static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.string(let left), .string(let right)): left == right
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)):
            left.count == right.count && left.allSatisfy { right[$0.key] == $0.value }
        case (.number(let left), .number(let right)): left == right
        // Compared as integers, because different integers may convert to the same `Double`.
        case (.integer, .integer), (.integer, .number), (.number, .integer): left.whole == right.whole
        default: false
        }
    }

    /// Adds the value to a hash. Equal numbers have the same hash, for example the integer 1 and the number 1.0.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        case .string(let value): hasher.combine(value)
        case .array(let value): hasher.combine(value)
        case .object(let value): hasher.combine(value)
        case .integer(let value): hasher.combine(value)
        case .number(let value):
            // The same hash as for the equal integer.
            if let whole { hasher.combine(whole) } else { hasher.combine(value) }
        }
    }
}

extension JSONValue: Codable {
    /// The maximum nesting depth of arrays and objects, as for `JSONDecoder`. Values are encoded by recursion, which
    /// would exhaust the stack without a limit.
    private static let maximumDepth = 512

    /// Decodes a value of any kind.
    /// - Parameter decoder: The decoder of JSON or of another format with these kinds of values.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(Int128(value))
        } else if let value = try? container.decode(UInt64.self) {
            self = .integer(Int128(value))
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if (try? decoder.unkeyedContainer()) != nil {
            self = .array(try container.decode([JSONValue].self))
        } else {
            // Decoded as a dictionary, because a decoder's strategy for keys does not change the keys of dictionaries.
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    /// Encodes the value.
    /// - Parameter encoder: The encoder.
    /// - Throws: `EncodingError` for a number that is not finite, and for nesting deeper than 512 levels.
    public func encode(to encoder: any Encoder) throws {
        guard encoder.codingPath.count <= Self.maximumDepth else {
            let reason = "A JSON value may be nested \(Self.maximumDepth) levels deep and no deeper."
            throw EncodingError.invalidValue(
                JSONValue.null,
                .init(codingPath: Array(encoder.codingPath.prefix(4)), debugDescription: reason)
            )
        }
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .integer(let value):
            // Some encoders do not support integers of 128 bits.
            if let value = Int64(exactly: value) {
                try container.encode(value)
            } else if let value = UInt64(exactly: value) {
                try container.encode(value)
            } else {
                try container.encode(value)
            }
        }
    }
}

extension JSONValue {
    /// Creates a value from JSON in UTF-8; nil for other content, which `JSONDecoder` reads or rejects.
    ///
    /// The result is the same as with `JSONDecoder`, in a fraction of the time. A decoder is slower because it has to
    /// try each type that a value may have.
    init?(json data: Data) {
        guard let node = try? JSONNode(Array(data)) else { return nil }
        self.init(node)
    }

    private init?(_ node: JSONNode) {
        switch node.kind {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .string(let value): self = .string(value)
        case .number(let digits):
            guard let number = JSONValue(number: digits) else { return nil }
            self = number
        case .array(let nodes):
            var elements: [JSONValue] = []
            elements.reserveCapacity(nodes.count)
            for node in nodes {
                guard let element = JSONValue(node) else { return nil }
                elements.append(element)
            }
            self = .array(elements)
        case .object(let nodes):
            var members: [String: JSONValue] = [:]
            members.reserveCapacity(nodes.count)
            for node in nodes {
                guard let member = JSONValue(node.value) else { return nil }
                // If several members have the same name, Foundation uses the first one.
                if members[node.name] == nil { members[node.name] = member }
            }
            self = .object(members)
        }
    }

    private init?(number digits: String) {
        if let value = Int64(digits) {
            self = .integer(Int128(value))
        } else if let value = UInt64(digits) {
            self = .integer(Int128(value))
        } else {
            // A number beyond the range of `Double` becomes infinite.
            guard let value = Double(digits), value.isFinite else { return nil }
            // As with a decoder, a whole number such as 1.0 becomes an integer if it is exact.
            self = value.magnitude < 0x1p53 && value == value.rounded() ? .integer(Int128(value)) : .number(value)
        }
    }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringInterpolation, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral
{
    /// Creates the value `null`.
    public init(nilLiteral: ()) { self = .null }
    /// Creates a boolean.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Creates a number without a fraction.
    public init(integerLiteral value: Int128) { self = .integer(value) }
    /// Creates a number with a fraction.
    public init(floatLiteral value: Double) { self = .number(value) }
    /// Creates a text.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Creates a list of values.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// Creates an object. If several members have the same name, the last one is used.
    public init(dictionaryLiteral members: (String, JSONValue)...) {
        self = .object(Dictionary(members, uniquingKeysWith: { $1 }))
    }
}

extension JSONValue: EmptyContentRepresentable {
    /// `null`, for a response without content.
    public static var emptyContent: JSONValue { .null }
}

extension JSONValue: ParameterValueConvertible {
    var parameterValue: ParameterValue {
        switch self {
        case .null: .null
        case .bool(let value): .boolean(value)
        case .integer(let value): .number(.init(text: "\(value)", object: value.foundationObject, isFinite: true))
        case .number(let value): value.parameterValue
        case .string(let value): .string(value)
        case .array(let value): .array(value)
        case .object(let value): value.parameterValue
        }
    }
}

extension JSONValue: CustomStringConvertible {
    /// The value as JSON in one line, with the members sorted by name. For a value that cannot be encoded, because a
    /// number is not finite or the nesting is too deep, the text is `…`.
    public var description: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "…"
    }
}

extension Int128 {
    /// The number as an object for Foundation's serializers. It is exact up to 64 bits, otherwise the nearest `Double`.
    fileprivate var foundationObject: Any {
        Int64(exactly: self) as Any? ?? UInt64(exactly: self) as Any? ?? Double(self)
    }
}
