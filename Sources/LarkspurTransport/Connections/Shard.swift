#if canImport(FoundationNetworking)
/// Some of a session's transfers, with their own multi handle and connections.
///
/// libcurl searches through all connections of a multi handle for each request. So a shard takes a limited number of
/// transfers. Long-lived streams fill a shard and stay there, and later requests do not pay for them.
final class Shard: DeadlineHolder, MultiHandleClient {
    /// The use of a shard.
    enum Use {
        case requests
        /// WebSockets, which do not count towards the limit of connections to a host.
        case webSockets
    }

    /// The number of transfers from which on new ones go to another shard.
    static let capacity = 128
    /// The time for which a shard without transfers keeps its idle connections, in seconds.
    private static let idleTime: TimeInterval = 60

    let use: Use
    /// The multi handle; nil after the shard was closed.
    @exclusivity(unchecked) private var multi: MultiHandle?
    private unowned let shards: Shards
    @exclusivity(unchecked) var deadlineIndex: Int?
    /// The users of the shard by the identifiers of their tasks.
    @exclusivity(unchecked) private var users: [Int: any ConnectionUser] = [:]
    /// The users that send content from a reader.
    @exclusivity(unchecked) private var uploads: [Int: any ConnectionUser] = [:]
    /// The time at which libcurl wants to be called.
    @exclusivity(unchecked) private var timer = LoopTime.distantFuture
    /// The time at which the shard is closed; nil while it is in use.
    @exclusivity(unchecked) private var closing: LoopTime?
    /// Whether ``Shards`` has the shard in its list of shards with progress.
    @exclusivity(unchecked) var hasProgress = false
    @exclusivity(unchecked) var retiredConnections = RetiredConnections()
    @exclusivity(unchecked) private var streamWatch = StreamWatch()
    /// The number of responses that only stream events show to be complete.
    @exclusivity(unchecked) private var watchedStreams = 0

    init(for use: Use, shards: Shards, settings: SessionSettings) throws(LoopFailure) {
        self.use = use
        self.shards = shards
        let limit = settings.maximumConnectionsPerHost
        let multi = try MultiHandle(
            support: shards.support,
            maximumConnectionsPerHost: use == .requests ? limit : 0,
            connectionLimit: max(64, 4 * min(limit, Self.capacity))
        )
        self.multi = multi
        multi.client = self
    }

    var isClosed: Bool { multi == nil }

    var transferCount: Int { users.count }

    var hasRoom: Bool { users.count < Self.capacity }

    /// The time at which the shard has something to do next.
    var deadline: LoopTime { min(timer, closing ?? .distantFuture) }

    // MARK: Transfers

    /// Begins a transfer; returns false if libcurl refuses it.
    func add(_ user: any ConnectionUser, _ handle: EasyHandle) -> Bool {
        guard multi?.add(handle) == true else { return false }
        users[user.identifier] = user
        closing = nil
        return true
    }

    /// Begins a transfer again that has ended.
    func restart(_ handle: EasyHandle) -> Bool {
        multi?.remove(handle)
        return multi?.add(handle) ?? false
    }

    /// Removes a transfer; closes its connection if the transfer is under way.
    func remove(_ user: any ConnectionUser, _ handle: EasyHandle) {
        multi?.remove(handle)
        users[user.identifier] = nil
        uploads[user.identifier] = nil
        guard users.isEmpty else { return }
        closing = shards.now.adding(Self.idleTime)
        shards.noteDeadline(of: self)
    }

    /// Has the shard check, after each progress, how much of a user's content has been sent.
    func watchUpload(of user: any ConnectionUser) { uploads[user.identifier] = user }

    // MARK: Progress

    func setTimer(milliseconds: Int?) {
        timer = milliseconds.map { LoopTime.now.adding(Double($0) / 1000) } ?? .distantFuture
        shards.noteDeadline(of: self)
    }

    func noteProgress() { shards.noteProgress(of: self) }

    /// Does what is due: advances libcurl's transfers, or closes the shard.
    func act(at now: LoopTime) {
        if now >= timer {
            timer = .distantFuture
            multi?.timeIsUp()
            // libcurl does not report the same time twice, so it is asked if it was called too early.
            if timer == .distantFuture, let milliseconds = multi?.timer { setTimer(milliseconds: milliseconds) }
        }
        if let closing, now >= closing {
            close()
            shards.forget(self)
        } else {
            shards.noteDeadline(of: self)
        }
    }

    /// Closes all connections; called when the shard has no transfers.
    func close() { multi.take()?.close() }

    /// Reports how much the transfers have sent, and ends those that are over.
    func collect() {
        for user in uploads.values { user.noteSentBytes() }
        while let (handle, result) = multi?.nextCompleted() { handle.client?.transferEnded(result) }
    }

    // MARK: Streams

    var watchesStreams: Bool { watchedStreams > 0 }

    /// Has all transfers report stream events: the events of one transfer arrive at another if that one reads from the
    /// shared connection.
    func beginWatchingStreams() {
        watchedStreams += 1
        guard watchedStreams == 1 else { return }
        for user in users.values { user.watchStreams(true) }
    }

    func endWatchingStreams() {
        guard watchesStreams else { return }
        watchedStreams -= 1
        guard watchedStreams == 0 else { return }
        for user in users.values { user.watchStreams(false) }
        streamWatch = StreamWatch()
    }

    /// Records a stream event; returns true if the stream was reset before its end.
    func note(_ event: StreamEvent, on connection: Int64?) -> Bool { streamWatch.note(event, on: connection) }
}

/// The connections that get no more requests, by libcurl's numbers: a transfer on them has timed out, has failed with
/// the whole connection or had a header section that could not be parsed, or HTTP/3 was announced on them.
///
/// libcurl closes them as soon as it can, so the latest few are enough.
struct RetiredConnections {
    private static let capacity = 64

    private var numbers: [Int64] = []

    mutating func insert(_ number: Int64) {
        guard !numbers.contains(number) else { return }
        if numbers.count == Self.capacity { numbers.removeFirst() }
        numbers.append(number)
    }

    func contains(_ number: Int64) -> Bool { numbers.contains(number) }
}
#endif
