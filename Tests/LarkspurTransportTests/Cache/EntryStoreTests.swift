#if canImport(FoundationNetworking)
import Testing

@testable import LarkspurTransport

@Suite("The store of a cache")
struct EntryStoreTests {
    let directory = CacheDirectory()

    private func makeStore(memory: Int = 1 << 20, disk: Int = 1 << 20) -> EntryStore {
        EntryStore(memoryCapacity: memory, diskCapacity: disk, directory: directory.url)
    }

    private func entry(_ path: String, _ content: String = "content", varying: String? = nil) -> CacheEntry {
        .made(
            ["Etag": "\"a\""],
            url: "http://a.test/" + path,
            content: content,
            varying: varying.map { [.init(name: "a", value: $0)] } ?? []
        )
    }

    private func contents(_ store: EntryStore, _ path: String) -> [String] {
        store.entries(for: "http://a.test/" + path).map { String(decoding: $0.content, as: UTF8.self) }
    }

    @Test("Entries are stored by URL and fields, and an entry with the same ones replaces the earlier one")
    func variants() {
        let store = EntryStore(memoryCapacity: 1 << 20, diskCapacity: 0, directory: nil)
        store.store(entry("x", "one", varying: "1"))
        store.store(entry("x", "two", varying: "2"))
        store.store(entry("x?q", "other"))
        store.store(entry("x", "uno", varying: "1"))
        #expect(contents(store, "x").sorted() == ["two", "uno"])
        #expect(contents(store, "x?q") == ["other"])
        #expect(contents(store, "y") == [])
        #expect(store.lookUp("http://a.test/x").mayHaveMore == false)
        store.remove("http://a.test/x")
        #expect(contents(store, "x") == [])
        #expect(contents(store, "x?q") == ["other"])
        store.removeAll()
        #expect(contents(store, "x?q") == [])
        #expect(store.memoryUsage == 0)
    }

    @Test("The number of entries for a URL is limited in memory and on disk, and the oldest are removed first")
    func manyVariants() {
        let store = makeStore()
        for number in 0..<40 { store.store(entry("x", "\(number)", varying: "\(number)")) }
        _ = store.diskUsage
        #expect(directory.names.count == EntryStore.maximumVariants)
        for store in [store, makeStore()] {
            #expect(Set(contents(store, "x")) == Set((8..<40).map(String.init)))
        }
    }

    @Test("The memory is limited, and the least recently used entries are removed first")
    func memoryLimit() {
        let content = String(repeating: "x", count: 1000)
        let store = EntryStore(memoryCapacity: 20_000, diskCapacity: 0, directory: nil)
        for number in 0..<10 { store.store(entry("\(number)", content)) }
        #expect(contents(store, "0") == [content])
        for number in 10..<20 { store.store(entry("\(number)", content)) }
        #expect(store.memoryUsage <= 20_000)
        #expect(store.memoryUsage > 15_000)
        #expect(contents(store, "1") == [])
        #expect(contents(store, "0") == [content])
        #expect(contents(store, "19") == [content])
        store.memoryCapacity = 0
        #expect(store.memoryUsage == 0)
    }

    @Test("Content that is larger than a twentieth of the capacity is not stored")
    func largeContent() {
        let store = EntryStore(memoryCapacity: 20_000, diskCapacity: 0, directory: nil)
        #expect(store.maximumContentSize == 1000)
        let withoutFolder = EntryStore(memoryCapacity: 20_000, diskCapacity: 1 << 20, directory: nil)
        #expect(withoutFolder.maximumContentSize == 1000)
        store.store(entry("x", "small"))
        store.store(entry("x", String(repeating: "x", count: 1001)))
        #expect(contents(store, "x") == [])
    }

    // MARK: Disk

