import Foundation
import TestSupport
import Testing

@testable import Larkspur

/// Programs of the same machine: two stores on one folder take part in most tests.
@Suite("A store on a folder", .timeLimit(.minutes(5)))
struct FolderStoreTests {
    private let folder = TemporaryFolder()
    private let clock = StoreClock()
    private var path: String { folder.url.appendingPathComponent("shared").path }

    private func makeStore(
        waitLimit: Duration = .seconds(120),
        cleaningInterval: Duration = .seconds(60)
    ) throws -> FolderStore {
        try FolderStore(
            folder: URL(fileURLWithPath: path),
            waitLimit: waitLimit,
            cleaningInterval: cleaningInterval
        ) { [clock] in clock.now }
    }

    private func files() throws -> [String] {
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
        arguments: [-500, 3000]
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

    // MARK: Files

    @Test("Only the owner can use the folder and its files, and no temporary file remains")
    func permissions() async throws {
        let store = try makeStore()
        #expect(store.description == "the folder \(path)")
        _ = try await store.replaceValue(for: "a", version: nil, with: Data([1]), lifetime: nil)
        _ = try await store.acquireLease(for: "a", duration: .seconds(1))
        _ = try await store.takeToken(
            for: "a",
            from: SharedBucket(interval: .seconds(1), capacity: .seconds(1)),
            within: .zero
        )
        for name in [""] + (try files()) + ["lock"] {
            var status = stat()
            #expect(stat("\(path)/\(name)", &status) == 0)
            #expect(status.st_mode & 0o777 == (name.isEmpty ? 0o700 : 0o600), "\(name)")
        }
        #expect(try files().map { String($0.prefix { $0 != "-" }) } == ["bucket", "lease", "value"])
    }

    @Test("Files that have ended, and those of killed processes, are removed about once a minute")
    func cleaning() async throws {
        let store = try makeStore()
        let bucket = SharedBucket(interval: .seconds(1), capacity: .seconds(1))
        for number in 0..<20 {
            _ = try await store.replaceValue(for: "\(number)", version: nil, with: Data([1]), lifetime: .seconds(5))
            _ = try await store.takeToken(for: "\(number)", from: bucket, within: .zero)
            _ = try await store.acquireLease(for: "\(number)", duration: .seconds(5))
        }
        _ = try await store.replaceValue(for: "a", version: nil, with: Data([1]), lifetime: nil)
        for name in ["new-\(UUID().uuidString)", "new-other", "other"] {
            try Data([1]).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
        }
        #expect(try files().count == 64)
        clock.advance(.seconds(59))
        _ = try await store.acquireLease(for: "b", duration: .seconds(1000))
        #expect(try files().count == 65)
        clock.advance(.seconds(10))
        _ = try await store.acquireLease(for: "b", duration: .seconds(1))
        #expect(try files().map { String($0.prefix(6)) } == ["lease-", "new-ot", "other", "value-"])
        #expect(try await store.value(for: "a") != nil)
    }

    @Test("Large values that have ended are removed, except if they are damaged")
    func cleaningOfValues() async throws {
        let store = try makeStore(cleaningInterval: .zero)
        let data = Data(repeating: 0x61, count: 100_000)
        for key in ["a", "b", "c"] {
            let lifetime: Duration? = key == "c" ? nil : .seconds(5)
            _ = try await store.replaceValue(for: key, version: nil, with: data, lifetime: lifetime)
        }
        let folder = StoreFolder(URL(fileURLWithPath: path), cleaningInterval: .zero) { [clock] in clock.now }
        for key in ["b", "c"] {
            let file = URL(fileURLWithPath: folder.path(.value, key))
            try (Data(contentsOf: file).dropLast() + [0]).write(to: file)
        }
        clock.advance(.seconds(5))
        _ = try await store.takeToken(
            for: "a",
            from: SharedBucket(interval: .seconds(1), capacity: .seconds(1)),
            within: .zero
        )
        let rest = try files().filter { $0.hasPrefix("value-") }
        #expect(Set(rest.map { "\(path)/\($0)" }) == [folder.path(.value, "b"), folder.path(.value, "c")])
    }

    @Test("Files with other names stay, also if their names begin like those of the store")
    func foreignFiles() async throws {
        let store = try makeStore(cleaningInterval: .zero)
        let digits = String(repeating: "0123456789abcdef", count: 4)
        let names = [
            "lease-2024.pdf", "bucket-", "value-list.txt", "lease-\(digits).pdf", "bucket-\(digits)0",
            "lease-\(digits.dropLast())g", "bucket-\(digits.uppercased())", "lease-\(digits.dropLast())",
        ]
        for name in names + ["lease-\(digits)"] {
            try Data([1]).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
        }
        for _ in 0..<2 { _ = try await store.acquireLease(for: "a", duration: .zero) }
        // Only the damaged file with the name of a lease is gone.
        #expect(try Set(names).isSubset(of: files()))
        #expect(try !files().contains("lease-\(digits)"))
    }

    @Test("A folder that others can write, a link and a file are refused")
    func refusal() throws {
        let parent = folder.url.path
        try #require(mkdir(path, 0o700) == 0 && chmod(path, 0o770) == 0)
        #expect(throws: FolderStoreError(.EPERM, path)) { try makeStore() }
        try #require(chmod(path, 0o755) == 0)
        _ = try makeStore()
        let link = URL(fileURLWithPath: "\(parent)/link/")
        try #require(symlink(path, "\(parent)/link") == 0)
        #expect(throws: FolderStoreError(.ELOOP, "\(parent)/link")) { try FolderStore(folder: link) }
        let file = try folder.file("file")
        let error = #expect(throws: FolderStoreError(.ENOTDIR, file.path)) { try FolderStore(folder: file) }
        #expect(error?.description == "The store failed at \(file.path): Not a directory.")
        #expect(error?.localizedDescription == error?.description)
    }

    @Test(
        "An error says what has failed",
        arguments: [
            (.ENOLCK, "its file system has no locks, which a store needs"),
            (.EOPNOTSUPP, "its file system has no locks, which a store needs"),
            (.ETIMEDOUT, "other processes have used the lock for too long"),
            (
                .EPERM,
                "it belongs to another user, other users can write it, or the system does not permit to change it"
            ),
        ] as [(POSIXErrorCode, String)]
    )
    func reasons(_ code: POSIXErrorCode, _ reason: String) {
        #expect(FolderStoreError(code, "/a").description == "The store failed at /a: \(reason).")
    }

    @Test("A store whose folder is written by others later fails")
    func laterRefusal() async throws {
        let store = try makeStore()
        try #require(chmod(path, 0o777) == 0)
        await #expect(throws: FolderStoreError(.EPERM, path)) {
            try await store.acquireLease(for: "a", duration: .zero)
        }
    }

