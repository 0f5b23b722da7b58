import Synchronization

/// A recorder that collects values from any thread and lets a test wait for them. The test's time limit ends the wait.
package final class Recorder<Value: Sendable>: Sendable {
    private struct State {
        var values: [Value] = []
        var waiters: [(id: Int, count: Int, continuation: CheckedContinuation<Void, any Error>)] = []
        var nextID = 0
    }

    private let state = Mutex(State())

    package init() {}

    package var values: [Value] { state.withLock { $0.values } }

    package func record(_ value: Value) {
        let ready = state.withLock { state in
            state.values.append(value)
            let count = state.values.count
            let ready = state.waiters.filter { $0.count <= count }
            state.waiters.removeAll { $0.count <= count }
            return ready
        }
        for waiter in ready { waiter.continuation.resume() }
    }

    /// Waits until a number of values has been recorded, and returns all recorded values.
    /// - Throws: `CancellationError`, if the task is cancelled before.
    @discardableResult
    package func wait(for count: Int = 1) async throws -> [Value] {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let outcome: Result<Void, any Error>? = state.withLock { state in
                    if state.values.count >= count { return .success(()) }
                    // A loop of waits in a cancelled task would never end otherwise.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    state.waiters.append((id, count, continuation))
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0) }
            }
            waiter?.continuation.resume(throwing: CancellationError())
        }
        return values
    }

    /// Waits for a condition, at which it looks after each value, and returns all recorded values.
    @discardableResult
    package func wait(until isMet: ([Value]) -> Bool) async throws -> [Value] {
        while true {
            // A value that comes during the look has its number already.
            let values = values
            if isMet(values) { return values }
            try await wait(for: values.count + 1)
        }
    }

    /// Waits for the first value.
    package func first() async throws -> Value {
        guard let first = try await wait().first else { throw CancellationError() }
        return first
    }
}
