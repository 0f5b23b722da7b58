internal import HTTPSyntax
import Synchronization

/// The plan of a call that has not started yet: its settings and its handlers.
///
/// A call starts with its first handler, `await` or sequence, or with ``SessionTask/resume()``. It is then launched
/// with the settings, which creates its `URLSessionTask`. Handlers may still be added, also after its end.
final class CallPlan: Sendable {
    /// A closure that creates the attempt of a task, or ends it.
    typealias Launch = @Sendable (SessionTask, Settings) -> Void
    /// A handler of a finished download.
    typealias FileHandler = @Sendable (DownloadResponse) -> Void

    /// The settings that a call has when it starts.
    struct Settings: Sendable {
        var interceptors = RequestInterceptors()
        var timeouts = Timeouts()
        /// The stream that the content goes to; nil if it is collected.
        var stream: ContentStream?
        /// The request for an event stream; nil if the content may be anything.
        var eventStream: EventStreamRequest?
        /// Whether the call was cancelled before it started, so that nothing is sent.
        var isCancelled = false
    }

    private struct State {
        var settings = Settings()
        var rules = ResponseRules()
        var launch: Launch?
        var handlers: [ResponseHandler] = []
        /// Whether the response is serialized where no code of a caller may run.
        var isQuick = false
        var fileHandlers: [(queue: DispatchQueue?, body: FileHandler)] = []
        var finished: Finished?
        var cancelWork: (@Sendable () -> Void)?
        var isCancelled = false
        var timers: CallTimers?
        var hasEnded = false
    }

    /// The result of a call, for handlers that are added after it has been serialized.
    enum Finished: Sendable {
        case content(TransferResult, ResponseRules, Timeline)
        case file(DownloadResponse)
    }

    /// The request, or the error that prevented its creation.
    let request: Result<URLRequest, LarkspurError>?
    /// The decoder of handlers that name a type.
    let jsonDecoder: JSONDecoder
    /// Whether handlers and sequences may be added. A task that was made with a completion handler takes none.
    let takesHandlers: Bool
    /// The handler of a call without one, for the notification of its end.
    private let silentHandler: ResponseHandler?
    /// The closure that writes lines about mistakes; nil if these are not reported.
    private let writer: UnhandledFailure.Writer?
    private let state: Mutex<State>

    /// - Parameters:
    ///   - request: The request, or the error that prevented its creation; nil for a download from resume data.
    ///   - jsonDecoder: The decoder of handlers that name a type.
    ///   - takesHandlers: Whether handlers and sequences may be added. Default: true.
    ///   - silentHandler: The handler of a call that gets none. Default: none.
    ///   - writer: The closure that writes lines about mistakes; nil to report none.
    ///   - launch: Creates the attempt of the task, or ends it.
    init(
        request: Result<URLRequest, LarkspurError>?,
        jsonDecoder: JSONDecoder,
        takesHandlers: Bool = true,
        silentHandler: ResponseHandler? = nil,
        writer: UnhandledFailure.Writer?,
        launch: @escaping Launch
    ) {
        self.request = request
        self.jsonDecoder = jsonDecoder
        self.takesHandlers = takesHandlers
        self.silentHandler = silentHandler
        self.writer = writer
        state = Mutex(State(launch: launch))
    }

    deinit {
        guard state.withLock({ $0.launch != nil }), let writer else { return }
        writer(
            "Larkspur: \(target) was made and never started: add a handler, await its response, or call resume()."
                .onOneLine
        )
    }

    /// The method and the URL, for messages.
    private var target: String {
        guard let request = try? request?.get(), let url = request.url else { return "a request" }
        return "\(request.httpMethod ?? "GET") \(LarkspurError.redacted(url))"
    }

    // MARK: Settings

    /// Changes the settings, which is possible until the call starts.
    /// - Parameters:
    ///   - name: The name of the method that the caller used, for a message.
    ///   - body: The change.
    func configure(_ name: String, _ body: (inout Settings, inout ResponseRules) -> Void) {
        let (isLate, previous) = state.withLock { state in
            let previous = (state.settings, state.rules)
            guard state.launch != nil else { return (true, previous) }
            body(&state.settings, &state.rules)
            return (false, previous)
        }
        // The replaced values may own objects of the caller, and are released without the lock.
        withExtendedLifetime(previous) {}
        if isLate { report("\(name) has no effect, because the call has started: put it before the first handler") }
    }

