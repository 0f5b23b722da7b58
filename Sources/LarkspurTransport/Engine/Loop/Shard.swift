#if canImport(FoundationNetworking)
/// Some of a session's transfers, with a multi handle and connections of their own.
///
/// libcurl searches through the connections of a multi handle for each request. So a shard takes a limited number of
/// transfers. Streams that stay fill a shard and are left there, and later requests do not pay for them.
final class Shard: DeadlineHolder, MultiHandleClient {
    /// The use of a shard.
    enum Use {
        case requests
        /// WebSockets, which are none of the connections that a host may have for requests.
        case webSockets
    }

    /// The number of transfers above which the next one goes to another shard.
    static let capacity = 128
    /// The time for which a shard without transfers keeps its idle connections, in seconds.
    private static let idleTime: TimeInterval = 60

    let use: Use
    /// The multi handle; nil once the shard is closed.
    @exclusivity(unchecked) private var multi: MultiHandle?
    private unowned let shards: Shards
    @exclusivity(unchecked) var deadlineIndex: Int?
    /// The exchanges that use the shard, by the identifiers of their tasks.
    @exclusivity(unchecked) private var exchanges: [Int: Exchange] = [:]
    /// The exchanges that send content piece by piece.
    @exclusivity(unchecked) private var uploads: [Int: Exchange] = [:]
    /// The time at which libcurl has transfers to advance.
    @exclusivity(unchecked) private var timer = LoopTime.distantFuture
    /// The time at which the shard is closed; nil while it is in use.
    @exclusivity(unchecked) private var closing: LoopTime?
    /// Whether the shard is among those with progress.
    @exclusivity(unchecked) var hasProgress = false
    @exclusivity(unchecked) var retiredConnections = RetiredConnections()
    @exclusivity(unchecked) private var streamWatch = StreamWatch()
    /// The number of responses whose completeness only their streams' events show.
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

    var transferCount: Int { exchanges.count }

    var hasRoom: Bool { exchanges.count < Self.capacity }

    /// The earlier of the times at which the shard has something to do.
    var deadline: LoopTime { min(timer, closing ?? .distantFuture) }

    // MARK: Transfers

    /// Begins a transfer; returns false if libcurl does not take it.
    func add(_ exchange: Exchange, _ handle: EasyHandle) -> Bool {
        guard multi?.add(handle) == true else { return false }
        exchanges[exchange.task.identifier] = exchange
        closing = nil
        return true
    }

    /// Restarts a transfer that has ended.
    func restart(_ handle: EasyHandle) -> Bool {
        multi?.remove(handle)
        return multi?.add(handle) ?? false
    }

    /// Removes a transfer, which closes its connection if it is under way.
    func remove(_ exchange: Exchange, _ handle: EasyHandle) {
        multi?.remove(handle)
        exchanges[exchange.task.identifier] = nil
        uploads[exchange.task.identifier] = nil
        guard exchanges.isEmpty else { return }
        closing = shards.now.adding(Self.idleTime)
        shards.noteDeadline(of: self)
    }

    /// Checks, whenever the shard has made progress, how much of an exchange's content has been sent.
    func watchUpload(of exchange: Exchange) { uploads[exchange.task.identifier] = exchange }

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
            if timer == .distantFuture, let milliseconds = multi?.timer { setTimer(milliseconds: milliseconds) }
        }
        if let closing, now >= closing {
            close()
            shards.forget(self)
        } else {
            shards.noteDeadline(of: self)
        }
    }

    /// Closes all connections; the shard has no transfers.
    func close() { multi.take()?.close() }

    /// Reports what the transfers have sent, and ends those that have ended.
    func collect() {
        for exchange in uploads.values { exchange.noteSentBytes() }
        while let (handle, result) = multi?.nextCompleted() { (handle.client as? Exchange)?.transferEnded(result) }
    }

    // MARK: Streams

    var watchesStreams: Bool { watchedStreams > 0 }

    /// Has all transfers report stream events: any of them may be the one that reads for its connection.
    func beginWatchingStreams() {
        watchedStreams += 1
        guard watchedStreams == 1 else { return }
        for exchange in exchanges.values { exchange.transfer.handle?.watchStreams(true) }
    }

    func endWatchingStreams() {
        guard watchesStreams else { return }
        watchedStreams -= 1
        guard watchedStreams == 0 else { return }
        for exchange in exchanges.values { exchange.transfer.handle?.watchStreams(false) }
        streamWatch = StreamWatch()
    }

    /// Notes an event of a stream; returns true if the stream was reset before its end.
    func note(_ event: StreamEvent, on connection: Int64?) -> Bool { streamWatch.note(event, on: connection) }
}

/// The shards of a session.
final class Shards {
    let support: ConnectionSupport
    private let settings: SessionSettings
    /// The shards that take new transfers while they have room.
    @exclusivity(unchecked) private var current: [Shard.Use: Shard] = [:]
    @exclusivity(unchecked) private var shards: [Shard] = []
    @exclusivity(unchecked) private var deadlines = DeadlineHeap<Shard>()
    /// The shards whose transfers have advanced since the last ``collect()``.
    @exclusivity(unchecked) private var progressing: [Shard] = []
    @exclusivity(unchecked) private(set) var now = LoopTime.now

    init(settings: SessionSettings, poll: EventPoll) throws(LoopFailure) {
        self.settings = settings
        support = try ConnectionSupport(tls: settings.tls, poll: poll)
        let first = try Shard(for: .requests, shards: self, settings: settings)
        shards = [first]
        current[.requests] = first
    }

    /// The time at which the next of them is due.
    var deadline: LoopTime { deadlines.next }

    /// Returns a shard for a transfer that has no connection to reuse.
    func shardWithRoom(for use: Shard.Use) -> Shard? {
        if let shard = current[use], shard.hasRoom { return shard }
        // One that is half empty, so that the search is as rare as the filling of a shard.
        let roomy = shards.first { $0.use == use && $0.transferCount <= Shard.capacity / 2 }
        if let shard = roomy ?? makeShard(for: use) { current[use] = shard }
        return current[use]
    }

    private func makeShard(for use: Shard.Use) -> Shard? {
        guard let shard = try? Shard(for: use, shards: self, settings: settings) else { return nil }
        shards.append(shard)
        return shard
    }

    /// Closes all connections when no transfers are left.
    func close() {
        for shard in shards { shard.close() }
        shards.removeAll()
        current.removeAll()
    }

    /// Advances all transfers that can advance, and ends those that have ended.
    func advance(at now: LoopTime) {
        self.now = now
        support.poll.report()
        while let shard = deadlines.takeDue(at: now) { shard.act(at: now) }
        collect()
    }

    private func collect() {
        while let shard = progressing.popLast() {
            shard.hasProgress = false
            shard.collect()
        }
    }

    // MARK: For shards

    func noteDeadline(of shard: Shard) {
        guard !shard.isClosed else { return }
        deadlines.set(shard.deadline, of: shard)
    }

    func noteProgress(of shard: Shard) {
        guard !shard.hasProgress else { return }
        shard.hasProgress = true
        progressing.append(shard)
    }

    func forget(_ shard: Shard) {
        deadlines.remove(shard)
        shards.removeAll { $0 === shard }
        if current[shard.use] === shard { current[shard.use] = nil }
    }
}
#endif
