#if canImport(FoundationNetworking)
import Synchronization

/// The common part of the classes of tasks: everything but their superclass.
///
/// One lock guards the state that users see of a task; no foreign code runs within it. The work is done on the
/// session's loop.
final class TaskCore: Sendable {
    /// The kind of a task, which determines how the response is delivered.
    enum Kind: Sendable {
        case data
        case upload
        case download
    }

    /// The closure that replaces the delegate's methods for the response and its content.
    enum Completion: Sendable {
        case data(@Sendable (Data?, URLResponse?, (any Error)?) -> Void)
        case download(@Sendable (URL?, URLResponse?, (any Error)?) -> Void)
        /// A Swift task that consumes the content as it arrives.
        case bytes(ByteChannel)

        /// Whether the content is delivered piece by piece, as to a delegate.
        var isPiecewise: Bool {
            if case .bytes = self { return true }
            return false
        }
    }

    /// Whether the response and its content are delivered as they arrive.
    var isPiecewise: Bool { completion?.isPiecewise ?? true }

    struct Storage {
        var state = URLSessionTask.State.suspended
        var suspensions = Suspensions()
        /// Whether the task was resumed at least once.
        var isStarted = false
        /// Whether the loop has begun the task, which it does once.
        var hasBegun = false
        /// Whether the task waits for a connection no longer.
        var hasLeftQueue = false
        /// The longest time for making a connection, in seconds; nil for none.
        var connectTimeout: TimeInterval?
        /// The time of the first resumption.
        var firstResumption: LoopTime?
        var currentRequest: URLRequest?
        var response: ReceivedResponse?
        var error: (any Error)?
        /// The error of a cancellation, with which the task ends.
        var cancellation: (any Error)?
        /// Whether the cancellation produces resume data, and leaves a complete download intact.
        var isCancelledResumably = false
        var counts = TransferCounts()
        var priority = URLSessionTask.defaultPriority
        var description: String?
        /// The task's own delegate as each of its protocols; nil without a delegate.
        var delegates: Delegates?
        /// Whether that delegate receives the response and its content besides the completion handler.
        var sharesContent = false
        var progress: Progress?
        var earliestBeginDate: Date?
        var expectsToReceive = NSURLSessionTransferSizeUnknown
        var expectsToSend = NSURLSessionTransferSizeUnknown
        var metrics: [TransferMetrics] = []
        /// The resume data of a download that ended now.
        @Boxed var resumption: ResumeData?
        weak var object: URLSessionTask?
        /// The task object, which the session retains from the first resumption to the end.
        var runningObject: URLSessionTask?
    }

    let identifier: Int
    let kind: Kind
    let originalRequest: URLRequest?
    let body: RequestBody
    let completion: Completion?
    /// The resume data from which the task continues.
    let resumption: ResumeData?
    /// The connection of a WebSocket that the task makes; nil for other tasks.
    let webSocket: WebSocketConnection?
    let session: SessionCore
    /// The reason why the task fails as soon as it is resumed.
    let defect: URLError?
    /// Whether the task is the session's own, which revalidates a cached response that was delivered stale.
    let isRefresh: Bool
    /// Whether the events go to a receiver, so that the task has an object only if somebody asks for it.
    let hasReceiver: Bool
    private let storage: Mutex<Storage>
    let backlog = Backlog()
    /// The date at which the task was created.
    let creation = Date()
    /// The state that belongs to the thread or queue on which the delegate is called.
    let deliveryState = DeliveryState()

    init(
        identifier: Int,
        kind: Kind,
        request: URLRequest?,
        body: RequestBody,
        completion: Completion?,
        resumption: ResumeData? = nil,
        webSocket: WebSocketConnection? = nil,
        session: SessionCore,
        defect: URLError?,
        isRefresh: Bool = false,
        receiver: (any TransferReceiver)? = nil
    ) {
        self.identifier = identifier
        self.kind = kind
        self.originalRequest = request
        self.body = body
        self.completion = completion
        self.resumption = resumption
        self.webSocket = webSocket
        self.session = session
        self.defect = defect
        self.isRefresh = isRefresh
        hasReceiver = receiver != nil
        deliveryState.receiver = receiver
        var storage = Storage()
        storage.currentRequest = request
        self.storage = Mutex(storage)
    }

