internal import HTTPSyntax
import Synchronization

/// A stream that delivers the content of a task in chunks, in order, instead of collecting it.
///
/// Only the content of an acceptable response is delivered. If the response is not acceptable, the beginning of its
/// content is collected for the error.
final class ResponseStream: Sendable {
    typealias Handler = @Sendable (DataTask, Data) -> Void

    /// The consumer of the chunks.
    enum Consumer: Sendable {
        /// A closure, which is called on the completion queue.
        case handler(Handler)
        /// A sequence.
        case channel(ResponseChannel<LarkspurError>)
    }

    private struct State {
        var isAcceptable = false
        var count: Int64 = 0
        var isStopped = false
        /// Whether responses with another status than 200 to 299 are held until the interceptors have returned.
        var holdsRefused = false
        /// Whether the last response is held.
        var isHeld = false
        var hashes: ContentHashes?
        var verification: DigestVerification?
    }

    /// The closure that returns the rules for acceptable responses.
    private let rules: @Sendable () -> ResponseValidation
    private let consumer: Consumer
    private let refusesOtherStreams: Bool
    private let mayHold: Bool
    private let state = Mutex(State())

    /// - Parameters:
    ///   - validation: Returns the rules for acceptable responses.
    ///   - consumer: The consumer of the chunks.
    ///   - refusesOtherStreams: Whether a response with an unacceptable content type and without a length ends the task
    ///     as soon as its head arrives. The content of such a response may have no end. Default: false.
    ///   - mayHold: Whether ``holdRefused()`` has an effect. Default: false.
    init(
        validation: @escaping @Sendable () -> ResponseValidation,
        consumer: Consumer,
        refusesOtherStreams: Bool = false,
        mayHold: Bool = false
    ) {
        rules = validation
        self.consumer = consumer
        self.refusesOtherStreams = refusesOtherStreams
        self.mayHold = mayHold
    }

    /// The rules for acceptable responses. Only the content of an acceptable response is delivered.
    var validation: ResponseValidation { rules() }

    /// The number of bytes that have been delivered.
    var count: Int64 { state.withLock { $0.count } }

    /// Whether a part of a response was delivered, so that the call must not begin again.
    var hasDelivered: Bool {
        if case .channel(let channel) = consumer, channel.hasDeliveredHead { return true }
        return count > 0
    }

    /// Holds responses with another status than 200 to 299 until the interceptors of the call have returned: they may
    /// send the request again. Called before the first attempt.
    func holdRefused() { if mayHold { state.withLock { $0.holdsRefused = true } } }

    /// Whether the last response is held, with its content.
    var holdsResponse: Bool { state.withLock { $0.isHeld } }

    /// Delivers the next response whatever its status is. Returns whether a response was held.
    func releaseHeld() -> Bool {
        state.withLock { state in
            state.holdsRefused = false
            return state.isHeld
        }
    }

    /// The hashes of the content that has been delivered; nil if none are computed.
    var hashes: ContentHashes? { state.withLock { $0.hashes } }

    /// Records that a response begins.
    /// - Parameter verification: The verification of its content. Default: nil, for none.
    /// - Throws: `connectionLost`, if the response begins again after content was delivered, because the consumer has
    ///   that content already; `unacceptableContentType`, if the content type of the response ends the task;
    ///   `digestMismatch`, if the response announces another size than the expected one.
    func begin(
        with response: URLResponse,
        verifying verification: DigestVerification? = nil
    ) throws(LarkspurError) {
        let status = (response as? HTTPURLResponse)?.statusCode
        // FoundationNetworking reports interim responses like final ones.
        if let status, status < 200 { return }
        let refusal = refusal(of: response)
        let isSuccess = status.map { (200..<300).contains($0) } ?? true
        let isAcceptable = state.withLock { state in
            state.isHeld = state.holdsRefused && !isSuccess && refusal == nil
            state.isAcceptable = refusal == nil && !state.isHeld
            state.hashes = verification?.hashes(for: response)
            state.verification = verification
            return state.isAcceptable
        }
        guard !hasDelivered else {
            throw LarkspurError(
                .connectionLost,
                "The transfer has begun again after some of its content had been handed on.",
                response: response
            )
        }
        if let refusal, refusesOtherStreams, refusal.code == .unacceptableContentType, response.mayBeEndless {
            throw refusal
        }
        if isAcceptable, let expected = verification?.expected,
            let failure = expected.failure(received: 0, announced: response.contentLengthOnceDecoded)
        {
            throw failure
        }
        if isAcceptable, case .channel(let channel) = consumer { channel.begin(with: response, isDelivered: mayHold) }
    }

