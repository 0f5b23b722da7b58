internal import Dispatch
internal import HTTPSyntax
internal import Synchronization

extension LoopbackServer {
    /// A latch that is closed at first. After it is opened, it stays open.
    ///
    /// A response can wait on a gate that the test opens (``Response/held(until:)``, ``Response/Step/wait(_:)``). A
    /// response can also open a gate on which the test waits (``Response/Step/open(_:)``). If the client disconnects or
    /// the server stops, the response no longer waits, but the gate stays closed. A client that closes its side of the
    /// connection counts as disconnected.
    public final class Gate: Sendable {
        private struct State {
            var isOpen = false
            var observers: [Int: @Sendable () -> Void] = [:]
            var nextToken = 0
        }

        private let state = Mutex(State())

        /// Creates a closed gate.
        public init() {}

        /// Whether ``open()`` was called.
        public var isOpen: Bool {
            state.withLock { $0.isOpen }
        }

        /// Opens the gate, which ends all current and later waits. Further calls have no effect.
        public func open() {
            let observers = state.withLock { state in
                state.isOpen = true
                defer { state.observers = [:] }
                return state.observers.values
            }
            for observer in observers { observer() }
        }

        /// Blocks the thread until the gate is open.
        ///
        /// - Parameter timeout: The limit. Default: 30 seconds.
        /// - Returns: Whether the gate opened in time.
        @discardableResult
        public func wait(timeout: Duration = .seconds(30)) -> Bool {
            Gate.waitForFirst(of: [self], timeout: timeout)
            return isOpen
        }

        /// Suspends the task until the gate is open or the task is cancelled.
        public func wait() async {
            // A separate gate for the wait, so that a cancellation ends only this wait.
            let wait = Gate()
            let token = observe { wait.open() }
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    wait.observe { continuation.resume() }
                }
            } onCancel: {
                wait.open()
            }
            forget(token)
        }

        /// Blocks the thread until one of the gates is open or the time has passed.
        ///
        /// - Parameter timeout: The limit; nil for none.
        static func waitForFirst(of gates: [Gate], timeout: Duration?) {
            let semaphore = DispatchSemaphore(value: 0)
            let tokens = gates.map { gate in gate.observe { semaphore.signal() } }
            _ = semaphore.wait(timeout: timeout.map { .now() + $0.clampedToWaitingTime.timeInterval } ?? .distantFuture)
            for (gate, token) in zip(gates, tokens) { gate.forget(token) }
        }

        /// Calls an observer once: on the thread that opens the gate, or immediately if the gate is already open.
        @discardableResult
        func observe(_ observer: @escaping @Sendable () -> Void) -> Int? {
            let token: Int? = state.withLock { state in
                if state.isOpen { return nil }
                state.nextToken += 1
                state.observers[state.nextToken] = observer
                return state.nextToken
            }
            if token == nil { observer() }
            return token
        }

        func forget(_ token: Int?) {
            guard let token else { return }
            _ = state.withLock { $0.observers.removeValue(forKey: token) }
        }
    }
}

extension Duration {
    /// The nearest value that a clock can use: zero if it is negative, and at most 1,000,000 seconds (more than eleven
    /// days).
    var clampedToWaitingTime: Duration { Swift.min(Swift.max(self, .zero), .seconds(1_000_000)) }
}
