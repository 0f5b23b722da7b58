import Synchronization

/// The attempts of a task. One attempt may follow another, and one task may take over the attempt of another.
extension SessionTask {
    /// Begins the attempt whose transfer was attached, and brings it to the state of the task.
    /// - Parameter isCancelled: Whether the attempt is cancelled from the beginning. Default: false.
    func beginAttempt(isCancelled: Bool = false) {
        storage.withLock { $0.attempt.begin(isCancelled: isCancelled) }
        applyState()
    }

    /// The resume data that the last attempt has left for the next attempt.
    var pendingResumeData: Data? { storage.withLock { $0.attempt.resumeData } }

    /// Whether the task was cancelled in a way that keeps its resume data.
    var keepsResumeData: Bool { storage.withLock { $0.attempt.keepsResumeData } }

    func cancelKeepingResumeData(_ handler: @escaping @Sendable (Data?) -> Void) {
        let isStored = storage.withLock { storage in
            // A cancellation that is under way has decided about the resume data already.
            if storage.course.state != .canceling { storage.attempt.keepsResumeData = true }
            return storage.handlers.add(handler)
        }
        guard isStored else {
            return environment.settings.completionQueue.async { [self] in handler(error?.resumeData) }
        }
        cancel()
    }

    // MARK: Attempts of a call with interceptors

    /// Sets or removes the closure that is called once when the task is suspended. If the task is suspended already,
    /// the closure is called immediately.
    func setSuspensionHandler(_ handler: (@Sendable () -> Void)?, of owner: ObjectIdentifier) {
        if !storage.withLock({ $0.course.store(suspensionHandler: handler, of: owner) }) { handler?() }
    }

    /// Whether the head of the response of the attempt under way has arrived.
    var hasResponse: Bool {
        // The transport's code is called outside the lock.
        storage.withLock { $0.attempt.isDetached ? nil : $0.attempt.transfer }?.response != nil
    }

    /// Cancels the attempt and not the task, because the response of the attempt is known, or an interceptor has ended
    /// the attempt.
    /// - Parameter keepsResumeData: Whether another attempt may continue the file of a download. Default: false.
    func cancelAttempt(keepingResumeData keepsResumeData: Bool = false) {
        storage.withLock { $0.attempt.cancel(keepingResumeData: keepsResumeData) }
        applyState()
    }

    /// The metrics of an attempt that has ended. The transport's code is called outside the lock.
    var endedTransactions: [TransactionMetrics] { attempt?.metrics ?? [] }

    /// Records that an attempt has ended, so that it gets no more orders.
    /// - Parameter resumeData: The resume data that the attempt has left; nil if there is none.
    func endAttempt(resumeData: Data?) {
        let transactions = endedTransactions
        storage.withLock { storage in
            storage.note(transactions)
            storage.attempt.end(leaving: resumeData)
        }
    }

    // MARK: One task after another

    /// Replaces this task with another task, which takes over the transfer as a download. This task gives the transfer
    /// no new orders, and is about to end.
    /// - Returns: False if this task has been cancelled or has ended.
    func handOver(to successor: SessionTask, as transfer: any Transfer, from previous: any Transfer) -> Bool {
        storage.withLock { storage in
            guard storage.course.isActive else { return false }
            successor.takeOver(transfer, from: storage)
            // The transfer shows the task object of the download from now on.
            storage.attempt.leave(showing: previous) { successor.takeTurn() }
            return true
        }
    }

    private func takeOver(_ attempt: any Transfer, from other: CallState) {
        storage.withLock { storage in
            storage.course.machine = other.course.machine
            storage.attempt.takeOver(attempt, from: other.attempt)
            storage.hooks = other.hooks
            isHooked.store(other.hooks != nil, ordering: .releasing)
            storage.observation = other.observation?.copy()
            isObserved.store(storage.observation != nil, ordering: .relaxed)
            // The download has no other options of the call, but its file must not escape the verification.
            if let verification = other.start.options.value.digestVerification {
                storage.start.use(CallOptions(digestVerification: verification))
            }
            storage.timeline.resumed = other.timeline.resumed
            storage.timeline.responseReceived = other.timeline.responseReceived
            // Each of the two tasks leaves the group at its own end. This task enters the group while the other task is
            // still in the group, so the group is never empty between the two ends.
            environment.settings.completionGroup.enter()
            // The task begins in the state of the other task. Its observers get the events that lead to that state.
            announce(.created, to: storage.observation)
            announce(.resumed, to: storage.observation)
            if other.course.state == .suspended { announce(.suspended, to: storage.observation) }
        }
    }

    private func takeTurn() {
        storage.withLock { $0.attempt.takeTurn() }
        applyState()
    }
}
