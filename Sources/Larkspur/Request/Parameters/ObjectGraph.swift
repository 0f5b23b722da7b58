import HTTPSyntax

/// A converter of parameters into the objects that `JSONSerialization` and `PropertyListSerialization` write.
///
/// If a value has an unsupported type, both serializers terminate the process or write a wrong value. So every value is
/// checked here first.
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
                // The whole path would make the message unreadable.
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
            // Property lists have infinite numbers, JSON does not (RFC 8259, section 6).
            guard number.isFinite || format == .propertyList else { throw invalid("has no \(number.text).", at: path) }
            return number.object
        case .date(let date):
            return format == .propertyList ? date : try object(encoding: date, at: path)
        case .data(let data):
            return format == .propertyList ? data : try object(encoding: data, at: path)
        case .array(let elements):
            return try array(of: elements, at: path, depth: depth)
        case .dictionary(let entries), .pairs(let entries):
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
