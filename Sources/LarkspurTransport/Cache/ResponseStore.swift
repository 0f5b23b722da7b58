#if canImport(FoundationNetworking)
/// The storage of a session's cache.
protocol ResponseStore: Sendable {
    /// The largest content of an entry, in bytes.
    var maximumContentSize: Int { get }

    /// Returns the known entries of a URL without waiting.
    /// - Parameter request: The request that may use one of them.
    func lookUp(_ url: String, for request: CacheRequest) -> StoreLookUp

    /// Loads all entries for a URL, from memory and disk.
    /// - Parameters:
    ///   - request: The request for the URL.
    ///   - completion: Called once, on a queue of the store.
    func load(_ url: String, _ request: URLRequest, completion: @escaping @Sendable ([CacheEntry]) -> Void)

    /// Stores an entry in place of its previous version, for the same URL and fields.
    func store(_ entry: CacheEntry, for request: URLRequest)

    /// Removes all entries for a URL.
    func remove(_ url: String)

    func removeAll()
}

/// The entries of a URL that a store knows without waiting.
struct StoreLookUp: Sendable {
    var entries: [CacheEntry]
    /// Whether there may be more entries, which only ``ResponseStore/load(_:_:completion:)`` finds.
    let mayHaveMore: Bool
    /// Whether there is another entry, which the request cannot use.
    var hasUnusable = false
}
#endif
