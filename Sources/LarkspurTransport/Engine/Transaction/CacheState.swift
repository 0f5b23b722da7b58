#if canImport(FoundationNetworking)
/// The part of the cache in one transaction.
struct CacheState {
    /// A response that is delivered in place of the network's.
    struct Replay {
        let entry: CacheEntry
        let source: TransferMetrics.Source
        /// Nil if the server has just validated it.
        let age: TimeInterval?
        /// How much of its content has been delivered.
        var position = 0
    }

    let request: CacheRequest
    /// What it is kept under.
    let url: String
    var fields: CacheRequestFields
    /// Whether there may be entries for the URL.
    var hasEntries = false
    /// What the server is asked about, or what may serve if it fails.
    var stale: CacheEntry?
    /// Whether the server is asked about ``stale``.
    var isConditional = false
    var replay: Replay?
    init(request: CacheRequest, url: String, fields: CacheRequestFields) {
        self.request = request
        self.url = url
        self.fields = fields
    }
}
#endif
