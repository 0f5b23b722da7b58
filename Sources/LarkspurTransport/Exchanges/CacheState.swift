#if canImport(FoundationNetworking)
/// The state of the cache in one transaction.
///
/// It is an object because it is large, and many transactions have none.
final class CacheState {
    /// A stored response that is delivered in place of the network's response.
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
    let fields: CacheRequestFields
    /// Whether there may be entries for the URL.
    @exclusivity(unchecked) var hasEntries = false
    /// Whether there is an entry that the request cannot use.
    @exclusivity(unchecked) var hasUnusable = false
    /// The stale entry: to validate, or to use if the server fails.
    @exclusivity(unchecked) var stale: CacheEntry?
    /// Whether the request asks the server to validate ``stale``.
    @exclusivity(unchecked) var isConditional = false
    @exclusivity(unchecked) var replay: Replay?
    @exclusivity(unchecked) var use: TransferMetrics.CacheUse?

    init(request: CacheRequest, url: String, fields: CacheRequestFields) {
        self.request = request
        self.url = url
        self.fields = fields
    }

    /// Records that the request goes to the network without a condition.
    func noteLoad(hasFallback: Bool) {
        use = !request.looksUp ? .bypassed : hasFallback || hasUnusable ? .unverifiable : .absent
    }
}
#endif
