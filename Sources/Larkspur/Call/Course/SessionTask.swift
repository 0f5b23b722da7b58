import Synchronization

// Safe: all stored properties are constants. The mutex `storage`, the two atomics and the two progress objects hold the
// mutable state. Subclasses belong to this module and add no mutable state.

/// The task of one request, which a ``SessionManager`` returns.
///
/// A `SessionTask` wraps the `URLSessionTask` of the current attempt, and stays the same object from creation to
/// completion, so that it can be the object of notifications. Control it with ``resume()``, ``suspend()`` and
/// ``cancel()``. The first two post a notification for each change of state. None of them calls your handlers or hooks
/// directly. With the transport `.foundation` on Linux, the first resume waits for the work queue that all sessions of
/// the process share. If you call methods of ``urlSessionTask`` itself, the `SessionTask` does not detect the calls.
///
/// Every task ends exactly once: its completion handler runs, then ``didCompleteNotification`` is posted, both on the
/// completion queue.
public class SessionTask: @unchecked Sendable {
    /// The states of a task.
    public enum State: Sendable, Hashable, CaseIterable {
        /// The task was created, but not resumed yet.
        case initialized
        /// The task runs.
        case running
        /// The task was resumed, and is suspended now.
        case suspended
        /// The task was cancelled, but has not ended yet.
        case canceling
        /// The task has ended: the transport has finished with it.
        case completed
    }

    let environment: TaskEnvironment
    let upload: TransferProgress
    let download: TransferProgress
    let plan: CallPlan
    /// The deadline of the code that created the task; nil if there is none.
    let deadline = Deadline.current
    let storage: Mutex<CallState>
    /// Whether the call has observers. If it has none, reading this flag avoids taking the lock.
    let isObserved: Atomic<Bool>
    /// Whether the task has had hooks. If it has had none, reading this flag avoids taking the lock.
    let isHooked: Atomic<Bool>

    /// - Parameters:
    ///   - handler: The handler of a task that takes no other handlers. Default: nil, for a call that takes handlers.
    ///   - options: The settings of the call. Default: nil.
    required init(
        environment: TaskEnvironment,
        _ plan: CallPlan,
        _ handler: CallHandler? = nil,
        observers: ObserverList? = nil,
        options: CallOptions? = nil
    ) {
        self.environment = environment
        self.plan = plan
        let observation = observers.map { CallObservation($0.entries, on: environment.settings.completionQueue) }
        var call = CallState(observation: observation)
        if let options { call.use(options) }
        if let handler { _ = call.handlers.add(handler) }
        storage = Mutex(call)
        isObserved = Atomic(observation != nil)
        isHooked = Atomic(call.hooks != nil)
        upload = TransferProgress(queue: environment.settings.completionQueue, handler: options?.uploadProgress)
        download = TransferProgress(queue: environment.settings.completionQueue, handler: options?.downloadProgress)
    }

    deinit {
        if storage.withLock({ $0.start.isOpen }) { reportUnstarted() }
    }

    // MARK: Driving

    /// Starts the task, or continues it after ``suspend()``. Has no effect in other states. Posts
    /// ``didResumeNotification``.
    ///
    /// Calls are not counted: one resume reverses any number of suspends.
    public final func resume() {
        send { $0.resume() }
    }

    /// Suspends a running task. Has no effect in other states. Posts ``didSuspendNotification``.
    ///
    /// With the transport `.foundation` on Linux, a transfer that is suspended in the middle of its content begins
    /// again when it is resumed, and an upload may time out.
    public final func suspend() {
        send { $0.suspend() }
    }

    /// Ends the task with the error `cancelled`, unless it has ended already. A task may also be cancelled before it is
    /// resumed.
    public final func cancel() {
        send { $0.cancel() }
    }

    /// Ends the task with an error, unless it has ended or was cancelled already.
    ///
    /// Records the error, and then cancels the task. When the transfer ends, the recorded error becomes the error of
    /// the task. So there is only one way to end a task early, and no timer ends a task twice.
    final func fail(with error: LarkspurError) {
        if storage.withLock({ $0.course.fail(with: error) }) { cancel() }
    }

    /// The error that ends the task before its transfer has ended; nil if there is none.
    final var failure: StoredError? { storage.withLock { $0.course.failure } }

    /// The state of the task.
    public final var state: State { storage.withLock { $0.course.state } }

    /// Whether the task runs or is suspended: it has neither ended nor been cancelled.
    final var isActive: Bool { storage.withLock { $0.course.isActive } }

