#if canImport(FoundationNetworking)
/// A part of a session's transfers, with a separate multi handle and separate connections.
///
/// For each request, libcurl searches through all connections of a multi handle. So a shard takes a limited number of
/// transfers. When long-lived streams have filled a shard, later requests use another shard and are not slowed down.
final class Shard: DeadlineHolder, MultiHandleClient {
    /// The use of a shard.
    enum Use {
        case requests
        /// WebSockets, which do not count towards the limit of connections to a host.
        case webSockets
    }

    /// The number of transfers at which a shard is full. Transfers without a connection to reuse then go to another
    /// shard.
    static let capacity = 128
    let use: Use
    /// The multi handle; nil after the shard was closed.
    @exclusivity(unchecked) private var multi: MultiHandle?
    private unowned let connections: Connections
    /// The number of transfers at which this shard is full.
    private let limit: Int
    @exclusivity(unchecked) var deadlineIndex: Int?
    /// The users of the shard.
    @exclusivity(unchecked) private var users: [ObjectIdentifier: any ConnectionUser] = [:]
    /// The users that send content from a reader.
    @exclusivity(unchecked) private var uploads: [ObjectIdentifier: any ConnectionUser] = [:]
    /// The time that libcurl has requested for its next call.
    @exclusivity(unchecked) private var timer = LoopTime.distantFuture
    /// The time at which the shard will be closed; nil while it is in use.
    @exclusivity(unchecked) private var closing: LoopTime?
    /// Whether ``Connections`` has the shard in its list of shards with progress.
    @exclusivity(unchecked) var hasProgress = false
    /// The connections that receive no more requests; nil if there is none.
    @exclusivity(unchecked) private(set) var retiredConnections: RetiredConnections?
    @exclusivity(unchecked) private var streamWatch = StreamWatch()
    /// The sockets of shared connections on which a transfer has just ended.
    @exclusivity(unchecked) private var unreadSockets: Set<Int32> = []
    /// The number of responses whose end is known only from stream events.
    @exclusivity(unchecked) private var watchedStreams = 0

    init(for use: Use, connections: Connections, support: ConnectionSupport) throws(LoopFailure) {
        let settings = connections.settings
        self.use = use
        self.connections = connections
        // libcurl counts the connections of one multi handle only. So if the session limits the number of all
        // connections, one shard takes all requests.
        limit = settings.options.maximumConnections == nil || use == .webSockets ? Self.capacity : .max
        let limit = settings.maximumConnectionsPerHost
        let multi = try MultiHandle(
            support: support,
            maximumConnectionsPerHost: use == .requests ? limit : 0,
            connectionLimit: max(64, 4 * min(limit, Self.capacity)),
            maximumConnections: use == .requests ? Self.maximumConnections(settings) : 0,
            hasForeignHandles: settings.looksUpOverHTTPS
        )
        self.multi = multi
        multi.client = self
    }

    /// The number of connections that libcurl may open; 0 for no limit. If libcurl looks up names over HTTPS, each
    /// look-up needs up to two connections. The number includes these connections, because otherwise the transfers
    /// would wait for them forever.
    private static func maximumConnections(_ settings: SessionSettings) -> Int {
        settings.totalConnections.map { $0 + (settings.looksUpOverHTTPS ? 2 : 0) } ?? 0
    }

    var isClosed: Bool { multi == nil }

    var transferCount: Int { users.count }

    var hasRoom: Bool { users.count < limit }

    /// The time at which the shard next has to act.
    var deadline: LoopTime { unreadSockets.isEmpty ? min(timer, closing ?? .distantFuture) : connections.now }

    // MARK: Transfers

    /// Begins a transfer. Returns false if libcurl refuses it.
    func add(_ user: any ConnectionUser, _ handle: EasyHandle) -> Bool {
        guard multi?.add(handle) == true else { return false }
        users[ObjectIdentifier(user)] = user
        closing = nil
        return true
    }

    /// Restarts a transfer that has ended.
    func restart(_ handle: EasyHandle) -> Bool {
        multi?.remove(handle)
        return multi?.add(handle) ?? false
    }

    /// Makes users open separate connections if they wait for a connection to the host that another user opens.
    func connectSeparately(to host: HostQueue) { for user in users.values { user.connectSeparately(to: host) } }

