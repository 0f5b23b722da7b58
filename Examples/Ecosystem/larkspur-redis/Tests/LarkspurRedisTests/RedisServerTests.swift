import Larkspur
import Testing

@testable import LarkspurRedis

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

    private let prefix = "larkspur-tests:\(UUID().uuidString):"

    init() throws { store = try RedisStore(#require(url), prefix: prefix) }

    /// Performs a command on the key of `a`, which follows the first word.
    @discardableResult
    private func command(_ name: String, _ kind: String, _ others: String...) async throws -> RedisReply {
        let words = [name, "\(prefix)\(kind):a"] + others
        return try await store.perform(.plain(words.map { Array($0.utf8) })).reply
    }

    private func acquire(_ duration: Duration) async throws -> SharedLease? {
        guard case .acquired(let lease) = try await store.acquireLease(for: "a", duration: duration) else { return nil }
        return lease
    }

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
            #expect(written?.code == .valueTooLarge && written?.description.contains("\(size) bytes") == true)
            #expect(try await large.replaceValue(for: "\(size)", version: nil, with: data, lifetime: .seconds(60)))
            let read = await #expect(throws: RedisStoreError.self) { try await small.value(for: "\(size)") }
            #expect(read?.code == .valueTooLarge && read?.description.contains("\(size) bytes") == true)
        }
        #expect(try await small.value(for: "none") == nil)
        let largest = Data(count: 1000)
        #expect(try await large.replaceValue(for: "1000", version: nil, with: largest, lifetime: .seconds(60)))
        #expect(try await small.value(for: "1000")?.data == largest)
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

    @Test("A full bucket gives its tokens at once, also if its interval is no whole number of nanoseconds")
    func fractions() async throws {
        let interval = Duration.seconds(100) / 3
        let bucket = SharedBucket(interval: interval, capacity: interval * 7)
        for _ in 0..<7 { #expect(try await store.takeToken(for: "a", from: bucket, within: .zero) == .zero) }
        #expect(try await store.takeToken(for: "a", from: bucket, within: .zero) > .seconds(30))
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

    @Test("A caller without a tolerance leaves the state of the bucket to those with one")
    func mixedTolerances() async throws {
        let interval = Duration.milliseconds(40)
        let unhurried = SharedBucket(interval: interval, capacity: interval)
        let waiting = SharedBucket(interval: interval, capacity: interval, tolerance: interval * 10)
        #expect(try await store.takeToken(for: "a", from: unhurried, within: .zero) == .zero)
        // The bucket is full, and has been so for less than two intervals.
        let start = ContinuousClock.now
        while start.duration(to: .now) < .milliseconds(60) { _ = try await store.ping() }
        var count = 0
        while try await store.takeToken(for: "a", from: waiting, within: .zero) == .zero { count += 1 }
        let most = 1 + Int(start.duration(to: .now) / interval)
        #expect(count >= 1 && count <= most, "\(count) tokens, at most \(most)")
    }

    @Test("The state of a bucket is removed a minute after all callers can have its tokens")
    func bucketLifetime() async throws {
        let interval = Duration.seconds(10)
        let bucket = SharedBucket(interval: interval, capacity: interval * 3, tolerance: .seconds(5))
        for count in 1...2 {
            _ = try await store.takeToken(for: "a", from: bucket, within: .zero)
            guard case .integer(let lifetime) = try await command("PTTL", "bucket") else {
                Issue.record("The bucket has no lifetime.")
                return
            }
            // The time at which the bucket is full began 5 seconds ago. The capacity is longer than the tolerance.
            let end = 10_000 * Int64(count) - 5000 + 30_000 + 60_000
            #expect((end - 1000...end).contains(lifetime))
        }
    }

    @Test("A bucket does not wait for a server's clock that was set back")
    func clockOfBucket() async throws {
        let bucket = SharedBucket(interval: .seconds(1), capacity: .seconds(10))
        let hour = Int(Date().timeIntervalSince1970) + 3600
        // Full, as of an hour from now.
        try await command("SET", "bucket", "\(hour) 0 0")
        #expect(try await store.takeToken(for: "a", from: bucket, within: .zero) == .zero)
        // Ten minutes ahead, as of an hour from now. No token is taken, and from now on the time passes.
        try await command("SET", "bucket", "\(hour) 0 600000000000")
        let first = try await store.takeToken(for: "a", from: bucket, within: .zero)
        #expect(first == .seconds(591))
        while try await store.takeToken(for: "a", from: bucket, within: .zero) >= first { await Task.yield() }
    }

    @Test("A bucket with a damaged state is full")
    func damagedBucket() async throws {
        let bucket = SharedBucket(interval: .seconds(10), capacity: .seconds(20))
        for state in ["", "full", "1 2", "1 2 3 4", "1 2 3\n"] {
            try await command("SET", "bucket", state)
            for _ in 0..<2 { #expect(try await store.takeToken(for: "a", from: bucket, within: .zero) == .zero) }
            #expect(try await store.takeToken(for: "a", from: bucket, within: .zero) > .seconds(5))
            guard case .integer(1...) = try await command("PTTL", "bucket") else {
                Issue.record("The bucket has no lifetime.")
                return
            }
        }
    }

    @Test("Data of another kind stay, and the error names them", arguments: ["bucket", "value", "lease"])
    func otherData(kind: String) async throws {
        try await command("RPUSH", kind, "1")
        let bucket = SharedBucket(interval: .seconds(1), capacity: .seconds(10))
        let error = await #expect(throws: RedisStoreError.self) {
            switch kind {
            case "bucket": _ = try await store.takeToken(for: "a", from: bucket, within: .zero)
            case "value": _ = try await store.value(for: "a")
            default: _ = try await acquire(.seconds(1))
            }
        }
        #expect(error?.code == .refused && error?.description.contains("data of another kind") == true)
        #expect(try await command("LLEN", kind) == .integer(1))
        try await command("DEL", kind)
    }

    // MARK: Leases

    @Test("The numbers of leases increase also after a loss of data, and if the clock is set back")
    func numbers() async throws {
        let first = try #require(try await acquire(.seconds(60)))
        try await command("DEL", "lease")
        let second = try #require(try await acquire(.seconds(60)))
        #expect(second.number > first.number)
        try await store.release(second)
        // The number of a clock that was an hour ahead.
        let ahead = second.number + 3_600_000_000
        try await command("HSET", "lease", "number", "\(ahead)")
        let third = try #require(try await acquire(.seconds(60)))
        #expect(third.number == ahead + 1)
        guard case .integer(let lifetime) = try await command("PTTL", "lease") else {
            Issue.record("The lease has no lifetime.")
            return
        }
        #expect((604_850_000...604_860_000).contains(lifetime))
    }

    @Test("A lease does not wait for a server's clock that was set back")
    func clockOfLease() async throws {
        let first = try #require(try await acquire(.milliseconds(20)))
        let hour = Int(Date().timeIntervalSince1970 + 3600) * 1_000_000
        try await command("HSET", "lease", "time", "\(hour)")
        #expect(try await acquire(.seconds(1)) == nil)
        var second: SharedLease?
        while second == nil { second = try await acquire(.seconds(1)) }
        #expect(try #require(second).number > first.number)
    }

    @Test("A lease that is acquired twice by the same command has one number")
    func repeatedLease() async throws {
        let words = ["holder", "60000000"].map { Array($0.utf8) }
        let step = RedisStep.Command.script(.acquireLease, key: Array("\(prefix)lease:a".utf8), words)
        let first = try await store.perform(step).reply
        #expect(first.attempt(for: "a") != nil)
        #expect(try await store.perform(step).reply == first)
        #expect(try await acquire(.seconds(60)) == nil)
    }

    @Test("A value that is replaced twice by the same command is replaced")
    func repeatedReplacement() async throws {
        let words = ["", "version", "60000", "data"].map { Array($0.utf8) }
        let step = RedisStep.Command.script(.replaceValue, key: Array("\(prefix)value:a".utf8), words)
        for _ in 0..<2 { #expect(try await store.perform(step).reply.flag == true) }
        #expect(try await store.value(for: "a") == SharedValue(data: Data("data".utf8), version: .init("version")))
    }

    @Test("Scripts that the server has removed are sent again")
    func removedScripts() async throws {
        _ = try await store.ping()
        let flush = ["SCRIPT", "FLUSH"].map { Array($0.utf8) }
        #expect(try await store.perform(.plain(flush)).reply == .status("OK"))
        #expect(try await acquire(.seconds(1)) != nil)
        #expect(try await replace(nil, Data()))
    }

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
            try await store.release(#require(await acquire(.seconds(60))))
        }
    }

    @Test("A lease is released by the name of its holder, and by no other")
    func releaseByHolder() async throws {
        let key = Array("\(prefix)lease:a".utf8)
        func flag(_ name: String) async throws -> Bool? {
            try await store.perform(.script(.releaseLease, key: key, [Array(name.utf8)])).reply.flag
        }
        let words = ["a-b", "60000000"].map { Array($0.utf8) }
        _ = try await store.perform(.script(.acquireLease, key: key, words))
        #expect(try await flag("a-c") == false)
        #expect(try await acquire(.seconds(60)) == nil)
        #expect(try await flag("a-b") == true)
        #expect(try await flag("a-b") == false)
        #expect(try await acquire(.seconds(60)) != nil)
        #expect(try await flag("") == false)
    }
}
