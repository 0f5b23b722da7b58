import Synchronization

/// The closures that cancel work under way that is not a task, for example a WebSocket.
final class Cancellations: Sendable {
    private struct State: Sendable {
        var nextKey = 0
        var actions: [Int: @Sendable () -> Void] = [:]
    }

    private let state = Mutex(State())

    /// Adds a closure that cancels work, and returns the key for its removal.
    func add(_ action: @escaping @Sendable () -> Void) -> Int {
        state.withLock { state in
            state.nextKey &+= 1
            state.actions[state.nextKey] = action
            return state.nextKey
        }
    }

    func remove(_ key: Int) {
        // The closure is released outside the lock.
        _ = state.withLock { $0.actions.removeValue(forKey: key) }
    }

    func cancelAll() {
        // The closures run outside the lock, because a closure may lead to its own removal.
        for action in state.withLock({ Array($0.actions.values) }) { action() }
    }
}

/// The number of task creations in flight in a session. An invalidation of the session waits until there are none. No
/// lock is held while the transport creates a task.
final class CreationsInFlight: Sendable {
    private struct State: Sendable {
        var count = 0
        var waiting: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    func enter() { state.withLock { $0.count += 1 } }

    func leave() {
        let ready = state.withLock { state -> [@Sendable () -> Void] in
            state.count -= 1
            guard state.count == 0 else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for action in ready { action() }
    }

    /// Runs an action when no task creation is in flight: immediately, or on the thread that ends the last creation.
    func whenIdle(_ action: @escaping @Sendable () -> Void) {
        let now = state.withLock { state in
            if state.count > 0 { state.waiting.append(action) }
            return state.count == 0
        }
        if now { action() }
    }
}
