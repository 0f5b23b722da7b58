#if canImport(FoundationNetworking)
/// The requests to one origin. A limited number of them runs at a time. The other requests wait in the order of their
/// priority. Requests of the same priority wait in the order of their arrival.
///
/// Requests wait here and not within libcurl. For this reason, the idle timer of a waiting request does not run, and
/// ten thousand waiting requests have no cost.
///
/// The queue also records in which shards earlier transfers have left connections. Later transfers reuse these
/// connections. So the number of connections to an origin never exceeds the largest number of transfers that have run
/// at the same time.
final class HostQueue {
    /// The number of transfers that may share an HTTP/2 connection. Most servers have this limit.
    private static let streamLimit = 100

    let headMemory = HeadMemory()
    /// The number of requests that may run at a time.
    @exclusivity(unchecked) private(set) var limit: Int
    @exclusivity(unchecked) private var active = 0
    @exclusivity(unchecked) private var isAdmitting = false
    /// The lines of waiting users by priority, the highest first. If a user now has another ticket or no ticket, its
    /// earlier entry is void.
    @exclusivity(unchecked) private var lines: [(priority: Float, line: Line<Place>)] = []
    @exclusivity(unchecked) private var nextTicket = 0
    /// The shards of ended transfers, one entry for each transfer. The last entry is used first.
    @exclusivity(unchecked) private var idleShards: [Shard] = []
    /// The limit of the connections to all origins; nil for no limit.
    private let budget: ConnectionBudget?
    @exclusivity(unchecked) private var awaitsBudget = false
    @exclusivity(unchecked) private var report = Report()
    /// Whether the requests share an HTTP/2 connection.
    @exclusivity(unchecked) private(set) var isMultiplexed = false
    /// Whether a response of the host has arrived. Its version of HTTP is then known.
    @exclusivity(unchecked) var hasAnswered = false
    /// Whether the TLS handshake of the latest connection has selected HTTP/1.1 although HTTP/2 was offered.
    @exclusivity(unchecked) var usesHTTP1 = false
    /// The shard of the latest HTTP/2 transfer, whose connection further transfers can share; nil without HTTP/2.
    @exclusivity(unchecked) private var sharedShard: Shard?
    /// The shared connections that have reached their maximum age but still have requests.
    @exclusivity(unchecked) private var agedConnections = AgedConnections()

    /// Whether the queue can be discarded, because no request runs or waits.
    var isIdle: Bool { active == 0 && lines.allSatisfy { $0.line.isEmpty } }

    /// Whether the number of running requests has reached the limit.
    var isFull: Bool { active >= limit }

    private typealias Place = (ticket: Int, user: any ConnectionUser)

    /// - Parameters:
    ///   - limit: The number of transfers that run at a time.
    ///   - budget: The limit of the connections to all origins. Default: nil, for no limit.
    init(limit: Int, budget: ConnectionBudget? = nil) {
        self.limit = limit
        self.budget = budget
    }

    /// Queues a user. If there is a free place, the user starts immediately.
    func enqueue(_ user: any ConnectionUser, priority: Float) {
        if lines.isEmpty, active < limit, !isAdmitting, budget == nil { return admit(user) }
        nextTicket += 1
        user.ticket = nextTicket
        lines[index(of: priority)].line.append((nextTicket, user))
        admit()
    }

    /// Records that a transfer has ended.
    /// - Parameter shard: The shard of the transfer; nil if the transfer did not begin.
    func release(_ shard: Shard?) {
        // A shard that is avoided may have no other connection to the origin when it is avoided no longer.
        if let shard, !avoids(shard) { idleShards.append(shard) }
        active -= 1
        if let budget, !isMultiplexed || active == 0 { budget.release(1) }
        admit()
    }

    // MARK: Reports of waits

    /// Returns the requests that have the places. The requests are looked up at most once a second, because many
    /// requests may wait.
    func holders(at now: LoopTime, _ find: () -> [ConnectionWait.Holder]) -> [ConnectionWait.Holder] {
        if let known = report.holders, now <= known.time.adding(1) { return known.list }
        let list = find()
        report.holders = (now, list)
        return list
    }

    /// Returns whether this is the first report since a waiting request has last begun.
    func reportsFirstWait() -> Bool {
        defer { report.hasReported = true }
        return !report.hasReported
    }

    private struct Report {
        var holders: (time: LoopTime, list: [ConnectionWait.Holder])?
        var hasReported = false
    }

    /// Called when the budget has a free place for which the queue has waited.
    func budgetHasRoom() {
        awaitsBudget = false
        admit()
    }

    /// Whether ``takeShard()`` may return a shard.
    var mayHaveShard: Bool { !idleShards.isEmpty || sharedShard != nil }

    /// Returns a shard with a connection to the origin that a transfer can use; nil if there is none.
    func takeShard() -> Shard? {
        while let shard = idleShards.popLast() {
            if !shard.isClosed, !avoids(shard) { return shard }
        }
        guard let sharedShard, !sharedShard.isClosed, sharedShard.transferCount < 2 * Shard.capacity else { return nil }
        return avoids(sharedShard) ? nil : sharedShard
    }

