#if canImport(FoundationNetworking)
/// What a cache stores of a response head, for a request that allows storing.
struct StorableHead: Sendable {
    let decision: StoreDecision
    /// The fields without those that concern the connection.
    let fields: [String: String]
    /// Whether a field gives the response freshness or a validator, so that a request with the default policy may use
    /// it.
    let mayBeUsedByDefault: Bool

    init(_ head: ResponseHead) {
        decision = StoreDecision.decide(head, takesAnything: false)
        fields = CacheEntry.storedFields(of: head.cachedFields)
        mayBeUsedByDefault = Self.names.contains { head.fields[$0] != nil }
    }

    private static let names = ["Cache-Control", "Etag", "Expires", "Last-Modified", "Pragma"]

    /// The value of a head, which is computed once. Many responses of an origin have the same head.
    final class Memo: @unchecked Sendable {
        // Safe: it is used only on the thread of the loop that has received the head.
        @exclusivity(unchecked) private var value: StorableHead?

        func value(of head: ResponseHead) -> StorableHead {
            if let value { return value }
            let made = StorableHead(head)
            value = made
            return made
        }
    }
}
#endif
