/// The state of a call, which is behind the lock of its task.
struct CallState {
    // MARK: Settings and start

    /// The maker of the call's transfers, if they are made when it starts; nil after the start.
    var launcher: (any CallLauncher)?
    var settings = CallSettings()
    var rules = ResponseRules()
    /// The closure that cancels the work of interceptors.
    var cancelWork: (@Sendable () -> Void)?
    var timers: CallTimers?

    // MARK: Course

    var machine = TaskStateMachine()
    /// The transfer of the current attempt.
    var attempt: (any Transfer)?
    /// The last order to the attempt.
    var applied: TaskControl?
    var isApplying = false
    /// The closure that is called when the attempt has got its last order.
    var whenIdle: (@Sendable () -> Void)?
    var isInGroup = false
    /// True if the attempt has ended and takes no orders, and another attempt follows.
    var isDetached = false
    /// True if the attempt is cancelled because its response is known, and its task goes on.
    var cancelsAttempt = false
    /// The resume data for the next attempt.
    var pendingResumeData: Data?
    var keepsResumeData = false
    /// The resumption of a resumable upload.
    var uploadResumption: UploadResumption?
    /// The closures of interceptors that are called when the task is suspended, by their owners.
    var suspensionHandlers: [ObjectIdentifier: @Sendable () -> Void] = [:]
    var resumeDataHandlers: [@Sendable (Data?) -> Void] = []
    // MARK: End

    /// The handlers that have not been taken yet.
    var handlers: [CallHandler] = []
    /// The handlers that are still served with the others when they are added at the end.
    var admission = Admission.all
    /// The ending, for handlers that are added later, once there is one.
    var finished: CallEnding?
    var hasEnded = false
    /// The error that ended the task before its transfer did.
    var failure: StoredError?
    var error: StoredError?
    var timeline = Timeline()
    var taskDescription: String?
    var priority = URLSessionTask.defaultPriority
    /// The task's own hooks. They are stored behind a reference, because most tasks have none.
    var hooks: TaskHooks?
    /// The observers of the call; nil if there are none.
    var observation: CallObservation?

    /// The handlers that are added while the response is serialized, and served with the others.
    enum Admission {
        case all
        /// Only those with quick serializers.
        case quick
        case none
    }
}

/// The hooks of one task.
final class TaskHooks: Sendable {
    let value: SessionHooks

    init(value: SessionHooks) { self.value = value }
}

extension CallState {
    mutating func enterGroup(of environment: TaskEnvironment) {
        guard !isInGroup else { return }
        isInGroup = true
        environment.completionGroup.enter()
    }

    /// Adds the metrics of an attempt that has ended.
    mutating func note(_ transactions: [TransferMetrics]) {
        guard !isDetached else { return }
        if timeline.transactions.isEmpty {
            timeline.transactions = transactions
        } else {
            timeline.transactions += transactions
        }
    }

    /// The next step of the thread that brings the attempt to the state of the task.
    enum Step {
        case order(any Transfer, TaskControl)
        /// No order is left. The closure, if any, has waited for that.
        case rest((@Sendable () -> Void)?)
    }

    mutating func nextStep(isFirst: Bool) -> Step {
        if isFirst && isApplying { return .rest(nil) }
        guard let attempt, !isDetached, let control = nextControl else {
            isApplying = false
            return .rest(whenIdle.take())
        }
        isApplying = true
        applied = control
        return .order(attempt, control)
    }

    /// The order that brings the attempt from its last order to the state of the task; nil if none is needed.
    private var nextControl: TaskControl? {
        if cancelsAttempt, machine.state != .cancelling { return applied == .cancel ? nil : .cancel }
        return switch (machine.state, applied) {
        case (.running, nil): .start
        case (.running, .suspend): .resume
        case (.suspended, .start), (.suspended, .resume): .suspend
        case (.cancelling, let applied) where applied != .cancel && applied != .cancelKeepingResumeData:
            keepsResumeData ? .cancelKeepingResumeData : .cancel
        default: nil
        }
    }
}
