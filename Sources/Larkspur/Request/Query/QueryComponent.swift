import HTTPSyntax

/// A tree of parameters. The text of its leaves and its keys are already in the encoder's styles.
indirect enum QueryComponent {
    typealias Field = (key: String, value: QueryComponent)

    case null
    /// A leaf: its text, and the value that the text stands for.
    case text(String, of: Any)
    case array([QueryComponent])
    case set([QueryComponent])
    case object([Field])
}

/// A builder of the tree of a value.
struct QueryComponentBuilder {
    let encoder: QueryEncoder

    func component(of value: Any, at path: [any CodingKey], depth: Int) throws(LarkspurError) -> QueryComponent {
        guard depth <= ParameterPath.maximumDepth else {
            throw ParameterPath.error(
                "parameters may be nested \(ParameterPath.maximumDepth) levels deep and no deeper.",
                at: Array(path.prefix(4))
            )
        }
        switch ParameterValue(value) {
        case .null:
            return .null
        case .string(let text):
            return .text(text, of: text)
        case .boolean(let boolean):
            return .text(encoder.booleanStyle.text(of: boolean), of: boolean)
        case .number(let number):
            guard number.isFinite else {
                throw ParameterPath.error("\(number.text) is not a finite number.", at: path)
            }
            return .text(number.text, of: number.object)
        case .date(let date):
            return .text(try encoder.dateStyle.text(of: date, at: path), of: date)
        case .data(let data):
            return .text(try encoder.dataStyle.text(of: data, at: path), of: data)
        case .array(let elements):
            return .array(try components(of: elements, at: path, depth: depth))
        case .set(let members):
            return .set(try components(of: members, at: path, depth: depth))
        case .dictionary(let entries):
            // Sorted, because a dictionary has no order, but equal parameters must have equal text. Two names may have
            // the same key, so the names are compared too.
            let fields = try fields(of: entries, at: path, depth: depth)
            return .object(fields.sorted { ($0.field.key, $0.name) < ($1.field.key, $1.name) }.map(\.field))
        case .pairs(let entries):
            return .object(try fields(of: entries, at: path, depth: depth).map(\.field))
        case .encodable(let value):
            return try component(encoding: value, at: path, depth: depth)
        case .unsupported:
            throw ParameterPath.error(
                "a query has no form for \(type(of: value)). Pass a string, a number or another type that Parameters names.",
                at: path
            )
        }
    }

    private func components(
        of elements: [Any],
        at path: [any CodingKey],
        depth: Int
    ) throws(LarkspurError) -> [QueryComponent] {
        var components: [QueryComponent] = []
        components.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            let path = path + [ParameterKey(intValue: index)]
            components.append(try component(of: element, at: path, depth: depth + 1))
        }
        return components
    }

    private func fields(
        of entries: [(key: Any, value: Any)],
        at path: [any CodingKey],
        depth: Int
    ) throws(LarkspurError) -> [(name: String, field: QueryComponent.Field)] {
        var fields: [(name: String, field: QueryComponent.Field)] = []
        fields.reserveCapacity(entries.count)
        for (key, value) in entries {
            let name = try name(of: key, at: path)
            let path = path + [ParameterKey(stringValue: name)]
            let component = try component(of: value, at: path, depth: depth + 1)
            fields.append((name, (encoder.keyStyle.key(for: name), component)))
        }
        return fields
    }

    private func name(of key: Any, at path: [any CodingKey]) throws(LarkspurError) -> String {
        if let name = ParameterValue.name(of: key) { return name }
        if case .number(let number) = ParameterValue(key), number.isFinite { return number.text }
        throw ParameterPath.error("a key of the type \(type(of: key)) has no name.", at: path)
    }

    private func component(
        encoding value: any Encodable,
        at path: [any CodingKey],
        depth: Int
    ) throws(LarkspurError) -> QueryComponent {
        let encoding = QueryEncoding(builder: self)
        let node = QueryNode(depth: depth)
        do {
            try value.encode(to: QueryValueEncoder(encoding: encoding, node: node, codingPath: path))
        } catch {
            throw ParameterPath.error(wrapping: error, at: path)
        }
        if let failure = encoding.failure { throw failure }
        return node.component
    }
}

/// A name and a value of encoded parameters, before escaping: a pair of a query, or a part of a multipart form.
struct QueryPair: Equatable {
    /// The key path in the encoder's styles; empty for a value without a name.
    var key: String
    /// The value as text; nil if only the key is written.
    var value: String?
    /// The bytes of a value that is data, which a multipart form sends unchanged; otherwise nil.
    var data: Data?
}

extension QueryEncoder {
    /// Returns the pairs of parameters in the order in which they are written, not escaped.
    func pairs(of parameters: Parameters) throws(LarkspurError) -> [QueryPair] {
        let component = try QueryComponentBuilder(encoder: self).component(of: parameters.value, at: [], depth: 0)
        var pairs: [QueryPair] = []
        append(component, key: nil, to: &pairs)
        return pairs
    }

    private func append(_ component: QueryComponent, key: String?, to pairs: inout [QueryPair]) {
        switch component {
        case .null:
            appendNull(key: key ?? "", to: &pairs)
        case .text(let text, let value):
            pairs.append(QueryPair(key: key ?? "", value: text, data: value as? Data))
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                append(element, key: arrayStyle.name(of: key ?? "", index: index), to: &pairs)
            }
        case .set(let members):
            for memberPairs in sorted(members, key: key) { pairs += memberPairs }
        case .object(let fields):
            for field in sortsKeys ? sorted(fields) : fields {
                append(field.value, key: key.map { keyPathStyle.join($0, field.key) } ?? field.key, to: &pairs)
            }
        }
    }

    private func appendNull(key: String, to pairs: inout [QueryPair]) {
        switch nullStyle {
        case .drop: break
        case .keyOnly: pairs.append(QueryPair(key: key, value: nil))
        case .custom(let text): pairs.append(QueryPair(key: key, value: text(key)))
        }
    }

    /// Returns the pairs of each member of a set, in the order of the members' text because a set has no order.
    private func sorted(_ members: [QueryComponent], key: String?) -> [[QueryPair]] {
        members
            .map { member in
                var pairs: [QueryPair] = []
                append(member, key: key, to: &pairs)
                return pairs
            }
            .sorted { left, right in
                left.lexicographicallyPrecedes(right) { ($0.value ?? "", $0.key) < ($1.value ?? "", $1.key) }
            }
    }

    private func sorted(_ fields: [QueryComponent.Field]) -> [QueryComponent.Field] {
        // `sorted` does not guarantee the order of equal keys, so the offset decides.
        fields.enumerated()
            .sorted { ($0.element.key, $0.offset) < ($1.element.key, $1.offset) }
            .map(\.element)
    }
}
