#if canImport(FoundationNetworking)
internal import CLibcurl
import HTTPSyntax

/// The connections of a session: the queues of its origins, the shards, and libcurl's handles.
///
/// The object belongs to the loop's thread.
final class Connections {
    let settings: SessionSettings
    /// The objects that all handles share; nil if the loop does not work.
    let support: ConnectionSupport?
    /// The limit of the number of all connections; nil for no limit.
    private let budget: ConnectionBudget?
    /// The unused handles, by the numbers of their TLS settings.
    @exclusivity(unchecked) private var handles: [[EasyHandle]]
    /// The queues by their origins.
    @exclusivity(unchecked) private(set) var queues: [TextKey: HostQueue] = [:]
    /// The number of queues above which idle queues are discarded.
    @exclusivity(unchecked) private var queueLimit = 1024
    /// The shards with libcurl's transfers; none if the loop does not work.
    @exclusivity(unchecked) private var shards: [Shard] = []
    /// The shard for new transfers, for each use.
    @exclusivity(unchecked) private var current: [Shard.Use: Shard] = [:]
    /// The times at which the shards have to act.
    @exclusivity(unchecked) private(set) var deadlines = DeadlineHeap<LoopTime, Shard>()
    /// The shards whose transfers have advanced but have not reported this yet.
    @exclusivity(unchecked) var progressing: [Shard] = []
    /// The time of the loop's turn.
    @exclusivity(unchecked) private(set) var now = LoopTime.now

    /// Makes connections for a loop that does not work.
    init(settings: SessionSettings) {
        self.settings = settings
        budget = settings.totalConnections.map { ConnectionBudget(limit: $0) }
        handles = settings.tls.settings.map { _ in [] }
        support = nil
    }

    /// - Throws: An error if libcurl cannot make transfers.
    init(settings: SessionSettings, poll: EventPoll) throws(LoopFailure) {
        self.settings = settings
        budget = settings.totalConnections.map { ConnectionBudget(limit: $0) }
        let support = try ConnectionSupport(
            tls: settings.tls,
            allowedAddresses: settings.options.allowedAddresses,
            poll: poll,
            watch: settings.peerWatch
        )
        self.support = support
        handles = settings.tls.settings.map { _ in [] }
        let first = try Shard(for: .requests, connections: self, support: support)
        shards = [first]
        current[.requests] = first
    }

    /// Advances all transfers that can advance, and reports to the clients which transfers have ended.
    func advance(at now: LoopTime) {
        self.now = now
        support?.poll.report()
        while let shard = deadlines.takeDue(at: now) { shard.act(at: now) }
        while let shard = progressing.popLast() {
            shard.hasProgress = false
            shard.collect()
        }
    }

    /// Closes all connections. Called when no transfers are left.
    func close() {
        queues.removeAll()
        for number in handles.indices { handles[number].removeAll() }
        for shard in shards { shard.close() }
        shards.removeAll()
        current.removeAll()
    }

    /// Returns the queue of an origin.
    func queue(of destination: Destination) -> HostQueue {
        let origin = destination.origin
        if let queue = queues[origin] { return queue }
        if queues.count >= queueLimit {
            queues = queues.filter { !$0.value.isIdle }
            // The next search takes place when the number of queues has doubled. So the cost of a search is spread over
            // many new origins.
            queueLimit = max(1024, 2 * queues.count)
        }
        let queue = HostQueue(limit: settings.maximumConnectionsPerHost, budget: budget)
        queues[origin] = queue
        return queue
    }

    /// Whether earlier transfers to an origin may have left a connection.
    func hasConnection(to destination: Destination) -> Bool { queues[destination.origin]?.mayHaveShard == true }

    /// Returns the shard for a transfer. This is a shard with an idle connection to the transfer's origin, if there is
    /// one. Otherwise, it is a shard with room for another transfer.
    /// - Parameter queue: The queue of the origin; nil for a WebSocket, which needs a separate connection.
    func shard(for queue: HostQueue?) -> Shard? {
        guard let queue else { return shardWithRoom(for: .webSockets) }
        if let support { queue.forgetClosed(in: support.sockets) }
        return queue.takeShard() ?? shardWithRoom(for: .requests, avoids: queue.avoids)
    }

