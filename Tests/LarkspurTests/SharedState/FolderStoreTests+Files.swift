import Foundation
import TestSupport
import Testing

@testable import Larkspur

/// The folder and its files.
extension FolderStoreTests {
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

    @Test("Each step examines a limited number of files, and the next steps continue while many have ended")
    func limitedCleaning() throws {
        let folder = StoreFolder(
            URL(fileURLWithPath: path),
            cleaningInterval: .seconds(60),
            cleaningLimit: 10
        ) { [clock] in clock.now }
        try folder.prepare()
        let start = clock.now
        func write(_ prefix: String, lasting lifetime: Duration) throws {
            let end = start.uptime + lifetime.nanoseconds
            for number in 0..<40 {
                try folder.write(.bucket(full: 0, end: end), .bucket, "\(prefix)\(number)", at: start)
            }
        }
        func step() throws { try folder.locked(until: .now) { _ in } }
        func lastCleaning() throws -> Int64? {
            StoreRecord(try Data(contentsOf: URL(fileURLWithPath: "\(path)/lock")))?.time
        }
        try write("a", lasting: .seconds(5))
        clock.advance(.seconds(10))
        try step()
        // The file `lock` may be one of those that were examined.
        #expect(try (30...31).contains(files().count) && lastCleaning() == nil)
        for _ in 0..<4 { try step() }
        #expect(try files().isEmpty && lastCleaning() == clock.now.uptime)
        // If few files have ended, one step in a minute is enough.
        try write("b", lasting: .seconds(1000))
        clock.advance(.seconds(60))
        try step()
        #expect(try files().count == 40 && lastCleaning() == clock.now.uptime)
    }

    @Test("A lease that is acquired in the step that removes files is not shorter")
    func leaseWhileCleaning() async throws {
        let start = clock.now
        // Each look at the clock takes nine seconds, as removing many files might.
        let store = try FolderStore(
            folder: URL(fileURLWithPath: path),
            waitLimit: .seconds(120),
            cleaningInterval: .seconds(60)
        ) { [clock] in
            let now = clock.now
            clock.advance(.seconds(9))
            return now
        }
        _ = try await store.acquireLease(for: "a", duration: .seconds(10))
        let file = URL(fileURLWithPath: "\(path)/\(try files()[0])")
        let record = try #require(StoreRecord(try Data(contentsOf: file)))
        #expect(record.time == start.uptime + Duration.seconds(9).nanoseconds)
        guard case .lease(_, let end) = record.content else {
            Issue.record("The file is not that of a lease.")
            return
        }
        #expect(end == record.time + Duration.seconds(10).nanoseconds)
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
