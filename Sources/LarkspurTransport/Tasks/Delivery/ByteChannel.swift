#if canImport(FoundationNetworking)
import HTTPSyntax
import Synchronization

/// The channel from a `URLSessionTask` to the Swift task that iterates over the content. If too much content is not
/// consumed, the transfer pauses.
final class ByteChannel: ByteSource {
    private struct State {
        var response: Result<URLResponse, any Error>?
        var chunks: [Data] = []
        var taken = 0
        var end: Result<Void, any Error>?
        var responseWaiter: CheckedContinuation<URLResponse, any Error>?
        var chunkWaiter: CheckedContinuation<Data?, any Error>?
        weak var task: TaskCore?
    }

    private let state = Mutex(State())

    func attach(_ task: TaskCore) { state.withLock { $0.task = task } }

    // MARK: On the delegate queue

    func receive(_ response: URLResponse) {
        let waiter = state.withLock { state in
            state.response = .success(response)
            defer { state.responseWaiter = nil }
            return state.responseWaiter
        }
        waiter?.resume(returning: response)
    }

    func receive(_ data: Data) {
        let waiter = state.withLock { state -> CheckedContinuation<Data?, any Error>? in
            guard let waiter = state.chunkWaiter else {
                state.chunks.append(data)
                return nil
            }
            state.chunkWaiter = nil
            return waiter
        }
        guard let waiter else { return }
        consume(data.count)
        waiter.resume(returning: data)
    }

    func finish(_ error: (any Error)?) {
        let end: Result<Void, any Error> = error.map { .failure($0) } ?? .success(())
        let (responseWaiter, chunkWaiter) = state.withLock { state in
            state.end = end
            defer { (state.responseWaiter, state.chunkWaiter) = (nil, nil) }
            return (state.responseWaiter, state.chunkWaiter)
        }
        let failure = error ?? URLError.engine(.badServerResponse, "The task ended without a response.", url: nil)
        responseWaiter?.resume(throwing: failure)
        chunkWaiter?.resume(with: end.map { nil })
    }

    // MARK: For the Swift task

    /// Waits for the response.
    func response() async throws -> URLResponse {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let known = state.withLock { state -> Result<URLResponse, any Error>? in
                    if let response = state.response { return response }
                    if case .failure(let error) = state.end { return .failure(error) }
                    if state.end != nil { return .failure(URLError(.badServerResponse)) }
                    state.responseWaiter = continuation
                    return nil
                }
                if let known { continuation.resume(with: known) }
            }
        } onCancel: {
            cancel()
        }
    }

    func next() async throws -> Data? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let known = state.withLock { state -> Result<Data?, any Error>? in
                    if state.taken < state.chunks.count {
                        state.taken += 1
                        let chunk = state.chunks[state.taken - 1]
                        if state.taken == state.chunks.count {
                            state.chunks.removeAll(keepingCapacity: true)
                            state.taken = 0
                        }
                        return .success(chunk)
                    }
                    if let end = state.end { return end.map { nil } }
                    state.chunkWaiter = continuation
                    return nil
                }
                guard let known else { return }
                if case .success(let chunk?) = known { consume(chunk.count) }
                continuation.resume(with: known)
            }
        } onCancel: {
            cancel()
        }
    }

    func cancel() { state.withLock { $0.task }?.cancel() }

    private func consume(_ count: Int) {
        guard let task = state.withLock({ $0.task }), task.backlog.consume(count) else { return }
        task.session.loop.post(.consumed(task))
    }
}
#endif
