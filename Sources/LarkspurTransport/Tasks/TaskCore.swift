#if canImport(FoundationNetworking)
import Synchronization

/// The common part of the engine's task classes: everything except their superclass.
///
/// One lock guards the part of the task's state that programs see. No code of the caller runs while the lock is held.
/// The session's loop performs the task.
final class TaskCore: Sendable {
    /// The kind of a task. It determines how the response is delivered.
    enum Kind: Sendable {
        case data
        case upload
        case download
        /// A task of URLSession's WebSocket API.
        case webSocket
    }

    /// The completion handler or the channel that receives the response and its content instead of the delegate.
    enum Completion: Sendable {
        case data(@Sendable (Data?, URLResponse?, (any Error)?) -> Void)
        case download(@Sendable (URL?, URLResponse?, (any Error)?) -> Void)
        /// A Swift task that consumes the content as it arrives.
        case bytes(ResponseChannel<any Error>)

        /// Whether the content is delivered in chunks, as a delegate receives it.
        var isPiecewise: Bool {
            if case .bytes = self { return true }
            return false
        }
    }

    /// Whether the response and its content are delivered in parts as they arrive, and not as a whole.
    var isPiecewise: Bool { plan.completion?.isPiecewise ?? true }

    struct Storage {
        var course = TaskCourse()
        var queueing = Queueing()
        var traffic = TaskTraffic()
        var record: TaskRecord
        var objects = TaskObjects()
        var description: String?
        /// The task's own delegate as each of its protocols; nil without a delegate.
        var delegates: Delegates?
        /// Whether the delegate receives the response and its content in addition to the completion handler.
        var sharesContent = false
        /// The options of the transfer; nil for none.
        var options: TransferOptions?
    }

    /// The wait for a connection.
    struct Queueing {
        var priority = URLSessionTask.defaultPriority
        /// Whether the wait is over.
        var isOver = false
        /// The wait for a place at the host; nil while the task does not wait.
        @Boxed var wait: ConnectionWait?
    }

    let identifier: Int
    let plan: TaskPlan
    let session: SessionCore
    private let storage: Mutex<Storage>
    let backlog = Backlog()
    /// The date of the task's creation.
    let creation = Date()
    /// The state that is used only on the thread or queue of the delegate.
    let deliveryState = DeliveryState()

    init(identifier: Int, _ plan: TaskPlan, session: SessionCore, receiver: (any TransferReceiver)? = nil) {
        self.identifier = identifier
        self.plan = plan
        self.session = session
        deliveryState.receiver = receiver
        storage = Mutex(Storage(record: TaskRecord(currentRequest: plan.originalRequest)))
    }

    var isRefresh: Bool { plan.refresh != nil }

    func withStorage<Result>(_ access: (inout Storage) -> sending Result) -> sending Result {
        storage.withLock { access(&$0) }
    }

    // MARK: The task object

    /// Sets the task object if the task has no object yet.
    func attach(_ object: URLSessionTask) { storage.withLock { $0.objects.attach(object) } }

    /// Called when the task object was released. If the task was neither resumed nor cancelled, this method ends it. A
    /// running task retains its task object. A transfer with a receiver does not end here, because its receiver decides
    /// when it ends.
    func objectReleased() {
        if !plan.hasReceiver, withStorage({ $0.course.isUntouched }) { session.taskEnded(self) }
    }

    /// Replaces the task object.
    func replaceObject(with object: URLSessionTask) {
        storage.withLock { $0.objects.replace(with: object) }
    }

    var counts: TransferCounts { storage.withLock { $0.traffic.counts } }

