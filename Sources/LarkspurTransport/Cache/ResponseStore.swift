#if canImport(FoundationNetworking)
import HTTPSyntax
import Synchronization

/// The storage of a session's cache.
protocol ResponseStore: Sendable {
    /// The largest content of an entry, in bytes.
    var maximumContentSize: Int { get }

    /// Returns the known entries of a URL without waiting.
    /// - Parameter request: The request that may use one of the entries.
    func lookUp(_ url: String, for request: CacheRequest) -> StoreLookUp

    /// Loads all entries for a URL, from memory and disk.
    /// - Parameters:
    ///   - request: The request for the URL.
    ///   - completion: Called once, on a queue of the store.
    func load(_ url: String, _ request: URLRequest, completion: @escaping @Sendable ([CacheEntry]) -> Void)

    /// Stores an entry in place of its previous version for the same URL and fields.
    func store(_ entry: CacheEntry, for request: URLRequest)

    /// Removes all entries for a URL.
    func remove(_ url: String)

    func removeAll()
}

/// The entries of a URL that a store knows without waiting.
struct StoreLookUp: Sendable {
    var entries: [CacheEntry]
    /// Whether there may be more entries. Only ``ResponseStore/load(_:_:completion:)`` finds them.
    let mayHaveMore: Bool
    /// Whether there is another entry that the request cannot use.
    var hasUnusable = false
}

/// The choice of the store for a configuration's cache.
enum SessionCache {
    private struct StandIn {
        weak var cache: URLCache?
        let store: PlainStore
    }

    private static let standIns = Mutex<[ObjectIdentifier: StandIn]>([:])

    /// Returns the store; nil if there is no cache.
    /// - Parameter isShared: Whether responses of other sessions with the same `URLCache` of Foundation may be used.
    ///   False if the sessions trust servers by different rules. Default: true.
    static func store(for cache: URLCache?, isShared: Bool = true) -> (any ResponseStore)? {
        guard let cache else { return nil }
        if let own = cache as? HTTPCache { return own.entries }
        guard type(of: cache) == URLCache.self else { return ForeignStore(cache) }
        guard isShared else {
            return EntryStore(memoryCapacity: cache.memoryCapacity, diskCapacity: 0, directory: nil)
        }
        return standIn(for: cache)
    }

    /// Returns the store that is used in place of a `URLCache` of Foundation. For the same cache, always returns the
    /// same store.
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
    /// The key of the values that Foundation cannot represent, in the user information of a cached response.
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
    /// Returns the request with the URL of an entry. All calls of the cache use this URL, because otherwise a removal
    /// would not find the entry.
    fileprivate func with(url text: String) -> URLRequest {
        var request = self
        request.url = URL(string: text) ?? url
        return request
    }
}

/// The store for a `URLCache` of Foundation itself, not of a subclass. Entries are in memory. An entry that ordinary
/// requests can use again is also copied to the `URLCache`. If the copy is removed from there, the entry is removed
/// too.
///
/// The `URLCache` itself cannot be the store, because it has a single entry for all schemes and queries of a path. The
/// copy is made only in memory, when the response is stored. This costs a few microseconds, and a file would cost a
/// thousand times as much.
///
/// Some entries can be used only by requests that accept any stored response. Such an entry has no copy, because nearly
/// all of these entries are never used. In place of their copies, the `URLCache` has one empty response, the sign. When
/// a program removes all responses from the `URLCache`, it also removes the sign. Then the next request that accepts
/// any stored response finds none of these entries.
final class PlainStore: ResponseStore {
    fileprivate struct Copies {
        weak var cache: URLCache?
        /// The entries that can be used only by requests that accept any stored response, unless a request field
        /// distinguishes them.
        var unused: UnusedEntries
        /// Whether a copy was made. If so, a removal may concern a copy.
        var wereMade = false
        var hasSign = false
    }

    private let entries: EntryStore
    /// The lock is held while entries and their copies change, so that both change in the same order. During this time,
    /// no code of a program runs, because the `URLCache` is Foundation's own.
    private let copies: Mutex<Copies>

    init(_ cache: URLCache) {
        entries = EntryStore(memoryCapacity: cache.memoryCapacity, diskCapacity: 0, directory: nil)
        maximumContentSize = entries.maximumContentSize
        // If there are both kinds of entries, each kind has half of the capacity.
        copies = Mutex(Copies(cache: cache, unused: UnusedEntries(capacity: cache.memoryCapacity / 2)))
    }

    let maximumContentSize: Int

