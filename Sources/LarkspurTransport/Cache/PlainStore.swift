#if canImport(FoundationNetworking)
import HTTPSyntax
import Synchronization

/// The store for a plain `URLCache`. Entries are in memory, with copies in the `URLCache`. If a copy was removed from
/// the `URLCache`, the entry is removed too.
///
/// The `URLCache` itself cannot be the store, because it has a single entry for all schemes and queries of a path.
/// Copies are made on a queue, because writing to a `URLCache` takes longer than many requests do. Of several waiting
/// changes to one URL, only the last is made. A task waits for the copy of its response; the session's thread does not
/// wait.
final class PlainStore: ResponseStore {
    private struct Reference {
        weak var cache: URLCache?
    }

    /// Changes by URL: the new entry, or nil for a removal.
    private typealias Changes = [TextKey: CacheEntry?]

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

    /// Whether a program has removed the copy of an entry from its cache.
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
            guard let request = request(for: url.text) else { continue }
            // The old copy is removed first. If a copy was stored twice, Foundation ends the process when it later
            // removes entries to make room.
            cache.removeCachedResponse(for: request)
            if var entry {
                // The copy is not written to a file, because that takes a thousand times as long.
                entry.isMemoryOnly = true
                if let response = entry.cachedResponse(withMetadata: false) {
                    cache.storeCachedResponse(response, for: request)
                }
            }
        }
    }

    /// Takes the waiting changes and their completions; nil if none are waiting. Called when the earlier changes have
    /// been made.
    private func takeChanges() -> (Changes, [@Sendable () -> Void])? {
        copying.withLock { copying in
            let completions = copying.completions
            copying.underWay = copying.waiting
            copying.waiting = [:]
            copying.completions = []
            // After a removal of all entries, there may be completions without changes.
            copying.isScheduled = !copying.underWay.isEmpty || !completions.isEmpty
            return copying.isScheduled ? (copying.underWay, completions) : nil
        }
    }

    private static func request(for url: String) -> URLRequest? { URL(string: url).map { URLRequest(url: $0) } }
}
#endif
