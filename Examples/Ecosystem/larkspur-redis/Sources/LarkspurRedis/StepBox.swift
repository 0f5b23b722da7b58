internal import Larkspur
internal import Synchronization

/// One command of a store, and the code that waits for its reply.
struct RedisStep: Sendable {
    enum Command: Sendable {
        /// A command with its arguments.
        case plain([[UInt8]])
        /// A script with its key and its other arguments.
        case script(RedisScript, key: [UInt8], [[UInt8]])
    }

    struct Answer: Sendable {
        let reply: RedisReply
        /// Whether the command was sent twice, because a connection was lost.
        let wasRepeated: Bool
    }

    /// A command that takes back a step which was performed, and has no effect otherwise.
    struct Undo: Sendable {
        /// The time between two attempts.
        static let pause = Duration.seconds(1)

        let command: Command
        /// The time for which it is attempted.
        let duration: Duration
        /// The time of the next attempt.
        var start = Duration.zero
        /// The end of all attempts; nil before the first.
        var end: Duration?
    }

    let command: Command
    /// The undo of the step, if it ends without a reply.
    let undo: Undo?
    /// Nil for the command of `undo`.
    let continuation: CheckedContinuation<Answer, any Error>?

    /// The command and its arguments.
    /// - Parameters:
    ///   - digests: The digests of the scripts.
    ///   - withText: Whether the text of the script is sent in place of its digest. The server then stores it.
    func arguments(digests: [[UInt8]], withText: Bool) -> [[UInt8]] {
        switch command {
        case .plain(let arguments): return arguments
        case .script(let script, let key, let others):
            let start =
                withText
                ? [Array("EVAL".utf8), Array(script.text.utf8)] : [Array("EVALSHA".utf8), digests[script.index]]
            return start + [Array("1".utf8), key] + others
        }
    }
}

/// The events of a store's thread, which other threads add.
final class StepBox: Sendable {
    enum Event: Sendable {
        case step(StepQueue.ID, RedisStep)
        case cancel(StepQueue.ID)
        case connected(RedisConnection)
        case connectionFailed(RedisStoreError)
        case stop
    }

    private struct State {
        var events: [Event] = []
        var lastID: StepQueue.ID = 0
        var hasThread = false
        /// Whether the pipe has a byte for the events.
        var isSignalled = false
    }

    let address: RedisAddress
    let connectTimeout: Duration
    let stepTimeout: Duration
    let maximumValueSize: Int
    /// Readable when there are events.
    let wakeDescriptor: Int32
    private let signalDescriptor: Int32
    private let state = Mutex(State())

    /// - Throws: `connectionFailed`, if the process has no file descriptors left.
    init(_ address: RedisAddress, connectTimeout: Duration, stepTimeout: Duration, maximumValueSize: Int) throws {
        var ends: [Int32] = [-1, -1]
        #if canImport(Glibc)
        // The ends are closed in processes that another thread starts, from the beginning. Glibc's module has no pipe2.
        let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        let result = socketpair(AF_UNIX, Int32(kind), 0, &ends)
        #else
        let result = pipe(&ends)
        for end in ends where result == 0 {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        #endif
        guard result == 0 else {
            throw RedisStoreError(.connectionFailed, "\(address.description) cannot be used: there is no pipe.")
        }
        (wakeDescriptor, signalDescriptor) = (ends[0], ends[1])
        self.address = address
        self.connectTimeout = connectTimeout
        // Longer times and larger sizes make no difference, but would overflow. No string of Redis is larger.
        self.stepTimeout = min(max(stepTimeout, .zero), .seconds(1_000_000))
        self.maximumValueSize = min(max(maximumValueSize, 0), 512 << 20)
    }

    deinit {
        close(wakeDescriptor)
        close(signalDescriptor)
    }

    func newID() -> StepQueue.ID {
        state.withLock {
            $0.lastID += 1
            return $0.lastID
        }
    }

    /// Adds an event. The first step starts the thread.
    func post(_ event: Event) {
        let (isFirst, isSignal) = state.withLock { state in
            state.events.append(event)
            let isSignal = exchange(&state.isSignalled, with: true)
            guard case .step = event else { return (false, !isSignal) }
            return (!exchange(&state.hasThread, with: true), !isSignal)
        }
        if isSignal {
            var byte: UInt8 = 0
            _ = write(signalDescriptor, &byte, 1)
        }
        if isFirst { startThread { StepLoop($0).run() } }
    }

    /// Returns the events since the last call.
    func takeEvents() -> [Event] {
        var bytes: (UInt64, UInt64) = (0, 0)
        while read(wakeDescriptor, &bytes, 16) == 16 {}
        return state.withLock { state in
            state.isSignalled = false
            return exchange(&state.events, with: [])
        }
    }

    /// Connects on a thread of its own, as looking up a name and connecting block. The result is an event.
    func connect() {
        startThread { box in
            do {
                box.post(.connected(try RedisConnection(to: box.address, within: box.connectTimeout)))
            } catch {
                let text = "\(box.address.description) cannot be reached."
                box.post(.connectionFailed(error as? RedisStoreError ?? RedisStoreError(.connectionFailed, text)))
            }
        }
    }

    private func startThread(_ body: @escaping @Sendable (StepBox) -> Void) {
        Thread.detachNewThread {
            // hiredis writes with write(2). Without this a lost connection would end the process by SIGPIPE.
            var signals = sigset_t()
            sigfillset(&signals)
            pthread_sigmask(SIG_BLOCK, &signals, nil)
            Thread.current.name = "larkspur-redis"
            body(self)
        }
    }
}

/// Replaces a value, and returns the old one.
private func exchange<Value>(_ value: inout Value, with new: Value) -> Value {
    let old = value
    value = new
    return old
}
