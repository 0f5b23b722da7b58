#if canImport(FoundationNetworking)
internal import CEventPoll

/// The owner of a socket that an ``EventPoll`` watches. It is called on the loop's thread.
protocol SocketOwner: AnyObject {
    /// Called when a socket meets some of the conditions for which it is watched, or has failed. The call can be
    /// superfluous if an earlier event of the same wait has changed the socket.
    func socketIsReady(_ socket: Int32, _ conditions: SocketConditions)
}

struct SocketConditions: OptionSet {
    let rawValue: Int32

    static let readable = SocketConditions(rawValue: Int32(EVENT_POLL_READABLE))
    static let writable = SocketConditions(rawValue: Int32(EVENT_POLL_WRITABLE))
    /// The socket has an error, or both sides have closed it.
    static let failed = SocketConditions(rawValue: Int32(EVENT_POLL_FAILED))
}

/// The wait for all sockets of a session. Its cost depends only on the number of sockets that are ready.
///
/// Only the loop's thread uses the poll. The exception is ``wakeUp()``, which any thread may call.
final class EventPoll: @unchecked Sendable {
    // Safe: only one thread uses the object. The exception is ``wakeUp()``, which uses only a descriptor that never
    // changes.
    private let raw: event_poll
    /// The sockets by their numbers.
    @exclusivity(unchecked) private var sockets: [Int32: Socket] = [:]
    @exclusivity(unchecked) private var events: [event_poll_event]
    /// The events of a wait. The wait may continue while ``events`` is used.
    @exclusivity(unchecked) private var incoming: [event_poll_event]
    /// The number of events that have not been reported.
    @exclusivity(unchecked) private var eventCount = 0

    private struct Socket {
        /// The owner; nil while the socket is not watched.
        var owner: (any SocketOwner)?
        /// The conditions for which the system watches the socket.
        var watched: SocketConditions = []
        /// Whether the owner of the connections reports that the socket is closed (``noteClosing(of:)``).
        var isTracked = false
    }

    private static let batchSize = 256

    /// Opens the poll. Fails if no descriptor is free.
    init() throws(LoopFailure) {
        var raw = event_poll()
        guard event_poll_open(&raw) else { throw .noWakeup }
        self.raw = raw
        events = Array(repeating: event_poll_event(), count: Self.batchSize)
        incoming = events
    }

    deinit { event_poll_close(raw) }

    /// Ends the current wait. If no wait is running, ends the next wait.
    func wakeUp() { event_poll_wake(raw) }

    /// Waits until a socket is ready, ``wakeUp()`` is called, or the time has passed. ``report()`` then reports the
    /// events.
    func wait(milliseconds: Int32) { take(gather(milliseconds: milliseconds)) }

    /// Waits in the same way as ``wait(milliseconds:)``. During the wait, another thread may use the other methods.
    /// - Returns: The number of events, for ``take(_:)``.
    func gather(milliseconds: Int32) -> Int {
        Int(event_poll_wait(raw, &incoming, Int32(incoming.count), milliseconds))
    }

    /// Takes the events that were gathered.
    func take(_ count: Int) {
        swap(&events, &incoming)
        eventCount = count
    }

    /// Reports the events of the last wait to the owners of their sockets.
    func report() {
        let count = eventCount
        eventCount = 0
        for index in 0..<count {
            let event = events[index]
            guard let socket = sockets[event.socket] else { continue }
            if let owner = socket.owner {
                owner.socketIsReady(event.socket, SocketConditions(rawValue: event.conditions))
            } else {
                sockets[event.socket]?.watched = []
                event_poll_forget(raw, event.socket)
            }
        }
    }

    /// Watches a socket for these conditions, which replace earlier conditions.
    func watch(_ number: Int32, for conditions: SocketConditions, owner: any SocketOwner) {
        var socket = sockets[number] ?? Socket()
        if socket.watched != conditions {
            event_poll_watch(raw, number, conditions.rawValue, socket.watched.isEmpty)
            socket.watched = conditions
        }
        socket.owner = owner
        sockets[number] = socket
    }

    /// Whether a socket is watched for this owner.
    func isWatched(_ number: Int32, by owner: any SocketOwner) -> Bool { sockets[number]?.owner === owner }

    /// Ends the watch of a socket.
    ///
    /// The system continues to watch a tracked socket until its next event. Most of these sockets are soon watched
    /// again, because the next request uses the connection.
    func forget(_ number: Int32) {
        guard let socket = sockets[number] else { return }
        if socket.isTracked {
            sockets[number]?.owner = nil
        } else {
            noteClosing(of: number)
        }
    }

    /// Ends the watch of all sockets of an owner.
    func forgetSockets(of owner: any SocketOwner) {
        for number in sockets.filter({ $0.value.owner === owner }).keys { forget(number) }
    }

    /// Records a socket that was opened. Before it is closed, ``noteClosing(of:)`` is called.
    func noteOpening(of number: Int32) { sockets[number] = Socket(isTracked: true) }

    /// Records that a socket is about to be closed.
    func noteClosing(of number: Int32) {
        guard let socket = sockets.removeValue(forKey: number), !socket.watched.isEmpty else { return }
        event_poll_forget(raw, number)
    }
}
#endif
