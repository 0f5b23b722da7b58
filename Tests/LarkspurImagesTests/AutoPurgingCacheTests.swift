import Testing

@testable import LarkspurImages

@Suite("Auto-purging caches")
struct AutoPurgingCacheTests {
    private func makeCache(_ capacity: Int, _ preferred: Int) -> AutoPurgingCache<Int, Int> {
        AutoPurgingCache(memoryCapacity: capacity, preferredMemoryUsageAfterPurge: preferred) { $0 }
    }

    private func keys(_ cache: AutoPurgingCache<Int, Int>, _ range: Range<Int>) -> [Int] {
        range.filter { cache.value(for: $0) != nil }
    }

    @Test("A purge begins above the capacity and ends at the preferred usage")
    func purge() {
        let cache = makeCache(10, 6)
        for key in 0..<10 { cache.insert(1, for: key) }
        #expect(cache.memoryUsage == 10)
        cache.insert(1, for: 10)
        #expect(cache.memoryUsage == 6)
        #expect(keys(cache, 0..<11) == [5, 6, 7, 8, 9, 10])
    }

    @Test("The values that were used last stay in the cache")
    func order() {
        let cache = makeCache(4, 2)
        for key in 0..<4 { cache.insert(1, for: key) }
        _ = cache.value(for: 0)
        cache.insert(1, for: 4)
        #expect(keys(cache, 0..<5) == [0, 4])
    }

    @Test("A replaced value no longer costs, and a replacement that is too large removes the old value")
    func replacement() {
        let cache = makeCache(10, 6)
        cache.insert(7, for: 0)
        cache.insert(3, for: 0)
        cache.insert(5, for: 1)
        #expect(cache.memoryUsage == 8 && cache.count == 2)
        cache.insert(11, for: 0)
        #expect(cache.memoryUsage == 5 && cache.value(for: 0) == nil && cache.value(for: 1) == 5)
    }

    @Test("Extreme costs and capacities lead to a valid usage", arguments: [-1, 0, .max, .min])
    func extremes(_ number: Int) {
        let cache = makeCache(number, number)
        for key in 0..<4 {
            cache.insert(.max, for: key)
            cache.insert(.min, for: key + 4)
            cache.insert(number, for: key + 8)
        }
        #expect(cache.memoryUsage >= 0 && cache.memoryUsage <= cache.memoryCapacity)
        cache.removeAll()
        #expect(cache.memoryUsage == 0 && cache.count == 0)
    }

    @Test("The usage is correct when several threads use the cache")
    func threads() async {
        let cache = makeCache(100, 60)
        await withTaskGroup { group in
            for thread in 0..<4 {
                group.addTask {
                    for step in 0..<2_000 {
                        let key = (step * 7 + thread) % 150
                        cache.insert(step % 3, for: key)
                        _ = cache.value(for: key + 1)
                        if step % 5 == 0 { cache.removeValue(for: key + 2) }
                    }
                }
            }
        }
        let values = (0..<160).compactMap { cache.value(for: $0) }
        #expect(values.count == cache.count && values.reduce(0, +) == cache.memoryUsage)
        #expect(cache.memoryUsage <= 100)
    }
}
