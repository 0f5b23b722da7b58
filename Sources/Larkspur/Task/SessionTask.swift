import Synchronization

// Safe: what changes is behind `storage`; subclasses are of this module and add nothing that changes.

/// One request and what becomes of it: the task that a ``SessionManager`` hands out.
///
/// It wraps the `URLSessionTask` of the current attempt and stays the same object from creation to completion, so that
/// it can be the object of notifications. Drive it with ``resume()``, ``suspend()`` and ``cancel()``: those post
/// notifications, once for each real transition, and call no code of yours. With the transport `.foundation` on Linux,
/// the first resume waits for the work queue that all sessions of the process share. What is done to ``urlSessionTask``
/// directly goes unnoticed.
///
/// Every task ends exactly once: its completion handler runs, then ``didCompleteNotification`` is posted, both on the
/// completion queue.
public class SessionTask: @unchecked Sendable {
    /// The stages of a task's life.
    public enum State: Sendable, Hashable, CaseIterable {
        /// Made, and not resumed yet.
        case initialized
        /// Under way.
        case running
        /// Resumed once and suspended now.
        case suspended
        /// Cancelled, and not ended yet.
        case cancelling
        /// Ended: the transport has finished with it.
        case completed
    }

    fileprivate struct Storage {
        var machine = TaskStateMachine()
        var attempt: TaskAttempt?
        /// What the attempt was told last.
        var applied: TaskAttempt.Control?
        var isApplying = false
        /// Called when the attempt has had its last order.
        var whenIdle: (@Sendable () -> Void)?
        var isInGroup = false
        /// The attempt has ended, and takes no orders; another one follows.
        var isDetached = false
        /// Between two attempts: what ends the task if it is cancelled then, given whether its resume data is wanted.
        var giveUp: (@Sendable (Bool) -> Void)?
        /// What the next attempt goes on with.
        var pendingResumeData: Data?
        var keepsResumeData = false
        var resumeDataHandlers: [@Sendable (Data?) -> Void] = []
        var hasEnded = false
        var error: LarkspurError?
        var timeline = Timeline()
        var taskDescription: String?
        var priority = URLSessionTask.defaultPriority
        /// Behind a reference, as most tasks have none.
        var hooks: TaskHooks?
    }

    let environment: TaskEnvironment
    let upload: TransferProgress
    let download: TransferProgress
    private let storage = Mutex(Storage())

    init(environment: TaskEnvironment, upload: TransferProgress.Handler?, download: TransferProgress.Handler?) {
        self.environment = environment
        self.upload = TransferProgress(queue: environment.completionQueue, handler: upload)
        self.download = TransferProgress(queue: environment.completionQueue, handler: download)
    }

    // MARK: Driving

    /// Starts the task, or goes on with it after ``suspend()``; without effect otherwise. Posts
    /// ``didResumeNotification``.
    ///
    /// Calls are not counted: one resume undoes any number of suspends.
    public final func resume() {
        send { $0.resume() }
    }

    /// Halts a task that runs; without effect otherwise. Posts ``didSuspendNotification``.
    ///
    /// With the transport `.foundation` on Linux a transfer that is suspended in mid-body begins again when it is
    /// resumed, and an upload may time out.
    public final func suspend() {
        send { $0.suspend() }
    }

    /// Ends the task with the error `cancelled`, unless it has ended already. It may be cancelled before it was
    /// resumed.
    public final func cancel() {
        send { $0.cancel() }
    }

    /// The stage of its life.
    public final var state: State { storage.withLock { $0.machine.state } }

    // MARK: What it is about

    /// The `URLSessionTask` of the current attempt; nil if none was ever made because the request could not be built or
    /// the session was invalidated.
    public final var urlSessionTask: URLSessionTask? { storage.withLock { $0.attempt?.urlTask } }

    /// The identifier of ``urlSessionTask``, unique among the tasks of its session; 0 if there is none.
    public final var taskIdentifier: Int { urlSessionTask?.taskIdentifier ?? 0 }

