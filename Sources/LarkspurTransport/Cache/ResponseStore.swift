#if canImport(FoundationNetworking)
import Synchronization

/// The storage of a session's cache.
protocol ResponseStore: Sendable {
    /// The largest content of an entry, in bytes.
    var maximumContentSize: Int { get }

    /// Returns the known entries of a URL without waiting.
    /// - Parameter request: The request that may use one of them.
    func lookUp(_ url: String, for request: CacheRequest) -> StoreLookUp

    /// Loads all entries for a URL, from memory and disk.
    /// - Parameters:
    ///   - request: The request for the URL.
    ///   - completion: Called once, on a queue of the store.
    func load(_ url: String, _ request: URLRequest, completion: @escaping @Sendable ([CacheEntry]) -> Void)

    /// Stores an entry in place of its previous version, for the same URL and fields.
    func store(_ entry: CacheEntry, for request: URLRequest)

    /// Removes all entries for a URL.
    func remove(_ url: String)

    func removeAll()
}

/// The entries of a URL that a store knows without waiting.
struct StoreLookUp: Sendable {
    var entries: [CacheEntry]
    /// Whether there may be more entries, which only ``ResponseStore/load(_:_:completion:)`` finds.
    let mayHaveMore: Bool
    /// Whether there is another entry, which the request cannot use.
    var hasUnusable = false
}

/// The choice of the store for a configuration's cache.
enum SessionCache {
    private struct StandIn {
        weak var cache: URLCache?
        let store: PlainStore
    }

    private static let standIns = Mutex<[ObjectIdentifier: StandIn]>([:])

    /// Returns the store; nil without a cache.
    /// - Parameter isShared: Whether responses of other sessions with the same plain cache may be used. False if the
    ///   sessions trust servers by different rules. Default: true.
    static func store(for cache: URLCache?, isShared: Bool = true) -> (any ResponseStore)? {
        guard let cache else { return nil }
        if let own = cache as? HTTPCache { return own.entries }
        guard type(of: cache) == URLCache.self else { return ForeignStore(cache) }
        guard isShared else {
            return EntryStore(memoryCapacity: cache.memoryCapacity, diskCapacity: 0, directory: nil)
        }
        return standIn(for: cache)
    }

    /// Returns the store that is used in place of a plain cache. The same cache always has the same store.
    private static func standIn(for cache: URLCache) -> PlainStore {
        standIns.withLock { standIns in
            let identifier = ObjectIdentifier(cache)
            if let known = standIns[identifier], known.cache === cache { return known.store }
            standIns = standIns.filter { $0.value.cache != nil }
            let store = PlainStore(cache)
            standIns[identifier] = StandIn(cache: cache, store: store)
            return store
        }
    }
}

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
