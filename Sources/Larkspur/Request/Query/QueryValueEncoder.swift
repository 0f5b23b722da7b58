/// What the containers of one `encode(to:)` share.
final class QueryEncoding {
    let builder: QueryComponentBuilder
    /// The first mistake that no container could throw, as asking for a container throws nothing.
    var failure: LarkspurError?

    init(builder: QueryComponentBuilder) { self.builder = builder }

    func fail(_ reason: String, at path: [any CodingKey]) {
        failure = failure ?? ParameterPath.error(reason, at: path)
    }
}

/// A place in the tree that is being encoded; a class, as containers write to it after their parent has handed them
/// out.
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
        // A value that encodes nothing is an empty collection, and has no text.
        case .nothing: .object([])
        case .value(let component): component
        case .object(let fields, _): .object(fields.map { ($0.key, $0.node.component) })
        case .array(let nodes): .array(nodes.map(\.component))
        }
    }

    var isEmpty: Bool { if case .nothing = content { true } else { false } }

    var count: Int { if case .array(let nodes) = content { nodes.count } else { 0 } }

    func set(_ component: QueryComponent) { content = .value(component) }

    /// Makes this an object, and says whether it could be one.
    func becomeObject() -> Bool {
        switch content {
        case .nothing: content = .object([], positions: [:])
        case .object: break
        case .value, .array: return false
        }
        return true
    }

    /// Makes this an array, and says whether it could be one.
    func becomeArray() -> Bool {
        switch content {
        case .nothing: content = .array([])
        case .array: break
        case .value, .object: return false
        }
        return true
    }

    /// A new node for a field of this object, in the place of the one with this name.
    func child(name: String, key: String) -> QueryNode {
        let node = QueryNode(depth: depth + 1)
        // Taken out of the enum while it changes, so that the arrays are not copied for every field.
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

    /// A new node at the end of this array.
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

    /// The encoder of something below this.
    func nested(_ node: QueryNode, _ key: any CodingKey) -> QueryValueEncoder {
        QueryValueEncoder(encoding: encoding, node: node, codingPath: codingPath + [key])
    }

    /// Encodes a value into a node below this.
    func encode(_ value: Any, into node: QueryNode, _ key: any CodingKey) throws(LarkspurError) {
        node.set(try encoding.builder.component(of: value, at: codingPath + [key], depth: node.depth))
    }

    private func keyed<Key: CodingKey>() -> QueryKeyedContainer<Key> { QueryKeyedContainer(parent: self) }

    /// An encoder whose result nobody looks at: what stands in for a container that cannot be had.
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
