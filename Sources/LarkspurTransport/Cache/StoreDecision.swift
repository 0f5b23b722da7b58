#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The decision whether a private cache may store a response (RFC 9111, section 3), and whether storing it is useful.
///
/// A successful response is useful even without freshness and validators: some request policies accept any stored
/// response, as Apple documents for `URLCache`.
enum StoreDecision: Equatable, Sendable {
    enum Reason: Equatable, Sendable {
        /// The request is not a plain GET, or has the directive no-store.
        case request
        /// The response has the directive no-store.
        case noStore
        /// The response is a part of a representation, or a 304.
        case partial
        /// No rule makes the status cacheable, or only a cache that implements the status may store the response.
        case status
        /// The response has `Vary: *`, or its `Vary` is not a list of names.
        case variesByAnything
        /// The content ends with the connection, so it may be incomplete.
        case openEnded
        /// Another recipient of the same bytes could find a different end of the content.
        case doubtfulEnd
        /// The response is not successful, is stale from the beginning, and has no validator.
        case useless
    }

    /// The response may be stored. Its variants are distinguished by these request fields, whose names are in lower
    /// case and sorted.
    case store(varying: [String])
    case refuse(Reason)

    static func decide(_ head: ResponseHead, for request: CacheRequest) -> StoreDecision {
        guard request.allowsStoring else { return .refuse(.request) }
        return request.takesAnything ? decide(head, takesAnything: true) : StorableHead.of(head).decision
    }

    /// - Parameter takesAnything: Whether the request accepts any stored response, even if it is stale.
    static func decide(_ head: ResponseHead, takesAnything: Bool) -> StoreDecision {
        let fields = head.fields
        let hasValidator = fields["Etag"] != nil || fields["Last-Modified"] != nil
        let control = fields["Cache-Control"]
        let directives = control.map(CacheControl.init) ?? CacheControl()
        if directives.noStore { return .refuse(.noStore) }
        // With other statuses, `Content-Range` has no meaning (RFC 9110, section 14.4).
        if head.status == 206 || head.status == 304 { return .refuse(.partial) }
        let isKnown = Freshness.isHeuristicallyCacheable(head.status)
        let isExplicit =
            directives.isPublic || directives.isPrivate || directives.maxAge != nil || fields["Expires"] != nil
        // A status above 599 is treated as a server error (RFC 9110, section 15).
        guard head.status < 600, isKnown || isExplicit && !directives.mustUnderstand else { return .refuse(.status) }
        let isStale = directives.noCache || directives.maxAge == 0
        let mayBeFresh = directives.maxAge != nil || fields["Expires"] != nil
        guard (200...299).contains(head.status) || hasValidator || mayBeFresh && !isStale || takesAnything
        else {
            return .refuse(.useless)
        }
        let framing = try? ResponseFraming(head.framing, status: head.status, version: head.version, method: "GET")
        if framing == .close { return .refuse(.openEnded) }
        if ResponseFraming.isDoubtful(head.framing, version: head.version) { return .refuse(.doubtfulEnd) }
        guard let names = names(of: fields) else { return .refuse(.variesByAnything) }
        return .store(varying: names)
    }

    /// Returns the request fields that distinguish the variants of a response with these fields. Returns nil if no
    /// other request can use the response.
    static func names(of fields: [String: String]) -> [String]? {
        guard let names = names(in: fields["Vary"]) else { return nil }
        let coding = "accept-encoding"
        // A response with a content coding depends on `Accept-Encoding`, even if `Vary` does not name this field. The
        // content is stored decoded, unless the coding is unknown.
        guard fields["Content-Encoding"] != nil, !names.contains(coding) else { return names }
        return (names + [coding]).sorted()
    }

    /// Reads the names in a `Vary` field; nil if it is not a list of names.
    static func names(in vary: String?) -> [String]? {
        guard let vary, !vary.isEmpty else { return [] }
        var names: Set<TextKey> = []
        for part in vary.utf8.split(separator: UInt8(ascii: ",")) {
            let name = part.trimmingBlanks.map(\.asLowercase)
            if name.isEmpty { continue }
            guard name != [UInt8(ascii: "*")], name.allSatisfy(\.isToken) else { return nil }
            names.insert(String(decoding: name, as: UTF8.self))
        }
        return names.map(\.text).sorted()
    }
}

/// The parts of a response head that a cache stores, for a request that allows storing.
final class StorableHead: Sendable {
    let decision: StoreDecision
    /// The fields of the response, without the fields that concern the connection.
    let fields: [String: String]
    /// Whether a field gives the response freshness or a validator. If so, a request with the default policy may use
    /// the response.
    let mayBeUsedByDefault: Bool

    private init(_ head: ResponseHead) {
        decision = StoreDecision.decide(head, takesAnything: false)
        fields = CacheEntry.storedFields(of: head.cachedFields)
        mayBeUsedByDefault = Self.names.contains { head.fields[$0] != nil }
    }

    private static let names = ["Cache-Control", "Etag", "Expires", "Last-Modified", "Pragma"]

    /// Returns the value for a head. Many responses of an origin have the same head, so the value is computed only once
    /// for each head. It is used on the thread of the loop that has received the head.
    static func of(_ head: ResponseHead) -> StorableHead {
        if let known = head.memo as? StorableHead { return known }
        let made = StorableHead(head)
        head.memo = made
        return made
    }
}
#endif
