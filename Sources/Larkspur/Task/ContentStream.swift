import Synchronization

/// A stream that delivers the content of a task in pieces, in order, instead of collecting it.
///
/// Only the content of an acceptable response is delivered. Of any other response the beginning is collected for the
/// error.
final class ContentStream: Sendable {
    typealias Handler = @Sendable (DataTask, Data) -> Void

    /// The consumer of the pieces.
    enum Consumer: Sendable {
        /// A closure, which is called on the completion queue.
        case handler(Handler)
        /// A sequence.
        case channel(ContentChannel)
    }

    private struct State {
        var isAcceptable = false
        var count: Int64 = 0
        var isStopped = false
    }

    /// Returns the rules for responses whose content is delivered.
    private let rules: @Sendable () -> ResponseValidation
    private let consumer: Consumer
    private let state = Mutex(State())

    /// - Parameters:
    ///   - validation: The rules for responses whose content is delivered.
    ///   - consumer: The consumer of the pieces.
    init(validation: @escaping @Sendable () -> ResponseValidation, consumer: Consumer) {
        rules = validation
        self.consumer = consumer
    }

    /// The rules for responses whose content is delivered.
    var validation: ResponseValidation { rules() }

    /// The number of bytes that have been delivered.
    var count: Int64 { state.withLock { $0.count } }

    /// Notes that a response begins.
    /// - Throws: `connectionLost`, if the response begins again after content was delivered, because that content
    ///   cannot be taken back.
    func begin(with response: URLResponse) throws(LarkspurError) {
        // Validates as if there were content, because that is not known yet.
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
        if isAcceptable, case .channel(let channel) = consumer { channel.begin(with: response) }
    }

    /// Delivers a piece of content.
    /// - Parameters:
    ///   - data: The piece.
    ///   - held: An object that is released when the consumer has taken the piece.
    ///   - task: The task that the content belongs to.
    /// - Returns: False if the response is not acceptable, so that the piece is not delivered.
    /// - Throws: `contentTooLarge`, if the transport cannot wait for a consumer that is too slow.
    func handOn(_ data: Data, held: (any Sendable)?, from task: DataTask) throws(LarkspurError) -> Bool {
        let isAcceptable = state.withLock { state in
            if state.isAcceptable { state.count += Int64(data.count) }
            return state.isAcceptable
        }
        guard isAcceptable else { return false }
        switch consumer {
        case .handler(let handler):
            task.environment.completionQueue.async { [self] in
                // After a cancellation, pieces that are still queued are not delivered.
                guard task.state != .cancelling, !state.withLock({ $0.isStopped }) else { return }
                withExtendedLifetime(held) { handler(task, data) }
            }
        case .channel(let channel): try channel.add(data, held: held)
        }
        return true
    }

    /// Notes the end of the task for a sequence.
    func finish(_ error: LarkspurError?) {
        if case .channel(let channel) = consumer { channel.finish(error) }
    }

    /// Stops the delivery, because the task was cancelled.
    func stop() { state.withLock { $0.isStopped = true } }
}
