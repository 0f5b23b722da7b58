#if canImport(FoundationNetworking)
/// The storage of a session's cache.
protocol ResponseStore: Sendable {
    /// The largest content of an entry, in bytes.
    var maximumContentSize: Int { get }

    /// Returns the known entries of a URL without waiting.
    func lookUp(_ url: String) -> StoreLookUp

    /// Loads all entries for a URL, from memory and disk.
    /// - Parameters:
    ///   - request: The request for the URL.
    ///   - completion: Called once, on a queue of the store.
    func load(_ url: String, _ request: URLRequest, completion: @escaping @Sendable ([CacheEntry]) -> Void)

    /// Stores an entry in place of its previous version, for the same URL and fields.
    func store(_ entry: CacheEntry, for request: URLRequest)

    /// Whether each stored entry is also copied to the program's own cache, which takes a moment. If so, a task waits
    /// for the copy of its response.
    var isCopied: Bool { get }

    /// Stores an entry like ``store(_:for:)``.
    /// - Parameter completion: Called once. If ``isCopied``, it is called on a queue of the store after the entry was
    ///   copied to the program's own cache; otherwise it is called immediately.
    func store(_ entry: CacheEntry, for request: URLRequest, completion: @escaping @Sendable () -> Void)

    /// Removes all entries for a URL.
    func remove(_ url: String)

    func removeAll()
}

extension ResponseStore {
    var isCopied: Bool { false }

    func store(_ entry: CacheEntry, for request: URLRequest, completion: @escaping @Sendable () -> Void) {
        store(entry, for: request)
        completion()
    }
}

/// The entries of a URL that a store knows without waiting.
struct StoreLookUp: Sendable {
    let entries: [CacheEntry]
    /// Whether there may be more entries, which only ``ResponseStore/load(_:_:completion:)`` finds.
    let mayHaveMore: Bool
}
#endif
