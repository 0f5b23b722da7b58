#if canImport(FoundationNetworking)
import Synchronization

/// The threads of sessions that are running. They are stopped when the process ends, if a library then frees what they
/// use.
///
/// A stopped thread waits until the process has ended. Nothing is released, and no task ends.
package final class RunningThreads: Sendable {
    /// Makes a thread perform an action between two calls of libcurl. Has no effect if the thread is about to end.
    package typealias Post = @Sendable (@escaping @Sendable () -> Void) -> Void

    private struct State {
        var isStopped = false
        var threads: [pthread_t: Post] = [:]
        /// The process of the threads. A process that `fork()` has created does not have them.
        var process = getpid()
    }

    /// The threads of the process.
    static let ofProcess = RunningThreads()

    /// The time in seconds that ``stop(within:)`` waits by default. A thread needs longer only if it is in code of a
    /// caller, or if libcurl looks up a name without a thread of its own.
    package static let patience: TimeInterval = 1

    private let state = Mutex(State())
    private let removals = DispatchSemaphore(value: 0)

    package init() {}

    /// Performs the work of the calling thread. If the process ends, does not return.
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

    /// Stops all threads except the calling one, and waits until they have stopped or the time is over. Threads that
    /// begin later stop at once.
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
#endif
