#if canImport(FoundationNetworking)
import HTTPSyntax
import Synchronization

/// Entries in memory and, if there is a folder, on disk. If there is no room for a new entry, the least recently used
/// entries are removed.
///
/// A lock guards the memory. Only a serial queue accesses files, and never while it holds the lock. Each change is
/// added to the queue while the lock is held. So files and memory change in the same order, even if several threads
/// make changes.
final class EntryStore: ResponseStore {
    fileprivate struct State {
        var memory = RecencyIndex<TextKey, CacheEntry>()
        var memoryCapacity: Int
        /// The part of the capacity that another store uses, in bytes.
        var reservedMemory = 0
        var diskCapacity: Int
        /// The known files, by the checksums of their URLs.
        var files = RecencyIndex<UInt64, CacheFolder.File>()
        /// Whether the folder has been read.
        var knowsFiles: Bool
        /// The number of changes to a URL's files that are still queued. Until these changes are made, the files of the
        /// URL are out of date.
        var awaitedChanges: [TextKey: Int] = [:]
        /// The number of changes to all files that are still queued.
        var awaitedRemovals = 0
    }

    /// The maximum number of entries for one URL. Each look-up visits all entries of the URL. Without this limit, a
    /// request field with many values would make look-ups slow.
    static let maximumVariants = 32

    private let state: Mutex<State>
    private let folder: CacheFolder?
    private let queue = DispatchQueue(label: "larkspur.cache")

    /// - Parameters:
    ///   - memoryCapacity: The capacity in memory, in bytes.
    ///   - diskCapacity: The capacity on disk, in bytes.
    ///   - directory: The folder for files; nil for none.
    init(memoryCapacity: Int, diskCapacity: Int, directory: URL?) {
        folder = directory.flatMap { CacheFolder($0) }
        state = Mutex(
            State(
                memoryCapacity: max(0, memoryCapacity),
                diskCapacity: max(0, diskCapacity),
                knowsFiles: folder == nil
            )
        )
        if let folder { queue.async { [self] in readFolder(folder) } }
    }

    // MARK: Sizes

    var memoryCapacity: Int {
        get { state.withLock { $0.memoryCapacity } }
        set {
            state.withLock { state in
                state.memoryCapacity = max(0, newValue)
                state.evictMemory()
            }
        }
    }

    /// The part of the capacity in memory that another store uses, in bytes.
    var reservedMemory: Int {
        get { state.withLock { $0.reservedMemory } }
        set {
            state.withLock { state in
                state.reservedMemory = newValue
                state.evictMemory()
            }
        }
    }

    var diskCapacity: Int {
        get { state.withLock { $0.diskCapacity } }
        set {
            state.withLock { $0.diskCapacity = max(0, newValue) }
            queue.async { [self] in makeRoom() }
        }
    }

    var memoryUsage: Int { state.withLock { $0.memory.totalCost } }

    /// The number of bytes on disk. Waits for pending writes, so that the value is final.
    var diskUsage: Int { queue.sync { state.withLock { $0.files.totalCost } } }

    private static func share(of capacity: Int) -> Int { capacity / 20 }

    var maximumContentSize: Int {
        state.withLock { Self.share(of: max($0.memoryCapacity, folder == nil ? 0 : $0.diskCapacity)) }
    }

    // MARK: Reading

    func lookUp(_ url: String, for request: CacheRequest) -> StoreLookUp { lookUp(url) }

    /// Returns the known entries of a URL without waiting.
    func lookUp(_ url: String) -> StoreLookUp {
        state.withLock { state in
            let entries = state.memory.elements(for: TextKey(url))
            if !entries.isEmpty { state.memory.touch(TextKey(url)) }
            guard folder != nil else { return StoreLookUp(entries: entries, mayHaveMore: false) }
            guard state.knowsFiles else { return StoreLookUp(entries: entries, mayHaveMore: true) }
            let sum = Checksum.of(url)
            if !entries.isEmpty { state.files.touch(sum) }
            // A queued change may create a file. The load is queued after this change, so it finds the file.
            let fileCount = state.files.elements(for: sum).count + (state.awaitedChanges[url] ?? 0)
            return StoreLookUp(entries: entries, mayHaveMore: fileCount > entries.filter { !$0.isMemoryOnly }.count)
        }
    }

