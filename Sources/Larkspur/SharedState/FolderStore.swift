internal import HTTPSyntax

/// A store on a folder, for processes that run side by side on one machine.
///
///     let store = try FolderStore(folder: URL(fileURLWithPath: "/var/lib/tool/shared"))
///
/// All processes of one user that use the same folder share its state. Only this user can read the files. A process
/// that is killed at any instant leaves a whole state: each value is either the old or the new one, and the next
/// process continues. A value is on the disk when ``replaceValue(for:version:with:lifetime:)`` returns, and survives a
/// loss of power. Buckets and leases can be lost then: buckets are full afterwards, and leases are free.
///
/// Times are measured by a clock that no one sets and that continues while the system is asleep. The wall clock
/// measures only what outlives a start of the system, and what processes share that see different starts of one system,
/// as in containers, or none, as without `/proc`. Fencing numbers increase even if the folder was deleted, unless the
/// wall clock was set back. Values, buckets and leases that have ended are removed by the steps of other keys, about
/// once a minute. Of more than 500, only some are examined each time, so that no step takes long. Values, buckets and
/// leases with the same key do not affect each other.
///
/// The folder has to be on a local file system. Each step locks it with `flock`, on a dispatch queue of the store, and
/// waits at most for a limited time for the other processes. Reading a value needs no lock. The methods throw
/// ``FolderStoreError``, and ignore the cancellation of their Swift task, because a step is short.
public final class FolderStore: SharedStore {
    private let folder: StoreFolder
    private let waitLimit: Duration
    private let steps = DispatchQueue(label: "larkspur.folder-store")
    // A reader does not have to wait for the lock.
    private let reads = DispatchQueue(label: "larkspur.folder-store.reads")

    /// Creates a store.
    /// - Parameters:
    ///   - folder: The folder. If it is missing, it is created, and only this user can use it. It must have no other
    ///     purpose.
    ///   - waitLimit: The longest time for which a step waits for other steps, also if a process was stopped while it
    ///     held the lock. Default: five seconds.
    /// - Throws: ``FolderStoreError`` if the folder cannot be created, is a symbolic link, belongs to another user, or
    ///   can be written by other users.
    public convenience init(folder: URL, waitLimit: Duration = .seconds(5)) throws {
        try self.init(folder: folder, waitLimit: waitLimit, cleaningInterval: .seconds(60), times: StoreTime.now)
    }

    /// Creates a store that removes files that have ended, and those of processes that were killed, at each step.
    package convenience init(cleaning folder: URL) throws {
        try self.init(folder: folder, waitLimit: .seconds(5), cleaningInterval: .zero, times: StoreTime.now)
    }

    init(
        folder: URL,
        waitLimit: Duration,
        cleaningInterval: Duration,
        times: @escaping @Sendable () -> StoreTime
    ) throws {
        self.folder = StoreFolder(folder, cleaningInterval: cleaningInterval, times: times)
        self.waitLimit = waitLimit
        try self.folder.prepare()
    }

    /// The path of the folder.
    public var description: String { "the folder \(folder.path)" }