    /// The progress of both directions of the task. The object is created when it is first read, and is updated from
    /// then on.
    var progress: Progress {
        if let progress = withStorage({ $0.traffic.progress }) { return progress }
        // The object is created outside the lock and without a parent. Otherwise, the caller's current progress would
        // become the parent, and could pause or cancel the task.
        let progress = Progress(parent: nil)
        progress.isPausable = true
        progress.cancellationHandler = { [weak self] in self?.cancel() }
        let follow: @Sendable () -> Void = { [weak self, weak progress] in
            if let self, let progress { self.follow(progress) }
        }
        progress.pausingHandler = follow
        progress.resumingHandler = follow
        return storage.withLock { storage in
            let isOver = storage.course.state == .completed && storage.record.error == nil
            return storage.traffic.adopt(progress, isOver: isOver)
        }
    }

    func summary(of name: String) -> String {
        "<\(name) \(identifier): \(plan.originalRequest?.httpMethod ?? "GET") \(plan.originalRequest?.url?.host ?? "no host")>"
    }

    // MARK: Controls

    func resume() { control { $0.resume() } }

    /// Resumes the task if it was never resumed.
    func resumeIfNew() {
        if withStorage({ !$0.course.isStarted }) { resume() }
    }

    func suspend() { control { $0.suspend() } }

    private func follow(_ progress: Progress) { control { $0.follow(isPaused: progress.isPaused) } }

    private func control(_ change: (inout TaskCourse) -> TaskCourse.Change?) {
        let change = storage.withLock { storage -> TaskCourse.Change? in
            let isFirst = !storage.course.isStarted
            let change = change(&storage.course)
            if change == .resumed, isFirst { storage.objects.retain() }
            return change
        }
        switch change {
        case .resumed:
            if let defect = plan.defect { endWithoutExchange(defect) } else { session.loop.post(.resume(self)) }
        case .suspended: session.loop.post(.suspend(self))
        case nil: break
        }
    }

    func cancel() {
        cancel(with: URLError.engine(.cancelled, "The task was cancelled.", url: plan.originalRequest?.url))
    }

    func cancel(with error: any Error) {
        guard noteCancellation(error) else { return }
        if plan.defect == nil { session.loop.post(.cancel(self, error)) } else { endWithoutExchange(error) }
    }

    /// Cancels a download, and passes its resume data to a handler. The handler is called once, on the thread or queue
    /// of the delegates.
    ///
    /// If the download is already complete, it ends as if it had not been cancelled, and the handler receives nil.
    func cancel(leavingResumeDataFor handler: Delivery.ResumeDataHandler) {
        let error = URLError.engine(.cancelled, "The task was cancelled.", url: plan.originalRequest?.url)
        let isCancelled = noteCancellation(error, isResumable: true)
        if isCancelled, plan.defect == nil { return session.loop.post(.cancelResumably(self, error, handler)) }
        session.delivery.send(.event(self, .resumeData(nil, handler)), through: session.loop)
        if isCancelled { endWithoutExchange(error) }
    }

    /// Records a cancellation. Returns false if the task has ended or was already cancelled.
    private func noteCancellation(_ error: any Error, isResumable: Bool = false) -> Bool {
        storage.withLock { storage in
            guard storage.course.cancel(with: error, isResumable: isResumable) else { return false }
            // Even if the task was never resumed, the task object is retained, because the delegate is notified of the
            // end.
            storage.objects.retain()
            return true
        }
    }

    /// Ends a task that has no exchange and does not need one.
    private func endWithoutExchange(_ error: any Error) {
        let metrics: [Delivery.Event] = tellsMetrics ? [.metrics(hasFailed: true)] : []
        // All events are sent together. Otherwise, if the delegate cancelled the task when it receives the metrics,
        // this method would be called again before the end is sent.
        session.delivery.send((metrics + [.end(error)]).map { .event(self, $0) }, through: session.loop)
    }

    // MARK: For the loop

    var isCancelled: Bool { storage.withLock { $0.course.isCancelled } }

    /// Whether the end of the task is reported before the delegate has decided about the response.
    var endsAtOnce: Bool { storage.withLock { $0.course.endsAtOnce } }