    func load(_ url: String, _ request: URLRequest, completion: @escaping @Sendable ([CacheEntry]) -> Void) {
        queue.async { [self] in completion(load(url)) }
    }

    /// Returns all entries for a URL. Waits for the disk if necessary.
    func entries(for url: String) -> [CacheEntry] {
        let known = lookUp(url)
        return known.mayHaveMore ? queue.sync { load(url) } : known.entries
    }

    private func load(_ url: String) -> [CacheEntry] {
        let sum = Checksum.of(url)
        let (files, limit) = state.withLock { ($0.files.elements(for: sum), $0.diskCapacity) }
        let read = files.map { file in (file, folder?.read(file.name, limit: limit)) }
        return state.withLock { state in
            state.files.touch(sum)
            for (file, entry) in read where entry == nil { state.files.remove(sum) { $0 == file } }
            var entries = state.memory.elements(for: TextKey(url))
            guard state.awaitedRemovals == 0, state.awaitedChanges[url] == nil else { return entries }
            for case (_, let entry?) in read where entry.url == url {
                // The entry in memory may be newer than the file.
                if entries.contains(where: { $0.isSameVariant(as: entry) }) {
                    continue
                }
                entries.append(entry)
                state.store(entry, limit: Self.share(of: state.memoryCapacity))
            }
            return entries
        }
    }

    // MARK: Writing

    func store(_ entry: CacheEntry, for request: URLRequest) { store(entry) }

    func store(_ entry: CacheEntry) {
        state.withLock { state in
            state.store(entry, limit: Self.share(of: state.memoryCapacity))
            guard let folder else { return }
            let mayWrite = !entry.isMemoryOnly && entry.content.count <= Self.share(of: state.diskCapacity)
            state.awaitedChanges[entry.url, default: 0] += 1
            queue.async { [self] in
                let name = CacheFile.name(of: entry)
                if mayWrite { write(entry, to: name, in: folder) } else { forget(name, of: entry.url, in: folder) }
                // The change is counted as queued until the write has ended. So a look-up finds either the queued
                // change or the file.
                noteChange(of: entry.url)
            }
        }
    }

    /// Records that a change is no longer queued.
    private func noteChange(of url: String) {
        state.withLock { state in
            guard let count = state.awaitedChanges[url] else { return }
            state.awaitedChanges[url] = count > 1 ? count - 1 : nil
        }
    }

    private func write(_ entry: CacheEntry, to name: String, in folder: CacheFolder) {
        let data = CacheFile.encode(entry)
        guard folder.write(data, to: name) else { return forget(name, of: entry.url, in: folder) }
        let sum = Checksum.of(entry.url)
        let file = CacheFolder.File(name: name, size: data.count, used: entry.responseTime)
        let (surplus, isFull) = state.withLock { state in
            state.files.remove(sum) { $0.name == name }
            state.files.insert(file, for: sum, cost: file.size)
            return (state.files.trim(sum, to: Self.maximumVariants), state.files.totalCost > state.diskCapacity)
        }
        for file in surplus { folder.remove(file.name) }
        if isFull { makeRoom() }
    }

    /// Removes a file. If a new response could not be written, the file still has an older response, which must not be
    /// used again.
    private func forget(_ name: String, of url: String, in folder: CacheFolder) {
        folder.remove(name)
        _ = state.withLock { $0.files.remove(Checksum.of(url)) { $0.name == name } }
    }

    // MARK: Removing

    func remove(_ url: String) {
        state.withLock { state in
            state.memory.remove(TextKey(url))
            guard let folder else { return }
            state.awaitedChanges[url, default: 0] += 1
            queue.async { [self] in
                noteChange(of: url)
                let files = self.state.withLock { $0.files.remove(Checksum.of(url)) }
                for file in files { folder.remove(file.name) }
            }
        }
    }

