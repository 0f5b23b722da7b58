#if canImport(FoundationNetworking)
/// A response that is stored if the delegate agrees.
struct CacheProposal: Sendable {
    let entry: CacheEntry
    let request: URLRequest
    let destination: any ResponseStore

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
#endif
