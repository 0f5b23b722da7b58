#if canImport(FoundationNetworking)
/// The course of a task from its making to its end: what its users have ordered, and what has become of it.
struct TaskCourse {
    /// The loop's decision about a task that has not begun.
    enum Beginning: Equatable {
        /// The task begins, which is returned once.
        case now
        case later(Dormancy)
        /// The task does not begin: it has already begun, or has ended, or was never resumed.
        case never
    }

    private(set) var state = URLSessionTask.State.suspended
    private var suspensions = Suspensions()
    /// Whether the task was resumed at least once.
    private(set) var isStarted = false
    /// The time of the first resumption.
    private var firstResumption: LoopTime?
    var earliestBeginDate: Date?
    /// Whether the loop has begun the task, which it does once.
    private(set) var hasBegun = false
    /// The error of a cancellation, with which the task ends.
    private var cancellation: (any Error)?
    /// Whether the cancellation produces resume data, and leaves a complete download intact.
    private var isCancelledResumably = false

    /// Whether the task can be controlled: it has neither ended nor been cancelled.
    private var isActive: Bool { state == .running || state == .suspended }

    /// Whether nobody has resumed the task or cancelled it.
    var isUntouched: Bool { !isStarted && state == .suspended }

    var isCancelled: Bool { state == .canceling || state == .completed }

    /// Whether further content is no longer wanted. It still is if the cancellation of a download must not lose
    /// anything.
    var isAbandoned: Bool { state == .completed || state == .canceling && !isCancelledResumably }

    /// Resumes or suspends the task.
    /// - Parameters:
    ///   - now: The time. Default: that of the call.
    ///   - change: The order.
    /// - Returns: The change; nil if the task continues as before.
    mutating func control(
        at now: @autoclosure () -> LoopTime = .now,
        _ change: (inout Suspensions) -> Suspensions.Change?
    ) -> Suspensions.Change? {
        guard isActive else { return nil }
        let change = change(&suspensions)
        switch change {
        case .resumed:
            state = .running
            isStarted = true
            firstResumption = firstResumption ?? now()
        case .suspended: state = .suspended
        case nil: break
        }
        return change
    }

    /// Records a cancellation; false if the task has ended, or was cancelled before.
    mutating func cancel(with error: any Error, isResumable: Bool) -> Bool {
        guard isActive else { return false }
        state = .canceling
        cancellation = error
        isCancelledResumably = isResumable
        return true
    }

    /// Decides whether the loop begins the task.
    mutating func begin(at now: LoopTime) -> Beginning {
        guard isActive, !hasBegun, let firstResumption else { return .never }
        let delay = max(0, earliestBeginDate?.timeIntervalSinceNow ?? 0)
        // The date is of a clock that can be set.
        let timerStart = delay > 0 ? max(firstResumption, now.adding(delay)) : firstResumption
        if state == .suspended { return .later(Dormancy(timerStart: timerStart, beginning: nil)) }
        if delay > 0 { return .later(Dormancy(timerStart: timerStart, beginning: now.adding(delay))) }
        hasBegun = true
        return .now
    }

    /// Returns the time at which the timer of its resource started, for a task that has begun: its first resumption, or
    /// its earliest begin date.
    func timerStart(at now: LoopTime) -> LoopTime {
        let start = firstResumption ?? now
        guard let earliestBeginDate else { return start }
        return max(start, now.subtracting(-earliestBeginDate.timeIntervalSinceNow))
    }

    /// Records the end. A task that was cancelled before its delegate learned of its end has failed, unless that
    /// cancellation comes too late.
    /// - Returns: The error of the task; nil if it has succeeded.
    mutating func end(with outcome: (any Error)?, heedsCancellation: Bool) -> (any Error)? {
        state = .completed
        return outcome ?? (heedsCancellation && !isCancelledResumably ? cancellation : nil)
    }
}

/// The waiting time of a task that was resumed and has not begun, and the reason for it.
struct Dormancy: Equatable, Sendable {
    /// The time at which the timer of its resource started: with its first resumption, or at its earliest begin date,
    /// if that is later.
    var timerStart: LoopTime
    /// The time at which it begins by itself; nil for a suspended task.
    var beginning: LoopTime?

    func expiry(resourceTimeout: TimeInterval) -> LoopTime { timerStart.adding(resourceTimeout) }

    func deadline(resourceTimeout: TimeInterval) -> LoopTime {
        min(beginning ?? .distantFuture, expiry(resourceTimeout: resourceTimeout))
    }
}
#endif