    /// Records that a time limit of the task has passed.
    func noteExpiry() { storage.withLock { $0.course.expire() } }

    /// Whether no more content is needed. A download that is cancelled to produce resume data still needs its content.
    var isAbandoned: Bool { storage.withLock { $0.course.isAbandoned } }

    var isSuspended: Bool { storage.withLock { $0.course.state == .suspended } }

    /// Decides whether the loop begins the task. A task with a defect never begins, because it ends without using the
    /// loop.
    func begin(at now: LoopTime) -> TaskCourse.Beginning {
        plan.defect == nil ? storage.withLock { $0.course.begin(at: now) } : .never
    }

    /// Returns the start of the resource timer, for a task that has begun.
    func timerStart(at now: LoopTime) -> LoopTime { storage.withLock { $0.course.timerStart(at: now) } }

    var keepsSending: Bool { storage.withLock { $0.options?.keepsSending == true } }

    var priority: Float { storage.withLock { $0.queueing.priority } }

    func setPriority(_ priority: Float) {
        storage.withLock { $0.queueing.priority = priority }
        session.loop.post(.prioritize(self))
    }

    func setCurrentRequest(_ request: URLRequest) {
        // The previous request may contain a stream of the caller, whose release may run the caller's code. So the
        // previous request is released outside the lock.
        let previous = storage.withLock { storage in
            defer { storage.record.currentRequest = request }
            return storage.record.currentRequest
        }
        withExtendedLifetime(previous) {}
    }

    /// Records a response, and the expected length of its content.
    func setResponse(_ response: ReceivedResponse, expected: Int64) {
        // The caller may have defined the class of the previous response, whose release may run the caller's code. So
        // the previous response is released outside the lock.
        let previous = storage.withLock { storage in
            storage.traffic.counts.expectedToReceive = expected
            defer { storage.record.response = response }
            return storage.record.response
        }
        withExtendedLifetime(previous) {}
    }

    /// Records the trailers of the response.
    func setTrailers(_ trailers: [String: String]) { storage.withLock { $0.record.trailers = trailers } }

    /// Changes the counts, and updates the progress object if there is one.
    /// - Returns: The changed counts.
    @discardableResult func count(_ change: (inout TransferCounts) -> Void) -> TransferCounts {
        let (progress, counts) = storage.withLock { storage in
            change(&storage.traffic.counts)
            return (storage.traffic.progress, storage.traffic.counts)
        }
        if let progress { counts.show(in: progress) }
        return counts
    }

    /// Records the resume data. If `received` is not nil, also records it as the number of received bytes.
    func noteResumption(_ resumption: ResumeData?, received: Int64?) {
        storage.withLock { $0.record.resumption = resumption }
        if let received { count { $0.received = received } }
    }

    var currentResumeData: Data? {
        let (resumption, received) = storage.withLock { ($0.record.resumption, $0.traffic.counts.received) }
        guard var resumption, received > 0 else { return nil }
        resumption.received = received
        resumption.date = Date()
        return resumption.encoded
    }

    /// The resume data with which the task was created; nil if the task has begun, or has no resume data.
    var unusedResumeData: Data? { storage.withLock { $0.course.hasBegun } ? nil : plan.resumption?.encoded }

    func add(_ metrics: TransactionMetrics) { storage.withLock { $0.record.metrics.append(metrics) } }

    /// Corrects the metrics of the last transfer. They were recorded before all of the content was decoded.
    func noteDecodedBytes(_ count: Int64) {
        storage.withLock { storage in
            guard let last = storage.record.metrics.indices.last else { return }
            storage.record.metrics[last].responseBodyBytesDecoded = count
        }
    }

    /// The final state of a task.
    struct Ending {
        /// The task object. It must be retained until the delegate has been called.
        let object: URLSessionTask?
        let response: ReceivedResponse?
        let error: (any Error)?
        /// Whether the task has its own delegate, which the end releases.
        let hasDelegate: Bool
    }

