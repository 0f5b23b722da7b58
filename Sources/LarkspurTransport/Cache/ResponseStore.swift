#if canImport(FoundationNetworking)
/// Where a session's cache keeps its entries.
protocol ResponseStore: Sendable {
    /// The content of an entry is no larger than this, in bytes.
    var maximumContentSize: Int { get }

    /// What is known of a URL without waiting for anything.
    func lookUp(_ url: String) -> StoreLookUp

    /// All entries for a URL, wherever they are.
    /// - Parameters:
    ///   - request: The request for the URL.
    ///   - completion: Called once, on a queue of the store's.
    func load(_ url: String, _ request: URLRequest, completion: @escaping @Sendable ([CacheEntry]) -> Void)

    /// Keeps an entry in place of the one for the same URL and fields.
    func store(_ entry: CacheEntry, for request: URLRequest)

    /// Removes all entries for a URL.
    func remove(_ url: String)

    func removeAll()
}

/// What a store knows of a URL without waiting for anything.
struct StoreLookUp: Sendable {
    let entries: [CacheEntry]
    /// Whether there may be more, for which one has to wait.
    let mayHaveMore: Bool
}
#endif
