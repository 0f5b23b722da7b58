#if canImport(FoundationNetworking)
import Synchronization

/// The store for a plain `URLCache`: entries in memory, with copies in the `URLCache`. An entry is removed when its
/// copy is no longer there.
///
/// The object itself cannot be the store, as it has one entry for all queries of a path, whatever their scheme. It is
/// also not written to at once: that takes longer than many requests, and of several changes of one URL only the last
/// counts. So a task waits for the copy of its response, and the session's thread does not.
final class PlainStore: ResponseStore {
    private struct Reference {
        weak var cache: URLCache?
    }

    /// Changes by URL: the new entry, or nil for a removal.
    private typealias Changes = [String: CacheEntry?]

    private struct Copying {
        var waiting: Changes = [:]
        var underWay: Changes = [:]
        /// The completions of the waiting changes.
        var completions: [@Sendable () -> Void] = []
        var isScheduled = false
    }

    private let entries: EntryStore
    private let reference: Mutex<Reference>
    private let copying = Mutex(Copying())
    private let queue = DispatchQueue(label: "larkspur.cache.plain")

    init(_ cache: URLCache) {
        entries = EntryStore(memoryCapacity: cache.memoryCapacity, diskCapacity: 0, directory: nil)
        reference = Mutex(Reference(cache: cache))
    }

    var maximumContentSize: Int { entries.maximumContentSize }

    func lookUp(_ url: String) -> StoreLookUp {
        let found = entries.lookUp(url)
        guard !found.entries.isEmpty, isGone(url) else { return found }
        entries.remove(url)
        return StoreLookUp(entries: [], mayHaveMore: false)
    }

    func load(_ url: String, _ request: URLRequest, completion: @escaping @Sendable ([CacheEntry]) -> Void) {
        entries.load(url, request, completion: completion)
    }

    let isCopied = true

    func store(_ entry: CacheEntry, for request: URLRequest) { store(entry, for: request) {} }

    func store(_ entry: CacheEntry, for request: URLRequest, completion: @escaping @Sendable () -> Void) {
        entries.store(entry, for: request)
        copy(entry, for: entry.url, completion: completion)
    }

    func remove(_ url: String) {
        entries.remove(url)
        copy(nil, for: url)
    }

    func removeAll() {
        entries.removeAll()
        copying.withLock { $0.waiting = [:] }
        queue.async { [self] in cache?.removeAllCachedResponses() }
    }

    // MARK: Copies

    private var cache: URLCache? { reference.withLock { $0.cache } }

    /// Whether a program has removed a copied entry from its cache.
    private func isGone(_ url: String) -> Bool {
        let isUnderWay = copying.withLock { $0.waiting[url] != nil || $0.underWay[url] != nil }
        guard !isUnderWay, let cache, let request = Self.request(for: url) else { return false }
        return cache.cachedResponse(for: request) == nil
    }

    private func copy(_ entry: CacheEntry?, for url: String, completion: (@Sendable () -> Void)? = nil) {
        let mustSchedule = copying.withLock { copying in
            copying.waiting.updateValue(entry, forKey: url)
            if let completion { copying.completions.append(completion) }
            defer { copying.isScheduled = true }
            return !copying.isScheduled
        }
        if mustSchedule { queue.async { [self] in copyAll() } }
    }

    private func copyAll() {
        while let (changes, completions) = takeChanges() {
            if let cache { Self.make(changes, in: cache) }
            for completion in completions { completion() }
        }
    }

    private static func make(_ changes: Changes, in cache: URLCache) {
        for (url, entry) in changes {
            guard let request = request(for: url) else { continue }
            // An entry that is stored twice would end the process when Foundation makes room.
            cache.removeCachedResponse(for: request)
            if var entry {
                // A write to a file takes Foundation a thousand times as long.
                entry.isMemoryOnly = true
                if let response = entry.cachedResponse(withMetadata: false) {
                    cache.storeCachedResponse(response, for: request)
                }
            }
        }
    }

    /// Takes the next changes to make and their completions, once those before are made; nil if there are none.
    private func takeChanges() -> (Changes, [@Sendable () -> Void])? {
        copying.withLock { copying in
            let completions = copying.completions
            copying.underWay = copying.waiting
            copying.waiting = [:]
            copying.completions = []
            // A removal of all entries leaves completions without changes.
            copying.isScheduled = !copying.underWay.isEmpty || !completions.isEmpty
            return copying.isScheduled ? (copying.underWay, completions) : nil
        }
    }

    private static func request(for url: String) -> URLRequest? { URL(string: url).map { URLRequest(url: $0) } }
}
#endif