    /// Returns whether settings can still be changed. If not, that is reported.
    /// - Parameter name: The name of the method that the caller used.
    func mayConfigure(_ name: String) -> Bool {
        var isOpen = false
        configure(name) { _, _ in isOpen = true }
        return isOpen
    }

    /// Notes a mistake of the caller.
    func report(_ mistake: String) {
        writer?("Larkspur: \(target): \(mistake).".onOneLine)
    }

    /// Directs the content to a stream.
    /// - Parameters:
    ///   - stream: The stream.
    ///   - eventStream: The request for an event stream; nil if the content may be anything.
    /// - Returns: False if the call has started already.
    func direct(to stream: ContentStream, for eventStream: EventStreamRequest?) -> Bool {
        state.withLock { state in
            guard takesHandlers, state.launch != nil, state.settings.stream == nil else { return false }
            state.settings.stream = stream
            state.settings.eventStream = eventStream
            return true
        }
    }

    /// Whether the call was cancelled before it started.
    var wasCancelledUnstarted: Bool { state.withLock { $0.settings.isCancelled } }

    /// The rules by which the response is acceptable.
    var rules: ResponseRules { state.withLock { $0.rules } }

    // MARK: Start and cancellation

    /// Launches the call, once.
    func launch(_ task: SessionTask, isCancelled: Bool) {
        let (launch, settings) = state.withLock { state in
            if isCancelled { state.settings.isCancelled = true }
            return (state.launch.take(), state.settings)
        }
        launch?(task, settings)
    }

    /// Sets the closure that is called when the task is cancelled while interceptors work. It is called immediately if
    /// that has happened.
    func onCancellation(_ cancelWork: @escaping @Sendable () -> Void) {
        let isCancelled = state.withLock { state in
            if !state.isCancelled { state.cancelWork = cancelWork }
            return state.isCancelled
        }
        if isCancelled { cancelWork() }
    }

    /// Notes that the task was cancelled.
    func cancel() {
        let cancelWork = state.withLock { state in
            state.isCancelled = true
            return state.cancelWork.take()
        }
        cancelWork?()
    }

    // MARK: Timers

    /// Keeps the timers of the call until it ends. They are cancelled immediately if that has happened.
    func use(_ timers: CallTimers) {
        let hasEnded = state.withLock { state in
            if !state.hasEnded { state.timers = timers }
            return state.hasEnded
        }
        if hasEnded { timers.cancel() }
    }

    /// Notes that the transfer of the call has ended.
    func end() {
        let timers = state.withLock { state in
            state.hasEnded = true
            return state.timers.take()
        }
        timers?.cancel()
    }

    // MARK: Handlers

    /// Has the response serialized on the completion queue, if only handlers with quick serializers are there, and no
    /// checks of the caller.
    /// - Returns: Whether it is. Other handlers that are added then are late.
    func becomesQuick() -> Bool {
        state.withLock { state in
            state.isQuick = state.rules.checks.isEmpty && state.handlers.allSatisfy(\.isQuick)
            return state.isQuick
        }
    }

    /// Returns the only handler's way to take the result of the transfer, if the handler is an `await` with a quick
    /// serializer, and there are no checks of the caller. Other handlers that are added then are late.
    func takeAwait() -> (@Sendable (TransferResult) -> Void)? {
        state.withLock { state in
            guard state.handlers.count == 1, state.handlers[0].isQuick, let resume = state.handlers[0].resume,
                state.rules.checks.isEmpty, state.settings.stream == nil
            else { return nil }
            state.handlers = []
            return resume
        }
    }

