import HTTPSyntax
import Synchronization

/// The consequence of the end of a transfer.
enum TransferEnding: Sendable {
    /// A closure that reports the end of a task to the hooks, with the error of the task, if any.
    typealias Report = @Sendable (LarkspurError?) -> Void

    /// The call ends.
    case call
    /// Only the attempt ends. The closure gets the result of the attempt, and is called once.
    case attempt(@Sendable (TransferResult, @escaping Report) -> Void)

    /// Handles the end of a transfer.
    /// - Parameters:
    ///   - received: The part of the response that has arrived.
    ///   - transportError: The transport's error.
    ///   - report: Called before serialization, with the error that the task will report; nil if there is none.
    func end(
        _ task: SessionTask,
        with received: ArrivedResponse = ArrivedResponse(),
        transportError: (any Error)?,
        report: @escaping Report = { _ in }
    ) {
        switch self {
        case .call:
            guard let state = task.endCourse() else { return }
            if state == .canceling { task.stream?.stop() }
            let result = received.result(of: task, transportError, wasCancelled: state == .canceling)
            task.noteAttemptEnd(result)
            task.end(with: result, report: report)
        case .attempt(let end):
            let isCancelled = task.state == .canceling
            if isCancelled { task.stream?.stop() }
            let result = received.result(of: task, transportError, wasCancelled: isCancelled)
            task.endAttempt(resumeData: result.error?.resumeData)
            task.noteAttemptEnd(result)
            end(result, report)
        }
    }
}

/// The part of a response that has arrived in one transfer.
struct ArrivedResponse: Sendable {
    var body = Data()
    var response: ReceivedResponse?
    var file: URL?
    /// An error other than the transport's.
    var failure: StoredError?
    /// True if the transfer was cancelled in order to make its response the result. The transport has no other way to
    /// end a transfer early with its response.
    var endsWithResponse = false

    /// Returns the result of the transfer, which has ended.
    fileprivate func result(of task: SessionTask, _ transportError: (any Error)?, wasCancelled: Bool) -> TransferResult
    {
        let request = task.currentRequest ?? task.originalRequest
        // The delegate of a download gets no response, but its transfer has one.
        let response = response ?? task.response.map(ReceivedResponse.init)
        let transferError: LarkspurError? =
            if let failure = task.failure ?? failure {
                failure.error
            } else if endsWithResponse {
                nil
            } else if let transportError {
                LarkspurError(transportError: transportError)
            } else if wasCancelled {
                // The transfer ended before the cancellation took effect. The caller has cancelled the task and expects
                // this error nevertheless.
                LarkspurError(transportError: URLError(.cancelled))
            } else {
                nil
            }
        let context = response == nil ? nil : body
        return TransferResult(
            request: request,
            received: response,
            data: body,
            file: file,
            trailers: transferError == nil ? task.trailers : nil,
            error: transferError?.filled(request: request, response: response?.object, responseData: context)
        )
    }
}

/// The outcome of a call, from which its handlers get their values.
final class CallEnding: @unchecked Sendable {
    // Safe: `makeEnding` sets the properties before another thread gets the object, and only the end of the call
    // releases the handlers. Because no two accesses overlap, none is checked at run time.
    /// The result of the transfer.
    let result: TransferResult
    /// The options of the call, including its rules for acceptable responses.
    let options: StoredOptions
    /// The file of a download; nil for other calls.
    @exclusivity(unchecked) var file: Result<URL, LarkspurError>?
    /// The number of bytes that were streamed; nil for other calls.
    @exclusivity(unchecked) var count: Result<Int64, LarkspurError>?
    @exclusivity(unchecked) var timeline = Timeline()
    /// The handlers, with their values.
    @exclusivity(unchecked) var handlers: [CallHandler] = []
    /// The move of a downloaded file, successful or not.
    @exclusivity(unchecked) var move: DownloadMove?
    /// The file of a download that was not moved.
    @exclusivity(unchecked) var temporaryFile: TemporaryDownload?

