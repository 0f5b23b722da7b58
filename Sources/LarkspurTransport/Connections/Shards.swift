#if canImport(FoundationNetworking)
/// The shards of a session.
final class Shards {
    let support: ConnectionSupport
    private let settings: SessionSettings
    /// The shard that takes new transfers, for each use.
    @exclusivity(unchecked) private var current: [Shard.Use: Shard] = [:]
    @exclusivity(unchecked) private var shards: [Shard] = []
    @exclusivity(unchecked) private var deadlines = DeadlineHeap<Shard>()
    /// The shards with transfers that have advanced since the last ``collect()``.
    @exclusivity(unchecked) private var progressing: [Shard] = []
    @exclusivity(unchecked) private(set) var now = LoopTime.now

    init(settings: SessionSettings, poll: EventPoll) throws(LoopFailure) {
        self.settings = settings
        support = try ConnectionSupport(tls: settings.tls, poll: poll)
        let first = try Shard(for: .requests, shards: self, settings: settings)
        shards = [first]
        current[.requests] = first
    }

    /// The time for which a shard without transfers retains its idle connections, in seconds.
    var idleTime: TimeInterval { settings.idleConnectionTime }

    /// The time at which the next shard is due.
    var deadline: LoopTime { deadlines.next }

    /// Returns a shard for a transfer that has no connection to reuse.
    func shardWithRoom(for use: Shard.Use) -> Shard? {
        if let shard = current[use], shard.hasRoom { return shard }
        // The shard must be at least half empty. Otherwise it would be full after a few transfers, and this search
        // would happen again.
        let roomy = shards.first { $0.use == use && $0.transferCount <= Shard.capacity / 2 }
        if let shard = roomy ?? makeShard(for: use) { current[use] = shard }
        return current[use]
    }

    private func makeShard(for use: Shard.Use) -> Shard? {
        guard let shard = try? Shard(for: use, shards: self, settings: settings) else { return nil }
        shards.append(shard)
        return shard
    }

    /// Closes all connections of all shards. Called when no transfers are left.
    func close() {
        for shard in shards { shard.close() }
        shards.removeAll()
        current.removeAll()
    }

    /// Advances all transfers that can advance, and reports which of them have ended.
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
