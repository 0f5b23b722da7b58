/// The current attempt of a call: its transfer, the last order to the transfer, and the data for the next attempt.
struct CallAttempt {
    /// The transfer of the attempt; nil if none was created.
    private(set) var transfer: (any Transfer)?
    var priority = URLSessionTask.defaultPriority
    /// The last order to the transfer.
    private var applied: TaskControl?
    private var isApplying = false
    /// The closure that is called after the last order to the transfer.
    private var whenIdle: (@Sendable () -> Void)?
    /// Whether the attempt takes no more orders, because it has ended or belongs to another task now.
    private(set) var isDetached = false
    /// The order that cancels only the attempt, while the task continues; nil if the attempt is not cancelled.
    private var cancellation: TaskControl?
    /// The resume data for the next attempt.
    var resumeData: Data?
    /// Whether a cancellation of the task keeps the resume data.
    var keepsResumeData = false
    /// The resumption of a resumable upload.
    var uploadResumption: UploadResumption?

    /// The next step of the thread that brings the attempt to the state of its task.
    enum Step {
        case order(any Transfer, TaskControl)
        /// No order is left. The closure, if there is one, has to be called now.
        case rest((@Sendable () -> Void)?)
    }

    /// Sets the transfer of the next attempt.
    /// - Returns: The priority to set for the transfer.
    mutating func attach(_ transfer: any Transfer) -> Float {
        self.transfer = transfer
        return priority
    }

    /// Begins the attempt whose transfer was attached.
    /// - Parameter isCancelled: Whether the attempt is cancelled from the beginning.
    mutating func begin(isCancelled: Bool) {
        isDetached = false
        cancellation = isCancelled ? .cancel : nil
        resumeData = nil
    }

    /// Cancels the attempt, and not the task.
    /// - Parameter keepsResumeData: Whether another attempt may continue the file of a download.
    mutating func cancel(keepingResumeData keepsResumeData: Bool) {
        if cancellation == nil { cancellation = keepsResumeData ? .cancelKeepingResumeData : .cancel }
    }

    /// Ends the attempt. Another attempt may follow.
    /// - Parameter resumeData: The resume data that the attempt has left; nil if there is none.
    mutating func end(leaving resumeData: Data?) {
        self.resumeData = resumeData
        isDetached = true
        // The transfer of the next attempt has got no order yet.
        applied = nil
    }

    /// Takes the next step towards the state of the task.
    /// - Parameter isFirst: Whether the thread has taken no step before. If another thread is giving orders already,
    ///   that thread also gives this order.
    mutating func nextStep(towards state: SessionTask.State, isFirst: Bool) -> Step {
        if isFirst && isApplying { return .rest(nil) }
        guard let transfer, !isDetached, let control = nextControl(towards: state) else {
            isApplying = false
            return .rest(whenIdle.take())
        }
        isApplying = true
        applied = control
        return .order(transfer, control)
    }

    /// Returns the order that brings the transfer from its last order to the state of the task; nil if none is needed.
    private func nextControl(towards state: SessionTask.State) -> TaskControl? {
        if let cancellation, state != .canceling { return applied == cancellation ? nil : cancellation }
        return switch (state, applied) {
        case (.running, nil): .start
        case (.running, .suspend): .resume
        case (.suspended, .start), (.suspended, .resume): .suspend
        case (.canceling, let applied) where applied != .cancel && applied != .cancelKeepingResumeData:
            keepsResumeData ? .cancelKeepingResumeData : .cancel
        // This case includes a task that is suspended before its transfer has started: the transfer waits for the
        // resumption.
        default: nil
        }
    }

    // MARK: One task after another

    /// Hands the transfer over to the attempt of another task, which gives all further orders.
    /// - Parameters:
    ///   - previous: The transfer with its previous task object, which this attempt continues to show.
    ///   - takeTurn: Called after the last order of this attempt, if an order is under way. Two orders to one transfer
    ///     at the same time could overtake each other.
    mutating func leave(showing previous: any Transfer, _ takeTurn: @escaping @Sendable () -> Void) {
        isDetached = true
        transfer = previous
        if isApplying { whenIdle = takeTurn }
    }

    /// Takes over the transfer from the attempt of another task, before that attempt hands it over.
    mutating func takeOver(_ transfer: any Transfer, from other: CallAttempt) {
        self.transfer = transfer
        applied = other.applied
        isApplying = other.isApplying
    }

    /// Records that the attempt of the other task has given its last order to the transfer. From now on this attempt
    /// may give orders.
    mutating func takeTurn() { isApplying = false }
}
