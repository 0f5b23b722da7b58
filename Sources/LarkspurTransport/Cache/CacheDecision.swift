#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The decision of a cache about a request (RFC 9111, section 4).
enum CacheDecision: Sendable {
    /// The cache takes no part in the request.
    case bypass
    /// The request goes to the network. If the network fails, the entry is the response, provided that the directives
    /// allow this.
    case load(fallback: CacheEntry?)
    /// The entry is the response.
    case use(CacheEntry)
    /// The entry is the response, and is then revalidated for later requests.
    case useWhileRevalidating(CacheEntry)
    /// The server is asked whether the entry is still valid.
    case revalidate(CacheEntry)
    /// There is no entry, and the request's policy forbids loading.
    case fail
    /// There is no usable entry, and a directive of the request forbids loading. The response is a 504 (RFC 9111,
    /// section 5.2.1.7).
    case gatewayTimeout

    /// - Parameters:
    ///   - candidates: The entries for the request's URL and fields.
    ///   - now: The time at which the request is made.
    static func decide(_ candidates: [CacheEntry], for request: CacheRequest, at now: Date) -> CacheDecision {
        guard CacheRequest.serves(request.method), !request.isSpecial else {
            return request.forbidsLoading ? .fail : .bypass
        }
        // The latest entry, as section 4 requires.
        let entry = candidates.max { ($0.date, $0.responseTime) < ($1.date, $1.responseTime) }
        switch request.policy {
        case .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData: return .load(fallback: nil)
        case .returnCacheDataElseLoad: return entry.map { .use($0) } ?? .load(fallback: nil)
        case .returnCacheDataDontLoad: return entry.map { .use($0) } ?? .fail
        case .reloadRevalidatingCacheData:
            guard let entry else { return .load(fallback: nil) }
            // The purpose of `immutable` is to avoid revalidation on reload (RFC 8246, section 2).
            let isSettled = entry.directives.isImmutable && !request.directives.noCache
            return isSettled && Freshness(of: entry, at: now).isFresh ? .use(entry) : ask(about: entry, request)
        case .useProtocolCachePolicy: return decide(entry, for: request, at: now)
        @unknown default: return .load(fallback: nil)
        }
    }

    private static func decide(_ entry: CacheEntry?, for request: CacheRequest, at now: Date) -> CacheDecision {
        let wishes = request.directives
        guard let entry else { return wishes.onlyIfCached ? .gatewayTimeout : .load(fallback: nil) }
        if !entry.mayBeUsedByDefault, !request.mayUseAnyEntry, !wishes.onlyIfCached { return .load(fallback: entry) }
        let directives = entry.directives
        let mustAsk = directives.noCache || wishes.noCache
        if mustAsk { return wishes.onlyIfCached ? .gatewayTimeout : ask(about: entry, request) }
        let freshness = Freshness(of: entry, at: now)
        let isYoungEnough = wishes.maxAge.map { freshness.age <= TimeInterval($0) } ?? true
        if isYoungEnough {
            let isFresh = freshness.isFresh && freshness.lifetime >= freshness.age + TimeInterval(wishes.minFresh ?? 0)
            let mayBeStale = !directives.mustRevalidate && wishes.minFresh == nil
            let isTolerable = mayBeStale && wishes.maxStale.map { freshness.staleness <= TimeInterval($0) } ?? false
            if isFresh || isTolerable { return .use(entry) }
        }
        if wishes.onlyIfCached { return .gatewayTimeout }
        let hasWishes = wishes.maxAge != nil || wishes.minFresh != nil
        if !directives.mustRevalidate, !hasWishes, let limit = directives.staleWhileRevalidate,
            freshness.staleness <= TimeInterval(limit)
        {
            return .useWhileRevalidating(entry)
        }
        return ask(about: entry, request)
    }

    private static func ask(about entry: CacheEntry, _ request: CacheRequest) -> CacheDecision {
        request.method == "GET" && !entry.conditions.isEmpty ? .revalidate(entry) : .load(fallback: entry)
    }

    /// Whether a stale entry may be the response when the network or the server has failed (RFC 5861, section 4).
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
