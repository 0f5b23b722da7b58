#if canImport(FoundationNetworking)
internal import HTTPSyntax
internal import Synchronization

/// A file with the cookies of a storage, also with those of the session. Several processes can use it at the same time.
///
///     let configuration = URLSessionConfiguration.ephemeral
///     let cookies = try CookieFile(file, of: configuration.httpCookieStorage ?? .shared)
///     // … requests of a session with this configuration
///     try await cookies.save()
///
/// The file has the format of `curl -b` and `curl -c`, so that curl can use it too. Only its owner can read it. To
/// save, the file is locked (with the file `.NAME.lock` beside it) and read again. Then the cookies that were added,
/// replaced or removed in this storage are changed in the file, and all others stay as the other processes have written
/// them. For a cookie that several processes have changed, the change that is saved last counts. curl does not look at
/// the lock. So a curl that writes the file at the same time can undo changes.
///
/// All methods may be called on any thread. The initializer and the synchronous `save()` block it while they read and
/// write.
public final class CookieFile: Sendable {
    /// The largest file that is read, in bytes.
    private static let limit = 1 << 24

    /// The file.
    public let file: URL
    private let storage: HTTPCookieStorage
    private let now: @Sendable () -> Date
    private let lockLimit: Duration
    /// The cookies that the file and the storage had when this process last read or wrote the file.
    private let base = Mutex<[CookieIdentity: CookieLines.Cookie]>([:])
    private let queue = DispatchQueue(label: "larkspur.cookie-file")

    /// Reads a file, and adds its cookies to a storage.
    /// - Parameters:
    ///   - file: The file. It does not have to exist, but its folder has to exist.
    ///   - storage: The storage, which should be one without a file, such as that of an ephemeral configuration.
    /// - Throws: `POSIXError` if there is a file that cannot be read, is no regular file, or has more than 16 MiB.
    public convenience init(_ file: URL, of storage: HTTPCookieStorage) throws {
        try self.init(file, of: storage, lockLimit: FileLock.waitLimit) { Date() }
    }

    /// - Parameters:
    ///   - lockLimit: The longest time for which ``save()`` waits until another process has written the file.
    ///   - now: Returns the present time.
    init(
        _ file: URL,
        of storage: HTTPCookieStorage,
        lockLimit: Duration,
        now: @escaping @Sendable () -> Date
    ) throws {
        self.file = file
        self.storage = storage
        self.now = now
        self.lockLimit = lockLimit
        let cookies = try Self.read(file.path).filter { !$0.value.isExpired(at: now()) }
        for (identity, cookie) in cookies { cookie.cookie(identity).map(storage.setCookie) }
        let stored = Set((storage.cookies ?? []).map { CookieIdentity($0) })
        setBase(cookies) { stored.contains($0) }
    }

    /// Writes the changes of the storage to the file, and adds the changes of other processes to the storage.
    ///
    /// The storage has the cookies of a response when the delegate or handler of its task is called. While other
    /// processes write the file, the method blocks its thread for up to five seconds.
    /// - Throws: `POSIXError`, with the code `ETIMEDOUT` if the other processes have not ended their work. The storage
    ///   keeps the changes, which can be saved later.
    public func save() throws {
        // The time in the queue counts too.
        let deadline = ContinuousClock.now + lockLimit
        try queue.sync { try write(until: deadline) }
    }