    @Test("Entries outlive the store, in files that only their owner can read")
    func reopening() throws {
        var store = makeStore()
        store.store(entry("x", "one", varying: "1"))
        store.store(entry("x", "two", varying: "2"))
        #expect(store.diskUsage > 0)
        #expect(directory.names.count == 2)
        #expect(directory.permissions(directory.url) == 0o700)
        for name in directory.names { #expect(directory.permissions(directory.file(name)) == 0o600) }

        store = makeStore()
        #expect(store.diskUsage > 0)
        #expect(store.lookUp("http://a.test/x").mayHaveMore)
        #expect(store.lookUp("http://a.test/y").mayHaveMore == false)
        #expect(contents(store, "x").sorted() == ["one", "two"])
        // From memory now.
        #expect(store.lookUp("http://a.test/x").entries.count == 2)
        #expect(store.lookUp("http://a.test/x").mayHaveMore == false)
    }

    @Test("A file that is damaged, truncated or empty is removed and never served")
    func damage() throws {
        for path in ["a", "b", "c", "d"] { makeStoreWith(path) }
        let files = directory.names.map(directory.file)
        try #require(files.count == 4)
        var content = try Data(contentsOf: files[0])
        content[content.count - 3] ^= 1
        try content.write(to: files[0])
        try Data(contentsOf: files[1]).dropLast(1).write(to: files[1])
        try Data().write(to: files[2])
        let store = makeStore()
        let served = ["a", "b", "c", "d"].flatMap { contents(store, $0) }
        #expect(served == ["content"])
        #expect(directory.names.count == 1)
    }

    private func makeStoreWith(_ path: String) {
        let store = makeStore()
        store.store(entry(path))
        _ = store.diskUsage
    }

    @Test("A file with the name of another entry is not used for that entry")
    func exchanged() throws {
        makeStoreWith("a")
        let a = try #require(directory.names.first)
        makeStoreWith("b")
        let b = try #require(directory.names.first { $0 != a })
        try FileManager.default.removeItem(at: directory.file(b))
        try FileManager.default.moveItem(at: directory.file(a), to: directory.file(b))
        #expect(contents(makeStore(), "b") == [])
    }

    @Test("The disk space is limited, and the least recently used entries are removed first")
    func diskLimit() {
        let content = String(repeating: "x", count: 900)
        let store = makeStore(memory: 0, disk: 20_000)
        for number in 0..<10 {
            store.store(entry("\(number)", content))
            _ = store.diskUsage
        }
        #expect(contents(store, "0") == [content])
        for number in 10..<20 { store.store(entry("\(number)", content)) }
        #expect(store.diskUsage <= 20_000)
        #expect(contents(store, "1") == [])
        #expect(contents(store, "0") == [content])
        #expect(contents(store, "19") == [content])
        let files = directory.names
        store.diskCapacity = 5000
        #expect(store.diskUsage <= 5000)
        #expect(directory.names.count < files.count)
    }

    @Test("An entry for memory only is not written, and removes the file of the previous entry")
    func memoryOnly() {
        let store = makeStore()
        store.store(entry("x", "old"))
        var secret = entry("x", "secret")
        secret.isMemoryOnly = true
        store.store(secret)
        _ = store.diskUsage
        #expect(directory.names == [])
        #expect(contents(store, "x") == ["secret"])
    }

    @Test("A removal deletes the files")
    func removal() {
        let store = makeStore()
        for path in ["a", "b", "c"] { store.store(entry(path)) }
        store.remove("http://a.test/a")
        _ = store.diskUsage
        #expect(directory.names.count == 2)
        #expect(contents(makeStore(), "a") == [])
        store.removeAll()
        #expect(store.diskUsage == 0)
        #expect(directory.names == [])
    }

    @Test("Entries that were stored after a date can be removed")
    func removalSince() {
        let store = makeStore()
        store.store(.made(ago: 100, url: "http://a.test/old"))
        store.store(.made(ago: 10, url: "http://a.test/new"))
        store.removeAll(since: CacheEntry.now - 50)
        _ = store.diskUsage
        for store in [store, makeStore()] {
            #expect(contents(store, "old") == ["content"])
            #expect(contents(store, "new") == [])
        }
    }

    @Test("Two stores with one folder see each other's entries and removals, and never a partial entry")
    func sharedFolder() {
        let first = makeStore(memory: 0)
        first.store(entry("x", "one"))
        _ = first.diskUsage
        let second = makeStore(memory: 0)
        #expect(contents(second, "x") == ["one"])
        first.store(entry("x", "two"))
        _ = first.diskUsage
        #expect(contents(second, "x") == ["two"])
        second.remove("http://a.test/x")
        _ = second.diskUsage
        #expect(contents(first, "x") == [])
    }

    @Test("Old temporary files of a process that ended during a write are removed")
    func leftovers() throws {
        makeStoreWith("x")
        let new = UUID().uuidString + ".entry.tmp"
        let foreign = ["\(UUID().uuidString).tmp", "notes.txt", "old.entry.tmp", "old.tmp"]
        for name in [UUID().uuidString + ".entry.tmp", new] + foreign {
            try Data("half".utf8).write(to: directory.file(name))
            guard name != new else { continue }
            try FileManager.default.setAttributes(
                [.modificationDate: Date() - 7200],
                ofItemAtPath: directory.file(name).path
            )
        }
        #expect(contents(makeStore(), "x") == ["content"])
        #expect(directory.names.filter { !$0.hasSuffix(".entry") } == ([new] + foreign).sorted())
    }

    @Test("A folder that is a symbolic link is not used, and the linked folder is not changed", arguments: ["", "/"])
    func symbolicLink(end: String) throws {
        makeStoreWith("x")
        let leftover = directory.file(UUID().uuidString + ".entry.tmp")
        try Data("half".utf8).write(to: leftover)
        try FileManager.default.setAttributes([.modificationDate: Date() - 7200], ofItemAtPath: leftover.path)
        let names = directory.names
        let link = FileManager.default.temporaryDirectory.appendingPathComponent("Larkspur-link-\(UUID().uuidString)")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: directory.url)
        defer { try? FileManager.default.removeItem(at: link) }
        let store = EntryStore(
            memoryCapacity: 1 << 20,
            diskCapacity: 1 << 20,
            directory: URL(fileURLWithPath: link.path + end)
        )
        #expect(contents(store, "x") == [])
        store.store(entry("y"))
        store.removeAll()
        #expect(store.diskUsage == 0)
        #expect(directory.names == names)
    }

