internal import Foundation
internal import Synchronization

/// An acceptor of connections, on a separate thread. After ``stop()`` no connection and no thread is left.
///
/// Its thread also watches connections whose threads wait for something else than their sockets, such as a gate. If the
/// client of such a connection disconnects, the wait ends.
final class Acceptor: Sendable {
    private struct Worker {
        let connection: Connection
        let thread: JoinableThread
    }

    private struct State {
        var isStopping = false
        var lastID = 0
        var workers: [Int: Worker] = [:]
        /// The watched connections by their numbers.
        var watched: [Int: Connection] = [:]
        /// The threads that are about to end.
        var finishedThreads: [JoinableThread] = []
        var ownThread: JoinableThread?
        /// The socket that wakes the thread; nil after the acceptor has stopped.
        var alarm: Socket?
    }

    let port: UInt16
    private let socketPath: String?
    private let listener: Socket
    private let identity: ServerIdentity?
    private let alarmReceiver: Socket
    private let router: Router
    private let journal: Journal
    private let state: Mutex<State>
    private let isStopped = LoopbackServer.Gate()

    /// The place where an acceptor listens.
    enum Place {
        /// A port of 127.0.0.1; 0 for a free one.
        case port(UInt16)
        /// A Unix-domain socket. Its file is removed at the end.
        case path(String)
    }

    /// - Parameter identity: The certificate for TLS; nil for plain connections.
    init(router: Router, journal: Journal, place: Place, identity: ServerIdentity? = nil) throws {
        self.router = router
        self.journal = journal
        self.identity = identity
        switch place {
        case .path(let path):
            socketPath = path
            listener = try Socket.listening(path: path, backlog: 1_024)
            port = 0
        case .port(let port):
            socketPath = nil
            listener = try Socket.listening(port: port, backlog: 1_024)
            self.port = try listener.localPort()
        }
        let alarm = try Socket.reflecting()
        alarmReceiver = alarm
        state = Mutex(State(alarm: alarm))
        // The lock is held until the thread is registered. The thread needs the lock to begin its work, so it is
        // registered then.
        try state.withLock { $0.ownThread = try JoinableThread { self.run() } }
    }

    /// Closes the listening socket and all connections, and returns when all threads have ended.
    ///
    /// If the method is called on the thread of a connection, it returns immediately. The threads then end later.
    func stop() {
        let (ownThread, isOnWorker) = state.withLock { state in
            state.isStopping = true
            state.alarm?.nudge()
            return (state.ownThread.take(), state.workers.values.contains { $0.thread.isCurrent })
        }
        if isOnWorker {
            ownThread?.detach()
        } else {
            ownThread?.join()
            // If another thread has called this method earlier, that call joins the acceptor's thread. This call waits
            // too.
            isStopped.wait(timeout: .seconds(Int64.max))
        }
    }

    // MARK: The thread

    private func run() {
        while !state.withLock({ $0.isStopping }) {
            joinFinishedThreads()
            waitForEvents()
        }
        listener.close()
        if let socketPath { System.removeFile(socketPath) }
        for connection in state.withLock({ $0.workers.values.map(\.connection) }) { connection.shutDown() }
        joinAllThreads()
        // The alarm is removed before its descriptor is closed. Otherwise a nudge could reach another file with the
        // same number.
        state.withLock { $0.alarm = nil }
        alarmReceiver.close()
        isStopped.open()
    }

    private func waitForEvents() {
        let watched = state.withLock { Array($0.watched.values) }
        let sockets: [(System.Descriptor, System.Interest)] =
            [(alarmReceiver.descriptor, .readable), (listener.descriptor, .readable)]
            + watched.map { ($0.socket.descriptor, .hangUp) }
        // Polling fails only if memory is exhausted. There is nothing better to do than to try again.
        guard let happened = try? System.wait(for: sockets, milliseconds: -1) else { return }
        if happened[0] { _ = try? alarmReceiver.receive() }
        for (connection, hasHungUp) in zip(watched, happened.dropFirst(2)) where hasHungUp {
            _ = state.withLock { $0.watched.removeValue(forKey: connection.id) }
            connection.interrupt()
        }
        if happened[1] { acceptConnection() }
    }

    private func acceptConnection() {
        do {
            let socket = try listener.accept(identity)
            journal.connectionOpened()
            do {
                try startWorker(socket)
            } catch {
                socket.close()
                journal.connectionClosed()
            }
        } catch {
            // There is no free descriptor, so the connection stays in the queue and the listener stays readable. The
            // pause gives other threads time to close descriptors. An alarm ends the pause.
            _ = try? alarmReceiver.waitUntilReadable(milliseconds: 10)
        }
    }

    private func startWorker(_ socket: Socket) throws {
        try state.withLock { state in
            state.lastID += 1
            let connection = Connection(id: state.lastID, socket: socket, router: router, journal: journal) {
                [weak self] connection, isWaiting in
                self?.watch(connection, isWaiting)
            }
            // The lock is held until the thread is registered. The thread needs the lock at its end, so by then it is
            // registered.
            let thread = try JoinableThread {
                connection.serve()
                self.workerFinished(connection)
            }
            state.workers[connection.id] = Worker(connection: connection, thread: thread)
        }
    }

    // MARK: On the threads of the connections

    private func watch(_ connection: Connection, _ isWaiting: Bool) {
        state.withLock { state in
            state.watched[connection.id] = isWaiting ? connection : nil
            // The end of watching needs no alarm: if the thread still reports a disconnection, the client has really
            // disconnected.
            if isWaiting { state.alarm?.nudge() }
        }
    }

    private func workerFinished(_ connection: Connection) {
        journal.connectionClosed()
        state.withLock { state in
            if let worker = state.workers.removeValue(forKey: connection.id) {
                state.finishedThreads.append(worker.thread)
                state.alarm?.nudge()
            }
        }
    }

    // MARK: Joining

    private func joinFinishedThreads() {
        let threads = state.withLock { state in
            defer { state.finishedThreads = [] }
            return state.finishedThreads
        }
        for thread in threads { thread.join() }
    }

    private func joinAllThreads() {
        // A connection's thread that ends in the meantime is no longer among the workers, so it is joined here.
        let threads = state.withLock { state in
            defer {
                state.finishedThreads = []
                state.workers = [:]
            }
            return state.finishedThreads + state.workers.values.map(\.thread)
        }
        for thread in threads { thread.join() }
    }
}

/// A thread that can be joined, in contrast to Foundation's. Joining waits until the thread has ended completely.
final class JoinableThread: Sendable {
    /// The stack size in bytes. It is enough for a handler that parses deeply nested JSON. Only pages that are used
    /// cost memory.
    private static let stackSize = 2 << 20

    /// The handle; nil after the thread was joined or detached, because the handle is then invalid.
    private let handle: Mutex<System.ThreadHandle?>

    init(body: @escaping @Sendable () -> Void) throws {
        handle = Mutex(try System.startThread(stackSize: Self.stackSize, body: body))
    }

    var isCurrent: Bool {
        handle.withLock { $0.map(System.isCurrentThread) ?? false }
    }

    func join() {
        if let handle = takeHandle() { System.joinThread(handle) }
    }

    func detach() {
        if let handle = takeHandle() { System.detachThread(handle) }
    }

    private func takeHandle() -> System.ThreadHandle? {
        handle.withLock { $0.take() }
    }
}
