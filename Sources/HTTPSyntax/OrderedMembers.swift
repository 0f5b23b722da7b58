/// Values by their keys, in the order in which the keys occur first: the parameters of an item, or the members of a
/// dictionary (RFC 9651, sections 3.1.2 and 3.2).
package struct OrderedMembers<Value: Sendable>: Sendable {
    package private(set) var keys: [TextKey] = []
    package private(set) var values: [Value] = []
    /// Whether a key was set more than once.
    package private(set) var hasRepeatedKeys = false
    private var places: [TextKey: Int] = [:]

    package init() {}

    package var isEmpty: Bool { keys.isEmpty }

    package var count: Int { keys.count }

    /// The keys with their values, in their order.
    package var pairs: some Sequence<(key: TextKey, value: Value)> {
        zip(keys, values).lazy.map { (key: $0, value: $1) }
    }

    /// The value of a key; nil if there is none.
    package subscript(key: String) -> Value? { places[TextKey(key)].map { values[$0] } }

    /// Sets the value of a key. A key that exists keeps its place.
    package mutating func set(_ key: TextKey, _ value: Value) {
        if let place = places[key] {
            hasRepeatedKeys = true
            values[place] = value
        } else {
            places[key] = keys.count
            keys.append(key)
            values.append(value)
        }
    }
}

extension OrderedMembers: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral elements: (TextKey, Value)...) {
        for (key, value) in elements { set(key, value) }
    }
}

/// Members are equal if they have the same values by the same keys. Their order does not count.
extension OrderedMembers: Equatable where Value: Equatable {
    package static func == (left: Self, right: Self) -> Bool {
        left.count == right.count && left.pairs.allSatisfy { right[$0.key.text] == $0.value }
    }
}
