internal import HTTPSyntax

/// A table with one value for each origin. If there are more values than its capacity, the values that changed longest
/// ago are removed. URLs without an origin share a value.
struct OriginTable<Value> {
    private var entries: [Origin?: (value: Value, lastUse: Int)] = [:]
    private var useCount = 0
    private let capacity: Int

    init(capacity: Int = 1000) { self.capacity = max(1, capacity) }

    var count: Int { entries.count }

    /// The value for the origin of a URL; nil if there is none.
    subscript(url: URL?) -> Value? {
        get { entries[url.flatMap(Origin.init)]?.value }
        set {
            useCount += 1
            entries[url.flatMap(Origin.init)] = newValue.map { ($0, useCount) }
            guard entries.count > capacity else { return }
            // Removes about half of the values at once, so that sorting is rare.
            let newest = entries.sorted { $0.value.lastUse > $1.value.lastUse }.prefix(max(1, capacity / 2))
            entries = Dictionary(uniqueKeysWithValues: newest.map { ($0.key, $0.value) })
        }
    }
}