    /// Returns the error of a response that is not acceptable; nil if it is acceptable. At this time the content is
    /// unknown, so the response is validated as if it had content.
    private func refusal(of response: URLResponse) -> LarkspurError? {
        do throws(LarkspurError) {
            try validation.validate(response, data: Data([0]))
            return nil
        } catch {
            var error = error
            error.responseData = nil
            return error
        }
    }

    /// Delivers a chunk of content.
    /// - Parameters:
    ///   - data: The chunk.
    ///   - held: An object that is released when the consumer has taken the chunk.
    ///   - task: The task that the content belongs to.
    /// - Returns: False if the response is not acceptable, so that the chunk is not delivered.
    /// - Throws: `contentTooLarge`, if the transport cannot wait for a consumer that is too slow; `digestMismatch`, if
    ///   the content has more bytes than expected. The chunk is not delivered then.
    func deliver(_ data: Data, held: (any Sendable)?, from task: DataTask) throws(LarkspurError) -> Bool {
        let (isAcceptable, failure) = state.withLock { state -> (Bool, StoredError?) in
            guard state.isAcceptable else { return (false, nil) }
            let count = state.count + Int64(data.count)
            if let failure = state.verification?.expected?.failure(received: count, announced: -1) {
                return (true, StoredError(failure))
            }
            state.count = count
            // The hashes are updated in the order of the content. No other thread needs the lock meanwhile.
            state.hashes?.update(data)
            return (true, nil)
        }
        guard isAcceptable else { return false }
        if let failure { throw failure.error }
        switch consumer {
        case .handler(let handler):
            task.environment.settings.completionQueue.async { [self] in
                // After a cancellation, chunks that are still queued are not delivered.
                guard task.state != .canceling, !state.withLock({ $0.isStopped }) else { return }
                withExtendedLifetime(held) { handler(task, data) }
            }
        case .channel(let channel):
            guard channel.add(data, held: held) else {
                throw LarkspurError(
                    .contentTooLarge,
                    "More than \(ResponseChannel<LarkspurError>.limit >> 20) MiB wait for the consumer, and the transport cannot make the server wait; .curl can."
                )
            }
        }
        return true
    }

    /// Returns the number of bytes that were delivered, or the error of the call.
    func result(of result: TransferResult) -> Result<Int64, LarkspurError> {
        do throws(LarkspurError) {
            if let error = result.error { throw error }
            // If content was delivered, its response was validated at the head.
            if count == 0 { try validation.validate(result.response, data: result.data) }
            if let failure = result.digestFailure { throw failure.error }
            return .success(count)
        } catch {
            return .failure(error.filled(request: result.request, response: result.response, responseData: result.data))
        }
    }

    /// Records the end of the task for a sequence. After a cancellation, waiting chunks are not delivered.
    func end(_ error: LarkspurError?) {
        if case .channel(let channel) = consumer { channel.end(error, dropsChunks: error?.code == .cancelled) }
    }

    /// Records that all of the content has arrived, although the task may not have ended yet. If the response is
    /// delivered, the sequence ends here. Otherwise the error of the task, or the content of a later response, ends it.
    func contentEnded() { if state.withLock({ $0.isAcceptable }) { end(nil) } }

    /// Stops the delivery, because the task was cancelled.
    func stop() { state.withLock { $0.isStopped = true } }
}

extension URLResponse {
    /// Whether the response announces content without a length.
    fileprivate var mayBeEndless: Bool {
        contentLengthOnceDecoded < 0 && (self as? HTTPURLResponse)?.statusCode != 204
    }
}