    /// Performs blocking work on a queue, because Swift's own threads must not block.
    private func run<Result: Sendable>(
        on queue: DispatchQueue,
        _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Swift.Result { try body() }) }
        }
    }

    private func step<Result: Sendable>(
        _ body: @escaping @Sendable (StoreFolder, StoreFolder.Lock) throws -> Result
    ) async throws -> Result {
        // The time in the queue counts too. Otherwise many steps would wait one after the other.
        let deadline = ContinuousClock.now + waitLimit.bounded
        return try await run(on: steps) { [folder] in
            try folder.locked(until: deadline) { try body(folder, $0) }
        }
    }

    // MARK: Values

    /// Returns the value of a key; nil if there is none, or if its lifetime has ended.
    /// - Throws: ``FolderStoreError``, with the code `EBADMSG` if the file of the value is damaged.
    public func value(for key: String) async throws -> SharedValue? {
        try await run(on: reads) { [folder] in try folder.record(.value, key)?.content.value }
    }

    /// Replaces a value, unless another process has replaced it first (compare and set).
    /// - Throws: ``FolderStoreError``, with the code `EFBIG` if the data is larger than 16 MiB.
    public func replaceValue(
        for key: String,
        version: SharedValue.Version?,
        with data: Data?,
        lifetime: Duration?
    ) async throws -> Bool {
        guard data?.count ?? 0 <= StoreFolder.largestValue else {
            throw FolderStoreError(.EFBIG, folder.path(.value, key))
        }
        return try await step { folder, lock in
            let last = try folder.record(.value, key, at: lock.now)?.content.value
            guard last?.version == version else { return false }
            guard let data else {
                try folder.remove(.value, key)
                return true
            }
            let content = StoreRecord.Content.value(
                data: data,
                version: Self.newVersion(),
                end: lifetime.map { lock.now.uptime.adding($0.nanoseconds) }
            )
            try folder.write(content, .value, key, at: lock.now)
            return true
        }
    }

    /// Returns a random number of 128 bits. So a version does not occur again, even if all files were deleted.
    private static func newVersion() -> String {
        let numbers: [UInt64] = [.random(in: 0...UInt64.max), .random(in: 0...UInt64.max)]
        return numbers.withUnsafeBytes { $0.hexadecimal }
    }

    // MARK: Buckets

    /// Takes a token from a bucket. Returns the time until it may be used; if this time is longer than `limit`, no
    /// token was taken.
    /// - Throws: ``FolderStoreError``.
    public func takeToken(
        for key: String,
        from bucket: SharedBucket,
        within limit: Duration
    ) async throws -> Duration {
        try await step { folder, lock in
            var full: Int64?
            if let record = try folder.record(.bucket, key, at: lock.now), case .bucket(let last, _) = record.content {
                full = record.present(last, at: lock.now)
            }
            let step = StoreBucketStep(bucket, full: full, now: lock.now.uptime, within: limit)
            if let full = step.full {
                // Callers that have waited may still look back at a time at which the bucket was full.
                let rest = max(bucket.capacity, bucket.tolerance) + max(min(limit, .seconds(3600)), .zero)
                let end = full.adding(rest.nanoseconds).adding(Duration.seconds(60).nanoseconds)
                try folder.write(.bucket(full: full, end: end), .bucket, key, at: lock.now)
            }
            return .nanoseconds(step.delay)
        }
    }

    // MARK: Leases

    /// Acquires a lease, if no other holder has it.
    /// - Throws: ``FolderStoreError``.
    public func acquireLease(for key: String, duration: Duration) async throws -> SharedLease.Attempt {
        try await step { folder, lock in
            if let held = try folder.lease(key, lock) { return .held(.nanoseconds(held.end.adding(-lock.now.uptime))) }
            let number = try folder.nextNumber(lock)
            try folder.writeLease(key, number, duration, lock)
            return .acquired(SharedLease(key: key, number: number))
        }
    }

    /// Lets a lease expire later: `duration` from now. Returns false if the lease has already expired, or has another
    /// holder.
    /// - Throws: ``FolderStoreError``.
    public func renew(_ lease: SharedLease, duration: Duration) async throws -> Bool {
        try await step { folder, lock in
            guard let held = try folder.lease(lease.key, lock), held.number == lease.number else { return false }
            try folder.writeLease(lease.key, lease.number, duration, lock)
            return true
        }
    }

    /// Releases a lease. Has no effect if it has already expired, or has another holder.
    /// - Throws: ``FolderStoreError``.
    public func release(_ lease: SharedLease) async throws {
        try await step { folder, lock in
            guard let held = try folder.lease(lease.key, lock), held.number == lease.number else { return }
            try folder.remove(.lease, lease.key)
        }
    }
}

extension StoreFolder {
    /// Returns the lease of a key; nil if there is none, or if it has expired.
    fileprivate func lease(_ key: String, _ lock: Lock) throws -> (number: UInt64, end: Int64)? {
        guard let record = try record(.lease, key, at: lock.now), case .lease(let number, let end) = record.content
        else { return nil }
        return (number, record.present(end, at: lock.now))
    }

    fileprivate func writeLease(_ key: String, _ number: UInt64, _ duration: Duration, _ lock: Lock) throws {
        let end = lock.now.uptime.adding(duration.nanoseconds)
        try write(.lease(number: number, end: end), .lease, key, at: lock.now)
    }
}

extension StoreRecord.Content {
    fileprivate var value: SharedValue? {
        guard case .value(let data, let version, _) = self else { return nil }
        return SharedValue(data: data, version: SharedValue.Version(version))
    }
}