    /// Writes the changes of the storage to the file, and adds the changes of other processes to the storage, on a
    /// queue of this object.
    ///
    /// The storage has the cookies of a response when the delegate or handler of its task is called. While other
    /// processes write the file, the method waits for up to five seconds. The cancellation of the task has no effect.
    /// - Throws: `POSIXError`, with the code `ETIMEDOUT` if the other processes have not ended their work. The storage
    ///   keeps the changes, which can be saved later.
    public func save() async throws {
        let deadline = ContinuousClock.now + lockLimit
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try self.write(until: deadline) }) }
        }
    }

    private func write(until deadline: ContinuousClock.Instant) throws {
        let now = now()
        let own = Self.cookies(of: storage, at: now)
        // A cookie that has only expired was not removed by this process, because another one may have renewed it. The
        // storage can have deleted it up to a second earlier, because the time in the file is rounded up.
        let base = base.withLock { $0 }
            .filter { !$0.value.isExpired(at: own[$0.key] == nil ? now.addingTimeInterval(1) : now) }
        let changes = FileChanges(from: base, to: own)
        var written: [CookieIdentity: CookieLines.Cookie] = [:]
        try PrivateFile.update(file, until: deadline) { path in
            written = changes.applied(to: try Self.read(path)).filter { !$0.value.isExpired(at: now) }
            return CookieLines.encode(written)
        }
        let added = adopt(written, madeFrom: own, at: now)
        // A cookie of this process that a response has deleted since then stays in the base, so that the next call
        // removes it from the file.
        setBase(written) { own[$0] != nil || added.contains($0) }
    }

    /// Records what the file has. A cookie that the storage does not accept is left out, because otherwise it would
    /// count as one that this process has removed.
    private func setBase(
        _ cookies: [CookieIdentity: CookieLines.Cookie],
        _ isAccepted: (CookieIdentity) -> Bool
    ) {
        base.withLock { $0 = cookies.filter { isAccepted($0.key) } }
    }

    /// Changes the storage to what was written. Cookies that responses have changed meanwhile stay.
    ///
    /// Foundation's storage has only one of several cookies whose domain, path and name are together the same text. A
    /// cookie of another process does not replace such a cookie, which would then count as removed.
    /// - Returns: The cookies that the storage did not have before the write, and has now.
    private func adopt(
        _ written: [CookieIdentity: CookieLines.Cookie],
        madeFrom own: [CookieIdentity: CookieLines.Cookie],
        at now: Date
    ) -> Set<CookieIdentity> {
        var added: Set<CookieIdentity> = []
        var texts = Set(own.keys.map(Self.storageKey))
        // Responses can change the storage at any time. So it is read directly before each change, and after it.
        for (identity, cookie) in written where own[identity] != cookie {
            if own[identity] == nil, !texts.insert(Self.storageKey(identity)).inserted { continue }
            if stored(identity, at: now).map(CookieLines.Cookie.init) == own[identity] {
                cookie.cookie(identity).map(storage.setCookie)
            }
            // The storage may have a cookie in its place that the file cannot contain.
            guard own[identity] == nil, let stored = stored(identity, at: now),
                CookieLines.canContain(identity, CookieLines.Cookie(stored))
            else { continue }
            added.insert(identity)
        }
        for (identity, cookie) in own where written[identity] == nil {
            guard let stored = stored(identity, at: now), CookieLines.Cookie(stored) == cookie else { continue }
            storage.deleteCookie(stored)
        }
        return added
    }

    /// The text by which Foundation's storage tells cookies apart.
    private static func storageKey(_ identity: CookieIdentity) -> TextKey {
        TextKey(identity.domain + identity.path + identity.name)
    }

    /// Returns a cookie that the storage has; nil if it has expired. Foundation's storage returns expired cookies until
    /// its next change.
    private func stored(_ identity: CookieIdentity, at now: Date) -> HTTPCookie? {
        storage.cookies?.first {
            $0.domain == identity.domain && CookieIdentity($0) == identity
                && !CookieLines.Cookie($0).isExpired(at: now)
        }
    }

    private static func read(_ path: String) throws -> [CookieIdentity: CookieLines.Cookie] {
        CookieLines.decode(try WholeFile.read(path, limit: limit) ?? Data())
    }

    private static func cookies(
        of storage: HTTPCookieStorage,
        at now: Date
    ) -> [CookieIdentity: CookieLines.Cookie] {
        let cookies = (storage.cookies ?? []).map { (CookieIdentity($0), CookieLines.Cookie($0)) }
        return Dictionary(cookies) { $1 }
            .filter { !$0.value.isExpired(at: now) && CookieLines.canContain($0.key, $0.value) }
    }
}
#endif