    /// Marks the task as completed, and releases the task object.
    ///
    /// If a task was cancelled before its delegate was notified of the end, the task has failed. If the delegate
    /// already has the file, the task has succeeded.
    func end(with outcome: (any Error)?, heedsCancellation: Bool) -> Ending {
        let (ending, progress, counts) = storage.withLock { storage in
            let error = storage.course.end(with: outcome, heedsCancellation: heedsCancellation)
            storage.record.error = error
            storage.record.currentRequest = storage.record.currentRequest ?? plan.originalRequest
            let ending = Ending(
                object: storage.objects.release(),
                response: storage.record.response,
                error: error,
                hasDelegate: storage.delegates != nil
            )
            return (ending, storage.traffic.progress, storage.traffic.counts)
        }
        if let progress, ending.error == nil { counts.end(progress) }
        return ending
    }

    /// The task's own delegate; nil if it has none.
    var delegate: (any URLSessionTaskDelegate)? { storage.withLock { $0.delegates?.task } }

    func setDelegate(_ delegate: (any URLSessionTaskDelegate)?) {
        // The previous delegate is released outside the lock, because its release may run the caller's code.
        let delegates = delegate.map { Delegates($0) }
        let previous = storage.withLock { storage in
            defer { storage.delegates = delegates }
            return storage.delegates
        }
        withExtendedLifetime(previous) {}
    }

    /// Whether the delegate or the receiver decides about storing the response. A completion handler gets the response
    /// without such a decision.
    var asksAboutCaching: Bool { plan.refresh?.asks ?? (plan.completion == nil) }

    /// Whether a delegate was set for this task.
    var hasOwnDelegate: Bool { storage.withLock { $0.delegates != nil } }

    /// Makes the task's own delegate receive the response and its content in addition to the completion handler.
    ///
    /// FoundationNetworking does this for a delegate that is passed to an async method, but not for a delegate that is
    /// set on a task.
    func shareContent() { storage.withLock { $0.sharesContent = true } }

    /// Whether the task's own delegate receives the response and its content in addition to the completion handler.
    var sharesContent: Bool { storage.withLock { $0.sharesContent && $0.delegates?.data != nil } }

    /// Whether a delegate receives the progress of a download. If the task has a completion handler, only the task's
    /// own delegate receives the progress.
    var tellsDownload: Bool { plan.completion == nil || hasOwnDelegate }

    /// Whether a delegate receives the metrics. If the session's delegate is called on the loop's thread, it reads
    /// `transactionMetrics` instead.
    var tellsMetrics: Bool {
        !session.delivery.isOnLoop && !isRefresh && (session.delegates.task != nil || hasOwnDelegate)
    }

    /// The delegate for the task's events. This is the task's own delegate, or the session's delegate if the task has
    /// none.
    var delegates: Delegates { storage.withLock { $0.delegates } ?? session.delegates }

    /// The delegate for the task's events, and the objects to pass to it; nil if the session or the task object was
    /// released.
    var listener: Listener? {
        let (own, object) = storage.withLock { ($0.delegates, $0.objects.current) }
        guard let object, let (session, delegates) = session.objectAndDelegates else { return nil }
        return Listener(delegates: own ?? delegates, session: session, task: object)
    }

    /// The task object; nil if it was released. For a transfer with a receiver, the object is created when it is first
    /// read, and exists until the end.
    var object: URLSessionTask? {
        if let object = storage.withLock({ $0.objects.current }) { return object }
        // The object is created outside the lock. If several threads create an object, only the first attached object
        // is used.
        guard plan.hasReceiver, let made = session.object?.makeTaskObject(self) else { return nil }
        return storage.withLock { storage in
            let object = storage.objects.current ?? made
            storage.objects.attach(object)
            if storage.course.state != .completed { storage.objects.retain() }
            return object
        }
    }
}
#endif
