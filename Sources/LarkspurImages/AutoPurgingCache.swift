import Synchronization

/// A cache in memory that purges itself. When the cost of its values exceeds its capacity, it removes the least
/// recently used values until a preferred usage is reached.
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
        /// The number of accesses, which determines their order without a clock.
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

    /// The maximum total cost of the values.
    public let memoryCapacity: Int
    /// The maximum total cost of the values that are left after a purge.
    public let preferredMemoryUsageAfterPurge: Int
    private let cost: @Sendable (Value) -> Int
    private let storage = Mutex(Storage())

    /// Creates a cache.
    /// - Parameters:
    ///   - memoryCapacity: The maximum total cost of the values, in the unit of `cost`.
    ///   - preferredMemoryUsageAfterPurge: The maximum total cost of the values that are left after a purge. It is
    ///     limited to the capacity.
    ///   - cost: Returns the cost of a value, such as its number of bytes. Called once for each value that is inserted.
    ///     A cost below 0 counts as 0.
    public init(
        memoryCapacity: Int,
        preferredMemoryUsageAfterPurge: Int,
        cost: @escaping @Sendable (Value) -> Int
    ) {
        // Limited to half the range of Int, so that the sum of a usage and a cost never overflows.
        self.memoryCapacity = min(max(0, memoryCapacity), .max / 2)
        self.preferredMemoryUsageAfterPurge = min(max(0, preferredMemoryUsageAfterPurge), self.memoryCapacity)
        self.cost = cost
    }

    /// The total cost of the values.
    public var memoryUsage: Int { storage.withLock { $0.usage } }

    /// The number of values.
    public var count: Int { storage.withLock { $0.entries.count } }

    /// Returns the value of a key; nil if there is none. The call counts as an access.
    public func value(for key: Key) -> Value? {
        storage.withLock { storage in
            guard let index = storage.entries.index(forKey: key) else { return nil }
            storage.accesses += 1
            storage.entries.values[index].lastAccess = storage.accesses
            return storage.entries.values[index].value
        }
    }

    /// Inserts a value, which replaces the previous value of its key. Then purges, if the capacity is exceeded.
    ///
    /// A value that alone costs more than the capacity is not stored, and does not displace others.
    public func insert(_ value: Value, for key: Key) {
        let cost = max(0, cost(value))
        // Released outside the lock, because the deinitializers of values may run any code.
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
    /// - Returns: Whether the key had a value.
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
    /// - Returns: Whether there were values.
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
