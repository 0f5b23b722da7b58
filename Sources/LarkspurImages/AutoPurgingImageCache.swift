import HTTPSyntax
import Synchronization

/// A cache of images in memory with a capacity. If the capacity is exceeded, the least recently used images are
/// removed.
///
/// The key of an image is an identifier, or a request with an optional identifier. Requests are equal if their URL,
/// method, header fields and body are equal. So an image that was loaded with one user's credentials is never returned
/// for another user. An image costs four bytes for each pixel.
public final class AutoPurgingImageCache: ImageCache {
    private enum Key: Hashable, Sendable {
        case identifier(String)
        case request(RequestIdentity, identifier: String?)
    }

    private let images: AutoPurgingCache<Key, Image>

    /// Creates a cache.
    /// - Parameters:
    ///   - memoryCapacity: The maximum total cost of the images, in bytes. Default: 100 MiB.
    ///   - preferredMemoryUsageAfterPurge: The maximum total cost of the images that are left after a purge, in bytes.
    ///     Default: 60 MiB.
    public init(memoryCapacity: Int = 100 << 20, preferredMemoryUsageAfterPurge: Int = 60 << 20) {
        images = AutoPurgingCache(
            memoryCapacity: memoryCapacity,
            preferredMemoryUsageAfterPurge: preferredMemoryUsageAfterPurge,
            cost: \.memoryCost
        )
    }

    /// The maximum total cost of the images, in bytes.
    public var memoryCapacity: Int { images.memoryCapacity }
    /// The maximum total cost of the images that are left after a purge, in bytes.
    public var preferredMemoryUsageAfterPurge: Int { images.preferredMemoryUsageAfterPurge }
    /// The total cost of the images, in bytes.
    public var memoryUsage: Int { images.memoryUsage }

    // MARK: By identifiers

    /// Adds an image under an identifier of the caller. It replaces the previous image of the identifier.
    public func add(_ image: Image, identifier: String) { images.insert(image, for: .identifier(identifier)) }

    /// Returns the image of an identifier; nil if there is none. The call counts as a use.
    public func image(identifier: String) -> Image? { images.value(for: .identifier(identifier)) }

    /// Removes the image of an identifier.
    /// - Returns: Whether there was an image.
    @discardableResult
    public func removeImage(identifier: String) -> Bool { images.removeValue(for: .identifier(identifier)) }

    // MARK: By requests

    /// Adds an image for a request. It replaces the previous image of the request. An image for a request whose body is
    /// a stream is not stored.
    public func add(_ image: Image, for request: URLRequest, identifier: String? = nil) {
        if let key = Self.key(request, identifier) { images.insert(image, for: key) }
    }

    /// Returns the image of a request; nil if there is none. The call counts as a use.
    public func image(for request: URLRequest, identifier: String? = nil) -> Image? {
        Self.key(request, identifier).flatMap { images.value(for: $0) }
    }

    /// Removes the image of a request.
    /// - Returns: Whether there was an image.
    @discardableResult
    public func removeImage(for request: URLRequest, identifier: String? = nil) -> Bool {
        Self.key(request, identifier).map { images.removeValue(for: $0) } ?? false
    }

    /// Removes all images.
    /// - Returns: Whether there were images.
    @discardableResult
    public func removeAllImages() -> Bool { images.removeAll() }

    private static func key(_ request: URLRequest, _ identifier: String?) -> Key? {
        RequestIdentity(request).map { .request($0, identifier: identifier) }
    }
}

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
        /// The number of accesses. It shows their order, so no clock is needed.
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

    /// Inserts a value in place of the key's previous value. Then purges if the capacity is exceeded.
    ///
    /// A value that costs more than the whole capacity is not stored, and does not displace others.
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

/// A cache of images in memory for an ``ImageDownloader``: ``AutoPurgingImageCache``, or a cache of the caller.
///
/// Its methods may be called on any thread.
public protocol ImageCache: Sendable {
    /// Returns whether a downloaded image is added to the cache.
    ///
    /// Default: true.
    /// - Parameters:
    ///   - image: The image.
    ///   - request: The request for which it was downloaded.
    ///   - identifier: An identifier that distinguishes images of the same request, such as the name of a filter.
    func shouldCache(_ image: Image, for request: URLRequest, identifier: String?) -> Bool

    /// Adds an image in place of the previous one for the request and identifier.
    func add(_ image: Image, for request: URLRequest, identifier: String?)

    /// Removes an image.
    /// - Returns: Whether there was an image.
    @discardableResult
    func removeImage(for request: URLRequest, identifier: String?) -> Bool

    /// Returns the image of a request; nil if there is none.
    func image(for request: URLRequest, identifier: String?) -> Image?

    /// Removes all images.
    /// - Returns: Whether there were images.
    @discardableResult
    func removeAllImages() -> Bool
}

extension ImageCache {
    /// Returns true.
    public func shouldCache(_ image: Image, for request: URLRequest, identifier: String?) -> Bool { true }
}
