/// The state machine of the activity indicator. Requests that end soon are not shown, and the indicator does not
/// flicker between one request and the next. It is a value: each event returns the delay to start, and ``delayEnded()``
/// is the event of its end.
struct ActivityState: Equatable, Sendable {
    /// The stages of activity, in their order.
    enum Stage: Sendable, CaseIterable {
        /// Nothing is under way, or the monitor is not enabled.
        case notActive
        /// Something is under way, but may end soon. It is not shown yet.
        case delayingStart
        /// Something is under way, and is shown.
        case active
        /// Nothing is under way any more, but something may begin soon. Activity is still shown.
        case delayingEnd
    }

    /// The order for the only timer.
    enum Order: Equatable, Sendable {
        case startActivationDelay
        case startCompletionDelay
        case cancelDelay
    }

    private(set) var stage = Stage.notActive
    private(set) var isEnabled: Bool
    private var tasks: Set<ObjectIdentifier> = []
    private var others = 0

    init(isEnabled: Bool = false) { self.isEnabled = isEnabled }

    /// Whether activity is shown.
    var isActive: Bool { stage == .active || stage == .delayingEnd }

    /// Whether something is under way.
    var isBusy: Bool { !tasks.isEmpty || others > 0 }

    /// Notes that a task runs, or no longer runs. A task counts once, even if the event is repeated.
    mutating func setRunning(_ isRunning: Bool, task: ObjectIdentifier) -> Order? {
        if isRunning { tasks.insert(task) } else { tasks.remove(task) }
        return activityChanged()
    }

    /// Counts the start of an activity that is not a task.
    mutating func increment() -> Order? {
        // The counter of a caller must not overflow and trap.
        others = others == .max ? others : others + 1
        return activityChanged()
    }

    /// Counts the end of an activity that is not a task. The count never falls below zero.
    mutating func decrement() -> Order? {
        others = max(0, others - 1)
        return activityChanged()
    }

    mutating func setEnabled(_ isEnabled: Bool) -> Order? {
        guard isEnabled != self.isEnabled else { return nil }
        self.isEnabled = isEnabled
        if isEnabled { return activityChanged() }
        stage = .notActive
        return .cancelDelay
    }

    private mutating func activityChanged() -> Order? {
        guard isEnabled else { return nil }
        switch (stage, isBusy) {
        case (.notActive, true):
            stage = .delayingStart
            return .startActivationDelay
        case (.active, false):
            stage = .delayingEnd
            return .startCompletionDelay
        case (.delayingEnd, true):
            stage = .active
            return .cancelDelay
        default:
            // The activation delay always runs to its end, because many short requests, one after the other, count as
            // activity.
            return nil
        }
    }

    /// Notes that the current delay has ended.
    mutating func delayEnded() {
        switch stage {
        case .delayingStart: stage = isBusy ? .active : .notActive
        case .delayingEnd: stage = .notActive
        case .notActive, .active: break
        }
    }
}
