#if canImport(FoundationNetworking)
internal import CEventPoll

/// The owner of a socket that an ``EventPoll`` watches; called on the loop's thread.
protocol SocketOwner: AnyObject {
    /// Notes that a socket has some of the conditions that it is watched for, or has failed. The call may be one too
    /// many, as another event of the same wait may have changed the socket.
    func socketIsReady(_ socket: Int32, _ conditions: SocketConditions)
}

struct SocketConditions: OptionSet {
    let rawValue: Int32

    static let readable = SocketConditions(rawValue: Int32(EVENT_POLL_READABLE))
    static let writable = SocketConditions(rawValue: Int32(EVENT_POLL_WRITABLE))
    /// The socket has an error, or both sides have closed it.
    static let failed = SocketConditions(rawValue: Int32(EVENT_POLL_FAILED))
}

/// The wait for all sockets of a session, at a cost that depends only on the sockets that are ready.
///
/// Everything but ``wakeUp()`` belongs to the loop's thread.
final class EventPoll: @unchecked Sendable {
    // Safe: one thread uses it at a time, and waking uses only a descriptor that never changes.
    private let raw: event_poll
    /// The watched sockets, by their numbers.
    @exclusivity(unchecked) private var sockets: [Socket] = []
    @exclusivity(unchecked) private var events: [event_poll_event]
    /// The number of events of the last wait.
    @exclusivity(unchecked) private var eventCount = 0

    private struct Socket {
        // Safe: an owner ends its watches before it goes.
        unowned(unsafe) var owner: (any SocketOwner)?
        var wanted: SocketConditions = []
        /// The conditions that the system watches for.
        var watched: SocketConditions = []
        /// Whether the closing of the socket is reported (``noteClosing(of:)``).
        var isTracked = false
    }

    private static let batchSize = 256

    /// Opens the poll; fails if no descriptors are free.
    init() throws(LoopFailure) {
        var raw = event_poll()
        guard event_poll_open(&raw) else { throw .noWakeup }
        self.raw = raw
        events = Array(repeating: event_poll_event(), count: Self.batchSize)
    }

    deinit { event_poll_close(raw) }

    /// Ends the current wait or the next one.
    func wakeUp() { event_poll_wake(raw) }

    /// Waits until a socket is ready, the poll is woken, or the time is over.
    func wait(milliseconds: Int32) {
        eventCount = Int(event_poll_wait(raw, &events, Int32(events.count), milliseconds))
    }

    /// Reports the events of the last wait to the owners of their sockets.
    func report() {
        let count = eventCount
        eventCount = 0
        for index in 0..<count {
            let event = events[index]
            let number = Int(event.socket)
            guard number < sockets.count else { continue }
            guard !sockets[number].wanted.isEmpty, let owner = sockets[number].owner else {
                unwatch(number)
                continue
            }
            owner.socketIsReady(event.socket, SocketConditions(rawValue: event.conditions))
        }
    }

    /// Watches a socket for these conditions, in place of earlier ones.
    func watch(_ socket: Int32, for conditions: SocketConditions, owner: any SocketOwner) {
        let number = Int(socket)
        grow(toHold: number)
        sockets[number].owner = owner
        sockets[number].wanted = conditions
        guard sockets[number].watched != conditions else { return }
        event_poll_watch(raw, socket, conditions.rawValue, sockets[number].watched.isEmpty)
        sockets[number].watched = conditions
    }

    /// Ends the watch of a socket.
    ///
    /// The system goes on watching a tracked socket until it has an event: most of them are soon watched again, when
    /// the next request uses the connection.
    func forget(_ socket: Int32) {
        let number = Int(socket)
        guard number < sockets.count else { return }
        sockets[number].owner = nil
        sockets[number].wanted = []
        if !sockets[number].isTracked { unwatch(number) }
    }

    /// Ends the watch of all sockets of an owner.
    func forgetSockets(of owner: any SocketOwner) {
        for number in sockets.indices where sockets[number].owner === owner { forget(Int32(number)) }
    }

    /// Notes a socket that was opened, and whose closing will be reported.
    func noteOpening(of socket: Int32) {
        grow(toHold: Int(socket))
        sockets[Int(socket)] = Socket(isTracked: true)
    }

    /// Notes that a socket is about to be closed.
    func noteClosing(of socket: Int32) {
        let number = Int(socket)
        guard number < sockets.count else { return }
        unwatch(number)
        sockets[number] = Socket()
    }

    private func unwatch(_ number: Int) {
        guard !sockets[number].watched.isEmpty else { return }
        sockets[number].watched = []
        event_poll_forget(raw, Int32(number))
    }

    private func grow(toHold number: Int) {
        guard number >= sockets.count else { return }
        sockets.append(contentsOf: repeatElement(Socket(), count: number + 1 - sockets.count))
    }
}
#endif
