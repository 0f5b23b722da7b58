internal import HTTPSyntax

/// An ordered collection of header fields, in which each name occurs once, regardless of its case (RFC 9110, section
/// 5).
///
/// ```swift
/// var headers: HTTPHeaders = ["Accept": "application/json"]
/// headers["X-Request-ID"] = "42"
/// headers["accept"] = nil
/// headers.set(.authorization(bearerToken: token))
/// ```
///
/// Printed headers hide credentials, cookies, and fields whose names suggest a secret. Headers are equal if they
/// contain the same fields. The order does not count, because the order of different fields has no meaning (RFC 9110,
/// section 5.3).
public struct HTTPHeaders: Sendable {
    private var fields: [Field] = []

    /// Creates empty headers.
    public init() {}

    /// Creates headers from fields in their order. If several fields have the same name, the last one is used, in the
    /// position of the first one.
    public init(_ fields: some Sequence<Field>) {
        var collector = Collector()
        for field in fields { collector.set(field) }
        self.fields = collector.fields
    }

    /// Creates headers from a dictionary, sorted by name because a dictionary has no order.
    ///
    /// Values of names that differ only in case are joined by a comma, or by a semicolon for `Cookie`.
    public init(_ dictionary: [String: String]) {
        var collector = Collector()
        for (name, value) in dictionary.sorted(by: { $0.key < $1.key }) {
            collector.add(Field(name: name, value: value))
        }
        fields = collector.fields
    }

    /// Creates headers from `HTTPURLResponse.allHeaderFields`, sorted by name.
    ///
    /// An entry whose name is not a string is left out. A value that is not a string becomes its description.
    public init(allHeaderFields: [AnyHashable: Any]) {
        let pairs = allHeaderFields.compactMap { key, value in
            (key.base as? String).map { ($0, (value as? String) ?? String(describing: value)) }
        }
        self.init(Dictionary(pairs, uniquingKeysWith: { first, _ in first }))
    }

    /// The value of a field; nil if there is none. Setting a value keeps the field's position; setting nil removes the
    /// field.
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

    /// Replaces the field with the same name, in its position. If there is none, appends the field.
    public mutating func set(_ field: Field) {
        if let index = index(of: field.name) {
            fields[index] = field
        } else {
            fields.append(field)
        }
    }

    /// Adds a value to the field with the same name. The old and the new value are joined by a comma (RFC 9110, section
    /// 5.3), or for `Cookie` by a semicolon (RFC 6265, section 4.2.1).
    ///
    /// Joined values of `Set-Cookie` cannot be separated again: read cookies with `HTTPCookie`.
    public mutating func add(_ field: Field) {
        guard let index = index(of: field.name) else { return fields.append(field) }
        let value = fields[index].value + Self.separator(of: field.name) + field.value
        fields[index] = Field(name: fields[index].name, value: value)
    }

    /// Removes a field. Does nothing if there is none.
    /// - Parameter name: The field's name, in any case.
    public mutating func remove(_ name: String) {
        if let index = index(of: name) { fields.remove(at: index) }
    }

    /// Sets all fields of other headers. They replace the existing fields with the same names.
    public mutating func merge(_ other: HTTPHeaders) {
        var collector = Collector(self)
        for field in other { collector.set(field) }
        fields = collector.fields
    }

    /// The names and values, in the form that `URLRequest` and `URLSessionConfiguration` accept.
    public var dictionary: [String: String] {
        Dictionary(fields.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
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
    /// Creates headers from names and values in their order. If a name occurs several times, its last value is used.
    public init(dictionaryLiteral elements: (String, String)...) {
        self.init(elements.map { Field(name: $0, value: $1) })
    }

    /// Creates headers from fields in their order. If several fields have the same name, the last one is used.
    public init(arrayLiteral elements: Field...) {
        self.init(elements)
    }
}

extension HTTPHeaders: Hashable {
    /// Compares the fields without regard to their order.
    public static func == (left: HTTPHeaders, right: HTTPHeaders) -> Bool {
        left.count == right.count && Set(left.fields) == Set(right.fields)
    }

    /// Hashes the fields without regard to their order.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(Set(fields))
    }
}

extension HTTPHeaders: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The fields, each on its own line, with sensitive values hidden.
    public var description: String { fields.map(\.description).joined(separator: "\n") }

    /// The fields on one line, with sensitive values hidden.
    public var debugDescription: String { "[\(fields.map(\.description).joined(separator: ", "))]" }

    /// A mirror without sensitive values, for `dump` and debuggers.
    public var customMirror: Mirror {
        Mirror(self, unlabeledChildren: fields, displayStyle: .collection)
    }
}

extension URLRequest {
    /// The header fields of the request, sorted by name because a request keeps no order.
    public var headers: HTTPHeaders {
        get { HTTPHeaders(allHTTPHeaderFields ?? [:]) }
        set { allHTTPHeaderFields = newValue.dictionary }
    }
}

extension HTTPURLResponse {
    /// The header fields of the response, sorted by name because a response keeps no order.
    public var headers: HTTPHeaders { HTTPHeaders(allHeaderFields: allHeaderFields) }
}

extension HTTPHeaders {
    /// A collection of header fields under construction. Each field is found in constant time, because a server may
    /// send tens of thousands of fields.
    package struct Collector {
        private var names: [String] = []
        private var values: [String] = []
        private var places: [CaselessName: Int] = [:]

        package init() {}

        /// Creates a collector that contains the fields of headers.
        init(_ headers: HTTPHeaders) {
            for field in headers { set(field) }
        }

        /// Replaces the field with the same name, in its position. If there is none, appends the field.
        mutating func set(_ field: Field) {
            if let place = place(of: field) {
                names[place] = field.name
                values[place] = field.value
            }
        }

        /// Adds a value to the field with the same name.
        package mutating func add(_ field: Field) {
            if let place = place(of: field) { values[place] += HTTPHeaders.separator(of: field.name) + field.value }
        }

        /// Returns the position of the field with the same name. If there is none, appends this field and returns nil.
        private mutating func place(of field: Field) -> Int? {
            let key = CaselessName(field.name)
            if let place = places[key] { return place }
            places[key] = names.count
            names.append(field.name)
            values.append(field.value)
            return nil
        }

        package var fields: [Field] { zip(names, values).map { Field(name: $0, value: $1) } }
    }

    /// Returns the separator between values of one field: a comma (RFC 9110, section 5.3), or for `Cookie` a semicolon
    /// (RFC 6265, section 4.2.1).
    static func separator(of name: String) -> String { name.hasSameLetters(as: "Cookie") ? "; " : ", " }
}
