#if canImport(FoundationNetworking)
/// The state of the cache in one transaction.
struct CacheState {
    /// A response that is delivered in place of the network's.
    struct Replay {
        let entry: CacheEntry
        let source: TransferMetrics.Source
        /// The entry's age in seconds; nil if the server has just validated it.
        let age: TimeInterval?
        /// The number of content bytes that have been delivered.
        var position = 0
    }

    let request: CacheRequest
    /// The key under which the response is stored.
    let url: String
    var fields: CacheRequestFields
    /// Whether there may be entries for the URL.
    var hasEntries = false
    /// The entry to revalidate, or to use if the server fails.
    var stale: CacheEntry?
    /// Whether the server is asked to validate ``stale``.
    var isConditional = false
    var replay: Replay?
    init(request: CacheRequest, url: String, fields: CacheRequestFields) {
        self.request = request
        self.url = url
        self.fields = fields
    }
}
#endif
