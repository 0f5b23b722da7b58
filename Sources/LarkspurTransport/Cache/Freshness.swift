#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The age and the lifetime of a stored response, in seconds (RFC 9111, section 4.2).
struct Freshness: Equatable, Sendable {
    /// The longest heuristic lifetime, one day, however old the representation is.
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
        // In a list, the first value counts. A value that is not a number is ignored (section 5.1).
        let first = entry.fields["Age"]?.before(",").trimmingBlanks
        let stated = first?.utf8.decimalNumber(atMost: CacheControl.longest) ?? 0
        let delay = max(0, entry.responseTime.timeIntervalSince(entry.requestTime))
        let apparent = max(0, entry.responseTime.timeIntervalSince(entry.date))
        // The absolute value is used, because a stale response must not become fresh again if the clock is set back.
        return max(apparent, TimeInterval(stated) + delay) + abs(now.timeIntervalSince(entry.responseTime))
    }

    /// Computes the lifetime (section 4.2.1).
    private static func lifetime(of entry: CacheEntry) -> TimeInterval {
        let directives = entry.directives
        if let seconds = directives.maxAge { return TimeInterval(seconds) }
        if let expires = entry.fields["Expires"] {
            // A value in another format, such as 0, counts as a date in the past. The same applies to several values
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