    @Test("A folder with missing parents is created")
    func parents() throws {
        let url = folder.url.appendingPathComponent("a/b/c")
        _ = try FolderStore(folder: url)
        var status = stat()
        #expect(stat(url.path, &status) == 0 && status.st_mode & 0o777 == 0o700)
        let file = try folder.file("file").appendingPathComponent("x")
        #expect(throws: FolderStoreError(.ENOTDIR, file.path)) { try FolderStore(folder: file) }
    }

    @Test("A damaged value is an error that names the file, and damaged leases and buckets count as missing")
    func damage() async throws {
        let store = try makeStore()
        let bucket = SharedBucket(interval: .seconds(1), capacity: .seconds(1))
        _ = try await store.replaceValue(for: "a", version: nil, with: Data("secret".utf8), lifetime: nil)
        _ = try await store.acquireLease(for: "a", duration: .seconds(100))
        _ = try await store.takeToken(for: "a", from: bucket, within: .zero)
        let names = try files()
        for name in names {
            let url = URL(fileURLWithPath: "\(path)/\(name)")
            try (Data(contentsOf: url).dropLast() + [0]).write(to: url)
        }
        let value = "\(path)/\(names[2])"
        for _ in 0..<2 {
            await #expect(throws: FolderStoreError(.EBADMSG, value)) { try await store.value(for: "a") }
            await #expect(throws: FolderStoreError(.EBADMSG, value)) {
                try await store.replaceValue(for: "a", version: nil, with: Data(), lifetime: nil)
            }
            // Damaged values are not removed.
            clock.advance(.seconds(100))
        }
        guard case .acquired = try await store.acquireLease(for: "a", duration: .seconds(1)) else {
            Issue.record("The lease is held.")
            return
        }
        #expect(try await store.takeToken(for: "a", from: bucket, within: .zero) == .zero)
    }

    @Test("Links, pipes, folders and huge files in place of files are errors or count as missing, and are not followed")
    func specialFiles() async throws {
        let store = try makeStore()
        _ = try await store.replaceValue(for: "a", version: nil, with: Data(), lifetime: nil)
        let file = "\(path)/\(try files()[0])"
        func fails(_ code: POSIXErrorCode) async {
            await #expect(throws: FolderStoreError(code, file)) { try await store.value(for: "a") }
            await #expect(throws: FolderStoreError(code, file)) {
                try await store.replaceValue(for: "a", version: nil, with: Data(), lifetime: nil)
            }
            remove(file)
        }
        unlink(file)
        try #require(symlink("/etc/passwd", file) == 0)
        await fails(.ELOOP)
        try #require(mkfifo(file, 0o600) == 0)
        await fails(.EINVAL)
        try #require(mkdir(file, 0o700) == 0)
        await fails(.EINVAL)
        try #require(FileManager.default.createFile(atPath: file, contents: nil) && truncate(file, 1 << 40) == 0)
        await fails(.EFBIG)
        let lease = file.replacing("value-", with: "lease-")
        try #require(FileManager.default.createFile(atPath: lease, contents: nil) && truncate(lease, 1 << 40) == 0)
        guard case .acquired = try await store.acquireLease(for: "a", duration: .seconds(1)) else {
            Issue.record("The lease is held.")
            return
        }
        let large = Data(count: StoreFolder.largestValue + 1)
        await #expect(throws: FolderStoreError(.EFBIG, file)) {
            try await store.replaceValue(for: "a", version: nil, with: large, lifetime: nil)
        }
        #expect(try await store.replaceValue(for: "a", version: nil, with: large.dropLast(), lifetime: nil))
        #expect(try await store.value(for: "a")?.data.count == StoreFolder.largestValue)
    }

    @Test("A folder that this user cannot write is an error", .enabled(if: geteuid() != 0))
    func readOnly() async throws {
        let store = try makeStore()
        try #require(chmod(path, 0o500) == 0)
        await #expect(throws: FolderStoreError(.EACCES, path + "/lock")) {
            try await store.acquireLease(for: "a", duration: .zero)
        }
        #expect(try await store.value(for: "a") == nil)
        try #require(chmod(path, 0o700) == 0)
    }

    @Test("A lock that another process holds is an error after the limit, and does not delay readers")
    func locked() async throws {
        let store = try makeStore(waitLimit: .zero)
        _ = try await store.replaceValue(for: "a", version: nil, with: Data([1]), lifetime: nil)
        let lock = "\(path)/lock"
        // As a process that was stopped.
        let descriptor = open(lock, O_RDWR | O_CLOEXEC)
        try #require(descriptor >= 0 && flock(descriptor, LOCK_EX) == 0)
        await #expect(throws: FolderStoreError(.ETIMEDOUT, lock)) {
            try await store.acquireLease(for: "a", duration: .zero)
        }
        #expect(try await store.value(for: "a")?.data == Data([1]))
        close(descriptor)
        _ = try await store.acquireLease(for: "a", duration: .zero)
    }
}