    /// The request that the task was made with.
    public final var originalRequest: URLRequest? { urlSessionTask?.originalRequest }

    /// The request that is being performed now: another than ``originalRequest`` after a redirect.
    public final var currentRequest: URLRequest? { urlSessionTask?.currentRequest }

    /// The response, once its header has arrived.
    public final var response: URLResponse? { urlSessionTask?.response }

    /// Why the task failed: set before its completion handler runs; nil while it runs and if it succeeded.
    public final var error: LarkspurError? { storage.withLock { $0.error } }

    /// When its stages were reached.
    public final var timeline: Timeline { storage.withLock { $0.timeline } }

    /// The progress of the request's content, in bytes; its cancel, pause and resume act on the task. Its total is −1
    /// while it is unknown.
    public final var uploadProgress: Progress { upload.progress(of: self) }

    /// The progress of the response's content, in bytes; its cancel, pause and resume act on the task. Its total is −1
    /// while it is unknown.
    public final var downloadProgress: Progress { download.progress(of: self) }

    /// A label of the caller's. Larkspur does not use it.
    public final var taskDescription: String? {
        get { storage.withLock { $0.taskDescription } }
        set { storage.withLock { $0.taskDescription = newValue } }
    }

    /// A hint to the transport, from 0 to 1. Default: `URLSessionTask.defaultPriority`, 0.5.
    public final var priority: Float {
        get { storage.withLock { $0.priority } }
        set {
            let attempt = storage.withLock { storage in
                storage.priority = newValue
                return storage.attempt
            }
            if let attempt { attempt.adapter.setPriority(newValue, of: attempt.urlTask) }
        }
    }

    /// Closures that take part in the work of this task, in place of those of ``SessionManager/hooks`` with the same
    /// names. Default: none is set, so that those of the session manager are called.
    ///
    ///     let task = manager.dataTask(with: request) { response in print(response) }
    ///     task.hooks.willPerformHTTPRedirection = { _, _, _ in nil }
    ///     task.resume()
    ///
    /// They are called where those of the session manager are, and released when the task has ended. Set them before
    /// ``resume()``; a later change applies to what happens afterwards. Of two threads that change them in place at once, one may lose its change. The hooks
    /// `didReceiveSessionChallenge` and `didBecomeInvalid` belong to the session and are not called for a task.
    public final var hooks: SessionHooks {
        get { storage.withLock { $0.hooks }?.value ?? SessionHooks() }
        set {
            let hooks = TaskHooks(value: newValue)
            // The previous ones are released without the lock.
            _ = storage.withLock { exchange(&$0.hooks, with: hooks) }
        }
    }

    // MARK: For the session

    /// One of the task's own hooks, if it is set.
    func hook<Hook: Sendable>(_ hook: any KeyPath<SessionHooks, Hook?> & Sendable) -> Hook? {
        storage.withLock { $0.hooks }?.value[keyPath: hook]
    }

    /// Starts the task with hooks of its own, if there are any.
    func start(with hooks: SessionHooks?) {
        if let hooks { self.hooks = hooks }
        resume()
    }

    /// Whether its handlers are running, or have run.
    final var hasEnded: Bool { storage.withLock { $0.hasEnded } }

    /// Takes the `URLSessionTask` that does the work.
    func attach(_ attempt: TaskAttempt) {
        storage.withLock { $0.attempt = attempt }
    }

    /// Notes that a response has begun to arrive.
    func markFirstResponseByte() {
        storage.withLock { storage in
            if storage.timeline.firstResponseByte == nil { storage.timeline.firstResponseByte = .now }
        }
    }

    /// The transport has finished: no event has an effect from here on.
    /// - Returns: The state that the task was in; nil if the transport had finished before.
    func markCompleted() -> State? {
        storage.withLock { storage in
            let state = storage.machine.state
            guard storage.machine.complete() != nil else { return nil }
            storage.timeline.completed = .now
            storage.noteTransactions()
            storage.giveUp = nil
            storage.enterGroup(of: environment)
            return state
        }
    }

