#if canImport(FoundationNetworking)
import Synchronization

/// The function that starts the threads of sessions. In contrast to Foundation's `Thread`, it reports a failure.
package struct LoopThread: Sendable {
    /// The name of the thread in the process's list of threads. The list has room for 15 bytes.
    static let name = "larkspur.loop"
    /// The stack size in bytes. It is the usual size for a main thread, because the code of Swift tasks may run on this
    /// thread. Memory is needed only for the pages that are used.
    private static let stackSize = 1 << 23

    /// Runs an action on a new thread, and returns 0. If the thread cannot be created, returns the `errno`, and the
    /// action does not run.
    let start: @Sendable (@escaping @Sendable () -> Void) -> Int32

    package init(start: @escaping @Sendable (@escaping @Sendable () -> Void) -> Int32) { self.start = start }

    /// The function that starts threads of the system.
    package static let system = LoopThread { action in
        let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
        defer { attributes.deallocate() }
        pthread_attr_init(attributes)
        defer { pthread_attr_destroy(attributes) }
        pthread_attr_setdetachstate(attributes, Int32(PTHREAD_CREATE_DETACHED))
        pthread_attr_setstacksize(attributes, stackSize)
        var thread = pthread_t()
        let body = Unmanaged.passRetained(Body(action: action))
        let result = pthread_create(&thread, attributes, { run($0) }, body.toOpaque())
        if result != 0 { body.release() }
        return result
    }

    private final class Body: Sendable {
        let action: @Sendable () -> Void

        init(action: @escaping @Sendable () -> Void) { self.action = action }
    }

    private static func run(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let argument else { return nil }
        Thread.current.name = name
        Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().action()
        return nil
    }
}

/// The running threads of sessions. They are stopped at the end of the process if a library then frees memory that they
/// use.
///
/// A stopped thread waits until the process has ended. No memory is released, and no task ends.
package final class RunningThreads: Sendable {
    /// Makes a thread perform an action between two calls of libcurl. Has no effect if the thread is about to end.
    package typealias Post = @Sendable (@escaping @Sendable () -> Void) -> Void

    private struct State {
        var isStopped = false
        var threads: [pthread_t: Post] = [:]
        /// The process of the threads. A process that was created by `fork()` does not have the threads.
        var process = getpid()
    }

    /// The threads of the process.
    static let ofProcess = RunningThreads()

    /// The time in seconds that ``stop(within:)`` waits by default. A thread needs more time only if it is in code of a
    /// caller, or if libcurl looks up a name without a separate thread.
    package static let patience: TimeInterval = 1

    private let state = Mutex(State())
    private let removals = DispatchSemaphore(value: 0)

    package init() {}

    /// Performs the work of the calling thread. If the process ends during the work, this method does not return.
    /// - Parameter post: Makes the thread perform an action during its work.
    package func run(post: @escaping Post, _ work: () -> Void) {
        let isStopped = state.withLock { state in
            if state.process != getpid() { state = State() }
            state.threads[pthread_self()] = post
            return state.isStopped
        }
        if isStopped { stopThis() }
        work()
        let mayEnd = state.withLock { state in
            guard !state.isStopped else { return false }
            state.threads[pthread_self()] = nil
            return true
        }
        if !mayEnd { stopThis() }
    }

    /// Stops all threads except the calling thread, and waits until they have stopped or the time has passed. Threads
    /// that begin later stop immediately.
    /// - Parameter time: The maximum time to wait, in seconds.
    package func stop(within time: TimeInterval = patience) {
        let posts = state.withLock { state -> [Post] in
            guard !state.isStopped, state.process == getpid() else { return [] }
            state.isStopped = true
            state.threads[pthread_self()] = nil
            return Array(state.threads.values)
        }
        for post in posts { post { [self] in stopThis() } }
        let deadline = DispatchTime.now() + time
        for _ in posts where removals.wait(timeout: deadline) != .success { return }
    }

    /// Stops the calling thread.
    private func stopThis() -> Never {
        let wasAwaited = state.withLock { $0.threads.removeValue(forKey: pthread_self()) != nil }
        if wasAwaited { removals.signal() }
        while true { pause() }
    }
}

/// Two signals that would end the process when a write fails. SIGPIPE is sent after a write to a connection that the
/// other side has closed, and TLS libraries do not suppress it. SIGXFSZ is sent after a write to a file that has
/// reached the maximum file size of the process. If the signals are blocked, the write fails with an error.
enum WriteSignals {
    private static let numbers = [SIGPIPE, SIGXFSZ]

    private static let set: sigset_t = {
        var set = sigset_t()
        sigemptyset(&set)
        for number in numbers { sigaddset(&set, number) }
        return set
    }()

    /// Blocks the signals on the calling thread.
    static func block() {
        var signals = set
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Runs code on a thread of the program. The writes of this code never send the signals to the thread.
    static func blocking<Result>(_ body: () -> Result) -> Result {
        var (signals, mask, earlier, later) = (set, sigset_t(), sigset_t(), sigset_t())
        sigpending(&earlier)
        pthread_sigmask(SIG_BLOCK, &signals, &mask)
        let result = body()
        sigpending(&later)
        // A pending signal would be sent as soon as it is no longer blocked.
        for number in numbers where sigismember(&later, number) == 1 && sigismember(&earlier, number) == 0 {
            var (signal, none) = (sigset_t(), timespec())
            sigemptyset(&signal)
            sigaddset(&signal, number)
            sigtimedwait(&signal, nil, &none)
        }
        pthread_sigmask(SIG_SETMASK, &mask, nil)
        return result
    }
}
#endif
