/// The life of a task as a value: events in, transitions out.
///
/// A task starts `initialized`, alternates between `running` and `suspended`, may be `cancelling`, and ends
/// `completed`, once. An event that changes nothing answers nil, so that whoever acts on transitions acts once for
/// each.
struct TaskStateMachine: Equatable, Sendable {
    /// What an event changed.
    enum Transition: Equatable, Sendable {
        /// Runs for the first time.
        case started
        /// Runs again after having been suspended.
        case resumed
        /// Stopped running.
        case suspended
        /// Will end by cancellation; `hadStarted` tells whether it ever ran.
        case cancelled(hadStarted: Bool)
        /// Ended.
        case completed
    }

    private(set) var state = SessionTask.State.initialized

    mutating func resume() -> Transition? {
        switch state {
        case .initialized: enter(.running, by: .started)
        case .suspended: enter(.running, by: .resumed)
        case .running, .cancelling, .completed: nil
        }
    }

    mutating func suspend() -> Transition? {
        switch state {
        case .running: enter(.suspended, by: .suspended)
        case .initialized, .suspended, .cancelling, .completed: nil
        }
    }

    mutating func cancel() -> Transition? {
        switch state {
        case .initialized: enter(.cancelling, by: .cancelled(hadStarted: false))
        case .running, .suspended: enter(.cancelling, by: .cancelled(hadStarted: true))
        case .cancelling, .completed: nil
        }
    }

    mutating func complete() -> Transition? {
        state == .completed ? nil : enter(.completed, by: .completed)
    }

    private mutating func enter(_ next: SessionTask.State, by transition: Transition) -> Transition {
        state = next
        return transition
    }
}