    init(_ result: TransferResult, _ options: StoredOptions) {
        self.result = result
        self.options = options
    }

    /// The result for handlers that need the content. If the content was streamed, the result is an error.
    var content: TransferResult {
        guard let count else { return result }
        let error =
            count.failure
            ?? LarkspurError(.unsupported, "The content of the call went to a sequence; a handler gets none.")
        return TransferResult(
            request: result.request,
            received: result.received,
            data: Data(),
            trailers: result.trailers,
            error: error
        )
    }

    /// Adds a handler, after the handler has created its value.
    func add(_ handler: CallHandler) {
        handler.prepare(self)
        handlers.append(handler)
    }

    /// The error of the call; nil if it succeeded.
    var failure: StoredError? {
        if let file { return file.failure.map { StoredError($0) } }
        if let count { return count.failure.map { StoredError($0) } }
        for handler in handlers { if let failure = handler.failure { return failure } }
        return result.failure
    }

    /// The end of the task, as notifications and events report it.
    var completion: TaskCompletion {
        let first = count == nil ? handlers.first : nil
        return TaskCompletion(
            serializer: first?.serializer,
            data: result.received == nil || file != nil ? nil : result.data,
            error: failure?.error,
            fileURL: try? file?.get(),
            timeline: timeline,
            serialized: { first?.value }
        )
    }
}

/// The end of a call: validation and serialization, the handlers, the notification, and the group.
extension SessionTask {
    /// The number of bytes up to which content counts as small.
    static let smallSize = 4096

    /// Ends the course of the call, because its transfer has ended. Later events have no effect.
    /// - Returns: The previous state of the task; nil if the course had ended before.
    func endCourse() -> State? {
        // The transport's code runs before the lock is taken.
        let transactions = endedTransactions
        let end = storage.withLock { call -> (state: State, timers: CallTimers?)? in
            guard let end = call.course.end() else { return nil }
            call.timeline.completed = .now
            call.attempt.resumeData = nil
            call.note(transactions)
            // At its end, the task leaves the group. If it was never resumed, it has not entered the group yet.
            if end.state == .initialized { environment.settings.completionGroup.enter() }
            return end
        }
        end?.timers?.cancel()
        return end?.state
    }

    /// Ends the call with the result of its transfer. Called once, after ``endCourse()``.
    /// - Parameters:
    ///   - result: The result of the transfer.
    ///   - report: Called before serialization with the error that the task will report, if any.
    func end(with result: TransferResult, report: (LarkspurError?) -> Void) {
        let hasReported = upload.end(successfully: result.failure == nil, of: self)
        // `end` stands first in the condition, because it has to be called in any case.
        let isUnseen = !download.end(successfully: result.failure == nil, of: self) && !hasReported && endsUnseen
        report(result.error)
        switch route(of: result, isUnseen: isUnseen) {
        // The awaiting code serializes the response and ends the task, in `endAwaited`. Nothing else is notified of
        // the end, so the order of the completion queue does not matter.
        case .awaiter(let resume): resume(result)
        case .completionQueue: environment.settings.completionQueue.async { [self] in deliver(makeEnding(of: result)) }
        case .processing:
            environment.processing.submit { [self] in
                let ending = makeEnding(of: result)
                // An `await` can be resumed on this thread, without the completion queue.
                if isUnseen, !ending.handlers.isEmpty, ending.handlers.allSatisfy({ $0.resume != nil }) {
                    return deliverUnseen(ending) {
                        for handler in ending.handlers { handler.deliver(ending, of: self) }
                    }
                }
                environment.settings.completionQueue.async { [self] in deliver(ending) }
            }
        }
    }

    /// Whether only the handlers are notified of the end: there are no notifications, observers, hooks, or closures for
    /// resume data.
    private var endsUnseen: Bool {
        environment.settings.interest.isEmpty && !isObserved.load(ordering: .relaxed)
            && storage.withLock { $0.hooks == nil && !$0.handlers.wantsResumeData }
    }

