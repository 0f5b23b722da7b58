#if canImport(FoundationNetworking)
/// A response that is stored if the delegate agrees.
struct CacheProposal: Sendable {
    let entry: CacheEntry
    let request: URLRequest
    let destination: any ResponseStore
    /// The revalidation that has brought the response; nil for a response that a caller asked for.
    var revalidation: Revalidation?

    /// Stores the entry unchanged.
    func store() { destination.store(entry, for: request) }

    /// Stores the delegate's version of the response. With nil, nothing is stored.
    func accept(_ answer: CachedURLResponse?) {
        guard let answer, answer.storagePolicy != .notAllowed, answer.data.count <= destination.maximumContentSize
        else {
            // The server has sent a newer response. So the stored response is outdated, and must not remain.
            return destination.remove(entry.url)
        }
        var entry = entry
        entry.content = answer.data
        entry.isMemoryOnly = answer.storagePolicy == .allowedInMemoryOnly
        if let response = answer.response as? HTTPURLResponse {
            entry.status = response.statusCode
            entry.fields = CacheEntry.storedFields(of: response.textFields)
            entry.mayBeUsedByDefault = true
        }
        entry.userInfo = answer.userInfo.map { CacheEntry.UserInfo($0) }
        destination.store(entry, for: request)
    }
}

/// A revalidation of a cached response by the session itself. While this object exists, the session does not begin
/// another one of the same URL. So whoever may still store the new response retains it.
final class Revalidation: Sendable {
    let url: String

    init(of url: String) { self.url = url }
}
#endif
