/// A container that encodes named values.
struct QueryKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let parent: QueryValueEncoder

    var codingPath: [any CodingKey] { parent.codingPath }

    func encodeNil(forKey key: Key) { child(key).set(.null) }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        try parent.encode(value, into: child(key), key)
    }

    func encode(_ value: Int128, forKey key: Key) throws { try parent.encode(value, into: child(key), key) }
    func encode(_ value: UInt128, forKey key: Key) throws { try parent.encode(value, into: child(key), key) }

    // The standard library has a default for each type, which would take precedence over the generic function.
    func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: String?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: Int128?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: UInt128?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws { try encodeOptional(value, key) }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type,
        forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        parent.nested(child(key), key).container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        parent.nested(child(key), key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder {
        let key = ParameterKey(stringValue: "super")
        return parent.nested(child(key), key)
    }

    func superEncoder(forKey key: Key) -> any Encoder { parent.nested(child(key), key) }

    private func encodeOptional<Value: Encodable>(_ value: Value?, _ key: Key) throws {
        if let value {
            try encode(value, forKey: key)
        } else if parent.encoding.builder.encoder.includesNilProperties {
            encodeNil(forKey: key)
        }
    }

    private func child(_ key: some CodingKey) -> QueryNode {
        let name = key.stringValue
        return parent.node.child(name: name, key: parent.encoding.builder.encoder.keyStyle.key(for: name))
    }
}

/// A container that encodes values in order.
struct QueryUnkeyedContainer: UnkeyedEncodingContainer {
    let parent: QueryValueEncoder

    var codingPath: [any CodingKey] { parent.codingPath }
    var count: Int { parent.node.count }

    func encodeNil() { parent.node.appendChild().set(.null) }

    func encode<Value: Encodable>(_ value: Value) throws { try append(value) }

    func encode(_ value: Int128) throws { try append(value) }
    func encode(_ value: UInt128) throws { try append(value) }

    func nestedContainer<NestedKey: CodingKey>(keyedBy keyType: NestedKey.Type) -> KeyedEncodingContainer<NestedKey> {
        nestedEncoder().container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { nestedEncoder().unkeyedContainer() }

    func superEncoder() -> any Encoder { nestedEncoder() }

    private func append(_ value: Any) throws(LarkspurError) {
        let key = ParameterKey(intValue: count)
        try parent.encode(value, into: parent.node.appendChild(), key)
    }

    private func nestedEncoder() -> QueryValueEncoder {
        let key = ParameterKey(intValue: count)
        return parent.nested(parent.node.appendChild(), key)
    }
}

/// A container that encodes one value without a name.
struct QuerySingleValueContainer: SingleValueEncodingContainer {
    let parent: QueryValueEncoder

    var codingPath: [any CodingKey] { parent.codingPath }

    func encodeNil() throws { try set(.null) }

    func encode<Value: Encodable>(_ value: Value) throws { try setEncoded(value) }

    func encode(_ value: Int128) throws { try setEncoded(value) }
    func encode(_ value: UInt128) throws { try setEncoded(value) }

    private func setEncoded(_ value: Any) throws(LarkspurError) {
        // The depth increases although the path stays the same, so that a type that encodes itself as itself reaches
        // the limit.
        let depth = parent.node.depth + 1
        try set(parent.encoding.builder.component(of: value, at: codingPath, depth: depth))
    }

    private func set(_ component: QueryComponent) throws(LarkspurError) {
        guard parent.node.isEmpty else {
            throw ParameterPath.error("its encode(to:) writes more than one value without a name.", at: codingPath)
        }
        parent.node.set(component)
    }
}
