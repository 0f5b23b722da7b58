#if canImport(FoundationNetworking)
import HTTPSyntax

/// The connections of a session: the queues of its origins, the shards, and libcurl's handles.
///
/// The object belongs to the loop's thread.
final class Connections {
    private let settings: SessionSettings
    /// The limit of the connections in all; nil for no limit.
    private let budget: ConnectionBudget?
    /// The shards with libcurl's transfers; nil if the loop does not work.
    private let shards: Shards?
    @exclusivity(unchecked) private var handles: [EasyHandle] = []
    @exclusivity(unchecked) private var queues: [TextKey: HostQueue] = [:]
    /// The number of queues above which idle ones are discarded.
    @exclusivity(unchecked) private var queueLimit = 1024

    init(settings: SessionSettings, shards: Shards?) {
        self.settings = settings
        self.shards = shards
        budget = settings.totalConnections.map { ConnectionBudget(limit: $0) }
    }

    /// The poll for sockets; nil if the loop does not work.
    var poll: EventPoll? { shards?.support.poll }

    /// The sockets of the connections; nil if the loop does not work.
    var sockets: SocketTable? { shards?.support.sockets }

    /// The queues by their origins.
    var allQueues: [TextKey: HostQueue] { queues }

    /// The time at which the next transfer is due.
    var deadline: LoopTime { shards?.deadline ?? .distantFuture }

    /// Advances all transfers that can advance, and reports to the clients which transfers have ended.
    func advance(at now: LoopTime) { shards?.advance(at: now) }

    /// Closes all connections. Called when no transfers are left.
    func close() {
        queues.removeAll()
        handles.removeAll()
        shards?.close()
    }

    /// Returns the queue of an origin.
    func queue(of destination: Destination) -> HostQueue {
        let origin = destination.origin
        if let queue = queues[origin] { return queue }
        if queues.count >= queueLimit {
            queues = queues.filter { !$0.value.isIdle }
            // The next search follows only when the number of queues has doubled. So its cost is spread over many new
            // origins.
            queueLimit = max(1024, 2 * queues.count)
        }
        let queue = HostQueue(limit: settings.maximumConnectionsPerHost, budget: budget)
        queues[origin] = queue
        return queue
    }

    /// Whether earlier transfers to an origin have left a connection, as far as is known.
    func hasConnection(to destination: Destination) -> Bool { queues[destination.origin]?.mayHaveShard == true }

    /// Returns the shard for a transfer: a shard with an idle connection to the transfer's origin if there is one,
    /// otherwise a shard with room for another transfer.
    /// - Parameter queue: The queue of the origin; nil for a WebSocket, which needs a separate connection.
    func shard(for queue: HostQueue?) -> Shard? {
        guard let queue else { return shards?.shardWithRoom(for: .webSockets) }
        return queue.takeShard() ?? shards?.shardWithRoom(for: .requests)
    }

    /// Returns an unused handle with the options of the session.
    /// - Parameter url: The URL to request, for errors.
    func takeHandle(for url: URL?) throws(URLError) -> EasyHandle {
        if let handle = handles.popLast() { return handle }
        guard let support = shards?.support, let handle = EasyHandle(support: support) else {
            throw .engine(.unknown, "libcurl could not make a transfer.", url: url)
        }
        guard handle.configure(settings.tls, trust: support.trust) else { throw .unenforceableTLS(url: url) }
        let options = settings.options
        let objection = handle.setRoute(
            from: options.localAddress,
            to: options.hostAddresses,
            nameServers: options.nameServers,
            // libcurl gets all addresses from the resolver.
            dnsOverHTTPS: options.resolver == nil ? options.dnsOverHTTPS : nil
        )
        if let objection { throw .engine(.cannotFindHost, objection, url: url) }
        let limitsAge = handle.setTimes(
            idle: options.idleConnectionTime.timeInterval,
            age: options.maximumConnectionAge?.timeInterval,
            familyDelay: options.addressFamilyDelay.timeInterval
        )
        guard limitsAge else {
            let sentence = "This libcurl cannot limit the age of connections: that needs version 7.80."
            throw .engine(.cannotConnectToHost, sentence, url: url)
        }
        return handle
    }

    /// Takes back the handle of a transfer that was removed from its shard.
    func reclaim(_ handle: EasyHandle) {
        handle.client = nil
        _ = handle.endCloseWatch()
        // libcurl's NTLM and Negotiate options must not reach the handle's next request.
        handle.setCredentials(EasyHandle.Credentials())
        handle.connectionUse.closesConnection = false
        handle.connectionUse.lacksContent = false
        if handle.takeReusability(), handles.count < 256 { handles.append(handle) }
    }
}
#endif
