#if canImport(FoundationNetworking)
/// A store that uses a caller's subclass of `URLCache`.
///
/// A response from the subclass is used only if it has the URL of the request, because the subclass may use other keys.
/// The subclass may be slow, so it is called on a queue.
final class ForeignStore: ResponseStore {
    /// The key, in the user info of a cached response, of the values that Foundation cannot represent.
    static let metadataKey = "larkspur.cache.entry"

    private let cache: URLCache
    private let queue = DispatchQueue(label: "larkspur.cache.foreign")

    let maximumContentSize: Int

    init(_ cache: URLCache) {
        self.cache = cache
        maximumContentSize = max(0, max(cache.memoryCapacity, cache.diskCapacity)) / 20
    }

    func lookUp(_ url: String, for request: CacheRequest) -> StoreLookUp {
        StoreLookUp(entries: [], mayHaveMore: true)
    }

    func load(_ url: String, _ request: URLRequest, completion: @escaping @Sendable ([CacheEntry]) -> Void) {
        let request = request.with(url: url)
        queue.async { [cache] in
            let found = cache.cachedResponse(for: request).flatMap { CacheEntry($0, url: url) }
            completion(found.map { [$0] } ?? [])
        }
    }

    func store(_ entry: CacheEntry, for request: URLRequest) {
        let request = request.with(url: entry.url)
        queue.async { [cache] in
            if let response = entry.cachedResponse(withMetadata: true) {
                cache.storeCachedResponse(response, for: request)
            }
        }
    }

    func remove(_ url: String) {
        guard let url = URL(string: url) else { return }
        queue.async { [cache] in cache.removeCachedResponse(for: URLRequest(url: url)) }
    }

    func removeAll() { queue.async { [cache] in cache.removeAllCachedResponses() } }
}

extension URLRequest {
    /// Returns the request with the URL of an entry. All calls to the cache use this URL. Otherwise a removal would not
    /// find the entry.
    fileprivate func with(url text: String) -> URLRequest {
        var request = self
        request.url = URL(string: text) ?? url
        return request
    }
}
#endif
