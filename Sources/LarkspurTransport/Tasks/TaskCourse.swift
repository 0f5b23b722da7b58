#if canImport(FoundationNetworking)
/// The state of a task from its creation to its end, and the effect of resuming, suspending and cancelling it.
///
/// The task counts the calls of `suspend()` that no later call of `resume()` has ended. The count begins with 1,
/// because a new task is suspended. The task runs only if the count is 0. If the task is running, `resume()` has no
/// effect. All suspensions by the `Progress` object together count as one.
struct TaskCourse {
    /// The effect of resuming or suspending.
    enum Change: Equatable, Sendable {
        /// The task runs from now on.
        case resumed
        /// The task no longer runs.
        case suspended
    }

    /// The loop's decision about a task that has not begun yet.
    enum Beginning: Equatable {
        /// The task begins. Returned only once for each task.
        case now
        case later(Dormancy)
        /// The task does not begin: it has already begun, has ended, or was never resumed.
        case never
    }

    private(set) var state = URLSessionTask.State.suspended
    private var suspensions = 1
    /// Whether the `Progress` object has suspended the task.
    private var isPausedByProgress = false
    /// Whether the task was resumed at least once.
    private(set) var isStarted = false
    /// The time of the first resumption.
    private var firstResumption: LoopTime?
    var earliestBeginDate: Date?
    /// Whether the loop has begun the task.
    private(set) var hasBegun = false
    /// The error of the cancellation; nil if the task was not cancelled.
    private var cancellation: (any Error)?
    /// Whether the cancellation has to produce resume data. If so, a download that is already complete still succeeds.
    private var isCancelledResumably = false

    /// Whether a time limit of the task has passed.
    private var hasExpired = false

    /// Whether the end of the task is reported before the delegate has decided about the response.
    var endsAtOnce: Bool { state == .canceling || hasExpired }

    /// Whether the task can be resumed and suspended, because it has neither ended nor been cancelled.
    private var isActive: Bool { state == .running || state == .suspended }

    /// Whether the task was neither resumed nor cancelled.
    var isUntouched: Bool { !isStarted && state == .suspended }

    var isCancelled: Bool { state == .canceling || state == .completed }

    /// Whether no more content is needed. A download that is cancelled to produce resume data still needs its content.
    var isAbandoned: Bool { state == .completed || state == .canceling && !isCancelledResumably }

    /// Ends one suspension.
    /// - Parameter now: The time. Default: the current time.
    /// - Returns: The change; nil if nothing changes.
    mutating func resume(at now: @autoclosure () -> LoopTime = .now) -> Change? {
        guard isActive, suspensions > 0 else { return nil }
        suspensions -= 1
        guard suspensions == 0 else { return nil }
        state = .running
        isStarted = true
        firstResumption = firstResumption ?? now()
        return .resumed
    }

    /// Adds a suspension.
    /// - Returns: The change; nil if nothing changes.
    mutating func suspend() -> Change? {
        guard isActive, suspensions < .max else { return nil }
        suspensions += 1
        guard suspensions == 1 else { return nil }
        state = .suspended
        return .suspended
    }

    /// Applies the state of the task's `Progress`. The `Progress` may call its handlers in any order and any number of
    /// times, so only its state is used.
    /// - Parameter isPaused: Whether the `Progress` is now paused.
    /// - Returns: The change; nil if nothing changes.
    mutating func follow(isPaused: Bool) -> Change? {
        guard isActive else { return nil }
        guard isPaused != isPausedByProgress else {
            // The `Progress` can also start a task that was never resumed, as it can for the superclass's tasks.
            return isPaused || isStarted ? nil : resume()
        }
        isPausedByProgress = isPaused
        return isPaused ? suspend() : resume()
    }

    /// Records a cancellation. Returns false if the task has ended or was already cancelled.
    mutating func cancel(with error: any Error, isResumable: Bool) -> Bool {
        guard isActive else { return false }
        state = .canceling
        cancellation = error
        isCancelledResumably = isResumable
        return true
    }

    /// Records that a time limit of the task has passed.
    mutating func expire() { hasExpired = true }

    /// Decides whether the loop begins the task.
    mutating func begin(at now: LoopTime) -> Beginning {
        guard isActive, !hasBegun, let firstResumption else { return .never }
        let delay = max(0, earliestBeginDate?.timeIntervalSinceNow ?? 0)
        // The clock for the delay can be set back. Even in this case, the timer must not start before the first
        // resumption.
        let timerStart = delay > 0 ? max(firstResumption, now.adding(delay)) : firstResumption
        if state == .suspended { return .later(Dormancy(timerStart: timerStart, beginning: nil)) }
        if delay > 0 { return .later(Dormancy(timerStart: timerStart, beginning: now.adding(delay))) }
        hasBegun = true
        return .now
    }

    /// Returns the start of the resource timer of a task that has begun. This is the first resumption or the earliest
    /// begin date, whichever is later.
    func timerStart(at now: LoopTime) -> LoopTime {
        let start = firstResumption ?? now
        guard let earliestBeginDate else { return start }
        return max(start, now.subtracting(-earliestBeginDate.timeIntervalSinceNow))
    }

    /// Records the end. If a task was cancelled before its delegate was notified of the end, the task has failed. If
    /// the delegate already has the file, the task has succeeded.
    /// - Returns: The error of the task; nil if it has succeeded.
    mutating func end(with outcome: (any Error)?, heedsCancellation: Bool) -> (any Error)? {
        state = .completed
        return outcome ?? (heedsCancellation && !isCancelledResumably ? cancellation : nil)
    }
}

/// The wait of a resumed task that has not begun yet.
struct Dormancy: Equatable, Sendable {
    /// The start of the resource timer: the first resumption or the earliest begin date, whichever is later.
    var timerStart: LoopTime
    /// The time at which the task begins; nil for a suspended task, which waits until it is resumed.
    var beginning: LoopTime?

    func expiry(resourceTimeout: TimeInterval) -> LoopTime { timerStart.adding(resourceTimeout) }

    func deadline(resourceTimeout: TimeInterval) -> LoopTime {
        min(beginning ?? .distantFuture, expiry(resourceTimeout: resourceTimeout))
    }
}
#endif
