import Synchronization

/// The call whose content a sequence delivers.
final class StreamedCall: Sendable {
    private struct State {
        var isOpen = false
        /// The reader of a call that was opened before the iteration. Its release cancels the call.
        var reader: ResponseReader?
    }

    /// The maximum length of a line, in bytes.
    static let longestLine = 16 << 20

    let task: DataTask
    private let channel = ResponseChannel<LarkspurError>()
    /// The properties of the request for an event stream; nil for other content.
    private let eventStream: EventStreamRequest?
    private let base: ResponseValidation
    private let acceptsAll: Bool
    private let state = Mutex(State())

    /// - Parameters:
    ///   - task: The call.
    ///   - eventStream: The properties of the request for an event stream. Default: nil, for other content.
    ///   - acceptsAll: Whether a response with any status is acceptable if the call sets no rules. Default: false, for
    ///     responses with a status of 200 to 299 only.
    init(task: DataTask, eventStream: EventStreamRequest? = nil, acceptsAll: Bool = false) {
        self.task = task
        self.eventStream = eventStream
        self.acceptsAll = acceptsAll
        base = eventStream != nil ? EventStreamRequest.validation : acceptsAll ? .anything : ResponseValidation()
    }

    /// The rules for responses whose content is delivered.
    var validation: ResponseValidation { task.options.value.applied(to: base) }

    /// Returns the reader for an iteration, and starts the call if it has not started. A second iteration gets a reader
    /// that throws an error.
    func takeReader() -> ResponseReader {
        let reader = state.withLock { state in
            state.isOpen = true
            return state.reader.take()
        }
        return reader ?? makeReader()
    }

    /// Waits for the head of the response. Starts the call if it has not started.
    /// - Throws: The error of the call, if it ends without an acceptable response.
    func head() async throws(LarkspurError) -> HTTPURLResponse {
        let mustOpen = state.withLock { state in
            defer { state.isOpen = true }
            return !state.isOpen
        }
        if mustOpen {
            let reader = makeReader()
            state.withLock { $0.reader = reader }
            if let failure = reader.failure { throw failure }
        }
        // A response that is acceptable only because it has no content does not begin the channel.
        let response = try await ResponseReader.head(of: task, channel) ?? task.response
        guard let head = response as? HTTPURLResponse else {
            throw LarkspurError(.malformedResponse, "The response is not one of HTTP, so that it has no head.")
        }
        return head
    }

    /// Starts the call, and directs its content to a reader.
    private func makeReader() -> ResponseReader {
        let isFirst = channel.take()
        do throws(LarkspurError) {
            let stream = ResponseStream(
                validation: { [weak task, base] in task?.options.value.applied(to: base) ?? base },
                consumer: .channel(channel),
                refusesOtherStreams: eventStream != nil,
                mayHold: acceptsAll
            )
            // In a second iteration, the channel is taken already. The iteration then gets no stream, and `direct`
            // throws an error.
            try task.direct(to: isFirst ? stream : nil, for: eventStream)
            task.resume()
            return ResponseReader(task, channel)
        } catch {
            // Without this, nothing would end the channel, and a wait for the head would not end.
            if isFirst { channel.end(error) }
            return ResponseReader(task, channel, failure: error)
        }
    }

    /// Whether the content was read to its end.
    var isComplete: Bool { channel.isComplete }
}

/// The reader of a response's content as it arrives. Its release cancels the call, unless the content was read to its
/// end.
final class ResponseReader: Sendable {
    let task: DataTask
    private let channel: ResponseChannel<LarkspurError>
    let failure: LarkspurError?
    private let isOver = Atomic(false)

    /// - Parameter failure: The error of a reader that gets no content. Default: nil.
    init(_ task: DataTask, _ channel: ResponseChannel<LarkspurError>, failure: LarkspurError? = nil) {
        self.task = task
        self.channel = channel
        self.failure = failure
    }

    deinit {
        // A refused reader must not cancel the call of another reader. After the end of the content, the call is not
        // cancelled either, because content of the request may still be sent.
        if failure == nil, !isOver.load(ordering: .relaxed) { task.cancel() }
    }

    /// Returns the next chunk of content; nil at the end, and after an error.
    func next() async throws(LarkspurError) -> Data? {
        if isOver.load(ordering: .relaxed) { return nil }
        if let failure { throw end(with: failure) }
        do throws(LarkspurError) {
            let chunk = try await Self.receive(for: task) { () throws(LarkspurError) in try await channel.next() }
            if chunk == nil { isOver.store(true, ordering: .relaxed) }
            return chunk
        } catch {
            throw end(with: error)
        }
    }

    /// Ends the sequence with an error, which also ends the call.
    func end(with error: LarkspurError) -> LarkspurError {
        isOver.store(true, ordering: .relaxed)
        if failure == nil { task.cancel() }
        return error
    }

    /// Waits for the head of the response.
    func head() async throws(LarkspurError) -> URLResponse? {
        if let failure { throw failure }
        return try await Self.head(of: task, channel)
    }

    static func head(
        of task: DataTask,
        _ channel: ResponseChannel<LarkspurError>
    ) async throws(LarkspurError) -> URLResponse? {
        try await receive(for: task) { () throws(LarkspurError) in try await channel.head() }
    }

    /// Waits for a part of the response. A cancellation of the surrounding `Task` cancels the call.
    private static func receive<Part: Sendable>(
        for task: DataTask,
        _ part: @Sendable () async throws(LarkspurError) -> Part?
    ) async throws(LarkspurError) -> Part? {
        let result: Result<Part?, LarkspurError> = await withTaskCancellationHandler {
            do throws(LarkspurError) {
                return .success(try await part())
            } catch {
                return .failure(error)
            }
        } onCancel: {
            task.cancel()
        }
        return try result.get()
    }

    var tooLongLine: LarkspurError {
        LarkspurError(
            .contentTooLarge,
            "A line has more than \(StreamedCall.longestLine >> 20) MiB.",
            request: task.originalRequest,
            response: task.response
        )
    }
}