    /// Notes the end of a call whose result an `await` has taken, and serves the handlers that were added since.
    /// - Returns: The timeline of the call.
    func finishAwaited(_ result: TransferResult, of task: SessionTask) -> Timeline {
        let (late, rules, timeline) = state.withLock { state in
            defer { state.handlers = [] }
            let timeline = task.markSerialized()
            state.finished = .content(result, state.rules, timeline)
            return (state.handlers, state.rules, timeline)
        }
        for handler in late { handOver(result, rules, timeline, to: handler, of: task) }
        return timeline
    }

    /// Adds a handler, and starts the call if it has not started.
    func add(_ handler: ResponseHandler, to task: SessionTask) {
        let finished = state.withLock { state in
            if state.finished == nil { state.handlers.append(handler) }
            return state.finished
        }
        guard case .content(let result, let rules, let timeline) = finished else { return task.resume() }
        handOver(result, rules, timeline, to: handler, of: task)
    }

    /// Serializes the response for a handler that was added late, and calls it.
    private func handOver(
        _ result: TransferResult,
        _ rules: ResponseRules,
        _ timeline: Timeline,
        to handler: ResponseHandler,
        of task: SessionTask
    ) {
        task.environment.processing.submit {
            let response = handler.serialize(result, rules)
            (handler.queue ?? task.environment.completionQueue).async { response.deliver(timeline) }
        }
    }

    /// Adds a handler of a file, and starts the call if it has not started.
    func add(_ queue: DispatchQueue?, _ handler: @escaping FileHandler, to task: SessionTask) {
        let finished = state.withLock { state in
            if state.finished == nil { state.fileHandlers.append((queue, handler)) }
            return state.finished
        }
        guard case .file(let response) = finished else { return task.resume() }
        (queue ?? task.environment.completionQueue).async { handler(response) }
    }

    /// Serializes the response for each handler. Called once.
    /// - Parameters:
    ///   - result: The result of the transfer.
    ///   - task: The task.
    ///   - isSilent: Whether a call without a handler needs no other one. Default: false.
    func finish(_ result: TransferResult, of task: SessionTask, isSilent: Bool = false) -> TaskEnding {
        let rules = rules
        // A handler that is added during the serialization of others is serialized too.
        var responses: [(queue: DispatchQueue?, response: SerializedResponse)] = []
        var timeline = Timeline()
        var late: [ResponseHandler] = []
        var isAwaited = !isSilent
        while true {
            let handlers = state.withLock { state -> [ResponseHandler] in
                if state.isQuick { late += state.handlers.filter { !$0.isQuick } }
                let handlers = state.isQuick ? state.handlers.filter(\.isQuick) : state.handlers
                state.handlers = []
                if handlers.isEmpty {
                    timeline = task.markSerialized()
                    state.finished = .content(result, rules, timeline)
                }
                return handlers
            }
            if handlers.isEmpty { break }
            for handler in handlers {
                if handler.resume == nil { isAwaited = false }
                responses.append((handler.queue, handler.serialize(result, rules)))
            }
        }
        for handler in late { handOver(result, rules, timeline, to: handler, of: task) }
        if responses.isEmpty, late.isEmpty, !isSilent, let silentHandler {
            isAwaited = false
            responses.append((nil, silentHandler.serialize(result, rules)))
        }
        let first = responses.first?.response
        return TaskEnding(
            completion: TaskCompletion(
                serializer: first?.serializer,
                data: result.response == nil ? nil : result.data,
                error: responses.lazy.compactMap(\.response.error).first ?? result.error,
                fileURL: nil,
                timeline: timeline,
                serialized: first?.value
            ),
            deliveries: responses.map { queue, response in
                TaskEnding.Delivery(queue: queue) { [timeline] in response.deliver(timeline) }
            },
            isAwaited: isAwaited
        )
    }

    /// Returns the calls of the handlers of a finished download. Called once, on the processing queue.
    func finish(_ response: DownloadResponse) -> [TaskEnding.Delivery] {
        let handlers = state.withLock { state in
            defer { state.fileHandlers = [] }
            state.finished = .file(response)
            return state.fileHandlers
        }
        return handlers.map { queue, handler in TaskEnding.Delivery(queue: queue) { handler(response) } }
    }
}
