import Larkspur
import LarkspurTesting
import Testing

@Suite("A store in memory", .timeLimit(.minutes(1)))
struct InMemorySharedStoreTests {
    private struct Failure: Error {}

    let clock = TestClock()
    let store: InMemorySharedStore

    init() { store = InMemorySharedStore(clock: clock) }

    @Test("A value is replaced only if its version is known, and versions are never used twice")
    func values() async throws {
        #expect(try await store.value(for: "a") == nil)
        #expect(try await store.replaceValue(for: "a", version: nil, with: Data("1".utf8), lifetime: nil))
        #expect(try await !store.replaceValue(for: "a", version: nil, with: Data("2".utf8), lifetime: nil))
        let first = try #require(try await store.value(for: "a"))
        #expect(first.data == Data("1".utf8))
        #expect(try await store.replaceValue(for: "a", version: first.version, with: nil, lifetime: nil))
        #expect(try await store.value(for: "a") == nil)
        #expect(try await store.replaceValue(for: "a", version: nil, with: first.data, lifetime: .seconds(5)))
        let second = try #require(try await store.value(for: "a"))
        #expect(second.version != first.version)
        #expect(try await !store.replaceValue(for: "a", version: first.version, with: nil, lifetime: nil))
        clock.advance(by: .seconds(5))
        #expect(try await store.value(for: "a") == nil)
    }

    @Test("Tokens return at the rate of the bucket, and none is taken that is too far away")
    func tokens() async throws {
        let bucket = SharedBucket(interval: .milliseconds(100), capacity: .milliseconds(200))
        var delays: [Duration] = []
        for _ in 0..<5 { delays.append(try await store.takeToken(for: "a", from: bucket, within: .milliseconds(150))) }
        #expect(delays == [0, 0, 100, 200, 200].map { .milliseconds($0) })
        #expect(try await store.takeToken(for: "b", from: bucket, within: .zero) == .zero)
        clock.advance(by: .seconds(1))
        let late = SharedBucket(
            interval: .milliseconds(100),
            capacity: .milliseconds(100),
            tolerance: .milliseconds(50)
        )
        delays = []
        for _ in 0..<3 { delays.append(try await store.takeToken(for: "a", from: late, within: .seconds(1))) }
        #expect(delays == [0, 50, 150].map { .milliseconds($0) })
        // A bucket that does not exist is as full as one that was not used for long.
        delays = []
        for _ in 0..<2 { delays.append(try await store.takeToken(for: "c", from: late, within: .seconds(1))) }
        #expect(delays == [0, 50].map { .milliseconds($0) })
        // A negative limit is the same as zero.
        delays = []
        for _ in 0..<2 { delays.append(try await store.takeToken(for: "d", from: bucket, within: .seconds(-1))) }
        for _ in 0..<2 { delays.append(try await store.takeToken(for: "d", from: bucket, within: .zero)) }
        #expect(delays == [0, 0, 100, 100].map { .milliseconds($0) })
    }

    @Test("One holder has a lease at a time, and each lease has a larger number")
    func leases() async throws {
        guard case .acquired(let first) = try await store.acquireLease(for: "a", duration: .seconds(10)) else {
            Issue.record("The lease is held")
            return
        }
        clock.advance(by: .seconds(4))
        #expect(try await store.acquireLease(for: "a", duration: .seconds(10)) == .held(.seconds(6)))
        #expect(try await store.renew(first, duration: .seconds(10)))
        clock.advance(by: .seconds(10))
        #expect(try await !store.renew(first, duration: .seconds(10)))
        guard case .acquired(let second) = try await store.acquireLease(for: "a", duration: .seconds(10)) else {
            Issue.record("The lease is held")
            return
        }
        #expect(second.number > first.number)
        try await store.release(first)
        #expect(try await store.renew(second, duration: .seconds(10)))
        try await store.release(second)
        #expect(try await !store.renew(second, duration: .seconds(10)))
    }

    @Test("Steps fail, are lost, hang or take long, as the test says")
    func faults() async throws {
        store.fault = { _ in .failed(Failure()) }
        await #expect(throws: Failure.self) {
            try await store.replaceValue(for: "a", version: nil, with: Data(), lifetime: nil)
        }
        store.fault = nil
        #expect(try await store.value(for: "a") == nil)
        store.fault = { $0.operation == .replaceValue ? .lost(Failure()) : nil }
        await #expect(throws: Failure.self) {
            try await store.replaceValue(for: "a", version: nil, with: Data(), lifetime: nil)
        }
        #expect(try await store.value(for: "a") != nil)

        let gate = LoopbackServer.Gate()
        store.fault = { _ in .held(until: gate) }
        let cancelled = Task { try await store.value(for: "a") }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        store.fault = { _ in .held(until: gate, ignoringCancellation: true) }
        let held = Task { try await store.value(for: "a") }
        held.cancel()
        gate.open()
        #expect(try await held.value != nil)

        store.fault = { _ in .delayed(.seconds(1)) }
        let delayed = Task { try await store.value(for: "a") }
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
        #expect(try await delayed.value != nil)
        store.fault = nil
        store.removeAll()
        #expect(try await store.value(for: "a") == nil)
        #expect(store.steps.count == 8 && store.steps.allSatisfy { $0.key == "a" })
    }
}
