/// The state machine of a task. It is a value: events are mutating methods that return transitions.
///
/// A task starts `initialized`, alternates between `running` and `suspended`, may be `canceling`, and ends
/// `completed`, once. An event that changes nothing returns nil, so that each transition is handled once.
struct TaskStateMachine: Equatable, Sendable {
    /// A change of state.
    enum Transition: Equatable, Sendable {
        /// The task runs for the first time.
        case started
        /// The task runs again after a suspension.
        case resumed
        /// The task no longer runs.
        case suspended
        /// The task ends by cancellation. `hadStarted` is true if it has run.
        case cancelled(hadStarted: Bool)
        /// The task has ended.
        case completed

        /// Whether the task leaves its first state.
        var isFirst: Bool { self == .started || self == .cancelled(hadStarted: false) }
    }

    private(set) var state = SessionTask.State.initialized

    mutating func resume() -> Transition? {
        switch state {
        case .initialized: enter(.running, by: .started)
        case .suspended: enter(.running, by: .resumed)
        case .running, .canceling, .completed: nil
        }
    }

    mutating func suspend() -> Transition? {
        switch state {
        case .running: enter(.suspended, by: .suspended)
        case .initialized, .suspended, .canceling, .completed: nil
        }
    }

    mutating func cancel() -> Transition? {
        switch state {
        case .initialized: enter(.canceling, by: .cancelled(hadStarted: false))
        case .running, .suspended: enter(.canceling, by: .cancelled(hadStarted: true))
        case .canceling, .completed: nil
        }
    }

    mutating func end() -> Transition? {
        state == .completed ? nil : enter(.completed, by: .completed)
    }

    private mutating func enter(_ next: SessionTask.State, by transition: Transition) -> Transition {
        state = next
        return transition
    }
}