    @Test("A symbolic link that replaces the folder is not followed")
    func laterLink() throws {
        let other = CacheDirectory()
        let store = makeStore()
        _ = store.diskUsage
        try FileManager.default.moveItem(at: directory.url, to: other.url)
        try FileManager.default.createSymbolicLink(at: directory.url, withDestinationURL: other.url)
        store.store(entry("y"))
        #expect(store.diskUsage == 0)
        #expect(other.names.isEmpty)
    }

    @Test("If the folder cannot be written, entries are stored in memory")
    func noFolder() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("Larkspur-\(UUID().uuidString)")
        try Data().write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let store = EntryStore(memoryCapacity: 1 << 20, diskCapacity: 1 << 20, directory: file)
        store.store(entry("x"))
        #expect(contents(store, "x") == ["content"])
        #expect(store.diskUsage == 0)
    }

    @Test("After the folder is deleted, its entries are gone and the store continues to work")
    func folderGone() throws {
        let store = makeStore(memory: 0)
        store.store(entry("x"))
        _ = store.diskUsage
        try FileManager.default.removeItem(at: directory.url)
        #expect(contents(store, "x") == [])
        store.store(entry("y"))
        #expect(store.diskUsage == 0)
        #expect(contents(store, "y") == [])
    }

    @Test("A symbolic link in the folder is not followed")
    func links() throws {
        makeStoreWith("x")
        let name = try #require(directory.names.first)
        let elsewhere = CacheDirectory()
        try FileManager.default.createDirectory(at: elsewhere.url, withIntermediateDirectories: true)
        try FileManager.default.moveItem(at: directory.file(name), to: elsewhere.file(name))
        try FileManager.default.createSymbolicLink(at: directory.file(name), withDestinationURL: elsewhere.file(name))
        #expect(contents(makeStore(), "x") == [])
        #expect(elsewhere.names == [name])
    }

    @Test("A store stays consistent when many threads use it")
    func races() async {
        let store = makeStore(memory: 20_000, disk: 20_000)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    for step in 0..<50 {
                        let path = "\((number + step) % 5)"
                        switch step % 5 {
                        case 0, 1: store.store(entry(path, "content of \(path)"))
                        case 2: store.remove("http://a.test/" + path)
                        default: for content in contents(store, path) { #expect(content == "content of \(path)") }
                        }
                    }
                }
            }
        }
        #expect(store.diskUsage <= 20_000)
        store.removeAll()
        #expect(store.diskUsage == 0)
        #expect(directory.names == [])
    }
}
#endif
