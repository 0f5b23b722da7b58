#if canImport(FoundationNetworking)
import Testing

@testable import LarkspurTransport

@Suite("The order of use of elements")
struct RecencyIndexTests {
    private func filled() -> RecencyIndex<String, Int> {
        var index = RecencyIndex<String, Int>()
        for (number, key) in ["a", "b", "a", "c"].enumerated() { index.insert(number, for: key, cost: 10) }
        return index
    }

    @Test("One key can have several elements")
    func sharing() {
        let index = filled()
        #expect(index.elements(for: "a") == [0, 2])
        #expect(index.elements(for: "x") == [])
        #expect(index.elements == [3, 2, 1, 0])
        #expect(index.totalCost == 40)
    }

    @Test("The least recently used elements are evicted first, and no more than necessary")
    func eviction() {
        var index = filled()
        index.touch("a")
        #expect(index.elements == [2, 0, 3, 1])
        #expect(index.evict(to: 25) == [1, 3])
        #expect(index.totalCost == 20)
        #expect(index.evict(to: 20) == [])
        #expect(index.evict(to: -1) == [0, 2])
        #expect(index.elements.isEmpty)
        index.insert(7, for: "a", cost: 1)
        #expect(index.elements == [7])
    }

    @Test("The oldest elements for a key can be removed")
    func trimming() {
        var index = filled()
        #expect(index.trim("a", to: 1) == [0])
        #expect(index.trim("a", to: 1) == [])
        #expect(index.trim("x", to: 0) == [])
        #expect(index.elements == [3, 2, 1])
        #expect(index.totalCost == 30)
    }

    @Test("The element that was inserted last for a key is replaced if it meets a condition")
    func replacement() {
        var index = filled()
        #expect(index.replaceLast("a", with: 7, cost: 15) { $0 == 2 })
        #expect(index.elements == [7, 3, 1, 0])
        #expect(index.totalCost == 45)
        #expect(!index.replaceLast("a", with: 8, cost: 1) { $0 == 0 })
        #expect(!index.replaceLast("x", with: 8, cost: 1) { _ in true })
        #expect(index.trim("a", to: 1) == [0])
        #expect(index.evict(to: 15) == [1, 3])
        #expect(index.elements == [7])
    }

    @Test("Elements are removed by key, or by key and condition, at any place in the order", arguments: 0..<4)
    func removal(element: Int) {
        var index = filled()
        for key in ["a", "b", "c"] { index.remove(key) { $0 == element } }
        #expect(index.elements == [3, 2, 1, 0].filter { $0 != element })
        #expect(index.totalCost == 30)
        index.insert(9, for: "d", cost: 1)
        #expect(index.elements.first == 9)
        #expect(index.remove("a").count == (element == 0 || element == 2 ? 1 : 2))
        #expect(index.evict(to: 0).count == (element == 0 || element == 2 ? 3 : 2))
    }
}
#endif