    /// The response has been serialized.
    func markSerialized() -> Timeline {
        storage.withLock { storage in
            storage.timeline.serialized = .now
            return storage.timeline
        }
    }

    /// Runs the handlers and posts the notifications of the end, then leaves the group; called once, after
    /// ``markCompleted()``.
    func end(with ending: TaskEnding) {
        environment.completionQueue.async { [self] in
            let (handlers, hooks) = storage.withLock { storage in
                storage.error = ending.completion.error
                storage.hasEnded = true
                defer { storage.resumeDataHandlers = [] }
                return (storage.resumeDataHandlers, storage.hooks.take())
            }
            for handler in handlers { handler(ending.completion.error?.resumeData) }
            ending.move.map { $0.post(from: self) }
            ending.deliver()
            post(Self.didCompleteNotification, userInfo: [TaskCompletion.userInfoKey: ending.completion])
            ending.discardFile()
            // They may hold the task, and are released without the lock.
            withExtendedLifetime(hooks) {}
            environment.completionGroup.leave()
        }
    }

    /// Posts a notification about this task, here and now.
    func post(_ name: Notification.Name, userInfo: [AnyHashable: Any]? = nil) {
        NotificationCenter.default.post(name: name, object: self, userInfo: userInfo)
    }

    // MARK: One attempt after another

    /// The attempt has failed, and another one follows: there is nobody to give orders to.
    /// - Parameters:
    ///   - resumeData: What the next one goes on with.
    ///   - giveUp: Ends the task, if it is cancelled before ``endPause()``; it hears whether the resume data is wanted.
    /// - Returns: False if the task has been cancelled or has ended, so that no attempt may follow.
    func detach(resumeData: Data, giveUp: @escaping @Sendable (Bool) -> Void) -> Bool {
        storage.withLock { storage in
            guard storage.machine.state == .running || storage.machine.state == .suspended else { return false }
            storage.noteTransactions()
            storage.isDetached = true
            storage.applied = nil
            storage.pendingResumeData = resumeData
            storage.giveUp = giveUp
            return true
        }
    }

    /// The pause between two attempts is over; false if the task was cancelled in it.
    func endPause() -> Bool { storage.withLock { $0.giveUp.take() } != nil }

    /// Brings the next attempt, which has been attached, to where the state is.
    func beginAttempt() {
        storage.withLock { storage in
            storage.isDetached = false
            storage.pendingResumeData = nil
        }
        applyState()
    }

    final var pendingResumeData: Data? { storage.withLock { $0.pendingResumeData } }

    func cancelKeepingResumeData(_ handler: @escaping @Sendable (Data?) -> Void) {
        let hasEnded = storage.withLock { storage in
            if !storage.hasEnded { storage.resumeDataHandlers.append(handler) }
            if storage.machine.state != .cancelling { storage.keepsResumeData = true }
            return storage.hasEnded
        }
        if hasEnded { return environment.completionQueue.async { [self] in handler(error?.resumeData) } }
        cancel()
    }

    // MARK: One task after another

    /// Lets another task take the place of this one, whose attempt goes on under another face. This one takes no orders
    /// any more, and is to end.
    /// - Returns: False if it has been cancelled or has ended.
    func handOver(to successor: SessionTask, as attempt: TaskAttempt) -> Bool {
        storage.withLock { storage in
            guard storage.machine.state == .running || storage.machine.state == .suspended else { return false }
            storage.isDetached = true
            successor.takeOver(attempt, from: storage)
            // Two orders at once to one attempt could overtake one another.
            if storage.isApplying { storage.whenIdle = { successor.takeTurn() } }
            return true
        }
    }

