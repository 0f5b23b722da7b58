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
        case .empty: pairs.append(QueryPair(key: key, value: ""))
        case .literal: pairs.append(QueryPair(key: key, value: "null"))
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
        fields.enumerated()
            .sorted { ($0.element.key, $0.offset) < ($1.element.key, $1.offset) }
            .map(\.element)
    }
}
