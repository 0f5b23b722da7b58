import Foundation
import TestSupport
import Testing

@testable import Larkspur

/// Programs of the same machine: two stores on one folder take part in most tests.
@Suite("A store on a folder", .timeLimit(.minutes(5)))
struct FolderStoreTests {
    let folder = TemporaryFolder()
    let clock = StoreClock()
    var path: String { folder.url.appendingPathComponent("shared").path }

    func makeStore(
        waitLimit: Duration = .seconds(120),
        cleaningInterval: Duration = .seconds(60)
    ) throws -> FolderStore {
        try FolderStore(
            folder: URL(fileURLWithPath: path),
            waitLimit: waitLimit,
            cleaningInterval: cleaningInterval
        ) { [clock] in clock.now }
    }

    func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).filter { $0 != "lock" }.sorted()
    }

    // MARK: Values

    @Test("A value is created, replaced and removed by the version, and other stores see each step")
    func values() async throws {
        let (one, other) = (try makeStore(), try makeStore())
        #expect(try await one.value(for: "a") == nil)
        #expect(try await one.replaceValue(for: "a", version: nil, with: Data([1]), lifetime: nil))
        let first = try #require(try await other.value(for: "a"))
        #expect(first.data == Data([1]))
        #expect(try await !other.replaceValue(for: "a", version: nil, with: Data([2]), lifetime: nil))
        #expect(try await other.replaceValue(for: "a", version: first.version, with: Data(), lifetime: nil))
        let second = try #require(try await one.value(for: "a"))
        #expect(second.data.isEmpty && second.version != first.version)
        #expect(try await !one.replaceValue(for: "a", version: first.version, with: nil, lifetime: nil))
        #expect(try await one.replaceValue(for: "a", version: second.version, with: nil, lifetime: nil))
        #expect(try await other.value(for: "a") == nil && files().isEmpty)
        #expect(try await other.replaceValue(for: "a", version: nil, with: nil, lifetime: nil))
        #expect(try await !other.replaceValue(for: "a", version: second.version, with: Data([3]), lifetime: nil))
    }

    @Test("A version does not occur again, even if the folder was deleted")
    func versions() async throws {
        let store = try makeStore()
        var seen: Set<SharedValue.Version> = []
        for count in 0..<20 {
            #expect(try await store.replaceValue(for: "a", version: nil, with: Data([0]), lifetime: nil))
            let version = try #require(try await store.value(for: "a")).version
            let isNew = seen.insert(version).inserted
            #expect(isNew)
            if count % 2 == 0 {
                #expect(try await store.replaceValue(for: "a", version: version, with: nil, lifetime: nil))
            } else {
                try FileManager.default.removeItem(atPath: path)
            }
        }
    }

    @Test("A value ends after its lifetime, whatever the wall clock says, and also after a start of the system")
    func lifetimes() async throws {
        let store = try makeStore()
        func set(_ key: String) async throws {
            let version = try await store.value(for: key)?.version
            #expect(try await store.replaceValue(for: key, version: version, with: Data([1]), lifetime: .seconds(10)))
        }
        try await set("a")
        clock.setWall(.seconds(1_000_000))
        clock.advance(.seconds(9))
        #expect(try await store.value(for: "a") != nil)
        clock.advance(.seconds(1))
        #expect(try await store.value(for: "a") == nil)
        #expect(try await store.replaceValue(for: "a", version: nil, with: Data([2]), lifetime: .seconds(1)))
        try await set("a")
        clock.restart("second")
        #expect(try await store.value(for: "a") != nil)
        clock.advance(.seconds(10))
        #expect(try await store.value(for: "a") == nil)
    }

    @Test("Keys are compared by their bytes, and may be long and have any characters")
    func keys() async throws {
        let store = try makeStore()
        let long = String(repeating: "x", count: 100_000)
        let keys = ["é", "e\u{301}", "K", "\u{212A}", "", "/", "..", "../a", "a/b", "a\0b", "a\nb", ".", "lock", long]
        for (number, key) in keys.enumerated() {
            #expect(try await store.replaceValue(for: key, version: nil, with: Data([UInt8(number)]), lifetime: nil))
        }
        for (number, key) in keys.enumerated() {
            #expect(try await store.value(for: key)?.data == Data([UInt8(number)]))
        }
        #expect(try files().count == keys.count)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["shared"])
        // Values, leases and buckets have separate keys.
        guard case .acquired = try await store.acquireLease(for: "é", duration: .seconds(1)) else {
            Issue.record("The lease is held.")
            return
        }
    }

    // MARK: Buckets

    @Test("A bucket has its tokens once for all stores, and fills by its rate")
    func buckets() async throws {
        let stores = [try makeStore(), try makeStore()]
        let bucket = SharedBucket(interval: .seconds(1), capacity: .seconds(3))
        for number in 0..<3 {
            #expect(try await stores[number % 2].takeToken(for: "a", from: bucket, within: .zero) == .zero)
        }
        #expect(try await stores[1].takeToken(for: "a", from: bucket, within: .zero) == .seconds(1))
        #expect(try await stores[0].takeToken(for: "a", from: bucket, within: .milliseconds(999)) == .seconds(1))
        #expect(try await stores[0].takeToken(for: "b", from: bucket, within: .zero) == .zero)
        // This token is taken, so that the next one comes later.
        #expect(try await stores[0].takeToken(for: "a", from: bucket, within: .seconds(1)) == .seconds(1))
        #expect(try await stores[1].takeToken(for: "a", from: bucket, within: .zero) == .seconds(2))
        clock.setWall(.seconds(-1000))
        clock.advance(.milliseconds(2500))
        #expect(try await stores[1].takeToken(for: "a", from: bucket, within: .zero) == .zero)
        #expect(try await stores[1].takeToken(for: "a", from: bucket, within: .zero) == .milliseconds(500))
        clock.restart("second")
        #expect(try await stores[1].takeToken(for: "a", from: bucket, within: .zero) == .milliseconds(500))
        clock.advance(.milliseconds(500))
        #expect(try await stores[1].takeToken(for: "a", from: bucket, within: .zero) == .zero)
    }

    @Test("A bucket that was used with a negative limit keeps its state")
    func negativeLimit() async throws {
        let store = try makeStore()
        let bucket = SharedBucket(interval: .seconds(1), capacity: .seconds(1))
        #expect(try await store.takeToken(for: "a", from: bucket, within: .seconds(-7200)) == .zero)
        #expect(try await store.takeToken(for: "a", from: bucket, within: .seconds(-7200)) == .seconds(1))
    }

    // MARK: Leases

    @Test("One holder at a time has a lease, until it releases it or the lease expires")
    func leases() async throws {
        let (one, other) = (try makeStore(), try makeStore())
        func acquire(_ store: FolderStore) async throws -> SharedLease? {
            guard case .acquired(let lease) = try await store.acquireLease(for: "a", duration: .seconds(10)) else {
                return nil
            }
            return lease
        }
        let first = try #require(try await acquire(one))
        clock.advance(.seconds(4))
        #expect(try await other.acquireLease(for: "a", duration: .seconds(10)) == .held(.seconds(6)))
        #expect(try await one.renew(first, duration: .seconds(20)))
        #expect(try await other.acquireLease(for: "a", duration: .seconds(10)) == .held(.seconds(20)))
        try await one.release(first)
        let second = try #require(try await acquire(other))
        #expect(second.number > first.number)
        // The earlier holder has no effect any more.
        #expect(try await !one.renew(first, duration: .seconds(1)))
        try await one.release(first)
        #expect(try await acquire(one) == nil)
        clock.setWall(.seconds(1_000_000))
        clock.advance(.seconds(10))
        #expect(try await !other.renew(second, duration: .seconds(1)))
        let third = try #require(try await acquire(one))
        #expect(third.number > second.number)
        // No holder survives a start of the system, but the lease stays for its own duration at most.
        clock.restart("second")
        clock.advance(.seconds(9))
        #expect(try await other.acquireLease(for: "a", duration: .seconds(10)) == .held(.seconds(1)))
        clock.advance(.seconds(1))
        let fourth = try #require(try await acquire(one))
        #expect(fourth.number > third.number)
        // A machine that has no right time when it starts.
        clock.restart("third")
        clock.setWall(.seconds(-10_000_000))
        let fifth = try #require(try await acquire(one))
        #expect(fifth.number > fourth.number)
    }

    @Test(
        "Processes that see different starts of one system share values, buckets and leases",
        arguments: [-500, 3000] as [Int64]
    )
    func containers(_ difference: Int64) async throws {
        let (one, other) = (
            try makeStore(),
            try FolderStore(
                folder: URL(fileURLWithPath: path),
                waitLimit: .seconds(120),
                cleaningInterval: .zero
            ) { [clock] in
                let now = clock.now
                let uptime = now.uptime + Duration.milliseconds(difference).nanoseconds
                return StoreTime(start: "-", uptime: uptime, wall: now.wall)
            }
        )
        let bucket = SharedBucket(interval: .seconds(1), capacity: .seconds(3))
        var numbers: [UInt64] = []
        for _ in 0..<3 {
            for (store, next) in [(one, other), (other, one)] {
                guard case .acquired(let lease) = try await store.acquireLease(for: "a", duration: .seconds(10)) else {
                    Issue.record("The lease is held.")
                    return
                }
                numbers.append(lease.number)
                #expect(try await store.takeToken(for: "a", from: bucket, within: .zero) == .zero)
                #expect(try await next.takeToken(for: "a", from: bucket, within: .seconds(2)) == .zero)
                #expect(try await store.takeToken(for: "a", from: bucket, within: .seconds(2)) == .zero)
                #expect(try await store.replaceValue(for: "a", version: nil, with: Data([1]), lifetime: .seconds(10)))
                clock.advance(.milliseconds(400))
                #expect(try await next.acquireLease(for: "a", duration: .seconds(10)) == .held(.milliseconds(9600)))
                #expect(try await next.takeToken(for: "a", from: bucket, within: .zero) == .milliseconds(600))
                // Each process can continue the work of the other.
                #expect(try await next.renew(lease, duration: .seconds(4)))
                #expect(try await store.acquireLease(for: "a", duration: .seconds(1)) == .held(.seconds(4)))
                clock.advance(.seconds(3))
                #expect(try await store.renew(lease, duration: .seconds(1)))
                #expect(try await next.value(for: "a") != nil)
                clock.advance(.milliseconds(6600))
                #expect(try await next.value(for: "a") == nil)
            }
        }
        #expect(numbers == numbers.sorted() && Set(numbers).count == 6)
    }

    @Test("The state of the folder is read after a process was killed that has written a shorter one")
    func shorterState() async throws {
        let store = try makeStore()
        func acquire() async throws -> UInt64 {
            guard case .acquired(let lease) = try await store.acquireLease(for: "a", duration: .zero) else { return 0 }
            return lease.number
        }
        let first = try await acquire()
        let lock = URL(fileURLWithPath: "\(path)/lock")
        try (Data(contentsOf: lock) + Data("7\n".utf8)).write(to: lock)
        clock.setWall(.seconds(-1000))
        #expect(first > 0)
        #expect(try await acquire() == first + 1)
    }

    @Test("Fencing numbers increase if files or the folder are deleted, or if the wall clock is set back")
    func fencing() async throws {
        let store = try makeStore()
        var last: UInt64 = 0
        func check() async throws {
            guard case .acquired(let lease) = try await store.acquireLease(for: "a", duration: .zero) else {
                Issue.record("The lease is held.")
                return
            }
            #expect(lease.number > last)
            last = lease.number
        }
        for _ in 0..<3 { try await check() }
        clock.setWall(.seconds(-1000))
        for _ in 0..<3 { try await check() }
        for name in try files() { try FileManager.default.removeItem(atPath: "\(path)/\(name)") }
        try await check()
        clock.setWall(.seconds(2000))
        try FileManager.default.removeItem(atPath: path)
        try await check()
        try Data("damaged".utf8).write(to: URL(fileURLWithPath: "\(path)/lock"))
        clock.advance(.seconds(1))
        try await check()
    }
}
