#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The decision of a cache about a request (RFC 9111, section 4).
enum CacheDecision: Sendable {
    /// The cache is not used for the request.
    case bypass
    /// The request goes to the network. If the network fails and the directives permit it, the entry is the response.
    case load(fallback: CacheEntry?)
    /// The entry is the response.
    case use(CacheEntry)
    /// The entry is the response, and is then revalidated for later requests.
    case useWhileRevalidating(CacheEntry)
    /// The server has to validate the entry.
    case revalidate(CacheEntry)
    /// There is no entry, and the request's policy does not permit loading.
    case fail
    /// There is no usable entry, and a directive of the request does not permit loading. The response is a 504 (RFC
    /// 9111, section 5.2.1.7).
    case gatewayTimeout

    /// - Parameters:
    ///   - candidates: The entries for the request's URL and fields.
    ///   - now: The time at which the request is made.
    static func decide(_ candidates: [CacheEntry], for request: CacheRequest, at now: Date) -> CacheDecision {
        guard CacheRequest.serves(request.method), !request.isSpecial else {
            return request.forbidsLoading ? .fail : .bypass
        }
        // Section 4 requires the latest entry.
        let entry = candidates.max { ($0.date, $0.responseTime) < ($1.date, $1.responseTime) }
        switch request.policy {
        case .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData: return .load(fallback: nil)
        case .returnCacheDataElseLoad: return entry.map { .use($0) } ?? .load(fallback: nil)
        case .returnCacheDataDontLoad: return entry.map { .use($0) } ?? .fail
        case .reloadRevalidatingCacheData:
            guard let entry else { return .load(fallback: nil) }
            // The purpose of `immutable` is to avoid validation on reload (RFC 8246, section 2).
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

/// The age and the lifetime of a stored response, in seconds (RFC 9111, section 4.2).
struct Freshness: Equatable, Sendable {
    /// The longest heuristic lifetime. It is one day, even if the representation is much older.
    static let longestHeuristic: TimeInterval = 86_400

    let age: TimeInterval
    let lifetime: TimeInterval

    var isFresh: Bool { lifetime > age }
    var staleness: TimeInterval { age - lifetime }

    init(of entry: CacheEntry, at now: Date) {
        age = Self.age(of: entry, at: now)
        lifetime = Self.lifetime(of: entry)
    }

    /// Computes the age (section 4.2.3).
    private static func age(of entry: CacheEntry, at now: Date) -> TimeInterval {
        // In a list, only the first value is used. A value that is not a number is ignored (section 5.1).
        let first = entry.fields["Age"]?.before(",").trimmingBlanks
        let stated = first?.utf8.decimalNumber(atMost: CacheControl.longest) ?? 0
        let delay = max(0, entry.responseTime.timeIntervalSince(entry.requestTime))
        let apparent = max(0, entry.responseTime.timeIntervalSince(entry.date))
        // The clock may be set back, and a stale response must not become fresh again. So the absolute value is used.
        return max(apparent, TimeInterval(stated) + delay) + abs(now.timeIntervalSince(entry.responseTime))
    }

    /// Computes the lifetime (section 4.2.1).
    private static func lifetime(of entry: CacheEntry) -> TimeInterval {
        let directives = entry.directives
        if let seconds = directives.maxAge { return TimeInterval(seconds) }
        if let expires = entry.fields["Expires"] {
            // A value in another format, such as 0, means a date in the past. Several values have the same meaning
            // (sections 4.2.1 and 5.3).
            return HTTPDate.parseStrictly(expires).map { max(0, $0.timeIntervalSince(entry.date)) } ?? 0
        }
        guard isHeuristicallyCacheable(entry.status) || directives.isPublic,
            let modified = entry.fields["Last-Modified"].flatMap({ HTTPDate.parse($0) })
        else { return 0 }
        return min(longestHeuristic, max(0, entry.date.timeIntervalSince(modified)) / 10)
    }

    /// Whether a response with this status may be stored without explicit freshness (RFC 9110, section 15.1).
    static func isHeuristicallyCacheable(_ status: Int) -> Bool {
        switch status {
        case 200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501: true
        default: false
        }
    }
}
#endif