    /// Returns a shard for a transfer that has no connection to reuse.
    /// - Parameter avoids: Whether the transfer must use another shard than the given one. Default: never.
    func shardWithRoom(for use: Shard.Use, avoids: (Shard) -> Bool = { _ in false }) -> Shard? {
        if let shard = current[use], shard.hasRoom, !avoids(shard) { return shard }
        // The shard must be at least half empty. Otherwise it would be full after a few transfers, and this search
        // would happen again.
        let roomy = shards.first { $0.use == use && $0.transferCount <= Shard.capacity / 2 && !avoids($0) }
        if let shard = roomy ?? makeShard(for: use) { current[use] = shard }
        return current[use]
    }

    /// The time before which a connection must have been opened to be too old for new requests; nil if the age of busy
    /// connections is not limited.
    ///
    /// The new connection is opened in another shard. With a limit of all connections, there is only one shard.
    var oldestOpening: LoopTime? {
        guard let age = settings.options.maximumConnectionAge, settings.totalConnections == nil else { return nil }
        return LoopTime.now.subtracting(TimeInterval(Int.wholeSeconds(age.timeInterval)))
    }

    private func makeShard(for use: Shard.Use) -> Shard? {
        guard let support, let shard = try? Shard(for: use, connections: self, support: support) else { return nil }
        shards.append(shard)
        return shard
    }

    /// Returns an unused handle with the options of the session.
    /// - Parameters:
    ///   - url: The URL to request, for errors.
    ///   - tlsNumber: The number of the TLS settings. Default: the number of the session's own settings.
    func takeHandle(for url: URL?, tlsNumber: Int = 0) throws(URLError) -> EasyHandle {
        if let handle = handles[tlsNumber].popLast() { return handle }
        guard let support, let handle = EasyHandle(support: support) else {
            throw .engine(.unknown, "libcurl could not make a transfer.", url: url)
        }
        handle.security.number = tlsNumber
        guard handle.configure(settings.tls[tlsNumber], trust: support.trusts[tlsNumber]) else {
            throw .unenforceableTLS(url: url)
        }
        // Before 7.87, libcurl does not have this option, and reads the system's roots for each connection.
        if settings.tls.needsOwnRoots(tlsNumber) { handle.set(CURLOPT_CA_CACHE_TIMEOUT, 0) }
        let options = settings.options
        if settings.tls.hasRules, settings.looksUpOverHTTPS {
            let sentence = "TLS configurations of hosts cannot be used together with DNS over HTTPS."
            throw .engine(.cannotFindHost, sentence, url: url)
        }
        let objection = handle.setRoute(
            from: options.localAddress,
            to: options.hostAddresses,
            nameServers: options.nameServers,
            // libcurl gets all addresses from the resolver.
            dnsOverHTTPS: options.resolver == nil ? options.dnsOverHTTPS : nil,
            family: options.addressFamily,
            unixSocket: options.unixSocket
        )
        if let objection { throw .engine(.cannotFindHost, objection, url: url) }
        let limitsAge = handle.setTimes(
            idle: options.idleConnectionTime.timeInterval,
            age: options.maximumConnectionAge?.timeInterval,
            familyDelay: options.addressFamilyDelay.timeInterval
        )
        handle.setNameCacheTime(options.nameCacheTime.timeInterval)
        guard limitsAge else {
            let sentence = "This libcurl cannot limit the age of connections: that needs version 7.80."
            throw .engine(.cannotConnectToHost, sentence, url: url)
        }
        return handle
    }

    /// Takes back the handle of a transfer that was removed from its shard.
    func reclaim(_ handle: EasyHandle) {
        handle.client = nil
        if handle.watchedConnection != nil { _ = handle.endCloseWatch() }
        // libcurl's NTLM and Negotiate options must not reach the handle's next request.
        handle.setCredentials(nil)
        handle.trace = EasyHandle.Trace()
        handle.connectionUse.closesConnection = false
        handle.connectionUse.lacksContent = false
        let number = handle.security.number
        if handle.takeReusability(), handles[number].count < 256 { handles[number].append(handle) }
    }

    // MARK: For shards

    func noteDeadline(of shard: Shard) {
        guard !shard.isClosed else { return }
        deadlines.set(shard.deadline, of: shard)
    }

    func forget(_ shard: Shard) {
        deadlines.remove(shard)
        shards.removeAll { $0 === shard }
        if current[shard.use] === shard { current[shard.use] = nil }
    }
}
#endif
