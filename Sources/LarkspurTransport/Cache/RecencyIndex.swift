#if canImport(FoundationNetworking)
import HTTPSyntax

/// Elements in the order of their last use, and the sum of their costs. Several elements may share a key.
struct RecencyIndex<Key: Hashable & Sendable, Element: Sendable>: Sendable {
    private struct Node: Sendable {
        let key: Key
        var element: Element
        var cost: Int
        var older: Int?
        var newer: Int?
    }

    private var nodes: [Int: Node] = [:]
    private var identifiers: [Key: [Int]] = [:]
    private var oldest: Int?
    private var newest: Int?
    private var nextIdentifier = 0
    private(set) var totalCost = 0

    func elements(for key: Key) -> [Element] { (identifiers[key] ?? []).compactMap { nodes[$0]?.element } }

    /// The elements, from the most to the least recently used.
    var elements: [Element] {
        var elements: [Element] = []
        var next = newest
        while let identifier = next, let node = nodes[identifier] {
            elements.append(node.element)
            next = node.older
        }
        return elements
    }

    /// Adds an element as the most recently used one.
    mutating func insert(_ element: Element, for key: Key, cost: Int) {
        let identifier = nextIdentifier
        nextIdentifier += 1
        nodes[identifier] = Node(key: key, element: element, cost: cost)
        identifiers[key, default: []].append(identifier)
        totalCost += cost
        append(identifier)
    }

    /// Replaces the element that was last inserted for a key, if this element meets a condition. The new element is the
    /// most recently used one.
    /// - Returns: Whether the element was replaced.
    mutating func replaceLast(_ key: Key, with element: Element, cost: Int, where condition: (Element) -> Bool) -> Bool
    {
        guard let identifier = identifiers[key]?.last, let index = nodes.index(forKey: identifier),
            condition(nodes.values[index].element)
        else { return false }
        totalCost += cost - nodes.values[index].cost
        nodes.values[index].element = element
        nodes.values[index].cost = cost
        if identifier != newest {
            detach(identifier)
            append(identifier)
        }
        return true
    }

    /// Records a use of the elements for a key.
    mutating func touch(_ key: Key) {
        for identifier in identifiers[key] ?? [] where identifier != newest {
            detach(identifier)
            append(identifier)
        }
    }

    /// Removes the elements for a key that meet a condition. By default, removes all elements for the key.
    @discardableResult
    mutating func remove(_ key: Key, where condition: (Element) -> Bool = { _ in true }) -> [Element] {
        var removed: [Element] = []
        for identifier in identifiers[key] ?? [] {
            guard let node = nodes[identifier], condition(node.element) else { continue }
            removed.append(node.element)
            remove(identifier)
        }
        return removed
    }

    /// Removes the oldest elements for a key, until at most `count` remain.
    mutating func trim(_ key: Key, to count: Int) -> [Element] {
        let surplus = (identifiers[key] ?? []).dropLast(count)
        let trimmed = surplus.compactMap { nodes[$0]?.element }
        for identifier in Array(surplus) { remove(identifier) }
        return trimmed
    }

    /// Removes the least recently used elements, until the cost of the remaining elements does not exceed a limit.
    @discardableResult
    mutating func evict(to limit: Int) -> [Element] {
        var evicted: [Element] = []
        while totalCost > limit, let identifier = oldest, let node = nodes[identifier] {
            evicted.append(node.element)
            remove(identifier)
        }
        return evicted
    }

    private mutating func remove(_ identifier: Int) {
        detach(identifier)
        guard let node = nodes.removeValue(forKey: identifier) else { return }
        totalCost -= node.cost
        identifiers[node.key]?.removeAll { $0 == identifier }
        if identifiers[node.key]?.isEmpty == true { identifiers[node.key] = nil }
    }

    private mutating func detach(_ identifier: Int) {
        guard let node = nodes[identifier] else { return }
        if let older = node.older { nodes[older]?.newer = node.newer } else { oldest = node.newer }
        if let newer = node.newer { nodes[newer]?.older = node.older } else { newest = node.older }
    }

    private mutating func append(_ identifier: Int) {
        nodes[identifier]?.older = newest
        nodes[identifier]?.newer = nil
        if let newest { nodes[newest]?.newer = identifier } else { oldest = identifier }
        newest = identifier
    }
}

/// Entries that are rarely used, one for each URL. Storing an entry costs only one insertion into a dictionary.
///
/// One dictionary has the recent entries, and another one has the older entries. When the first dictionary is full, it
/// replaces the second one, whose entries are removed.
struct UnusedEntries: Sendable {
    private var recent: [TextKey: CacheEntry] = [:]
    private var older: [TextKey: CacheEntry] = [:]
    private var recentCost = 0
    /// The capacity of both dictionaries together, in bytes.
    let capacity: Int

    init(capacity: Int) { self.capacity = capacity }

    var isEmpty: Bool { recent.isEmpty && older.isEmpty }

    subscript(url: String) -> CacheEntry? {
        isEmpty ? nil : recent[TextKey(url)] ?? older[TextKey(url)]
    }

    func contains(_ url: String) -> Bool {
        !isEmpty && (recent.index(forKey: TextKey(url)) != nil || older.index(forKey: TextKey(url)) != nil)
    }

    /// Adds an entry. It replaces the entry for the same URL.
    mutating func insert(_ entry: consuming CacheEntry) {
        let key = TextKey(entry.url)
        recentCost += entry.cost
        if let former = recent.updateValue(entry, forKey: key) {
            recentCost -= former.cost
        } else if !older.isEmpty {
            older[key] = nil
        }
        guard recentCost > capacity / 2 else { return }
        older = recent
        recent = [:]
        recentCost = 0
    }

    mutating func remove(_ url: String) {
        guard !isEmpty else { return }
        if let former = recent.removeValue(forKey: TextKey(url)) { recentCost -= former.cost }
        older[TextKey(url)] = nil
    }

    mutating func removeAll() { self = Self(capacity: capacity) }
}
#endif
