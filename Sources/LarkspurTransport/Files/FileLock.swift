/// An exclusive lock, for work that one process at a time may do. It is a file that is locked with `flock`.
///
/// The kernel releases the lock when its process ends, even if the process is killed. A process that is stopped keeps
/// the lock. So the other processes wait only for a limited time, and then do nothing: work without the lock could undo
/// the changes of the process that has it.
package enum FileLock {
    /// The longest wait for the lock of a file, if the caller has no other limit.
    package static let waitLimit: Duration = .seconds(5)

    /// The pauses between two attempts, in microseconds. A process that releases the lock can take it again at once.
    /// With long pauses, those that wait would find it held each time.
    private static let pauses: ClosedRange<UInt32> = 50...1000

    /// Locks a descriptor if no other process has locked it. Returns zero, or sets `errno`.
    package static let attempt: @Sendable (Int32) -> Int32 = { flock($0, LOCK_EX | LOCK_NB) }

    /// Whether an error says that the file system has no locks. So no process can have one there.
    package static func isUnsupported(_ error: POSIXError) -> Bool {
        [.ENOSYS, .EOPNOTSUPP, .ENOLCK].contains(error.code)
    }

    /// Performs work while the lock is held. Blocks the calling thread, which must not be one of Swift's tasks.
    ///
    /// `flock` could wait itself, but only without a limit. So this method tries again, with random pauses.
    /// - Parameters:
    ///   - path: The path of the lock file, which is created if it is missing.
    ///   - deadline: The time after which it does not try again. It always tries once.
    ///   - isKept: Whether the lock file remains. Otherwise, it is removed before the lock is released.
    ///   - attempt: Locks a descriptor. Default: ``attempt``.
    ///   - body: The work. The descriptor is that of the lock file.
    /// - Throws: `POSIXError`, with the code `ETIMEDOUT` if other processes have used the lock until the deadline, or a
    ///   code for which ``isUnsupported(_:)`` is true; the error of the body.
    package static func hold<Result>(
        _ path: String,
        until deadline: ContinuousClock.Instant,
        isKept: Bool,
        attempt: (Int32) -> Int32 = attempt,
        _ body: (Int32) throws -> Result
    ) throws -> Result {
        let descriptor = try acquire(path, until: deadline, attempt)
        defer {
            // The file is removed while it is locked. A process that has opened it notices that it was removed.
            if !isKept, isCurrent(descriptor, path) { unlink(path) }
            // A process that was just forked from this one may have the same descriptor until it executes its program.
            // So closing alone might not release the lock.
            flock(descriptor, LOCK_UN)
            close(descriptor)
        }
        return try body(descriptor)
    }

    private static func acquire(
        _ path: String,
        until deadline: ContinuousClock.Instant,
        _ attempt: (Int32) -> Int32
    ) throws -> Int32 {
        var pause = pauses.lowerBound
        while true {
            let descriptor = try openFile(path)
            do {
                try wait(for: descriptor, until: deadline, pause: &pause, attempt)
            } catch {
                close(descriptor)
                throw error
            }
            if isCurrent(descriptor, path) { return descriptor }
            close(descriptor)
            guard ContinuousClock.now < deadline else { throw POSIXError(.ETIMEDOUT) }
        }
    }

    private static func openFile(_ path: String) throws -> Int32 {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else { throw POSIXError.ofLastCall }
        var status = stat()
        let isRead = fstat(descriptor, &status) == 0
        // A file of another user could be locked by this user, also forever.
        guard isRead, status.st_mode & S_IFMT == S_IFREG, [geteuid(), 0].contains(status.st_uid) else {
            close(descriptor)
            throw POSIXError(status.st_mode & S_IFMT == S_IFREG ? .EPERM : .EINVAL)
        }
        return descriptor
    }

    private static func wait(
        for descriptor: Int32,
        until deadline: ContinuousClock.Instant,
        pause: inout UInt32,
        _ attempt: (Int32) -> Int32
    ) throws {
        while attempt(descriptor) != 0 {
            if errno == EINTR { continue }
            guard errno == EWOULDBLOCK else { throw POSIXError.ofLastCall }
            guard ContinuousClock.now < deadline else { throw POSIXError(.ETIMEDOUT) }
            usleep(.random(in: pause / 2...pause))
            pause = min(pause * 2, pauses.upperBound)
        }
    }

    /// Whether a path still leads to an open file. Its last holder may have removed it.
    private static func isCurrent(_ descriptor: Int32, _ path: String) -> Bool {
        var (own, current) = (stat(), stat())
        return fstat(descriptor, &own) == 0 && lstat(path, &current) == 0 && own.st_dev == current.st_dev
            && own.st_ino == current.st_ino
    }
}
