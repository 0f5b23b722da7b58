#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The origins that have announced HTTP/3 to a session (RFC 7838).
///
/// libcurl also stores announcements, but the engine does not use this. libcurl stores them for one easy handle, or in
/// a file. If libcurl before 8.18 finds an announcement there, it tries only QUIC. With `CURL_HTTP_VERSION_3`, libcurl
/// tries TCP too.
struct HTTP3Origins {
    /// The maximum number of origins. When it is reached, expired origins are removed. If more than half of the maximum
    /// would then remain, all origins are removed. The next responses of the removed origins announce HTTP/3 again.
    static let capacity = 1024
    /// The time after a failure during which an origin's announcements are ignored.
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

    /// Records the `Alt-Svc` field of a response. It replaces earlier `Alt-Svc` fields of the origin (RFC 7838, section
    /// 3.1).
    /// - Parameter age: The value of the response's `Age` field; nil if there is none.
    mutating func note(_ field: String, age: String?, of origin: Origin, at now: ContinuousClock.Instant) {
        if case .failed(let end) = entries[origin], now < end { return }
        let age = age?.utf8.decimalNumber(atMost: HTTP3Announcement.longest) ?? 0
        let lifetime = HTTP3Announcement(field, of: origin).map { $0.lifetime - age } ?? 0
        entries[origin] = nil
        guard lifetime > 0 else { return }
        insert(.offered(until: now + .seconds(lifetime)), for: origin, at: now)
    }

    /// Records that an HTTP/3 connection has failed.
    mutating func noteFailure(of origin: Origin, at now: ContinuousClock.Instant) {
        insert(.failed(until: now + Self.penalty), for: origin, at: now)
    }

    private mutating func insert(_ entry: Entry, for origin: Origin, at now: ContinuousClock.Instant) {
        if entries.count >= Self.capacity {
            entries = entries.filter { now < $0.value.end }
            // If only a few entries have expired, the set would soon be full, and would be searched again.
            if entries.count > Self.capacity / 2 { entries.removeAll() }
        }
        entries[origin] = entry
    }
}

/// The announcement that an origin supports HTTP/3 at its own host and port, from an `Alt-Svc` field (RFC 7838, section
/// 3).
///
/// An announcement of another host or port is ignored. So the certificate is checked for the same name, and the
/// fallback to TCP uses the same address.
struct HTTP3Announcement {
    /// The time in seconds for which the announcement is valid.
    let lifetime: Int

    /// The maximum lifetime, in seconds: a year (RFC 9111, section 1.2.2).
    static let longest = 31_536_000

    /// Reads a field. Returns nil if it does not announce HTTP/3 at the origin's own host and port.
    init?(_ field: String, of origin: Origin) {
        for alternative in FieldParameters.split(field, at: ",") {
            let parameters = FieldParameters(alternative)
            // The protocol is an ALPN identifier, which is case-sensitive.
            let parts = parameters.leading.parts(separatedBy: "=", maxSplits: 1)
            guard parts.count == 2, parts[0] == "h3",
                Self.isAuthority(FieldParameters.unquote(String(parts[1])), of: origin)
            else { continue }
            lifetime = parameters.values["ma"]?.utf8.decimalNumber(atMost: Self.longest) ?? 86_400
            return
        }
        return nil
    }

    /// Whether an authority has the host and the port of an origin. The host may be missing.
    private static func isAuthority(_ text: String, of origin: Origin) -> Bool {
        guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")),
            text[text.utf8.index(after: colon)...] == String(origin.port)
        else { return false }
        let host = text[..<colon]
        return host.isEmpty || (try? CanonicalHost(inURL: host))?.urlText == origin.host
    }
}
#endif
