#if canImport(FoundationNetworking)
internal import HTTPSyntax
internal import Synchronization

/// The hosts that require https because of HTTP Strict Transport Security (RFC 6797), in memory or in a file.
///
///     var options = CurlURLSession.Options()
///     options.hsts = HSTSStore()
///
/// A host is added when a response over https has the field `Strict-Transport-Security`. From then on, a request for an
/// http URL of this host is sent over https, and no byte of it is sent over http. Several sessions can share a store.
/// All methods may be called on any thread.
public final class HSTSStore: Sendable {
    /// A host that requires https.
    public struct Host: Sendable, Hashable {
        /// The name of the host, in ASCII and in lower case.
        public var name: String
        /// Whether all subdomains of the host require https too.
        public var includesSubdomains: Bool
        /// The time until which the host requires https.
        public var expirationDate: Date

        /// Creates a host.
        /// - Parameters:
        ///   - name: The name of the host. An international name may also be in Unicode.
        ///   - includesSubdomains: Whether all subdomains of the host require https too. Default: false.
        ///   - expirationDate: The time until which the host requires https.
        public init(name: String, includesSubdomains: Bool = false, expirationDate: Date) {
            self.name = name
            self.includesSubdomains = includesSubdomains
            self.expirationDate = expirationDate
        }
    }

    private struct State {
        var hosts: HSTSHosts
        /// Whether a write of the file is already scheduled.
        var awaitsSaving = false
        /// The changes that the file does not have yet. Always empty for a store in memory.
        var unsaved = FileChanges<TextKey, HSTSHosts.Entry>()

        /// Limits the memory of changes while the file cannot be written.
        mutating func limitUnsaved() {
            let entries = hosts.entries
            unsaved.limit(to: hosts.capacity) { entries[$0] != nil }
        }
    }

    private let state: Mutex<State>
    private let file: URL?
    private let now: @Sendable () -> Date
    private let lockLimit: Duration
    private let queue = DispatchQueue(label: "larkspur.hsts", qos: .utility)

    /// Creates an empty store in memory.
    /// - Parameters:
    ///   - capacity: The maximum number of hosts, at least 1. If there are more hosts, the store removes expired hosts,
    ///     and then the hosts that were recorded first. Default: 10,000.
    ///   - now: Returns the current time. It is called on the threads of sessions. Default: the system's time.
    public init(capacity: Int = 10_000, now: @escaping @Sendable () -> Date = { Date() }) {
        state = Mutex(State(hosts: HSTSHosts(capacity: capacity)))
        file = nil
        self.now = now
        lockLimit = .zero
    }

    /// Creates a store with the hosts of a file.
    ///
    /// The store writes the file in the background each time that hosts are added or removed. Only its owner can read
    /// the file. It has the format of `curl --hsts`, so that curl can use it too.
    ///
    /// Several processes can use the same file. To write it, a store locks it (with the file `.NAME.lock` beside it),
    /// reads it again, and adds and removes only the hosts that were added and removed in this store. Then the store
    /// also has the hosts of the other processes. For a host that several processes have changed, the change that is
    /// written last counts. curl does not look at the lock. So a curl that writes the file at the same time can undo
    /// changes.
    /// - Parameters:
    ///   - file: The file. It does not have to exist, but its folder has to exist.
    ///   - capacity: The maximum number of hosts, at least 1. If there are more hosts, the store removes expired hosts,
    ///     and then the hosts that were recorded first. Default: 10,000.
    ///   - now: Returns the current time. It is called on the threads of sessions. Default: the system's time.
    /// - Throws: `POSIXError` if there is a file that cannot be read.
    public init(
        file: URL,
        capacity: Int = 10_000,
        now: @escaping @Sendable () -> Date = { Date() }
    ) throws {
        state = Mutex(State(hosts: try Self.hosts(in: file, capacity: capacity, at: now())))
        self.file = file
        self.now = now
        lockLimit = FileLock.waitLimit
    }

    /// - Parameter lockLimit: The longest time for which the store waits until another process has written the file.
    init(file: URL, lockLimit: Duration) throws {
        state = Mutex(State(hosts: try Self.hosts(in: file, capacity: 10_000, at: Date())))
        self.file = file
        now = { Date() }
        self.lockLimit = lockLimit
    }

    private static func hosts(in file: URL, capacity: Int, at date: Date) throws -> HSTSHosts {
        var hosts = HSTSHosts(capacity: capacity)
        for (name, entry) in try HSTSFile.read(file.path) where date < entry.expirationDate {
            hosts.insert(entry, for: name, at: date)
        }
        hosts.noteSaved(hosts.entries)
        return hosts
    }

    // MARK: Hosts

    /// The hosts that currently require https, sorted by name.
    public var hosts: [Host] {
        let now = now()
        return state.withLock { $0.hosts.entries }
            .filter { now < $0.value.expirationDate }
            .map { Host(name: $0.text, includesSubdomains: $1.includesSubdomains, expirationDate: $1.expirationDate) }
            .sorted { $0.name < $1.name }
    }

