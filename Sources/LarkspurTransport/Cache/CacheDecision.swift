#if canImport(FoundationNetworking)
/// What a cache does about a request (RFC 9111, section 4).
enum CacheDecision: Sendable {
    /// The cache has no part in it.
    case bypass
    /// The network answers. If it fails, the entry may serve, where it says so.
    case load(fallback: CacheEntry?)
    /// The entry is the answer.
    case use(CacheEntry)
    /// The entry is the answer, and is asked about for the next time.
    case useWhileRevalidating(CacheEntry)
    /// The server is asked whether the entry is still good.
    case revalidate(CacheEntry)
    /// The cache has no answer, and the policy forbids to ask anybody else.
    case fail
    /// The same, where a field of the request forbids it, to which the answer is a response (RFC 9111, section
    /// 5.2.1.7).
    case gatewayTimeout

    /// - Parameters:
    ///   - candidates: The entries for the request's URL and fields.
    ///   - now: When the request is made.
    static func decide(_ candidates: [CacheEntry], for request: CacheRequest, at now: Date) -> CacheDecision {
        guard request.method == "GET" || request.method == "HEAD", !request.isSpecial else {
            return request.forbidsLoading ? .fail : .bypass
        }
        // The latest, as section 4 demands.
        let entry = candidates.max { ($0.date, $0.responseTime) < ($1.date, $1.responseTime) }
        switch request.policy {
        case .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData: return .load(fallback: nil)
        case .returnCacheDataElseLoad: return entry.map { .use($0) } ?? .load(fallback: nil)
        case .returnCacheDataDontLoad: return entry.map { .use($0) } ?? .fail
        case .reloadRevalidatingCacheData:
            guard let entry else { return .load(fallback: nil) }
            // Reloading is what this directive is about (RFC 8246, section 2).
            let isSettled = entry.directives.isImmutable && !request.directives.noCache
            return isSettled && Freshness(of: entry, at: now).isFresh ? .use(entry) : ask(about: entry, request)
        case .useProtocolCachePolicy: return decide(entry, for: request, at: now)
        @unknown default: return .load(fallback: nil)
        }
    }

    private static func decide(_ entry: CacheEntry?, for request: CacheRequest, at now: Date) -> CacheDecision {
        let wishes = request.directives
        guard let entry else { return wishes.onlyIfCached ? .gatewayTimeout : .load(fallback: nil) }
        let directives = entry.directives
        let freshness = Freshness(of: entry, at: now)
        let mustAsk = directives.noCache || wishes.noCache
        let isYoungEnough = wishes.maxAge.map { freshness.age <= TimeInterval($0) } ?? true
        if !mustAsk, isYoungEnough {
            let isFresh = freshness.isFresh && freshness.lifetime >= freshness.age + TimeInterval(wishes.minFresh ?? 0)
            let mayBeStale = !directives.mustRevalidate && wishes.minFresh == nil
            let isTolerable = mayBeStale && wishes.maxStale.map { freshness.staleness <= TimeInterval($0) } ?? false
            if isFresh || isTolerable { return .use(entry) }
        }
        if wishes.onlyIfCached { return .gatewayTimeout }
        let hasWishes = wishes.maxAge != nil || wishes.minFresh != nil
        if !mustAsk, !directives.mustRevalidate, !hasWishes, let limit = directives.staleWhileRevalidate,
            freshness.staleness <= TimeInterval(limit)
        {
            return .useWhileRevalidating(entry)
        }
        return ask(about: entry, request)
    }

    private static func ask(about entry: CacheEntry, _ request: CacheRequest) -> CacheDecision {
        request.method == "GET" && !entry.conditions.isEmpty ? .revalidate(entry) : .load(fallback: entry)
    }

    /// Whether a stale entry may be the answer when the network or the server has failed (RFC 5861, section 4).
    static func allowsFallback(to entry: CacheEntry, for request: CacheRequest, at now: Date) -> Bool {
        let directives = entry.directives
        guard request.policy == .useProtocolCachePolicy, !directives.mustRevalidate, !directives.noCache,
            !request.directives.noCache,
            let limit = request.directives.staleIfError ?? directives.staleIfError
        else { return false }
        return Freshness(of: entry, at: now).staleness <= TimeInterval(limit)
    }
}
#endif
