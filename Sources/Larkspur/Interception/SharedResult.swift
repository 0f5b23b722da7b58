import Synchronization

/// The result of work for which several callers wait. A caller that is cancelled stops waiting, and the work continues
/// for the others.
final class SharedResult<Value: Sendable>: Sendable {
    private struct State {
        var result: Result<Value, any Error>?
        var waiters: [Int: CheckedContinuation<Value, any Error>] = [:]
        var nextID = 0
    }

    private let state = Mutex(State())

    /// The number of callers that wait.
    var waiterCount: Int { state.withLock { $0.waiters.count } }

    /// Waits for the result.
    /// - Throws: The error of the work; a `CancellationError` if the calling task is cancelled.
    func value() async throws -> Value {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result: Result<Value, any Error>? = state.withLock { state in
                    if let result = state.result { return result }
                    // The cancellation handler may have run already, before the continuation was stored.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    state.waiters[id] = continuation
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            let waiter = state.withLock { $0.waiters.removeValue(forKey: id) }
            waiter?.resume(throwing: CancellationError())
        }
    }

    /// Resumes all callers that wait, and stores the result for later callers. Called once.
    func finish(with result: Result<Value, any Error>) {
        let waiters = state.withLock { state in
            state.result = result
            defer { state.waiters = [:] }
            return state.waiters
        }
        for waiter in waiters.values { waiter.resume(with: result) }
    }
}
