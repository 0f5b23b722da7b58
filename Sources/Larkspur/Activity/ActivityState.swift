/// Whether to show that the network is in use: not for what is over at once, and not flickering between one request and
/// the next. A value: it says which delay to set, and is told when that is over.
struct ActivityState: Equatable, Sendable {
    /// The stages, in their order.
    enum Stage: Sendable, CaseIterable {
        /// Nothing is under way, or nobody wants to know.
        case notActive
        /// Something is under way, which may be over soon.
        case delayingStart
        /// Something is under way, and shown.
        case active
        /// Nothing is under way any more, but something may be soon; it is still shown.
        case delayingEnd
    }

    /// What is to be done with the one timer.
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

    /// Whether it is to be shown.
    var isActive: Bool { stage == .active || stage == .delayingEnd }

    /// Whether something is under way.
    var isBusy: Bool { !tasks.isEmpty || others > 0 }

    /// A task runs, or does so no more. A task counts once, however often it is told.
    mutating func setRunning(_ isRunning: Bool, task: ObjectIdentifier) -> Order? {
        if isRunning { tasks.insert(task) } else { tasks.remove(task) }
        return activityChanged()
    }

    /// Something that is no task runs.
    mutating func increment() -> Order? {
        // What a caller counts must not trap.
        others = others == .max ? others : others + 1
        return activityChanged()
    }

    /// Something that is no task runs no more. It is never less than nothing.
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
            // The delay before the start always runs to its end: many short requests, one after the other, are
            // activity.
            return nil
        }
    }

    /// The delay that was set last is over.
    mutating func delayEnded() {
        switch stage {
        case .delayingStart: stage = isBusy ? .active : .notActive
        case .delayingEnd: stage = .notActive
        case .notActive, .active: break
        }
    }
}