    func lookUp(_ url: String, for request: CacheRequest) -> StoreLookUp {
        copies.withLock { copies in
            var found = entries.lookUp(url)
            if let copy = found.entries.lazy.compactMap(\.copy).first, !copies.has(copy) {
                entries.remove(url)
                found = entries.lookUp(url)
            }
            guard request.mayUseAnyEntry else {
                found.hasUnusable = copies.unused.contains(url)
                return found
            }
            if copies.hasSign, copies.unused.contains(url) || found.entries.contains(where: { $0.copy == nil }),
                !copies.has(Self.sign)
            {
                copies.hasSign = false
                copies.unused.removeAll()
                entries.removeAll { $0.copy == nil }
                found = entries.lookUp(url)
            }
            if let unused = copies.unused[url] { found.entries.append(unused) }
            return found
        }
    }

    func load(_ url: String, _ request: URLRequest, completion: @escaping @Sendable ([CacheEntry]) -> Void) {
        entries.load(url, request, completion: completion)
    }

    func store(_ entry: CacheEntry, for request: URLRequest) {
        copies.withLock { copies in
            let known = entries.memoryUsage == 0 ? [] : entries.lookUp(entry.url).entries
            var entry = entry
            entry.mayBeUsedByDefault = entry.mayBeUsedByDefault && entry.isUsefulByDefault
            if entry.mayBeUsedByDefault {
                let former = known.first { $0.isSameVariant(as: entry) && $0.hasSameCopy(as: entry) }
                entry.copy = former?.copy ?? copies.make(entry)
                copies.unused.remove(entry.url)
                return entries.store(entry)
            }
            entry.copy = nil
            // The copy represents an earlier version of this response, unless it represents another variant.
            if let copy = known.first(where: { $0.copy != nil })?.copy,
                !known.contains(where: { $0.copy != nil && !$0.isSameVariant(as: entry) })
            {
                copies.remove(copy)
            }
            if !copies.hasSign { copies.addSign(Self.sign) }
            guard entry.varying.isEmpty, entry.authorization == nil else { return entries.store(entry) }
            if known.contains(where: { $0.isSameVariant(as: entry) }) { entries.removeVariant(of: entry) }
            if copies.unused.isEmpty { entries.reservedMemory = copies.unused.capacity }
            copies.unused.insert(entry)
        }
    }

    func remove(_ url: String) {
        copies.withLock { copies in
            entries.remove(url)
            copies.unused.remove(url)
            if copies.wereMade, let request = CacheEntry.copyRequest(for: url) { copies.remove(request) }
        }
    }

    func removeAll() {
        copies.withLock { copies in
            entries.removeAll()
            copies.unused.removeAll()
            copies.hasSign = false
            copies.cache?.removeAllCachedResponses()
        }
    }

    private static let sign = CacheEntry.copyRequest(for: "http://larkspur.invalid/stored-responses")
}

extension PlainStore.Copies {
    /// Whether the `URLCache` still has a response for a request. If the `URLCache` was released, the result is true.
    fileprivate func has(_ request: URLRequest?) -> Bool {
        guard let cache, let request else { return true }
        return cache.cachedResponse(for: request) != nil
    }

    /// Copies an entry. Returns the request for its copy. Returns nil if Foundation cannot represent the entry.
    fileprivate mutating func make(_ entry: CacheEntry) -> URLRequest? {
        var entry = entry
        // The copy is not written to a file.
        entry.isMemoryOnly = true
        guard let request = CacheEntry.copyRequest(for: entry.url),
            let response = entry.cachedResponse(withMetadata: false)
        else { return nil }
        wereMade = true
        store(response, for: request)
        return request
    }

    /// Adds the sign to the `URLCache`.
    fileprivate mutating func addSign(_ request: URLRequest?) {
        guard let request, let url = request.url else { return }
        hasSign = true
        let response = URLResponse(url: url, mimeType: nil, expectedContentLength: 0, textEncodingName: nil)
        store(CachedURLResponse(response: response, data: Data(), storagePolicy: .allowedInMemoryOnly), for: request)
    }

    private func store(_ response: CachedURLResponse, for request: URLRequest) {
        // The old response is removed first. If a response is stored twice, Foundation ends the process when it later
        // removes entries to make room.
        cache?.removeCachedResponse(for: request)
        cache?.storeCachedResponse(response, for: request)
    }

    fileprivate func remove(_ request: URLRequest) { cache?.removeCachedResponse(for: request) }
}
#endif
