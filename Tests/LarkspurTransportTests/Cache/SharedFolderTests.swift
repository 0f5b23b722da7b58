#if canImport(FoundationNetworking)
import Testing

@testable import LarkspurTransport

@Suite("Several processes with one cache folder", .timeLimit(.minutes(5)))
struct SharedFolderTests {
    private static let pathCount = 61

    /// Writes, reads, removes and evicts, and checks that whatever is read is whole and of the right URL.
    private static func work(in directory: URL, seed: Int) {
        let store = EntryStore(memoryCapacity: 0, diskCapacity: 200_000, directory: directory)
        var found = 0
        for step in 0..<400 {
            let number = (step * 7 + seed) % pathCount
            let url = "http://a.test/\(number)"
            switch step % 8 {
            case 0, 2, 4, 5:
                let content = String(repeating: "\(number),", count: 1000 + (step * 131 + seed) % 3000)
                store.store(.made(["Etag": "\"\(number)\""], url: url, content: content))
            case 6: store.remove(url)
            case 7 where step % 80 == 7:
                // As another start of the program.
                let other = EntryStore(memoryCapacity: 0, diskCapacity: 150_000, directory: directory)
                found += check(other, url, number)
            default: found += check(store, url, number)
            }
        }
        #expect(store.diskUsage <= 200_000)
        #expect(found > 0)
    }

    private static func check(_ store: EntryStore, _ url: String, _ number: Int) -> Int {
        let entries = store.entries(for: url)
        for entry in entries {
            let text = String(decoding: entry.content, as: UTF8.self)
            #expect(entry.url == url)
            #expect(text == String(repeating: "\(number),", count: text.utf8.count / "\(number),".utf8.count))
            #expect(text.utf8.count >= 1000)
        }
        return entries.count
    }

    @Test("Two processes that write, read, remove and evict entries see complete entries, and leave only these")
    func processes() async throws {
        let directory = CacheDirectory()
        async let other: Void = Self.runElsewhere(in: directory.url)
        Self.work(in: directory.url, seed: 1)
        await other

        #expect(directory.names.allSatisfy { $0.hasSuffix(".entry") })
        for name in directory.names {
            let entry = CacheFile.decode(try Data(contentsOf: directory.file(name)))
            #expect(entry.map { CacheFile.name(of: $0) } == name)
        }
        let store = EntryStore(memoryCapacity: 0, diskCapacity: 100_000, directory: directory.url)
        #expect(store.diskUsage <= 100_000)
        let sizes = try directory.names.map { try Data(contentsOf: directory.file($0)).count }
        #expect(sizes.reduce(0, +) == store.diskUsage)
    }

    private static func runElsewhere(in directory: URL) async {
        await #expect(processExitsWith: .success) { [path = directory.path as String] in
            SharedFolderTests.work(in: URL(fileURLWithPath: path, isDirectory: true), seed: 5)
        }
    }

    @Test(
        "A process that is killed during a write leaves complete entries, and partial ones under temporary names only"
    )
    func killed() async throws {
        let directory = CacheDirectory()
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = directory.url.path as String] in
            let directory = URL(fileURLWithPath: path, isDirectory: true)
            let store = EntryStore(memoryCapacity: 0, diskCapacity: 100 << 20, directory: directory)
            for number in 0..<100 {
                let content = String(repeating: "\(number),", count: 100_000)
                store.store(.made(url: "http://a.test/\(number)", content: content))
                // Some have been written, others wait.
                if number == 50 { _ = store.diskUsage }
            }
            kill(getpid(), SIGKILL)
        }
        let store = EntryStore(memoryCapacity: 0, diskCapacity: 100 << 20, directory: directory.url)
        var found = 0
        for number in 0..<100 { found += Self.check(store, "http://a.test/\(number)", number) }
        #expect(found > 50)
        #expect(directory.names.count { $0.hasSuffix(".entry") } == found)
    }
}
#endif
