#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The origins that have announced HTTP/3, as a session remembers them (RFC 7838).
struct HTTP3Origins {
    /// The number of origins above which all are forgotten; their next responses announce HTTP/3 again.
    static let capacity = 1024
    /// The time for which an origin's announcements are ignored after a failure.
    static let penalty = Duration.seconds(300)

    private enum Entry {
        case offered(until: ContinuousClock.Instant)
        case failed(until: ContinuousClock.Instant)

        var end: ContinuousClock.Instant {
            switch self {
            case .offered(let end), .failed(let end): end
            }
        }
    }

    private var entries: [Origin: Entry] = [:]

    /// Whether requests to an origin may use HTTP/3.
    func contains(_ origin: Origin, at now: ContinuousClock.Instant) -> Bool {
        guard case .offered(let end) = entries[origin] else { return false }
        return now < end
    }

    /// Notes the `Alt-Svc` field of a response, which replaces earlier ones (RFC 7838, section 3.1).
    /// - Parameter age: The value of the response's `Age` field; nil without one.
    mutating func note(_ field: String, age: String?, of origin: Origin, at now: ContinuousClock.Instant) {
        if case .failed(let end) = entries[origin], now < end { return }
        let lifetime = HTTP3Announcement(field, of: origin).map { $0.lifetime - (DeltaSeconds(age)?.value ?? 0) } ?? 0
        entries[origin] = nil
        guard lifetime > 0 else { return }
        insert(.offered(until: now + .seconds(lifetime)), for: origin, at: now)
    }

    /// Notes that a connection with HTTP/3 has failed.
    mutating func noteFailure(of origin: Origin, at now: ContinuousClock.Instant) {
        insert(.failed(until: now + Self.penalty), for: origin, at: now)
    }

    private mutating func insert(_ entry: Entry, for origin: Origin, at now: ContinuousClock.Instant) {
        if entries.count >= Self.capacity {
            entries = entries.filter { now < $0.value.end }
            // The search is rare only if it makes much room.
            if entries.count > Self.capacity / 2 { entries.removeAll() }
        }
        entries[origin] = entry
    }
}
#endif

#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The announcement of HTTP/3 at the origin's own host and port, from an `Alt-Svc` field (RFC 7838, section 3).
struct HTTP3Announcement {
    /// The time for which it holds, in seconds.
    let lifetime: Int64

    /// Reads a field; nil if it does not announce HTTP/3 there.
    init?(_ field: String, of origin: Origin) {
        for alternative in FieldParameters.split(field, at: ",") {
            let parameters = FieldParameters(alternative)
            // The identifier of a protocol is that of ALPN, in its exact spelling.
            let parts = parameters.leading.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, parts[0] == "h3",
                Self.isAuthority(FieldParameters.unquote(String(parts[1])), of: origin)
            else { continue }
            lifetime = DeltaSeconds(parameters.values["ma"])?.value ?? 86_400
            return
        }
        return nil
    }

    /// Whether an authority, in which the host may be missing, is that of an origin.
    private static func isAuthority(_ text: String, of origin: Origin) -> Bool {
        guard let colon = text.lastIndex(of: ":"), text[colon...].dropFirst() == String(origin.port) else {
            return false
        }
        let host = text[..<colon].lowercased()
        return host.isEmpty || host == origin.host || host == "[\(origin.host)]"
    }
}

/// A number of seconds in a field, at most a year (RFC 9111, section 1.2.2).
private struct DeltaSeconds {
    private static let year: Int64 = 31_536_000

    let value: Int64

    /// Reads a number; nil if the text is none.
    init?(_ text: String?) {
        guard let text, !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        value = min(Int64(text) ?? Self.year, Self.year)
    }
}
#endif
