#if canImport(FoundationNetworking)
import Synchronization

/// A `URLSessionTask` for which a Swift task waits.
///
/// No lock is held while a session's or the runtime's code is called: both may wait for each other's.
final class AsyncTransfer<Value: Sendable>: Sendable {
    typealias Completion = @Sendable (Result<Value, any Error>) -> Void

    private struct State {
        var isCancelled = false
        var continuation: CheckedContinuation<Value, any Error>?
        /// What came before anybody waited for it, such as the refusal of a session that is invalid.
        var result: Result<Value, any Error>?
        /// Between the moment that the task is there and its end.
        var task: URLSessionTask?
    }

    private let state = Mutex(State())

    private init() {}

    /// Makes a task, resumes it, and waits for its completion handler.
    ///
    /// - Parameter makeTask: Makes a task that calls what it is given when it ends. Not called if the Swift task is
    ///   cancelled already.
    static func run(
        delegate: (any URLSessionTaskDelegate)?,
        makeTask: (@escaping Completion) -> URLSessionTask
    ) async throws -> Value {
        let transfer = AsyncTransfer()
        return try await withTaskCancellationHandler {
            guard !Task.isCancelled else { throw URLError.cancelledBeforeStart }
            let task = makeTask { transfer.finish($0) }
            if let delegate { task.delegate = delegate }
            return try await withCheckedThrowingContinuation { transfer.begin(task, $0) }
        } onCancel: {
            transfer.cancel()
        }
    }

    private enum Start {
        case resume, cancel
        case finish(Result<Value, any Error>)
    }

    private func begin(_ task: URLSessionTask, _ continuation: CheckedContinuation<Value, any Error>) {
        let start = state.withLock { state -> Start in
            if let result = state.result { return .finish(result) }
            if state.isCancelled { return .cancel }
            state.continuation = continuation
            state.task = task
            return .resume
        }
        switch start {
        case .resume: task.resume()
        case .cancel:
            // A session keeps a task that is never resumed, so it has to be told. What the completion handler hears
            // comes too late for anybody.
            task.cancel()
            continuation.resume(throwing: URLError.cancelledBeforeStart)
        case .finish(let result): continuation.resume(with: result)
        }
    }

    private func finish(_ result: Result<Value, any Error>) {
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
    /// What a completion handler got, with an error in place of a response that should be there and is not.
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
