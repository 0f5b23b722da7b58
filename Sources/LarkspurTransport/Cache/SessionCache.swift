#if canImport(FoundationNetworking)
import Synchronization

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
#endif
