#if canImport(FoundationNetworking)
import HTTPSyntax

/// The rule by which an entry has a copy in a plain `URLCache`.
extension CacheEntry {
    /// Whether a request with the default policy and without directives of its own could use the entry, now or later:
    /// while it is fresh, after a validation, or stale as its directives permit.
    var isUsefulByDefault: Bool {
        if !conditions.isEmpty { return true }
        guard Self.freshnessFields.contains(where: { fields[$0] != nil }) else { return false }
        let directives = directives
        if directives.noCache { return false }
        let mayBeStale = directives.staleWhileRevalidate != nil || directives.staleIfError != nil
        return mayBeStale && !directives.mustRevalidate || Freshness(of: self, at: responseTime).isFresh
    }

    /// Without one of these fields, a response that has no validator is never fresh.
    private static let freshnessFields = ["Cache-Control", "Expires", "Pragma"]

    /// Whether the copy of this entry shows the other one too: the two differ in nothing but their dates and ages.
    func hasSameCopy(as other: CacheEntry) -> Bool {
        guard copy != nil, status == other.status, version == other.version, userInfo == other.userInfo,
            content == other.content
        else { return false }
        return fields.keys.count(where: Self.isTimeless) == other.fields.keys.count(where: Self.isTimeless)
            && fields.allSatisfy { name, value in !Self.isTimeless(name) || other.fields[name] == value }
    }

    private static func isTimeless(_ name: String) -> Bool { name != "Date" && name != "Age" }

    /// Returns the request for the copy of a URL's entry; nil if Foundation cannot represent the URL.
    static func copyRequest(for url: String) -> URLRequest? { URL(string: url).map { URLRequest(url: $0) } }
}
#endif
