import HTTPSyntax

/// The state that all containers of one `encode(to:)` share.
final class QueryEncoding {
    let builder: QueryComponentBuilder
    /// The first error that could not be thrown, because it occurred in a method that returns a container. Such a
    /// method cannot throw.
    var failure: LarkspurError?

    init(builder: QueryComponentBuilder) { self.builder = builder }

    func fail(_ reason: String, at path: [any CodingKey]) {
        failure = failure ?? ParameterPath.error(reason, at: path)
    }
}

/// A node of the tree during encoding. It is a class, because a container writes to its node after the parent has
/// returned the container.
final class QueryNode {
    private enum Content {
        case nothing
        case value(QueryComponent)
        case object([(key: String, node: QueryNode)], positions: [TextKey: Int])
        case array([QueryNode])
    }

    let depth: Int
    private var content = Content.nothing

    init(depth: Int) { self.depth = depth }

    var component: QueryComponent {
        switch content {
        // A value that encodes nothing becomes an empty collection, which has no text.
        case .nothing: .object([])
        case .value(let component): component
        case .object(let fields, _): .object(fields.map { ($0.key, $0.node.component) })
        case .array(let nodes): .array(nodes.map(\.component))
        }
    }

    var isEmpty: Bool { if case .nothing = content { true } else { false } }

    var count: Int { if case .array(let nodes) = content { nodes.count } else { 0 } }

    func set(_ component: QueryComponent) { content = .value(component) }

    /// Turns this node into an object. Returns whether that is possible.
    func becomeObject() -> Bool {
        switch content {
        case .nothing: content = .object([], positions: [:])
        case .object: break
        case .value, .array: return false
        }
        return true
    }

    /// Turns this node into an array. Returns whether that is possible.
    func becomeArray() -> Bool {
        switch content {
        case .nothing: content = .array([])
        case .array: break
        case .value, .object: return false
        }
        return true
    }

    /// Adds a node for a field of this object. It replaces an earlier node with the same name.
    func child(name: String, key: String) -> QueryNode {
        let node = QueryNode(depth: depth + 1)
        // Moved out of the enum during the change, so that the arrays are not copied for every field.
        guard case .object(var fields, var positions) = content else { return node }
        content = .nothing
        if let position = positions[name] {
            fields[position].node = node
        } else {
            positions[name] = fields.count
            fields.append((key, node))
        }
        content = .object(fields, positions: positions)
        return node
    }

    /// Adds a node at the end of this array.
    func appendChild() -> QueryNode {
        let node = QueryNode(depth: depth + 1)
        guard case .array(var nodes) = content else { return node }
        content = .nothing
        nodes.append(node)
        content = .array(nodes)
        return node
    }
}

/// The `Encoder` that an `Encodable` parameter writes to.
struct QueryValueEncoder: Encoder {
    let encoding: QueryEncoding
    let node: QueryNode
    let codingPath: [any CodingKey]

    var userInfo: [CodingUserInfoKey: Any] { encoding.builder.encoder.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        guard reserve({ $0.becomeObject() }) else { return KeyedEncodingContainer(detached.keyed()) }
        return KeyedEncodingContainer(keyed())
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        guard reserve({ $0.becomeArray() }) else { return QueryUnkeyedContainer(parent: detached) }
        return QueryUnkeyedContainer(parent: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { QuerySingleValueContainer(parent: self) }

    /// Returns the encoder for a node below this one.
    func nested(_ node: QueryNode, _ key: any CodingKey) -> QueryValueEncoder {
        QueryValueEncoder(encoding: encoding, node: node, codingPath: codingPath + [key])
    }

    /// Encodes a value into a node below this one.
    func encode(_ value: Any, into node: QueryNode, _ key: any CodingKey) throws(LarkspurError) {
        node.set(try encoding.builder.component(of: value, at: codingPath + [key], depth: node.depth))
    }

    private func keyed<Key: CodingKey>() -> QueryKeyedContainer<Key> { QueryKeyedContainer(parent: self) }

    /// An encoder whose result is discarded. It replaces a container that cannot be provided, because requesting a
    /// container does not throw.
    private var detached: QueryValueEncoder {
        let node = QueryNode(depth: node.depth)
        return QueryValueEncoder(encoding: encoding, node: node, codingPath: codingPath)
    }

    private func reserve(_ become: (QueryNode) -> Bool) -> Bool {
        guard node.depth <= ParameterPath.maximumDepth else {
            encoding.fail(
                "parameters may be nested \(ParameterPath.maximumDepth) levels deep and no deeper.",
                at: Array(codingPath.prefix(4))
            )
            return false
        }
        guard become(node) else {
            encoding.fail("its encode(to:) asks for containers of different kinds.", at: codingPath)
            return false
        }
        return true
    }
}

/// A container that encodes named values.
struct QueryKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let parent: QueryValueEncoder

    var codingPath: [any CodingKey] { parent.codingPath }

    func encodeNil(forKey key: Key) { child(key).set(.null) }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        try parent.encode(value, into: child(key), key)
    }

    // The standard library's default implementations for these two types throw an error.
    func encode(_ value: Int128, forKey key: Key) throws { try parent.encode(value, into: child(key), key) }
    func encode(_ value: UInt128, forKey key: Key) throws { try parent.encode(value, into: child(key), key) }

    // The standard library has a default implementation for each type. It would take precedence over the generic
    // method.
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
        // The depth increases although the path stays the same. So a type that encodes the same value again and again
        // reaches the limit.
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
