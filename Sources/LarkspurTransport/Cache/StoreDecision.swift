#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// Whether a response may be kept by a private cache (RFC 9111, section 3), and whether that is of any use.
///
/// A success is of use without freshness and validators too: for requests whose policy takes whatever is stored, as
/// Apple documents for `URLCache`.
enum StoreDecision: Equatable, Sendable {
    enum Reason: Equatable, Sendable {
        /// The request was no plain GET, or said no-store.
        case request
        /// The response says no-store.
        case noStore
        /// It is a part, or about something that is stored.
        case partial
        /// A status that nobody has said anything of, or one that only who understands it may keep.
        case status
        /// `Vary: *`, or no list of names.
        case variesByAnything
        /// It ends with its connection, so that nobody knows whether it is whole.
        case openEnded
        /// It is no success, stale from the beginning, and there is nothing to ask the server by.
        case useless
    }

    /// It may, and requests are told apart by these fields, in lower case and in order.
    case store(varying: [String])
    case refuse(Reason)

    static func decide(_ head: ResponseHead, for request: CacheRequest) -> StoreDecision {
        guard request.allowsStoring else { return .refuse(.request) }
        let fields = head.fields
        let hasValidator = fields["Etag"] != nil || fields["Last-Modified"] != nil
        let control = fields["Cache-Control"]
        let directives = control.map(CacheControl.init) ?? CacheControl()
        if directives.noStore { return .refuse(.noStore) }
        if head.status == 206 || head.status == 304 || fields["Content-Range"] != nil { return .refuse(.partial) }
        let isKnown = Freshness.isHeuristicallyCacheable(head.status)
        let isExplicit =
            directives.isPublic || directives.isPrivate || directives.maxAge != nil || fields["Expires"] != nil
        // A status beyond 599 is treated as a failure of the server's (RFC 9110, section 15).
        guard head.status < 600, isKnown || isExplicit && !directives.mustUnderstand else { return .refuse(.status) }
        let isStale = directives.noCache || directives.maxAge == 0
        let mayBeFresh = directives.maxAge != nil || fields["Expires"] != nil
        guard (200...299).contains(head.status) || hasValidator || mayBeFresh && !isStale || request.takesAnything
        else {
            return .refuse(.useless)
        }
        let framing = try? ResponseFraming(head.framing, status: head.status, version: head.version, method: "GET")
        if framing == .close { return .refuse(.openEnded) }
        guard let names = names(of: fields) else { return .refuse(.variesByAnything) }
        return .store(varying: names)
    }

    /// The fields of requests by which those are told apart that a response with these fields answers; nil if it
    /// answers no other.
    static func names(of fields: [String: String]) -> [String]? {
        guard let names = names(in: fields["Vary"]) else { return nil }
        let coding = "accept-encoding"
        // Content is kept decoded, but for codings that are not known, whatever the server says.
        guard fields["Content-Encoding"] != nil, !names.contains(coding) else { return names }
        return (names + [coding]).sorted()
    }

    /// Nil for anything but a list of names.
    static func names(in vary: String?) -> [String]? {
        guard let vary, !vary.isEmpty else { return [] }
        var names: Set<String> = []
        for part in vary.utf8.split(separator: UInt8(ascii: ",")) {
            let trimmed = part.drop(while: \.isBlank).reversed().drop(while: \.isBlank).reversed()
            let name = trimmed.map(\.asLowercase)
            if name.isEmpty { continue }
            guard name != [UInt8(ascii: "*")], name.allSatisfy(\.isToken) else { return nil }
            names.insert(String(decoding: name, as: UTF8.self))
        }
        return names.sorted()
    }
}

extension CacheRequest {
    /// Whether what it brings is of use however stale it is.
    fileprivate var takesAnything: Bool { policy == .returnCacheDataElseLoad || policy == .returnCacheDataDontLoad }
}
#endif