    /// Decides where a response is serialized. If the content is small and the caller has added no checks, the task
    /// that awaits the response or the completion queue may serialize it. In all other cases, the processing queue
    /// serializes it. The main queue never does, because it may serve a user interface.
    func route(of result: TransferResult, isUnseen: Bool) -> CallHandlers.Route {
        guard result.data.count <= Self.smallSize, plan.download == nil, plan.template.stream == nil else {
            return .processing
        }
        return storage.withLock { call in
            guard call.start.options.value.checks.ofContent.isEmpty, call.start.stream == nil else {
                return .processing
            }
            return call.handlers.route(
                without: plan.chain?.serializer.isQuick == true,
                isUnseen: isUnseen,
                mayUseQueue: !environment.completesOnMain
            )
        }
    }

    /// Creates the ending: validates the response, and serializes it for each handler. Called once.
    /// - Parameter awaiter: The handler of the `await` that has taken the result. Default: nil, for none.
    func makeEnding(of result: TransferResult, for awaiter: CallHandler? = nil) -> CallEnding {
        let (options, ownStream) = storage.withLock { ($0.start.options, $0.start.stream) }
        let stream = plan.template.stream ?? ownStream
        let ending = CallEnding(options.value.verifyingDigests(of: result, from: stream), options)
        if let placement = plan.download { placement.placeFile(of: ending, for: self) }
        if let stream { ending.count = stream.result(of: ending.result) }
        if let awaiter { ending.add(awaiter) }
        var late: [CallHandler] = []
        // A further round of this loop takes the handlers that are added during the serialization. Handlers that came
        // too late to be served are postponed to the end of the call.
        while true {
            let (served, others, isLast) = takeHandlers(ending)
            late += others
            if isLast { break }
            for handler in served { ending.add(handler) }
        }
        // The response of a call without handlers is validated too, for notifications and for the report of a failure.
        if ending.handlers.isEmpty, late.isEmpty, stream == nil, let chain = plan.chain, plan.download == nil {
            ending.add(silentHandler(chain.serializer))
        }
        if !late.isEmpty { storage.withLock { $0.handlers.postpone(late) } }
        return ending
    }

    /// Takes the handlers that have been added. If there are no handlers to serve, stores the ending for handlers that
    /// are added later.
    /// - Returns: The handlers to serve, the handlers that came too late to be served, and whether no more handlers are
    ///   taken.
    private func takeHandlers(_ ending: CallEnding) -> ([CallHandler], late: [CallHandler], isLast: Bool) {
        storage.withLock { call in
            let (served, late) = call.handlers.take()
            guard served.isEmpty else { return (served, late, false) }
            call.timeline.serialized = .now
            if plan.chain != nil { call.handlers.ending = ending }
            ending.timeline = call.timeline
            return (served, late, true)
        }
    }

    /// Returns the handler for a call without handlers. It reports the call's failure.
    private func silentHandler(_ serializer: AnyResponseSerializer) -> CallHandler {
        ContentHandler(serializer) { task, response in
            guard let error = response.error, let writer = task.environment.failureWriter else { return }
            UnhandledFailure.line(about: error).map(writer)
        }
    }

    // MARK: Delivering the ending

    /// Calls the observers, runs the handlers and posts the notifications of the end. Then leaves the group. Called
    /// once, on the completion queue.
    private func deliver(_ ending: CallEnding) {
        let (handlers, hooks, observation) = endHandlers(with: ending.failure)
        observation?.deliver(.completed, of: self, .completion(ending.completion, ending.result))
        callLateHandlers(ending)
        for handler in handlers { handler(ending.failure?.error.resumeData) }
        ending.move.map { $0.post(from: self) }
        if let count = ending.count { stream?.end(count.failure) }
        run(ending.handlers[...], ending) { [self] in
            post(.didComplete) { [TaskCompletion.userInfoKey: ending.completion] }
            // If the call takes handlers and the download has succeeded, the file stays for handlers that are added
            // later.
            if plan.chain == nil || ending.failure != nil { ending.temporaryFile?.discard() }
            // The hooks may retain the task. They are released here, outside the lock.
            withExtendedLifetime(hooks) {}
            // The handlers are released, because a handler that is added later needs only the other properties.
            ending.handlers = []
            environment.settings.completionGroup.leave()
        }
    }