    func withStorage<Result>(_ access: (inout Storage) -> sending Result) -> sending Result {
        storage.withLock { access(&$0) }
    }

    // MARK: The task object

    /// Sets the task object, if there is none yet.
    func attach(_ object: URLSessionTask) { storage.withLock { $0.object = $0.object ?? object } }

    /// Notes the release of the task object. A task that was never resumed then ends; a task under way retains its task
    /// object. The receiver of a transfer decides about its end itself.
    func objectReleased() {
        if !hasReceiver, withStorage({ !$0.isStarted && $0.state == .suspended }) { session.taskEnded(self) }
    }

    /// Replaces the task object.
    func replaceObject(with object: URLSessionTask) {
        storage.withLock { storage in
            storage.object = object
            if storage.runningObject != nil { storage.runningObject = object }
        }
    }

    var counts: TransferCounts { storage.withLock { $0.counts } }

    /// The progress of both directions of the task; created on first use, and updated from then on.
    var progress: Progress {
        if let progress = withStorage({ $0.progress }) { return progress }
        // Made outside the lock and without a parent: the current progress of the thread is the caller's, and what it
        // does to its children would reach the task.
        let progress = Progress(parent: nil)
        progress.isPausable = true
        progress.cancellationHandler = { [weak self] in self?.cancel() }
        let follow: @Sendable () -> Void = { [weak self, weak progress] in
            if let self, let progress { self.follow(progress) }
        }
        progress.pausingHandler = follow
        progress.resumingHandler = follow
        return storage.withLock { storage in
            if let other = storage.progress { return other }
            // No other thread has the object yet.
            storage.counts.show(in: progress)
            if storage.state == .completed, storage.error == nil { storage.counts.finish(progress) }
            storage.progress = progress
            return progress
        }
    }

    func summary(of name: String) -> String {
        "<\(name) \(identifier): \(originalRequest?.httpMethod ?? "GET") \(originalRequest?.url?.host ?? "no host")>"
    }

    // MARK: Controls

    func resume() { control { $0.resume() } }

    /// Resumes the task if nobody has done so yet.
    func resumeIfNew() {
        if withStorage({ !$0.isStarted }) { resume() }
    }

    func suspend() { control { $0.suspend() } }

    private func follow(_ progress: Progress) { control { $0.follow(isPaused: progress.isPaused) } }

    private func control(_ change: (inout Suspensions) -> Suspensions.Change?) {
        let change = storage.withLock { storage -> Suspensions.Change? in
            guard storage.state == .running || storage.state == .suspended else { return nil }
            let change = change(&storage.suspensions)
            switch change {
            case .resumed:
                storage.state = .running
                if !storage.isStarted { storage.runningObject = storage.object }
                storage.isStarted = true
                storage.firstResumption = storage.firstResumption ?? .now
            case .suspended: storage.state = .suspended
            case nil: break
            }
            return change
        }
        switch change {
        case .resumed: if let defect { end(with: defect) } else { session.loop.post(.resume(self)) }
        case .suspended: session.loop.post(.suspend(self))
        case nil: break
        }
    }

    func cancel() { cancel(with: URLError.engine(.cancelled, "The task was cancelled.", url: originalRequest?.url)) }

    func cancel(with error: any Error) {
        guard noteCancellation(error) else { return }
        if defect == nil { session.loop.post(.cancel(self, error)) } else { end(with: error) }
    }

    /// Cancels a download, and passes its resume data to a handler; the handler is called once, where delegates are
    /// called.
    ///
    /// A download that is complete by then ends as if it had not been cancelled, and the handler gets nil.
    func cancel(leavingResumeDataFor handler: Delivery.ResumeDataHandler) {
        let error = URLError.engine(.cancelled, "The task was cancelled.", url: originalRequest?.url)
        let isCancelled = noteCancellation(error, isResumable: true)
        if isCancelled, defect == nil { return session.loop.post(.cancelResumably(self, error, handler)) }
        session.delivery.send(.event(self, .resumeData(nil, handler)), through: session.loop)
        if isCancelled { end(with: error) }
    }