    func removeAll() {
        state.withLock { state in
            state.memory.evict(to: -1)
            guard let folder else { return }
            state.awaitedRemovals += 1
            queue.async { [self] in
                self.state.withLock { state in
                    state.awaitedRemovals -= 1
                    state.files.evict(to: -1)
                }
                // The files of other processes are removed too.
                for file in folder.files() { folder.remove(file.name) }
            }
        }
    }

    /// Removes the entry in memory that applies to the same requests as another entry.
    func removeVariant(of entry: CacheEntry) {
        _ = state.withLock { $0.memory.remove(TextKey(entry.url)) { $0.isSameVariant(as: entry) } }
    }

    /// Removes the entries in memory that meet a condition.
    func removeAll(where condition: (CacheEntry) -> Bool) {
        state.withLock { state in
            for entry in state.memory.elements where condition(entry) {
                state.memory.remove(TextKey(entry.url), where: condition)
            }
        }
    }

    /// Removes the entries that arrived after a date.
    func removeAll(since date: Date) {
        state.withLock { state in
            for entry in state.memory.elements where entry.responseTime > date {
                state.memory.remove(TextKey(entry.url)) { $0.responseTime > date }
            }
            guard let folder else { return }
            state.awaitedRemovals += 1
            queue.async { [self] in
                self.state.withLock { $0.awaitedRemovals -= 1 }
                for file in folder.files() {
                    guard let entry = folder.read(file.name, limit: .max, isUse: false), entry.responseTime > date
                    else { continue }
                    forget(file.name, of: entry.url, in: folder)
                }
            }
        }
    }

    // MARK: On the queue

    private func readFolder(_ folder: CacheFolder) {
        let found = folder.files()
        let isFull = state.withLock { state in
            state.note(found)
            return state.files.totalCost > state.diskCapacity
        }
        if isFull { evictFiles(from: folder) }
    }

    private func makeRoom() {
        // Other processes may have added or used files.
        if let folder { readFolder(folder) }
    }

    private func evictFiles(from folder: CacheFolder) {
        // The method removes more files than necessary, so that the folder is not read again at the next write.
        let evicted = state.withLock { $0.files.evict(to: $0.diskCapacity / 8 * 7) }
        for file in evicted { folder.remove(file.name) }
    }
}

extension EntryStore.State {
    /// Records the files in the folder. A file that was not known, such as a file of another process, is treated as
    /// less recently used than the known files. The times of the files are not compared, because the use of an entry in
    /// memory does not change the time of its file.
    fileprivate mutating func note(_ found: [CacheFolder.File]) {
        let byName = Dictionary(found.map { (TextKey($0.name), $0) }) { $1 }
        let known = files.elements.reversed().compactMap { byName[$0.name] }
        let names = Set(known.map { TextKey($0.name) })
        files = RecencyIndex()
        for file in found.filter({ !names.contains($0.name) }) + known {
            if let sum = CacheFile.sum(ofName: file.name) { files.insert(file, for: sum, cost: file.size) }
        }
        knowsFiles = true
    }

    /// If an entry is small enough, stores it in memory in place of its previous version.
    fileprivate mutating func store(_ entry: CacheEntry, limit: Int) {
        let key = TextKey(entry.url)
        let isSmall = entry.content.count <= limit
        if !isSmall || !memory.replaceLast(key, with: entry, cost: entry.cost, where: { $0.isSameVariant(as: entry) }) {
            memory.remove(key) { $0.isSameVariant(as: entry) }
            guard isSmall else { return }
            memory.insert(entry, for: key, cost: entry.cost)
            _ = memory.trim(key, to: EntryStore.maximumVariants)
        }
        evictMemory()
    }

    fileprivate mutating func evictMemory() { memory.evict(to: memoryCapacity - reservedMemory) }
}
#endif
