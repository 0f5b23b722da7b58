import Synchronization

/// A cache in memory that makes room by itself: when its values cost more than its capacity, those that were not used
/// for the longest time go, until a preferred usage is reached.
///
/// It may be used from any thread.
public final class AutoPurgingCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Entry {
        let value: Value
        let cost: Int
        var lastAccess: UInt64
    }

    private struct Storage {
        var entries: [Key: Entry] = [:]
        var usage = 0
        /// Counts accesses, so that no clock decides on their order.
        var accesses: UInt64 = 0

        mutating func purge(above capacity: Int, to preferred: Int) -> [Value] {
            guard usage > capacity else { return [] }
            var purged: [Value] = []
            for (key, entry) in entries.sorted(by: { $0.value.lastAccess < $1.value.lastAccess }) {
                if usage <= preferred { break }
                entries.removeValue(forKey: key)
                usage -= entry.cost
                purged.append(entry.value)
            }
            return purged
        }
    }

    /// What its values may cost together.
    public let memoryCapacity: Int
    /// What the values that are left after a purge cost at most.
    public let preferredMemoryUsageAfterPurge: Int
    private let cost: @Sendable (Value) -> Int
    private let storage = Mutex(Storage())

    /// Makes a cache.
    /// - Parameters:
    ///   - memoryCapacity: What its values may cost together, in the unit of `cost`.
    ///   - preferredMemoryUsageAfterPurge: What the values that are left after a purge cost at most; no more than the
    ///     capacity.
    ///   - cost: What a value costs, such as its bytes; called once for each value that is inserted. Below 0 counts as
    ///     0.
    public init(
        memoryCapacity: Int,
        preferredMemoryUsageAfterPurge: Int,
        cost: @escaping @Sendable (Value) -> Int
    ) {
        // Half of what an Int holds, so that no sum of a usage and a cost overflows.
        self.memoryCapacity = min(max(0, memoryCapacity), .max / 2)
        self.preferredMemoryUsageAfterPurge = min(max(0, preferredMemoryUsageAfterPurge), self.memoryCapacity)
        self.cost = cost
    }

    /// What its values cost together.
    public var memoryUsage: Int { storage.withLock { $0.usage } }

    /// How many values there are.
    public var count: Int { storage.withLock { $0.entries.count } }

    /// The value of a key, which counts as an access.
    public func value(for key: Key) -> Value? {
        storage.withLock { storage in
            guard let index = storage.entries.index(forKey: key) else { return nil }
            storage.accesses += 1
            storage.entries.values[index].lastAccess = storage.accesses
            return storage.entries.values[index].value
        }
    }

    /// Inserts a value, in place of the one that its key has; then purges, if the capacity is exceeded.
    ///
    /// A value that alone costs more than the capacity is not kept, and leaves the others alone.
    public func insert(_ value: Value, for key: Key) {
        let cost = max(0, cost(value))
        // Released outside the lock: what ends with it is not known.
        let released = storage.withLock { storage -> [Value] in
            var released: [Value] = []
            if let old = storage.entries.removeValue(forKey: key) {
                storage.usage -= old.cost
                released.append(old.value)
            }
            guard cost <= memoryCapacity else { return released }
            storage.accesses += 1
            storage.entries[key] = Entry(value: value, cost: cost, lastAccess: storage.accesses)
            storage.usage += cost
            return released + storage.purge(above: memoryCapacity, to: preferredMemoryUsageAfterPurge)
        }
        withExtendedLifetime(released) {}
    }

    /// Removes the value of a key.
    /// - Returns: Whether there was one.
    @discardableResult
    public func removeValue(for key: Key) -> Bool {
        let removed = storage.withLock { storage -> Value? in
            guard let entry = storage.entries.removeValue(forKey: key) else { return nil }
            storage.usage -= entry.cost
            return entry.value
        }
        return removed != nil
    }

    /// Removes all values.
    /// - Returns: Whether there were any.
    @discardableResult
    public func removeAll() -> Bool {
        let removed = storage.withLock { storage in
            defer {
                storage.entries = [:]
                storage.usage = 0
            }
            return storage.entries
        }
        return !removed.isEmpty
    }
}
