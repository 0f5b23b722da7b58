#if canImport(FoundationNetworking)
/// The requests to one origin. A limited number of them runs at a time; the others wait in the order of priority and
/// age.
///
/// They wait here and not within libcurl. So their idle timers do not run, and ten thousand of them cost nothing.
///
/// The queue also knows in which shards earlier transfers have left connections, so that later ones reuse them, and an
/// origin has no more connections than transfers at a time.
final class HostQueue {
    /// The number of transfers that share an HTTP/2 connection, as servers commonly allow.
    private static let streamLimit = 100

    let headMemory = HeadMemory()
    @exclusivity(unchecked) private var limit: Int
    @exclusivity(unchecked) private var active = 0
    @exclusivity(unchecked) private var isAdmitting = false
    /// The lines by priority, highest first. An entry is void if its user waits with another ticket, or does not
    /// wait.
    @exclusivity(unchecked) private var lines: [(priority: Float, line: Line<Place>)] = []
    @exclusivity(unchecked) private var nextTicket = 0
    /// The shards of transfers that have ended, one for each; the last is used first.
    @exclusivity(unchecked) private var idleShards: [Shard] = []
    /// The shard of the last transfer, if the origin has HTTP/2, so that transfers can share its connection.
    @exclusivity(unchecked) private var sharedShard: Shard?

    /// Whether the queue can be discarded without loss.
    var isIdle: Bool { active == 0 && lines.allSatisfy { $0.line.isEmpty } }

    private typealias Place = (ticket: Int, user: any ConnectionUser)

    init(limit: Int) { self.limit = limit }

    /// Makes a user wait for its turn, which may come at once.
    func enqueue(_ user: any ConnectionUser, priority: Float) {
        if lines.isEmpty, active < limit, !isAdmitting { return admit(user) }
        nextTicket += 1
        user.ticket = nextTicket
        lines[index(of: priority)].line.append((nextTicket, user))
        admit()
    }

    /// Records that one of the transfers has ended.
    /// - Parameter shard: The shard that it was in; nil if it did not begin.
    func release(_ shard: Shard?) {
        if let shard { idleShards.append(shard) }
        active -= 1
        admit()
    }

    /// Returns the shard in which a transfer finds a connection to the origin; nil if there is none.
    func takeShard() -> Shard? {
        while let shard = idleShards.popLast() {
            if !shard.isClosed { return shard }
        }
        guard let sharedShard, !sharedShard.isClosed, sharedShard.transferCount < 2 * Shard.capacity else { return nil }
        return sharedShard
    }

    /// Raises the limit for an origin with HTTP/2, as many transfers share a connection.
    func allowMultiplexing(in shard: Shard?) {
        sharedShard = shard
        guard limit < Self.streamLimit else { return }
        limit = Self.streamLimit
        admit()
    }

    /// Returns the index of the line with a priority, which is added if there is none.
    private func index(of priority: Float) -> Int {
        if let index = lines.firstIndex(where: { $0.priority == priority }) { return index }
        let index = lines.firstIndex { $0.priority < priority } ?? lines.endIndex
        lines.insert((priority, Line()), at: index)
        return index
    }

    /// Starts waiting users up to the limit. It does not run recursively: one that ends as soon as it
    /// begins releases its place.
    /// - Parameter user: One that need not wait. Default: nil.
    private func admit(_ user: (any ConnectionUser)? = nil) {
        guard !isAdmitting else { return }
        isAdmitting = true
        defer { isAdmitting = false }
        var first = user
        while active < limit, let user = first.take() ?? next() {
            active += 1
            user.ticket = nil
            user.beginTransfer()
        }
    }

    private func next() -> (any ConnectionUser)? {
        while !lines.isEmpty {
            while let (ticket, user) = lines[0].line.take() {
                if user.ticket == ticket { return user }
            }
            lines.removeFirst()
        }
        return nil
    }
}

/// One that uses connections: it waits for a place at its origin, and then has a transfer in a shard.
protocol ConnectionUser: EasyHandleClient {
    /// The identifier of its task.
    var identifier: Int { get }

    /// The ticket in the queue of the origin, while it waits there.
    var ticket: Int? { get set }

    /// Begins the transfer: there is a place for it.
    func beginTransfer()

    /// Reports how much of its content has been sent.
    func noteSentBytes()

    /// Turns the reporting of streams on or off for its transfer.
    func watchStreams(_ isOn: Bool)
}
#endif
