internal import HTTPSyntax

/// Header fields in order, each name once whatever its case (RFC 9110, section 5).
///
/// ```swift
/// var headers: HTTPHeaders = ["Accept": "application/json"]
/// headers["X-Request-ID"] = "42"
/// headers["accept"] = nil
/// headers.set(.authorization(bearerToken: token))
/// ```
///
/// Printing headers hides credentials, cookies and what looks like a secret by its name. Two are equal when they hold
/// the same fields; the order counts for nothing, as the order of different fields has no meaning (RFC 9110, section
/// 5.3).
public struct HTTPHeaders: Sendable {
    private var fields: [Field] = []

    /// Makes empty headers.
    public init() {}

    /// Makes headers of fields in their order; of several with one name, the last counts, in the place of the first.
    public init(_ fields: some Sequence<Field>) {
        var collector = Collector()
        for field in fields { collector.set(field) }
        self.fields = collector.fields
    }

    /// Makes headers of a dictionary, sorted by name, as a dictionary has no order.
    ///
    /// Values of names that differ only in case are joined as by ``add(_:)``.
    public init(_ dictionary: [String: String]) {
        var collector = Collector()
        for (name, value) in dictionary.sorted(by: { $0.key < $1.key }) {
            collector.add(Field(name: name, value: value))
        }
        fields = collector.fields
    }

    /// Makes headers of what `HTTPURLResponse.allHeaderFields` returns, sorted by name.
    ///
    /// Entries whose name is no string are left out; values that are no strings are described.
    public init(allHeaderFields: [AnyHashable: Any]) {
        let pairs = allHeaderFields.compactMap { key, value in
            (key.base as? String).map { ($0, (value as? String) ?? String(describing: value)) }
        }
        self.init(Dictionary(pairs, uniquingKeysWith: { first, _ in first }))
    }

    /// The value of a field; nil if there is none. Setting keeps the field's place, setting nil removes it.
    /// - Parameter name: The field's name, in any case.
    public subscript(name: String) -> String? {
        get { index(of: name).map { fields[$0].value } }
        set {
            if let newValue {
                set(Field(name: name, value: newValue))
            } else {
                remove(name)
            }
        }
    }

    /// Sets a field, in the place of the one with its name, or else at the end.
    public mutating func set(_ field: Field) {
        if let index = index(of: field.name) {
            fields[index] = field
        } else {
            fields.append(field)
        }
    }

    /// Adds a value: joined by a comma to the one that the field has (RFC 9110, section 5.3), by a semicolon for
    /// `Cookie` (RFC 6265, section 4.2.1).
    ///
    /// `Set-Cookie` cannot be joined so that it can be told apart again: read cookies with `HTTPCookie`.
    public mutating func add(_ field: Field) {
        guard let index = index(of: field.name) else { return fields.append(field) }
        let value = fields[index].value + Self.separator(of: field.name) + field.value
        fields[index] = Field(name: fields[index].name, value: value)
    }

    /// Removes a field, and does nothing if there is none.
    /// - Parameter name: The field's name, in any case.
    public mutating func remove(_ name: String) {
        if let index = index(of: name) { fields.remove(at: index) }
    }

    /// Sets every field of other headers, which win over those that are there.
    public mutating func merge(_ other: HTTPHeaders) {
        var collector = Collector(self)
        for field in other { collector.set(field) }
        fields = collector.fields
    }

    /// Names and values, as `URLRequest` and `URLSessionConfiguration` take them.
    public var dictionary: [String: String] {
        Dictionary(fields.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    }

    /// Checks that every field can be sent as it is: the name is a token, the value holds no CR, LF or NUL.
    /// - Throws: ``LarkspurError`` with the code `invalidHeaderField`, which names the field and never prints its
    ///   value.
    public func validate() throws(LarkspurError) {
        for field in fields { try field.validate() }
    }

    private func index(of name: String) -> Int? {
        fields.firstIndex { $0.name.hasSameLetters(as: name) }
    }
}

extension HTTPHeaders: RandomAccessCollection {
    /// The position of the first field.
    public var startIndex: Int { fields.startIndex }
    /// The position after the last field.
    public var endIndex: Int { fields.endIndex }
    /// The field at a position.
    public subscript(position: Int) -> Field { fields[position] }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral {
    /// Makes headers of names and values in their order; of several with one name, the last counts.
    public init(dictionaryLiteral elements: (String, String)...) {
        self.init(elements.map { Field(name: $0, value: $1) })
    }

    /// Makes headers of fields in their order; of several with one name, the last counts.
    public init(arrayLiteral elements: Field...) {
        self.init(elements)
    }
}

extension HTTPHeaders: Hashable {
    /// Compares the fields, whatever their order.
    public static func == (left: HTTPHeaders, right: HTTPHeaders) -> Bool {
        left.count == right.count && Set(left.fields) == Set(right.fields)
    }

    /// Hashes the fields, whatever their order.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(Set(fields))
    }
}

extension HTTPHeaders: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A field a line, with sensitive values hidden.
    public var description: String { fields.map(\.description).joined(separator: "\n") }

    /// The fields on one line, with sensitive values hidden.
    public var debugDescription: String { "[\(fields.map(\.description).joined(separator: ", "))]" }

    /// A mirror that holds no sensitive value, for `dump` and debuggers.
    public var customMirror: Mirror {
        Mirror(self, unlabeledChildren: fields, displayStyle: .collection)
    }
}

extension URLRequest {
    /// The header fields that are set on the request; sorted by name, as a request keeps no order.
    public var headers: HTTPHeaders {
        get { HTTPHeaders(allHTTPHeaderFields ?? [:]) }
        set { allHTTPHeaderFields = newValue.dictionary }
    }
}

extension HTTPURLResponse {
    /// The header fields of the response; sorted by name, as a response keeps no order.
    public var headers: HTTPHeaders { HTTPHeaders(allHeaderFields: allHeaderFields) }
}