    /// Returns whether requests to a host require https. This is so if the host is in the store, or if one of its
    /// superdomains is in the store together with its subdomains. Always false for addresses.
    /// - Parameter host: The name of the host, as it appears in URLs.
    public func requiresHTTPS(_ host: String) -> Bool {
        requiresHTTPS(try? CanonicalHost(inURL: host))
    }

    private func requiresHTTPS(_ host: CanonicalHost?) -> Bool {
        guard let name = HSTSName.canonical(host) else { return false }
        let now = now()
        return state.withLock { $0.hosts.contains(name, at: now) }
    }

    /// Adds a host, for example a host that always requires https. It replaces the host with the same name.
    /// - Returns: Whether the host was added. False for addresses and for texts that are not host names.
    @discardableResult
    public func insert(_ host: Host) -> Bool {
        guard let name = HSTSName.canonical(host.name) else { return false }
        let entry = HSTSHosts.Entry(includesSubdomains: host.includesSubdomains, expirationDate: host.expirationDate)
        let now = now()
        change(name) { $0.insert(entry, for: name, at: now) }
        return true
    }

    /// Removes a host, also if only another process has written it to the file. Does not remove its superdomains and
    /// subdomains.
    public func remove(_ host: String) {
        guard let name = HSTSName.canonical(host) else { return }
        change(name) { hosts in
            _ = hosts.remove(name)
            return true
        }
    }

    /// Removes all hosts, also those that other processes have written to the file.
    public func removeAll() {
        change(nil) { hosts in
            hosts.removeAll()
            return true
        }
    }

    /// Writes the file now, and waits until it is written. Has no effect on a store in memory.
    ///
    /// Call this method before the program exits, or to check whether the file can be written. The store also writes
    /// the file in the background, but ignores errors there. It saves the changes again with the next change.
    ///
    /// The method blocks its thread, for up to five seconds while other processes write the file. So do not call it in
    /// a Swift task or on the main thread of an app: call it on a queue of your own.
    /// - Throws: `POSIXError`, with the code `ETIMEDOUT` if the other processes have not ended their work.
    public func save() throws {
        // The time in the queue counts too.
        let deadline = ContinuousClock.now + lockLimit
        try queue.sync { try write(until: deadline) }
    }

    // MARK: For sessions

    /// Returns the URL with https. Returns nil if the URL can be used unchanged.
    func secured(_ url: URL) -> URL? {
        guard let scheme = url.scheme, scheme.hasSameLetters(as: "http"), requiresHTTPS(try? CanonicalHost(of: url))
        else { return nil }
        return url.secured
    }

    /// Records the first `Strict-Transport-Security` field of a response. The response must have arrived over a
    /// verified TLS connection to its host.
    func note(_ field: String, of url: URL?) {
        guard let name = HSTSName.canonical(url.flatMap { try? CanonicalHost(of: $0) }),
            let field = StrictTransportField(field)
        else { return }
        let now = now()
        change(name, isRemoval: field.maximumAge == 0) { $0.note(field, of: name, at: now) }
    }

    // MARK: The file

    /// The number of changes that the file does not have yet.
    var unsavedCount: Int { state.withLock { $0.unsaved.keys.count } }

    /// Changes the hosts, and schedules the writing of the file if the change requires it.
    /// - Parameters:
    ///   - name: The host that changes; nil if all hosts are removed.
    ///   - isRemoval: Whether the host is removed also if only another process has written it to the file. This alone
    ///     is no reason to write the file, because each response of a host without HSTS can have such a field.
    private func change(_ name: String?, isRemoval: Bool = false, _ change: (inout HSTSHosts) -> Bool) {
        let schedulesSaving = state.withLock { state in
            let isNoted = change(&state.hosts)
            guard file != nil else { return false }
            if let name {
                let (key, capacity) = (TextKey(name), state.hosts.capacity)
                let hasRoom = isRemoval && state.unsaved.keys.count < capacity
                if isNoted || hasRoom || state.unsaved.keys.contains(key) {
                    state.unsaved.set(state.hosts.entries[name], for: key)
                    state.limitUnsaved()
                }
            }
            if name == nil { state.unsaved.removeAll() }
            guard isNoted, !state.awaitsSaving else { return false }
            state.awaitsSaving = true
            return true
        }
        // No caller can receive an error here. The changes remain unsaved until the next change that requires a write.
        guard schedulesSaving else { return }
        let deadline = ContinuousClock.now + lockLimit
        queue.async { try? self.write(until: deadline) }
    }

    /// Writes the file. Called on the queue.
    private func write(until deadline: ContinuousClock.Instant) throws {
        guard let file else { return }
        let now = now()
        let (hosts, changes) = state.withLock { state in
            state.awaitsSaving = false
            defer { state.unsaved = FileChanges() }
            return (state.hosts, state.unsaved)
        }
        var written = hosts
        do {
            try HSTSFile.update(file, until: deadline) { entries in
                written = hosts.merged(with: entries, changes, at: now)
                return written.entries
            }
        } catch {
            state.withLock { state in
                var unsaved = changes
                unsaved.append(state.unsaved)
                state.unsaved = unsaved
                state.limitUnsaved()
            }
            throw error
        }
        state.withLock { $0.hosts.adopt(written, madeFrom: hosts, $0.unsaved, at: now) }
    }
}
#endif
