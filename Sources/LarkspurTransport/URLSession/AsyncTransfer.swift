#if canImport(FoundationNetworking)
import Synchronization

/// A `URLSessionTask` and the Swift task that waits for it.
///
/// No lock is held while the session or the Swift runtime is called. Both have their own locks. If this class held a
/// lock during such a call, the two sides could wait for each other forever.
final class AsyncTransfer<Value: Sendable>: Sendable {
    typealias Completion = @Sendable (Result<Value, any Error>) -> Void

    private struct State {
        var isCancelled = false
        var continuation: CheckedContinuation<Value, any Error>?
        /// The result, if it arrives before the continuation is set. This happens if the session was already
        /// invalidated.
        var result: Result<Value, any Error>?
        /// The task, from its creation to its end.
        var task: URLSessionTask?
    }

    private let state = Mutex(State())

    private init() {}

    /// Creates a task, resumes it, and waits for its completion handler.
    ///
    /// - Parameter makeTask: Creates a task that calls the given closure when the task ends. If the Swift task is
    ///   already cancelled, `makeTask` is not called.
    static func run(
        delegate: (any URLSessionTaskDelegate)?,
        makeTask: (@escaping Completion) -> URLSessionTask
    ) async throws -> Value {
        let transfer = AsyncTransfer()
        return try await withTaskCancellationHandler {
            guard !Task.isCancelled else { throw URLError.cancelledBeforeStart }
            let task = makeTask { transfer.end($0) }
            if let delegate { task.delegate = delegate }
            return try await withCheckedThrowingContinuation { transfer.begin(task, $0) }
        } onCancel: {
            transfer.cancel()
        }
    }

    private enum Start {
        case resume, cancel
        case end(Result<Value, any Error>)
    }

    private func begin(_ task: URLSessionTask, _ continuation: CheckedContinuation<Value, any Error>) {
        let start = state.withLock { state -> Start in
            if let result = state.result { return .end(result) }
            if state.isCancelled { return .cancel }
            state.continuation = continuation
            state.task = task
            return .resume
        }
        switch start {
        case .resume: task.resume()
        case .cancel:
            // The task is never resumed. If it were not cancelled, the session would retain it forever. The result of
            // its completion handler is ignored.
            task.cancel()
            continuation.resume(throwing: URLError.cancelledBeforeStart)
        case .end(let result): continuation.resume(with: result)
        }
    }

    private func end(_ result: Result<Value, any Error>) {
        let continuation = state.withLock { state in
            state.task = nil
            if state.continuation == nil, state.result == nil { state.result = result }
            return state.continuation.take()
        }
        continuation?.resume(with: result)
    }

    private func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task.take()
        }
        task?.cancel()
    }
}

extension AsyncTransfer where Value == Never {
    /// Returns the result of a completion handler. If the handler has received neither a response nor an error, the
    /// result is an error.
    static func outcome(_ response: URLResponse?, _ error: (any Error)?) -> Result<URLResponse, any Error> {
        if let error { return .failure(error) }
        return response.map(Result.success)
            ?? .failure(
                URLError.engine(.badServerResponse, "The session gave neither a response nor an error.", url: nil)
            )
    }
}

extension URLError {
    fileprivate static var cancelledBeforeStart: URLError {
        URLError.engine(.cancelled, "The request was cancelled.", url: nil)
    }
}
#endif
