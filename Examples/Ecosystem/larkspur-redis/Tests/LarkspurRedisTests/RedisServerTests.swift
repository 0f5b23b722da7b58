import Larkspur
import LarkspurRedis
import Testing

/// The URL of a Redis or Valkey server for the tests, which remove its scripts.
private let url = ProcessInfo.processInfo.environment["REDIS_URL"]

@Suite(
    "Stores of a server",
    .enabled(if: url != nil, "REDIS_URL names a server for the tests."),
    .serialized,
    .timeLimit(.minutes(2))
)
struct RedisServerTests {
    private let store: RedisStore

    init() throws { store = try RedisStore(#require(url), prefix: "larkspur-tests:\(UUID().uuidString):") }

    private func replace(_ version: SharedValue?, _ data: Data?, lifetime: Duration? = .seconds(60)) async throws
        -> Bool
    {
        try await store.replaceValue(for: "a", version: version?.version, with: data, lifetime: lifetime)
    }

    // MARK: Values

    @Test("A value is replaced only if its version is the expected one")
    func replacement() async throws {
        #expect(try await store.value(for: "a") == nil)
        #expect(try await replace(nil, Data("1".utf8)))
        let first = try #require(try await store.value(for: "a"))
        #expect(first.data == Data("1".utf8))
        #expect(try await !replace(nil, Data("2".utf8)))
        #expect(try await replace(first, Data("1".utf8)))
        let second = try #require(try await store.value(for: "a"))
        #expect(second.version != first.version)
        #expect(try await !replace(first, nil))
        #expect(try await replace(second, nil))
        #expect(try await store.value(for: "a") == nil)
        #expect(try await !replace(second, Data()))
        #expect(try await replace(nil, nil))
    }

    @Test("A value may have any bytes, also none, and as many as the limit allows")
    func bytes() async throws {
        let all = Data((0...255).map(UInt8.init))
        for data in [Data(), all, Data(count: 1 << 20), Data("*1\r\n$-1\r\n".utf8)] {
            let key = "bytes \u{0} { } \(data.count)"
            #expect(try await store.replaceValue(for: key, version: nil, with: data, lifetime: .seconds(60)))
            #expect(try await store.value(for: key)?.data == data)
        }
    }

    @Test("A larger value is neither written nor read")
    func sizes() async throws {
        let prefix = "larkspur-tests:\(UUID().uuidString):"
        let large = try RedisStore(#require(url), prefix: prefix)
        let small = try RedisStore(#require(url), prefix: prefix, maximumValueSize: 1000)
        for size in [1001, 200_000] {
            let data = Data(count: size)
            let written = await #expect(throws: RedisStoreError.self) {
                try await small.replaceValue(for: "\(size)", version: nil, with: data, lifetime: nil)
            }
            #expect(written?.code == .valueTooLarge)
            #expect(try await large.replaceValue(for: "\(size)", version: nil, with: data, lifetime: .seconds(60)))
            let read = await #expect(throws: RedisStoreError.self) { try await small.value(for: "\(size)") }
            #expect(read?.code == .valueTooLarge)
        }
        #expect(try await small.value(for: "none") == nil)
    }

    @Test("A value ends after its lifetime, and a new one without a lifetime stays")
    func lifetimes() async throws {
        #expect(try await replace(nil, Data(), lifetime: .milliseconds(50)))
        while try await store.value(for: "a") != nil { await Task.yield() }
        #expect(try await replace(nil, Data(), lifetime: .milliseconds(200)))
        let first = try await store.value(for: "a")
        #expect(try await replace(first, Data([1]), lifetime: nil))
        #expect(try await replace(nil, Data(), lifetime: .milliseconds(1)) == false)
        let start = ContinuousClock.now
        while start.duration(to: .now) < .milliseconds(300) { _ = try await store.ping() }
        let last = try await store.value(for: "a")
        #expect(last?.data == Data([1]))
        #expect(try await replace(last, nil))
    }

    @Test("Of many that replace the same version, one does")
    func race() async throws {
        let count = try await withThrowingTaskGroup(of: Bool.self) { [store] group in
            for _ in 0..<100 {
                group.addTask {
                    try await store.replaceValue(for: "a", version: nil, with: Data(), lifetime: .seconds(60))
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(count == 1)
    }

    // MARK: Buckets

    @Test(
        "A full bucket has its tokens, and each further one comes after an interval",
        arguments: [(50_000_000, 5), (333_333_333, 1), (1, 1000)] as [(Int64, Int)]
    )
    func tokens(interval: Int64, burst: Int) async throws {
        let interval = Duration.nanoseconds(interval)
        let bucket = SharedBucket(interval: interval, capacity: interval * burst)
        let start = ContinuousClock.now
        for count in 1...burst + 10 {
            let delay = try await store.takeToken(for: "a", from: bucket, within: .seconds(100))
            let elapsed = start.duration(to: .now)
            let latest = max(interval * (count - burst), .zero)
            #expect(delay <= latest && delay >= max(latest - elapsed, .zero))
        }
    }

    @Test("A token whose delay is longer than the limit is not taken")
    func limits() async throws {
        let bucket = SharedBucket(interval: .seconds(10), capacity: .seconds(10))
        #expect(try await store.takeToken(for: "a", from: bucket, within: .zero) == .zero)
        for _ in 0..<5 {
            let delay = try await store.takeToken(for: "a", from: bucket, within: .seconds(5))
            #expect(delay > .seconds(5) && delay <= .seconds(10))
        }
        let delay = try await store.takeToken(for: "a", from: bucket, within: .seconds(10))
        #expect(delay > .zero && delay <= .seconds(10))
        #expect(try await store.takeToken(for: "a", from: bucket, within: .seconds(10)) > .seconds(10))
    }

    @Test("A tolerance lets later tokens make up for a delay, and no more")
    func tolerances() async throws {
        let interval = Duration.milliseconds(20)
        let even = SharedBucket(interval: interval, capacity: interval)
        let late = SharedBucket(interval: interval, capacity: interval, tolerance: .milliseconds(100))
        #expect(try await store.takeToken(for: "a", from: even, within: .zero) == .zero)
        let start = ContinuousClock.now
        while start.duration(to: .now) < .milliseconds(150) { _ = try await store.ping() }
        // The time at which the bucket is full is 100 milliseconds back: 5 tokens, and that of the capacity.
        var count = 0
        while try await store.takeToken(for: "a", from: late, within: .zero) == .zero { count += 1 }
        #expect((6...10).contains(count), "\(count) tokens")
    }

    // MARK: Leases

    @Test("A lease has one holder until it is released, and its numbers increase")
    func leases() async throws {
        guard case .acquired(let first) = try await store.acquireLease(for: "a", duration: .seconds(60)) else {
            Issue.record("The lease was not acquired.")
            return
        }
        guard case .held(let rest) = try await store.acquireLease(for: "a", duration: .seconds(60)) else {
            Issue.record("The lease has two holders.")
            return
        }
        #expect(rest > .seconds(55) && rest <= .seconds(60))
        #expect(try await store.renew(first, duration: .seconds(90)))
        try await store.release(SharedLease(key: "a", number: first.number - 1))
        guard case .held(let renewed) = try await store.acquireLease(for: "a", duration: .seconds(60)) else {
            Issue.record("Another lease was released.")
            return
        }
        #expect(renewed > .seconds(85))
        try await store.release(first)
        #expect(try await !store.renew(first, duration: .seconds(60)))
        guard case .acquired(let second) = try await store.acquireLease(for: "a", duration: .seconds(60)) else {
            Issue.record("The lease was not released.")
            return
        }
        #expect(second.number > first.number)
        #expect(try await !store.renew(first, duration: .seconds(60)))
        try await store.release(first)
        #expect(try await store.renew(second, duration: .seconds(60)))
    }

    @Test("A lease expires, and its holder cannot renew it then")
    func expiry() async throws {
        guard case .acquired(let first) = try await store.acquireLease(for: "a", duration: .milliseconds(30)) else {
            Issue.record("The lease was not acquired.")
            return
        }
        while true {
            guard case .acquired(let second) = try await store.acquireLease(for: "a", duration: .seconds(1)) else {
                continue
            }
            #expect(second.number > first.number)
            break
        }
        #expect(try await !store.renew(first, duration: .seconds(60)))
    }

    @Test("A lease that a cancelled call has acquired is released")
    func cancelledLease() async throws {
        for _ in 0..<50 {
            let attempt = Task { [store] in try await store.acquireLease(for: "a", duration: .seconds(60)) }
            await Task.yield()
            attempt.cancel()
            let result = await attempt.result
            if case .success(.acquired(let lease)) = result { try await store.release(lease) }
            // Behind the release on the same connection.
            guard case .acquired(let lease) = try await store.acquireLease(for: "a", duration: .seconds(60)) else {
                // The reply to the cancelled step may come with that of this one.
                _ = try await store.ping()
                continue
            }
            try await store.release(lease)
        }
        _ = try await store.ping()
        guard case .acquired = try await store.acquireLease(for: "a", duration: .seconds(1)) else {
            Issue.record("The lease has a holder.")
            return
        }
    }
}