    /// Notes a cancellation; returns false if the task has ended, or was cancelled before.
    private func noteCancellation(_ error: any Error, isResumable: Bool = false) -> Bool {
        storage.withLock { storage in
            guard storage.state == .running || storage.state == .suspended else { return false }
            storage.state = .canceling
            storage.cancellation = error
            storage.isCancelledResumably = isResumable
            // A task that was never resumed ends too, and reports the end to its delegate.
            storage.runningObject = storage.object
            return true
        }
    }

    /// Ends a task without the loop.
    private func end(with error: any Error) {
        if tellsMetrics { session.delivery.send(.event(self, .metrics(hasFailed: true)), through: session.loop) }
        session.delivery.send(.event(self, .complete(error)), through: session.loop)
    }

    // MARK: For the loop

    var isCancelled: Bool { storage.withLock { $0.state == .canceling || $0.state == .completed } }

    /// Whether further content is no longer wanted. It still is if the cancellation of a download must not lose
    /// anything.
    var isAbandoned: Bool {
        storage.withLock { storage in
            storage.state == .completed || storage.state == .canceling && !storage.isCancelledResumably
        }
    }

    var isSuspended: Bool { storage.withLock { $0.state == .suspended } }

    /// The loop's decision about a task that has not begun.
    enum Beginning: Equatable {
        /// The task begins, which is returned once.
        case now
        case later(Dormancy)
        /// The task does not begin: it has already begun, or has ended, or was never resumed.
        case never
    }

    /// Decides whether the loop begins the task.
    func begin(at now: LoopTime) -> Beginning {
        storage.withLock { storage in
            // A task with a defect ends without the loop, whatever commands arrive meanwhile.
            guard storage.state == .running || storage.state == .suspended, !storage.hasBegun, defect == nil,
                let resumption = storage.firstResumption
            else { return .never }
            let delay = max(0, storage.earliestBeginDate?.timeIntervalSinceNow ?? 0)
            // The date is of a clock that can be set.
            let timerStart = delay > 0 ? max(resumption, now.adding(delay)) : resumption
            if storage.state == .suspended { return .later(Dormancy(timerStart: timerStart, beginning: nil)) }
            if delay > 0 { return .later(Dormancy(timerStart: timerStart, beginning: now.adding(delay))) }
            storage.hasBegun = true
            return .now
        }
    }

    /// Returns the time at which the timer of its resource started, for a task that has begun: its first resumption, or
    /// its earliest begin date.
    func timerStart(at now: LoopTime) -> LoopTime {
        storage.withLock { storage in
            let start = storage.firstResumption ?? now
            guard let date = storage.earliestBeginDate else { return start }
            return max(start, now.subtracting(-date.timeIntervalSinceNow))
        }
    }

    var priority: Float { storage.withLock { $0.priority } }

    func setPriority(_ priority: Float) {
        storage.withLock { $0.priority = priority }
        session.loop.post(.prioritize(self))
    }

    func setCurrentRequest(_ request: URLRequest) {
        // The previous request may be released here, with a stream of the caller's.
        let previous = storage.withLock { storage in
            defer { storage.currentRequest = request }
            return storage.currentRequest
        }
        withExtendedLifetime(previous) {}
    }

    /// Notes a response, and the expected length of its content.
    func setResponse(_ response: ReceivedResponse, expected: Int64) {
        // The previous response, which may be of a class of the caller's, is released without the lock.
        let previous = storage.withLock { storage in
            storage.counts.expectedToReceive = expected
            defer { storage.response = response }
            return storage.response
        }
        withExtendedLifetime(previous) {}
    }

    /// Changes the counts, and the progress object if there is one.
    /// - Returns: The counts afterwards.
    @discardableResult func count(_ change: (inout TransferCounts) -> Void) -> TransferCounts {
        let (progress, counts) = storage.withLock { storage in
            change(&storage.counts)
            return (storage.progress, storage.counts)
        }
        if let progress { counts.show(in: progress) }
        return counts
    }

    /// Notes the resume data and the number of bytes received; nil leaves the number unchanged.
    func noteResumption(_ resumption: ResumeData?, received: Int64?) {
        storage.withLock { $0.resumption = resumption }
        if let received { count { $0.received = received } }
    }

    var currentResumeData: Data? {
        let (resumption, received) = storage.withLock { ($0.resumption, $0.counts.received) }
        guard var resumption, received > 0 else { return nil }
        resumption.received = received
        resumption.date = Date()
        return resumption.encoded
    }

