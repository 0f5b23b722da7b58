#if canImport(FoundationNetworking)
import Dispatch
import Testing

@testable import LarkspurTransport

@Suite("The order of a store's changes", .timeLimit(.minutes(5)))
struct EntryStoreOrderTests {
    private static let url = "http://a.test/x"
    private static let otherURL = "http://a.test/other"

    private let directory = CacheDirectory()

    private func makeStore() -> EntryStore {
        EntryStore(memoryCapacity: 1 << 20, diskCapacity: 1 << 20, directory: directory.url)
    }

    private func contents(_ store: EntryStore) -> [String] {
        store.entries(for: Self.url).map { String(decoding: $0.content, as: UTF8.self) }
    }

    @Test(
        "A removal while the disk is being read is not undone, and does not affect other URLs",
        arguments: [(EntryStoreOrderTests.url, 0), (EntryStoreOrderTests.otherURL, 1)]
    )
    func removalWhileLoading(removed: String, count: Int) async throws {
        do {
            let store = makeStore()
            store.store(.made(url: Self.url))
            _ = store.diskUsage
        }
        let store = makeStore()
        let request = URLRequest(url: try #require(URL(string: Self.url)))
        let isHeld = DispatchSemaphore(value: 0)
        let loaded = Recorder<Int>()
        // The queue of the files is held up by this, with another answer waiting behind it.
        store.load(Self.otherURL, request) { _ in isHeld.wait() }
        store.load(Self.url, request) { loaded.record($0.count) }
        store.remove(removed)
        isHeld.signal()
        #expect(try await loaded.first() == count)
        #expect(contents(store).count == count)
        #expect((store.memoryUsage == 0) == (count == 0))
    }

    @Test("A removal by date does not count as a use of the remaining entries")
    func removalSince() throws {
        let store = makeStore()
        store.store(.made(ago: 100, url: Self.url))
        _ = store.diskUsage
        let file = directory.file(try #require(directory.names.first))
        let used = Date(timeIntervalSince1970: 1_600_000_000)
        try FileManager.default.setAttributes([.modificationDate: used], ofItemAtPath: file.path)
        store.removeAll(since: CacheEntry.now)
        _ = store.diskUsage
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect(attributes[.modificationDate] as? Date == used)
    }

    @Test(
        "A file of another user of the system is not read",
        .enabled(if: geteuid() == 0, "Needs the right to give files away.")
    )
    func strangers() throws {
        do {
            let store = makeStore()
            store.store(.made(url: Self.url))
            _ = store.diskUsage
        }
        #expect(contents(makeStore()) == ["content"])
        let file = directory.file(try #require(directory.names.first))
        #expect(chown(file.path, 65534, 65534) == 0)
        #expect(contents(makeStore()) == [])
    }
}
#endif