    private func takeOver(_ attempt: TaskAttempt, from other: Storage) {
        storage.withLock { storage in
            storage.machine = other.machine
            storage.attempt = attempt
            storage.applied = other.applied
            storage.isApplying = other.isApplying
            storage.hooks = other.hooks
            storage.timeline.resumed = other.timeline.resumed
            storage.timeline.firstResponseByte = other.timeline.firstResponseByte
            storage.enterGroup(of: environment)
        }
        queuePost(Self.didResumeNotification)
        if other.machine.state == .suspended { queuePost(Self.didSuspendNotification) }
    }

    private func takeTurn() {
        storage.withLock { $0.isApplying = false }
        applyState()
    }

    // MARK: State

    /// Lets an event happen: notes what follows from it under the lock, so that notifications are queued in the order
    /// of transitions, and tells the transport outside it.
    private func send(_ event: (inout TaskStateMachine) -> TaskStateMachine.Transition?) {
        let (transition, giveUp) = storage.withLock { storage in
            let transition = event(&storage.machine)
            var giveUp: (@Sendable () -> Void)?
            switch transition {
            case .started:
                storage.timeline.resumed = .now
                storage.enterGroup(of: environment)
                queuePost(Self.didResumeNotification)
            case .resumed: queuePost(Self.didResumeNotification)
            case .suspended: queuePost(Self.didSuspendNotification)
            case .cancelled:
                storage.enterGroup(of: environment)
                giveUp = storage.takeGiveUp()
            case .completed, nil: break
            }
            return (transition, giveUp)
        }
        if let giveUp { return giveUp() }
        if transition != nil { applyState() }
    }

    private func queuePost(_ name: Notification.Name) {
        environment.completionQueue.async { [self] in post(name) }
    }

    /// Brings the attempt to where the state is. One thread at a time does so and goes on until nothing is left to do;
    /// events that come meanwhile leave their work to it, so that the transport gets its orders one after the other and
    /// in order.
    private func applyState() {
        var isFirst = true
        while true {
            switch storage.withLock({ $0.nextStep(isFirst: isFirst) }) {
            case .order(let attempt, let control): attempt.perform(control)
            case .rest(let whenIdle):
                whenIdle?()
                return
            }
            isFirst = false
        }
    }
}

/// The hooks of one task.
private final class TaskHooks: Sendable {
    let value: SessionHooks

    init(value: SessionHooks) { self.value = value }
}

extension SessionTask.Storage {
    fileprivate mutating func enterGroup(of environment: TaskEnvironment) {
        guard !isInGroup else { return }
        isInGroup = true
        environment.completionGroup.enter()
    }

    /// Takes over the metrics of an attempt that has ended.
    fileprivate mutating func noteTransactions() {
        if !isDetached { timeline.transactions += attempt?.urlTask.transferMetrics ?? [] }
    }

    fileprivate mutating func takeGiveUp() -> (@Sendable () -> Void)? {
        guard let giveUp = giveUp.take() else { return nil }
        return { [keepsResumeData] in giveUp(keepsResumeData) }
    }

    /// What whoever brings the attempt to where the state is does next.
    fileprivate enum Step {
        case order(TaskAttempt, TaskAttempt.Control)
        /// Nothing is left, but for what has waited for that.
        case rest((@Sendable () -> Void)?)
    }

    fileprivate mutating func nextStep(isFirst: Bool) -> Step {
        if isFirst && isApplying { return .rest(nil) }
        guard let attempt, !isDetached, let control = nextControl else {
            isApplying = false
            return .rest(whenIdle.take())
        }
        isApplying = true
        applied = control
        return .order(attempt, control)
    }

    /// The order that brings the attempt from what it was told last to where the state is.
    private var nextControl: TaskAttempt.Control? {
        switch (machine.state, applied) {
        case (.running, nil): .start
        case (.running, .suspend): .resume
        case (.suspended, .start), (.suspended, .resume): .suspend
        case (.cancelling, let applied) where applied != .cancel && applied != .cancelKeepingResumeData:
            keepsResumeData ? .cancelKeepingResumeData : .cancel
        default: nil
        }
    }
}