    /// Whether no attempt has been allowed to connect to its host yet.
    final var waitsForConnection: Bool {
        let (attempt, isFirst) = storage.withLock { ($0.attempt.transfer, $0.timeline.transactions.isEmpty) }
        guard let attempt else { return true }
        return isFirst && attempt.waitsForConnection
    }

    /// The wait of the attempt for a place at its host; nil while it does not wait.
    final var connectionWait: ConnectionWait? { attempt?.connectionWait }

    // MARK: Request, response and progress

    /// The `URLSessionTask` of the current attempt. Nil if none was created: the call has not started, its request
    /// could not be built, or the session was invalidated.
    public final var urlSessionTask: URLSessionTask? { attempt?.urlSessionTask }

    /// The identifier of ``urlSessionTask``, unique among the tasks of its session; 0 if there is none.
    public final var taskIdentifier: Int { attempt?.identifier ?? 0 }

    /// The request with which the current attempt began. Before the first attempt, the request that the task was
    /// created with.
    public final var originalRequest: URLRequest? { attempt?.originalRequest ?? plan.urlRequest }

    /// The current request. After a redirect it differs from ``originalRequest``.
    public final var currentRequest: URLRequest? { attempt?.currentRequest }

    /// The response; nil until its header section has arrived.
    public final var response: URLResponse? { attempt?.response }

    /// The response, if it is an HTTP response; nil until its header section has arrived.
    public final var httpResponse: HTTPURLResponse? { response as? HTTPURLResponse }

    /// The status code; nil until the header section of an HTTP response has arrived.
    public final var statusCode: Int? { httpResponse?.statusCode }

    /// The trailers of the response: the fields that the server has sent after the content (RFC 9110, section 6.5). Nil
    /// before the end of the response, and if there are none. They are never part of the header fields.
    ///
    /// Repeated fields are joined by commas. Fields that must not be in a trailer section, such as `Content-Length` or
    /// `Set-Cookie`, are left out. A response from the cache has no trailers. Only the transport `.curl` reports them.
    public final var trailers: HTTPHeaders? { attempt?.trailers.map { HTTPHeaders($0) } }

    /// The error of the task, which is set before its completion handler runs. Nil while the task runs, and if it
    /// succeeded.
    public final var error: LarkspurError? { storage.withLock { $0.handlers.error }?.error }

    /// The times at which the task reached its stages.
    public final var timeline: Timeline { storage.withLock { $0.timeline } }

    /// The progress of the request's content, in bytes. Cancelling, pausing or resuming the object has the same effect
    /// on the task. The total is −1 while it is unknown.
    public final var uploadProgress: Progress { upload.progress(of: self) }

    /// The progress of the response's content, in bytes. Cancelling, pausing or resuming the object has the same effect
    /// on the task. The total is −1 while it is unknown.
    public final var downloadProgress: Progress { download.progress(of: self) }

    /// A label for the caller's own use. Larkspur does not use it.
    public final var taskDescription: String? {
        get { storage.withLock { $0.taskDescription } }
        set { storage.withLock { $0.taskDescription = newValue } }
    }

    /// The priority of the task from 0 to 1, as a hint to the transport. Default: `URLSessionTask.defaultPriority`,
    /// 0.5.
    public final var priority: Float {
        get { storage.withLock { $0.attempt.priority } }
        set {
            storage.withLock { $0.attempt.priority = newValue }
            attempt?.setPriority(newValue)
        }
    }

    /// Closures that take part in the work of this task. They replace the hooks in ``SessionManager/hooks`` with the
    /// same names. Default: no hooks, so that the hooks of the session manager are called.
    ///
    ///     let task = manager.dataTask(with: request) { response in print(response) }
    ///     task.hooks.willPerformHTTPRedirection = { _, _, _ in nil }
    ///     task.resume()
    ///
    /// The hooks run on the same queues as the hooks of the session manager, and are released when the task has ended.
    /// Set them before ``resume()``; a later change applies to later events. If two threads change them in place at the
    /// same time, one change may be lost. The hooks `sessionChallengeDisposition` and `didBecomeInvalid` belong to the
    /// session and are not called for a task.
    public final var hooks: SessionHooks {
        get { storage.withLock { $0.hooks }?.value ?? SessionHooks() }
        set {
            let hooks = TaskHooks(value: newValue)
            isHooked.store(true, ordering: .releasing)
            // The previous hooks are released outside the lock.
            _ = storage.withLock { exchange(&$0.hooks, with: hooks) }
        }
    }

    // MARK: For the session

    /// Returns one of the task's own hooks, if it is set.
    func hook<Hook: Sendable>(_ hook: any KeyPath<SessionHooks, Hook?> & Sendable) -> Hook? {
        isHooked.load(ordering: .acquiring) ? storage.withLock { $0.hooks }?.value[keyPath: hook] : nil
    }