    /// Raises the limit for an origin with HTTP/2, because many transfers can share a connection.
    func allowMultiplexing(in shard: Shard?) {
        if shard.map(avoids) != true { sharedShard = shard }
        usesHTTP1 = false
        if !isMultiplexed {
            isMultiplexed = true
            budget?.release(max(0, active - 1))
        }
        guard limit < Self.streamLimit else { return }
        limit = Self.streamLimit
        admit()
    }

    // MARK: The age of connections

    /// Makes new transfers avoid a shard until a connection in it is closed. libcurl would choose this connection for
    /// each new transfer, because it chooses the first one that can be shared.
    func avoid(_ shard: Shard, while sockets: [OpenSocket]) { agedConnections.insert(shard, sockets) }

    /// Whether new transfers avoid a shard.
    func avoids(_ shard: Shard) -> Bool { agedConnections.contains(shard) }

    /// Ends the avoidance of shards whose connection was closed.
    func forgetClosed(in sockets: SocketTable) {
        if !agedConnections.isEmpty { agedConnections.forgetClosed(isOpen: sockets.isOpen) }
    }

    /// Returns the index of the line for a priority; adds the line if it is missing.
    private func index(of priority: Float) -> Int {
        if let index = lines.firstIndex(where: { $0.priority == priority }) { return index }
        let index = lines.firstIndex { $0.priority < priority } ?? lines.endIndex
        lines.insert((priority, Line()), at: index)
        return index
    }

    /// Starts waiting users up to the limit. If a user ends as soon as it begins, it releases its place, and this
    /// method is called again. Such a nested call does nothing, because the loop of the first call continues.
    /// - Parameter user: A user to start before the waiting users. Default: nil.
    private func admit(_ user: (any ConnectionUser)? = nil) {
        guard !isAdmitting else { return }
        isAdmitting = true
        defer { isAdmitting = false }
        var first = user
        while active < limit, budget == nil || budgetAdmits(), let user = first.take() ?? next() {
            active += 1
            if let budget, !isMultiplexed || active == 1 { budget.take() }
            user.ticket = nil
            user.beginTransfer()
        }
    }

    /// Whether the budget has room for another request. If it has none, the queue waits for room, unless no request
    /// waits in it.
    private func budgetAdmits() -> Bool {
        guard let budget, !budget.hasRoom, !isMultiplexed || active == 0 else { return true }
        if !awaitsBudget, lines.contains(where: { !$0.line.isEmpty }) {
            awaitsBudget = true
            budget.wait(self)
        }
        return false
    }

    private func next() -> (any ConnectionUser)? {
        while !lines.isEmpty {
            while let (ticket, user) = lines[0].line.take() {
                if user.ticket == ticket { return user }
            }
            lines.removeFirst()
        }
        report = Report()
        return nil
    }
}

/// The connections to an origin that have reached their maximum age but still have requests, with their shards.
struct AgedConnections {
    private var entries: [(shard: Shard, sockets: [OpenSocket])] = []

    var isEmpty: Bool { entries.isEmpty }

    mutating func insert(_ shard: Shard, _ sockets: [OpenSocket]) { entries.append((shard, sockets)) }

    func contains(_ shard: Shard) -> Bool { entries.contains { $0.shard === shard } }

    /// Removes the connections without an open socket.
    mutating func forgetClosed(isOpen: (OpenSocket) -> Bool) {
        entries.removeAll { !$0.sockets.contains(where: isOpen) }
    }
}

/// A user of connections. It waits for a place at its origin, and then has a transfer in a shard.
protocol ConnectionUser: EasyHandleClient {
    /// The ticket in the queue of the origin; nil if the user does not wait there.
    var ticket: Int? { get set }

    /// Begins the transfer. Called when the user has a place.
    func beginTransfer()

    /// Receives the notification that the connections to a host are not shared. If the user waits, within libcurl, for
    /// one of these connections, it opens a separate connection.
    func connectSeparately(to host: HostQueue)

    /// Makes libcurl close the connection of the transfer after its requests, if it has one of these sockets.
    func closeConnection(with sockets: [OpenSocket])

    /// Reports how much of the request's content has been sent.
    func noteSentBytes()

    /// Receives the notification that libcurl is about to advance the transfers of a socket. Called only if the user
    /// sends content.
    func socketIsReady(_ socket: Int32)

    /// Makes libcurl read more frames of a connection, if there may be any. Called after libcurl has advanced, if the
    /// user sends content.
    func readMoreFrames()

    /// Receives the notification of a frame on a connection. Called only if the user sends content.
    /// - Parameter connection: libcurl's number of the connection.
    func noteUpload(_ event: StreamEvent, on connection: Int64?)

    /// Turns the reporting of stream events on or off for the transfer.
    func watchStreams(_ isOn: Bool)
}
#endif
