#if canImport(FoundationNetworking)
import HTTPSyntax

/// The parts of a response head that a cache stores, for a request that allows storing.
final class StorableHead: Sendable {
    let decision: StoreDecision
    /// The fields without those that concern the connection.
    let fields: [String: String]
    /// Whether a field gives the response freshness or a validator, so that a request with the default policy may use
    /// it.
    let mayBeUsedByDefault: Bool

    private init(_ head: ResponseHead) {
        decision = StoreDecision.decide(head, takesAnything: false)
        fields = CacheEntry.storedFields(of: head.cachedFields)
        mayBeUsedByDefault = Self.names.contains { head.fields[$0] != nil }
    }

    private static let names = ["Cache-Control", "Etag", "Expires", "Last-Modified", "Pragma"]

    /// Returns the value of a head. Many responses of an origin have the same head, so it is computed once. It is used
    /// on the thread of the loop that has received the head.
    static func of(_ head: ResponseHead) -> StorableHead {
        if let known = head.memo as? StorableHead { return known }
        let made = StorableHead(head)
        head.memo = made
        return made
    }
}
#endif
