/// The state that the containers of one `encode(to:)` share.
final class QueryEncoding {
    let builder: QueryComponentBuilder
    /// The first error that could not be thrown, because requesting a container does not throw.
    var failure: LarkspurError?

    init(builder: QueryComponentBuilder) { self.builder = builder }

    func fail(_ reason: String, at path: [any CodingKey]) {
        failure = failure ?? ParameterPath.error(reason, at: path)
    }
}

/// A node of the tree during encoding. It is a class, because containers write to it after their parent has returned
/// them.
final class QueryNode {
    private enum Content {
        case nothing
        case value(QueryComponent)
        case object([(key: String, node: QueryNode)], positions: [String: Int])
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

    /// Adds a node for a field of this object, which replaces the one with the same name.
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

    /// An encoder whose result is discarded. It stands in for a container that cannot be provided.
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