    /// Whether the task has its own hooks, besides the hooks of the session manager.
    final var hasHooks: Bool { storage.withLock { $0.hooks != nil } }

    /// Whether the task's handlers are running, or have run.
    package final var hasEnded: Bool { storage.withLock { $0.handlers.hasEnded } }

    /// The transfer of the current attempt; nil if none was created.
    final var attempt: (any Transfer)? { storage.withLock { $0.attempt.transfer } }

    /// Sets the transfer that performs the request.
    func attach(_ attempt: any Transfer) {
        let priority = storage.withLock { $0.attempt.attach(attempt) }
        if priority != URLSessionTask.defaultPriority { attempt.setPriority(priority) }
    }

    /// Records that a response has begun to arrive.
    func markResponse() {
        storage.withLock { storage in
            if storage.timeline.responseReceived == nil { storage.timeline.responseReceived = .now }
        }
    }

    /// Posts a notification about this task immediately, on the current thread, if it may have observers.
    func post(_ notification: TaskNotification, _ userInfo: () -> [AnyHashable: Any]? = { nil }) {
        guard environment.settings.interest.includes(notification) else { return }
        NotificationCenter.default.post(name: notification.name, object: self, userInfo: userInfo())
    }

    // MARK: State

    /// Handles an event of the state machine. The events for observers and the notifications are queued while the lock
    /// is held, so that they are in the order of the transitions. The transport gets its orders after the lock is
    /// released.
    private func send(_ event: (inout TaskStateMachine) -> TaskStateMachine.Transition?) {
        let (transition, actions) = storage.withLock { storage in
            let (transition, actions) = storage.course.handle(event)
            if transition == .started { storage.timeline.resumed = .now }
            if transition?.isFirst == true { environment.settings.completionGroup.enter() }
            switch transition {
            case .started, .resumed: announce(.resumed, to: storage.observation)
            case .suspended: announce(.suspended, to: storage.observation)
            case .cancelled: announce(.cancelled, to: storage.observation)
            case .completed, nil: break
            }
            return (transition, actions)
        }
        guard let transition else { return }
        for action in actions { action() }
        // The launch comes first, because it may create the transfer that gets the order.
        if transition.isFirst { launch(isCancelled: transition != .started) }
        applyState()
    }

    /// Brings the attempt to the state of the task. One thread at a time gives orders to the transport, until no order
    /// is left. If another thread changes the state in the meantime, it leaves the next order to that thread. So the
    /// transport gets one order at a time, and the last order fits the last state.
    func applyState() {
        var isFirst = true
        while true {
            switch storage.withLock({ $0.attempt.nextStep(towards: $0.course.state, isFirst: isFirst) }) {
            case .order(let attempt, let control):
                if control == .start { note(.attemptStarted, .request(attempt.originalRequest)) }
                attempt.perform(control)
            case .rest(let whenIdle):
                whenIdle?()
                return
            }
            isFirst = false
        }
    }
}

/// A task whose response is collected in memory.
public class DataTask: SessionTask, @unchecked Sendable {}

/// A data task that sends a body from memory, a file, a stream or a sequence.
public final class UploadTask: DataTask, @unchecked Sendable {
    /// The facts with which another task or process can continue a resumable upload: pass them to
    /// ``ResumableUpload/continuing(_:)``. Nil until the server has created the upload, after the end of the upload,
    /// and for uploads that are not resumable.
    public var resumption: UploadResumption? { storage.withLock { $0.attempt.uploadResumption } }
}

/// A task whose response is written to a file.
public final class DownloadTask: SessionTask, @unchecked Sendable {
    /// The resume data with which a later process can continue the download, if this process ends first. Nil if there
    /// is no such data yet, or if the transport cannot resume.
    ///
    /// Reading the property does not interrupt the download. Store the data for a later process. The download then
    /// continues at the end of the partial file. Store the data again from time to time, because it changes if the
    /// download has to begin again.
    public var resumeData: Data? {
        pendingResumeData ?? attempt?.currentResumeData
    }

    /// Ends the task with the error `cancelled`, as ``SessionTask/cancel()`` does, but stores the arrived content, so
    /// that another task can continue the download.
    /// - Parameter handler: Called once, on the completion queue and before the completion handler, with resume data;
    ///   nil if there is none. The task's error has the same resume data.
    public func cancel(byProducingResumeData handler: @escaping @Sendable (Data?) -> Void) {
        cancelKeepingResumeData(handler)
    }
}
