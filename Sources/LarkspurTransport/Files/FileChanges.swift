/// The changes that one process has made to the entries of a file since it last read or wrote the file.
///
/// Several processes change the same file. To save its changes, a process locks the file, reads it again, applies the
/// changes to what it has read, and writes the result. These are the rules:
///
/// - An entry that this process has added or replaced gets the value of this process, even if another process has
///   replaced or removed the entry. So the change that is saved last counts.
/// - An entry that this process has removed is removed.
/// - All other entries stay as they are in the file.
package struct FileChanges<Key: Hashable & Sendable, Entry: Sendable>: Sendable {
    /// The new values of entries; nil for an entry that was removed.
    private var entries: [Key: Entry?] = [:]
    /// Whether all entries were removed before these changes.
    private var removesAll = false

    package init() {}

    /// The keys of the entries that were added, replaced or removed one by one.
    package var keys: Dictionary<Key, Entry?>.Keys { entries.keys }

    /// Records a new value; nil for a removal.
    package mutating func set(_ entry: Entry?, for key: Key) { entries[key] = .some(entry) }

    /// Records that all entries were removed, also those that another process has added in the meantime.
    package mutating func removeAll() {
        entries.removeAll()
        removesAll = true
    }

    /// Adds later changes.
    package mutating func append(_ later: FileChanges) {
        if later.removesAll { removeAll() }
        entries.merge(later.entries) { $1 }
    }

    /// Forgets changes if there are far more than entries can be, as while the file cannot be written: additions of
    /// entries that have been removed since then, and most removals.
    /// - Parameters:
    ///   - count: The largest number of entries. At most twice as many changes remain.
    ///   - isPresent: Whether this process still has an entry.
    package mutating func limit(to count: Int, keeping isPresent: (Key) -> Bool) {
        guard entries.count > 2 * count else { return }
        var removals = 0
        entries = entries.filter { key, entry in
            if entry != nil { return isPresent(key) }
            removals += 1
            return removals <= max(count / 2, 1)
        }
    }

    /// Applies the changes to the present entries of the file.
    package func applied(to file: [Key: Entry]) -> [Key: Entry] {
        var result = removesAll ? [:] : file
        for (key, entry) in entries { result[key] = entry }
        return result
    }
}

extension FileChanges where Entry: Equatable {
    /// Creates the changes that lead from the entries that were read to the present ones.
    package init(from base: [Key: Entry], to own: [Key: Entry]) {
        for (key, entry) in own where base[key] != entry { set(entry, for: key) }
        for key in base.keys where own[key] == nil { set(nil, for: key) }
    }
}
