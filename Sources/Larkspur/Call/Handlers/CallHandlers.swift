/// The handlers of a call, and its outcome once they run.
struct CallHandlers {
    typealias ResumeDataHandler = @Sendable (Data?) -> Void

    /// The handlers that have not been taken yet.
    private var waiting: [CallHandler] = []
    /// The handlers that were added too late to be served with the others, and before observers were notified of the
    /// end.
    private var late: [CallHandler] = []
    /// Whether the observers of the call were notified of its end, so that a late handler may run.
    private var isReported = false
    /// The rule for handlers that are added while the response is serialized.
    private var admission = Admission.all
    /// The ending, for handlers that are added later; nil until the response has been serialized.
    var ending: CallEnding?
    private var resumeDataHandlers: [ResumeDataHandler] = []
    /// Whether the handlers are running, or have run.
    private(set) var hasEnded = false
    /// The error of the call.
    private(set) var error: StoredError?

    /// The rule for handlers that are added while the response is serialized: the kinds of handlers that are still
    /// served.
    private enum Admission {
        case all
        /// Only handlers with quick serializers.
        case quick
        case none
    }

    /// The place where a response is serialized.
    enum Route {
        /// The task that awaits the response.
        case awaiter(@Sendable (TransferResult) -> Void)
        /// The completion queue, because that takes less time than waking a thread of the processing queue.
        case completionQueue
        case processing
    }

    /// Whether a closure gets the resume data.
    var wantsResumeData: Bool { !resumeDataHandlers.isEmpty }

    /// Adds a handler.
    /// - Returns: The ending, with which the caller calls the handler now; nil if the handler is called later.
    mutating func add(_ handler: CallHandler) -> CallEnding? {
        if isReported { return ending }
        if ending == nil { waiting.append(handler) } else { late.append(handler) }
        return nil
    }

    /// Adds handlers that came too late to be served, and are called at the end of the call.
    mutating func postpone(_ handlers: [CallHandler]) { late += handlers }

    /// Adds a closure that gets the resume data. Returns false if the handlers have begun to run.
    mutating func add(_ handler: @escaping ResumeDataHandler) -> Bool {
        if !hasEnded { resumeDataHandlers.append(handler) }
        return !hasEnded
    }

    /// Decides where small content is serialized.
    /// - Parameters:
    ///   - isQuick: Whether the serializer of a call without handlers is quick.
    ///   - isUnseen: Whether only the handlers are notified of the end.
    ///   - mayUseQueue: Whether the completion queue may serialize.
    mutating func route(without isQuick: @autoclosure () -> Bool, isUnseen: Bool, mayUseQueue: Bool) -> Route {
        if isUnseen, waiting.count == 1, waiting[0].mayAwaiterSerialize, let resume = waiting[0].resume {
            // A handler that is added from now on is late.
            (waiting, admission) = ([], .none)
            return .awaiter(resume)
        }
        guard mayUseQueue, waiting.allSatisfy(\.isQuick), !waiting.isEmpty || isQuick() else { return .processing }
        admission = .quick
        return .completionQueue
    }

    /// Takes the handlers that have been added: the handlers to serve, and the handlers that came too late to be
    /// served.
    mutating func take() -> (served: [CallHandler], late: [CallHandler]) {
        let handlers = exchange(&waiting, with: [])
        let served = handlers.filter { admission == .all || admission == .quick && $0.isQuick }
        let late = served.count == handlers.count ? [] : handlers.filter { admission != .quick || !$0.isQuick }
        return (served, late)
    }

    /// Records that the observers of the call were notified of its end, and returns the late handlers, which may run
    /// now.
    mutating func report() -> [CallHandler] {
        isReported = true
        return late.isEmpty ? [] : exchange(&late, with: [])
    }

    /// Records that the handlers run.
    /// - Returns: The closures that get the resume data, which are called and released outside the lock.
    mutating func end(with error: StoredError?) -> [ResumeDataHandler] {
        self.error = error
        hasEnded = true
        return exchange(&resumeDataHandlers, with: [])
    }
}
