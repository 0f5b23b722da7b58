#if canImport(FoundationNetworking)
import Testing

@testable import LarkspurTransport

@Suite("Entries that the default policy never uses")
struct UnusedEntriesTests {
    private static let cost = CacheEntry.made(url: url(0)).cost

    private static func url(_ index: Int) -> String { "http://a.test/\(index)" }

    private func contents(_ entries: UnusedEntries, _ index: Int) -> String? {
        entries[Self.url(index)].map { String(decoding: $0.content, as: UTF8.self) }
    }

    @Test("A URL has one unused entry, the latest")
    func replacement() {
        var entries = UnusedEntries(capacity: 1 << 20)
        #expect(entries.isEmpty && !entries.contains(Self.url(0)))
        entries.insert(.made(url: Self.url(0), content: "first"))
        entries.insert(.made(url: Self.url(1), content: "other"))
        entries.insert(.made(url: Self.url(0), content: "last"))
        #expect(contents(entries, 0) == "last" && contents(entries, 1) == "other")
        entries.remove(Self.url(0))
        #expect(!entries.contains(Self.url(0)) && contents(entries, 0) == nil && entries.contains(Self.url(1)))
        entries.removeAll()
        #expect(entries.isEmpty && entries.capacity == 1 << 20)
    }

    @Test("The latest unused entries fit in half of the capacity, and replaced or removed ones do not reappear")
    func capacity() {
        // Ten of them are half of the capacity.
        var entries = UnusedEntries(capacity: 20 * Self.cost)
        for index in 0..<11 { entries.insert(.made(url: Self.url(index))) }
        // All of them are old now.
        entries.insert(.made(url: Self.url(3), content: "renewed"))
        entries.remove(Self.url(4))
        for index in 0..<11 {
            #expect(contents(entries, index) == (index == 4 ? nil : index == 3 ? "renewed" : "content"))
        }
        for index in 20..<30 { entries.insert(.made(url: Self.url(index))) }
        let rest = (0..<30).filter { entries.contains(Self.url($0)) }
        #expect(rest == [3] + Array(20..<30))
    }

    @Test("Repeated replacements of one entry remove no other entry")
    func repeatedReplacement() {
        var entries = UnusedEntries(capacity: 20 * Self.cost)
        entries.insert(.made(url: Self.url(1)))
        for _ in 0..<1000 { entries.insert(.made(url: Self.url(0))) }
        #expect(entries.contains(Self.url(1)))
    }

    @Test("A store with unused entries leaves half of its capacity to other entries, and keeps both kinds separate")
    func plainStore() throws {
        let cache = URLCache(memoryCapacity: 100 * Self.cost, diskCapacity: 0, diskPath: nil)
        let store = PlainStore(cache)
        let any = CacheRequest.made(policy: .returnCacheDataElseLoad)
        let request = URLRequest(url: try #require(URL(string: Self.url(0))))
        func count(_ request: CacheRequest) -> Int {
            (0..<200).filter { !store.lookUp(Self.url($0), for: request).entries.isEmpty }.count
        }
        for index in 0..<90 { store.store(.made(["Etag": "\"a\""], url: Self.url(index)), for: request) }
        let before = count(.made())
        for index in 100..<200 { store.store(.made(url: Self.url(index)), for: request) }
        #expect(before > 60)
        #expect(count(.made()) <= 50)
        #expect(count(any) - count(.made()) >= 25)
        let found = store.lookUp(Self.url(199), for: .made())
        #expect(found.entries.isEmpty && found.hasUnusable && !found.mayHaveMore)
        #expect(!store.lookUp(Self.url(99), for: .made()).hasUnusable)
        // A response that has become useful, and the other way round.
        store.store(.made(["Etag": "\"b\""], url: Self.url(199)), for: request)
        #expect(store.lookUp(Self.url(199), for: any).entries.map(\.fields) == [["Etag": "\"b\""]])
        store.store(.made(url: Self.url(199), content: "plain"), for: request)
        #expect(store.lookUp(Self.url(199), for: any).entries.map(\.content) == [Data("plain".utf8)])
        store.remove(Self.url(199))
        #expect(store.lookUp(Self.url(199), for: any).entries.isEmpty)
    }

    @Test("Unused entries for different credentials or variants are separate", arguments: ["token", nil])
    func variants(authorization: String?) throws {
        let store = PlainStore(URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: nil))
        let request = URLRequest(url: try #require(URL(string: Self.url(0))))
        let varying = authorization == nil ? [CacheEntry.VaryingField(name: "accept", value: "a/b")] : []
        store.store(.made(url: Self.url(0), content: "plain"), for: request)
        store.store(
            .made(url: Self.url(0), content: "special", varying: varying, authorization: authorization),
            for: request
        )
        let found = store.lookUp(Self.url(0), for: .made(policy: .returnCacheDataElseLoad)).entries
        #expect(Set(found.map { String(decoding: $0.content, as: UTF8.self) }) == ["plain", "special"])
    }
}
#endif