    /// Calls handlers one after the other. Each handler runs on its own queue, or on the completion queue if it has
    /// none. Called on the completion queue, where `end` is also called after the last handler.
    private func run(
        _ handlers: ArraySlice<CallHandler>,
        _ ending: CallEnding,
        then end: @escaping @Sendable () -> Void
    ) {
        var rest = handlers
        while let next = rest.popFirst() {
            guard let queue = next.queue else {
                next.deliver(ending, of: self)
                continue
            }
            return queue.async { [rest] in
                next.deliver(ending, of: self)
                self.environment.settings.completionQueue.async { self.run(rest, ending, then: end) }
            }
        }
        end()
    }

    /// Ends the call for an `await` that has taken the result of the transfer, on the current thread.
    func endAwaited(_ result: TransferResult, by handler: CallHandler) -> CallEnding {
        let ending = makeEnding(of: result, for: handler)
        deliverUnseen(ending) {}
        return ending
    }

    /// Ends a call for which only `await`s and a sequence wait. This happens on the current thread, or on the
    /// completion queue if an observer was added at the last moment.
    /// - Parameter resume: Resumes the `await`s that are still waiting.
    private func deliverUnseen(_ ending: CallEnding, _ resume: @escaping @Sendable () -> Void) {
        let (_, hooks, observation) = endHandlers(with: ending.failure)
        withExtendedLifetime(hooks) {}
        let end: @Sendable () -> Void = { [self] in
            observation?.deliver(.completed, of: self, .completion(ending.completion, ending.result))
            callLateHandlers(ending)
            // A sequence may wait for the same end. Nothing else ends the sequence, for example if no response has
            // arrived.
            if let count = ending.count { stream?.end(count.failure) }
            resume()
            ending.handlers = []
            environment.settings.completionGroup.leave()
        }
        if observation == nil { end() } else { environment.settings.completionQueue.async(execute: end) }
    }

    /// Calls the handlers that were added after the response was serialized. They run after the observers of the end,
    /// and find the error of the task.
    private func callLateHandlers(_ ending: CallEnding) {
        for handler in storage.withLock({ $0.handlers.report() }) { serve(handler, with: ending) }
    }

    /// Records that the handlers run. The returned objects are used and released outside the lock.
    private func endHandlers(
        with error: StoredError?
    ) -> ([CallHandlers.ResumeDataHandler], TaskHooks?, CallObservation?) {
        storage.withLock { ($0.handlers.end(with: error), $0.hooks.take(), $0.observation.take()) }
    }

    // MARK: Adding handlers

    /// Adds a handler, and starts the call if it has not started. A task that was created with a handler takes no other
    /// handlers.
    func add(_ handler: CallHandler) {
        guard plan.chain != nil else { return refuse(handler) }
        let ending = storage.withLock { $0.handlers.add(handler) }
        if let ending { serve(handler, with: ending) } else { resume() }
    }

    private func refuse(_ handler: CallHandler) {
        let error = LarkspurError(
            .unsupported,
            "The task was made with a completion handler, and takes no other handlers: make the call without closures."
        )
        let result = TransferResult(request: originalRequest, received: nil, data: Data(), error: error)
        let ending = CallEnding(result, .none)
        ending.timeline = timeline
        if self is DownloadTask { ending.file = .failure(error) }
        serve(handler, with: ending)
    }

    /// Serializes the response for a handler that was added late, and calls the handler.
    private func serve(_ handler: CallHandler, with ending: CallEnding) {
        let deliver: @Sendable () -> Void = { [self] in
            (handler.queue ?? environment.settings.completionQueue).async { handler.deliver(ending, of: self) }
        }
        guard handler.serializer != nil else { return deliver() }
        environment.processing.submit {
            handler.prepare(ending)
            deliver()
        }
    }
}
