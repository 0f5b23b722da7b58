import Synchronization

/// Hands the content of a task on, piece by piece and in order, in place of collecting it.
///
/// Only the content of an acceptable response is handed on; of any other the beginning is collected, for the error.
final class ContentStream: Sendable {
    typealias Handler = @Sendable (DataTask, Data) -> Void

    private struct State {
        var isAcceptable = false
        var count: Int64 = 0
        var isStopped = false
    }

    let validation: ResponseValidation
    private let handler: Handler
    private let state = Mutex(State())

    /// - Parameters:
    ///   - validation: Whose content is handed on.
    ///   - handler: Gets the pieces on the completion queue.
    init(validation: ResponseValidation, handler: @escaping Handler) {
        self.validation = validation
        self.handler = handler
    }

    /// How many bytes have been handed on.
    var count: Int64 { state.withLock { $0.count } }

    /// A response begins.
    /// - Throws: `connectionLost` where it begins again, as what was handed on cannot be taken back.
    func begin(with response: URLResponse) throws(LarkspurError) {
        // As if there were content, which nobody knows yet.
        let isAcceptable = (try? validation.validate(response, data: Data([0]))) != nil
        let hasBegun = state.withLock { state in
            state.isAcceptable = isAcceptable
            return state.count > 0
        }
        guard !hasBegun else {
            throw LarkspurError(
                .connectionLost,
                "The transfer has begun again after some of its content had been handed on.",
                response: response
            )
        }
    }

    /// Hands a piece on.
    /// - Parameters:
    ///   - data: The piece.
    ///   - held: Kept until the handler has returned.
    ///   - task: The task that it belongs to.
    /// - Returns: False if it is not of an acceptable response.
    func handOn(_ data: Data, held: (any Sendable)?, from task: DataTask) -> Bool {
        let isAcceptable = state.withLock { state in
            if state.isAcceptable { state.count += Int64(data.count) }
            return state.isAcceptable
        }
        guard isAcceptable else { return false }
        task.environment.completionQueue.async { [self] in
            // Whoever has cancelled wants no more of what is on its way.
            guard task.state != .cancelling, !state.withLock({ $0.isStopped }) else { return }
            withExtendedLifetime(held) { handler(task, data) }
        }
        return true
    }

    /// The task was cancelled: nothing more is handed on.
    func stop() { state.withLock { $0.isStopped = true } }
}