    /// The resume data of a task that never began.
    var unusedResumeData: Data? { storage.withLock { $0.hasBegun } ? nil : resumption?.encoded }

    func add(_ metrics: TransferMetrics) { storage.withLock { $0.metrics.append(metrics) } }

    /// Corrects the metrics of the last transfer, whose content had not been decoded completely when it ended.
    func noteDecodedBytes(_ count: Int64) {
        storage.withLock { storage in
            guard let last = storage.metrics.indices.last else { return }
            storage.metrics[last].responseBodyBytesDecoded = count
        }
    }

    /// The state of a task that is completed.
    struct Ending {
        /// The task object, which lives until the delegate has been called.
        let object: URLSessionTask?
        let response: ReceivedResponse?
        let error: (any Error)?
    }

    /// Marks the task as completed and releases the task object.
    ///
    /// A task that was cancelled before its delegate learned of its end has failed, unless that cancellation comes too
    /// late.
    func complete(with outcome: (any Error)?, heedsCancellation: Bool) -> Ending {
        let (ending, progress, counts) = storage.withLock { storage in
            let isHeeded = heedsCancellation && !storage.isCancelledResumably
            let error = outcome ?? (isHeeded ? storage.cancellation : nil)
            storage.state = .completed
            storage.error = error
            storage.currentRequest = storage.currentRequest ?? originalRequest
            defer { storage.runningObject = nil }
            let object = storage.runningObject ?? storage.object
            return (Ending(object: object, response: storage.response, error: error), storage.progress, storage.counts)
        }
        if let progress, ending.error == nil { counts.finish(progress) }
        return ending
    }

    /// The task's own delegate; nil if it has none.
    var delegate: (any URLSessionTaskDelegate)? { storage.withLock { $0.delegates?.task } }

    func setDelegate(_ delegate: (any URLSessionTaskDelegate)?) {
        // The previous delegate may be released here, and its code must not run within the lock.
        let delegates = delegate.map { Delegates($0) }
        let previous = storage.withLock { storage in
            defer { storage.delegates = delegates }
            return storage.delegates
        }
        withExtendedLifetime(previous) {}
    }

    /// Whether the task has a delegate of its own.
    var hasOwnDelegate: Bool { storage.withLock { $0.delegates != nil } }

    /// Has the task's own delegate receive the response and its content besides the completion handler.
    ///
    /// FoundationNetworking does so for the delegate of an async method, and not for one that is set on a task.
    func shareContent() { storage.withLock { $0.sharesContent = true } }

    /// Whether the task's own delegate receives the response and its content besides the completion handler.
    var sharesContent: Bool { storage.withLock { $0.sharesContent && $0.delegates?.data != nil } }

    /// Whether a delegate receives the progress of a download: besides a completion handler only that of the task
    /// itself.
    var tellsDownload: Bool { completion == nil || hasOwnDelegate }

    /// Whether a delegate receives the metrics; a session manager's delegate gets them in another way.
    var tellsMetrics: Bool { !session.delivery.isOnLoop && (session.delegates.task != nil || hasOwnDelegate) }

    /// The delegate for the task's events: its own, else the session's.
    var delegates: Delegates { storage.withLock { $0.delegates } ?? session.delegates }

    /// The delegate for the task's events, with the objects that it is called with; nil if one of them was released.
    var listener: Listener? {
        let (own, object) = storage.withLock { ($0.delegates, $0.runningObject ?? $0.object) }
        guard let object, let (session, delegates) = session.objectAndDelegates else { return nil }
        return Listener(delegates: own ?? delegates, session: session, task: object)
    }

    /// The task object; nil if it was released. That of a transfer is made when it is asked for, and stays until the
    /// end.
    var object: URLSessionTask? {
        if let object = storage.withLock({ $0.runningObject ?? $0.object }) { return object }
        // Made outside the lock: of several, the first one that is ready is that of the task.
        guard hasReceiver, let made = session.object?.makeTaskObject(self) else { return nil }
        return storage.withLock { storage in
            let object = storage.runningObject ?? storage.object ?? made
            storage.object = object
            if storage.state != .completed { storage.runningObject = object }
            return object
        }
    }
}
#endif