    /// Makes libcurl close a connection when its requests have ended.
    func closeConnection(with sockets: [OpenSocket]) {
        for user in users.values { user.closeConnection(with: sockets) }
    }

    /// Removes a transfer. If the transfer is under way, also closes its connection.
    func remove(_ user: any ConnectionUser, _ handle: EasyHandle) {
        multi?.remove(handle)
        users[ObjectIdentifier(user)] = nil
        uploads[ObjectIdentifier(user)] = nil
        guard users.isEmpty else { return readAgain(after: handle) }
        closing = connections.now.adding(connections.settings.idleConnectionTime)
        connections.noteDeadline(of: self)
    }

    /// If other transfers share the connection of a removed transfer, makes libcurl read the connection once more.
    ///
    /// From 8.15 on, libcurl allows OpenSSL to read ahead. When a transfer ends, the bytes that follow its last frame
    /// may be in OpenSSL's buffer. The socket is not readable for these bytes. So libcurl would not call any other
    /// transfer until more bytes arrive.
    private func readAgain(after handle: EasyHandle) {
        let shared = handle.possibleSockets.filter { multi?.isWatching($0) == true }
        guard !shared.isEmpty else { return }
        unreadSockets.formUnion(shared)
        connections.noteDeadline(of: self)
    }

    /// Watches an upload. Each time that libcurl has made progress, the shard asks the user to report how much of its
    /// content was sent.
    func watchUpload(of user: any ConnectionUser) { uploads[ObjectIdentifier(user)] = user }

    // MARK: Progress

    func setTimer(milliseconds: Int?) {
        timer = milliseconds.map { LoopTime.now.adding(Double($0) / 1000) } ?? .distantFuture
        connections.noteDeadline(of: self)
    }

    func socketIsReady(_ socket: Int32) { for user in uploads.values { user.socketIsReady(socket) } }

    func noteProgress() {
        guard !hasProgress else { return }
        hasProgress = true
        connections.progressing.append(self)
    }

    /// Performs the work that is due: advances libcurl's transfers, or closes the shard.
    func act(at now: LoopTime) {
        for socket in exchange(&unreadSockets, with: []) where multi?.isWatching(socket) == true {
            multi?.socketIsReady(socket, .readable)
        }
        if now >= timer {
            timer = .distantFuture
            multi?.timeIsUp()
            // If libcurl was called too early, it does not report the same time again. So the engine requests the time
            // from libcurl.
            if timer == .distantFuture, let milliseconds = multi?.timer { setTimer(milliseconds: milliseconds) }
        }
        if let closing, now >= closing {
            close()
            connections.forget(self)
        } else {
            connections.noteDeadline(of: self)
        }
    }

    /// Closes all connections. Called when the shard has no transfers.
    func close() { multi.take()?.close() }

    /// Reports how much content the transfers have sent, and which transfers have ended.
    func collect() {
        for user in uploads.values {
            user.noteSentBytes()
            user.readMoreFrames()
        }
        while let (handle, result) = multi?.nextCompleted() { handle.client?.transferEnded(result) }
    }

    /// Makes a connection receive no more requests.
    func retire(_ connection: Int64) {
        var retired = retiredConnections ?? RetiredConnections()
        retired.insert(connection)
        retiredConnections = retired
    }

    // MARK: Streams

    var watchesStreams: Bool { watchedStreams > 0 }

    /// Makes all transfers report stream events. The reason is that another transfer may read from the shared
    /// connection and receive the events.
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

    /// Records a stream event. Returns true if the stream was reset before its end.
    func note(_ event: StreamEvent, on connection: Int64?) -> Bool {
        switch event {
        case .received, .ended, .sent: for user in uploads.values { user.noteUpload(event, on: connection) }
        default: break
        }
        return streamWatch.note(event, on: connection)
    }
}

/// The connections that receive no more requests, as libcurl's numbers. There are four reasons to add a connection. A
/// transfer on it has timed out, the whole connection has failed, a header section could not be parsed, or HTTP/3 was
/// announced.
///
/// libcurl closes these connections as soon as it can, so only the latest numbers have to be stored.
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
