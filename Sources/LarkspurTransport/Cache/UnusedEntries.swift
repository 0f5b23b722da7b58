#if canImport(FoundationNetworking)
import HTTPSyntax

/// Entries that are hardly ever used, one for a URL: storing one costs a single insertion into a dictionary.
///
/// Entries that were stored recently are in one dictionary, and older ones in another. When the first one is full, it
/// takes the place of the second one, whose entries are removed.
struct UnusedEntries: Sendable {
    private var recent: [TextKey: CacheEntry] = [:]
    private var older: [TextKey: CacheEntry] = [:]
    private var recentCost = 0
    /// The capacity of both dictionaries together, in bytes.
    let capacity: Int

    init(capacity: Int) { self.capacity = capacity }

    var isEmpty: Bool { recent.isEmpty && older.isEmpty }

    subscript(url: String) -> CacheEntry? {
        isEmpty ? nil : recent[TextKey(url)] ?? older[TextKey(url)]
    }

    func contains(_ url: String) -> Bool {
        !isEmpty && (recent.index(forKey: TextKey(url)) != nil || older.index(forKey: TextKey(url)) != nil)
    }

    /// Adds an entry, in place of the one for the same URL.
    mutating func insert(_ entry: consuming CacheEntry) {
        let key = TextKey(entry.url)
        recentCost += entry.cost
        if let former = recent.updateValue(entry, forKey: key) {
            recentCost -= former.cost
        } else if !older.isEmpty {
            older[key] = nil
        }
        guard recentCost > capacity / 2 else { return }
        older = recent
        recent = [:]
        recentCost = 0
    }

    mutating func remove(_ url: String) {
        guard !isEmpty else { return }
        if let former = recent.removeValue(forKey: TextKey(url)) { recentCost -= former.cost }
        older[TextKey(url)] = nil
    }

    mutating func removeAll() { self = Self(capacity: capacity) }
}
#endif
