/// A converter of parameters into the objects that `JSONSerialization` and `PropertyListSerialization` write.
///
/// For values of unknown types both terminate the process or write a wrong value. Therefore every value is checked here
/// first.
struct ObjectGraph {
    enum Format: String {
        case json = "JSON"
        case propertyList = "a property list"
    }

    let format: Format
    /// The closure that converts an `Encodable` value into objects with the serializer's encoder.
    let encode: (any Encodable) throws -> Any

    func object(of value: Any, at path: [any CodingKey], depth: Int) throws(LarkspurError) -> Any {
        guard depth <= ParameterPath.maximumDepth else {
            throw ParameterPath.error(
                "parameters may be nested \(ParameterPath.maximumDepth) levels deep and no deeper.",
                at: Array(path.prefix(4))
            )
        }
        switch ParameterValue(value) {
        case .null:
            guard format == .json else { throw invalid("has no null: leave the key out.", at: path) }
            return NSNull()
        case .string(let text):
            return text
        case .boolean(let boolean):
            return boolean
        case .number(let number):
            guard number.isFinite || format == .propertyList else { throw invalid("has no \(number.text).", at: path) }
            return number.object
        case .date(let date):
            return format == .propertyList ? date : try object(encoding: date, at: path)
        case .data(let data):
            return format == .propertyList ? data : try object(encoding: data, at: path)
        case .array(let elements):
            return try array(of: elements, at: path, depth: depth)
        case .dictionary(let entries):
            return try dictionary(of: entries, at: path, depth: depth)
        case .set:
            throw invalid(
                "has no sets, as its arrays have an order: make an array of the \(type(of: value)).",
                at: path
            )
        case .encodable(let value):
            return try object(encoding: value, at: path)
        case .unsupported:
            throw invalid("has no form for \(type(of: value)).", at: path)
        }
    }

    private func array(of elements: [Any], at path: [any CodingKey], depth: Int) throws(LarkspurError) -> [Any] {
        var array: [Any] = []
        array.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            array.append(try object(of: element, at: path + [ParameterKey(intValue: index)], depth: depth + 1))
        }
        return array
    }

    private func dictionary(
        of entries: [(key: Any, value: Any)],
        at path: [any CodingKey],
        depth: Int
    ) throws(LarkspurError) -> [String: Any] {
        var dictionary: [String: Any] = [:]
        dictionary.reserveCapacity(entries.count)
        for (key, value) in entries {
            guard let name = ParameterValue.name(of: key) else {
                throw invalid("has only strings for keys, not \(type(of: key)).", at: path)
            }
            let path = path + [ParameterKey(stringValue: name)]
            dictionary[name] = try object(of: value, at: path, depth: depth + 1)
        }
        return dictionary
    }

    private func object(encoding value: any Encodable, at path: [any CodingKey]) throws(LarkspurError) -> Any {
        do { return try encode(value) } catch { throw ParameterPath.error(wrapping: error, at: path) }
    }

    private func invalid(_ reason: String, at path: [any CodingKey]) -> LarkspurError {
        let name = path.isEmpty ? "" : " at `\(ParameterPath.description(of: path))`"
        let start =
            format == .json
            ? "The `parameters` argument is not valid JSON" : "The `parameters` argument is no property list"
        return LarkspurError(.parameterEncodingFailed, "\(start)\(name): \(format.rawValue) \(reason)")
    }
}

extension [String: Any] {
    /// Creates parameters from a value, for a query or a form.
    ///
    /// ```swift
    /// try manager.get("users", parameters: [String: Any](encoding: filter)) { _, users in
    ///     print(users ?? "none")
    /// }
    /// ```
    ///
    /// Nested values become dictionaries and arrays. Dates, data and numbers keep their types, so that the request
    /// serializer writes them in its own styles. An optional property that is nil is left out.
    /// - Parameter value: A value with named properties, or another value that encodes itself as names and values.
    /// - Throws: ``LarkspurError`` with the code `parameterEncodingFailed`, for a value that has no names, a number
    ///   that is infinite or not a number, nesting deeper than 64 levels, or the error that an `encode(to:)` threw.
    public init(encoding value: some Encodable) throws(LarkspurError) {
        var encoder = QueryEncoder()
        // This is the only style that can represent every date.
        encoder.dateStyle = .secondsSince1970
        let component = try QueryComponentBuilder(encoder: encoder).component(of: value, at: [], depth: 0)
        guard let dictionary = component.object as? [String: Any] else {
            throw LarkspurError(
                .parameterEncodingFailed,
                "A value of the type \(type(of: value)) has no names, so that no dictionary can be made of it."
            )
        }
        self = dictionary
    }
}

extension QueryComponent {
    /// The values of the tree, in the types of parameters.
    fileprivate var object: Any {
        switch self {
        case .null: return NSNull()
        case .text(_, let value): return value
        case .array(let elements): return elements.map(\.object)
        case .set(let members):
            let objects = members.map(\.object)
            let hashable = objects.compactMap { $0 as? AnyHashable }
            return hashable.count == objects.count ? Set(hashable) : objects
        case .object(let fields): return Dictionary(fields.map { ($0.key, $0.value.object) }, uniquingKeysWith: { $1 })
        }
    }
}
