#if canImport(FoundationNetworking)
/// The calls of `suspend()` that a task has still to be resumed from: one to begin with, as a new task is suspended.
///
/// Calls nest. Calls of `resume()` on a task that runs are not saved up, and those of its `Progress` count as one
/// suspension together.
struct Suspensions: Equatable, Sendable {
    enum Change: Equatable, Sendable {
        /// The task runs from now on.
        case resumed
        /// It runs no longer.
        case suspended
    }

    private var count = 1
    /// Whether one of them is the `Progress` object's.
    private var includesProgress = false
    private var hasRun = false

    /// - Returns: What has changed; nil while the task goes on as before.
    mutating func resume() -> Change? {
        guard count > 0 else { return nil }
        count -= 1
        guard count == 0 else { return nil }
        hasRun = true
        return .resumed
    }

    /// - Returns: What has changed; nil while the task goes on as before.
    mutating func suspend() -> Change? {
        guard count < .max else { return nil }
        count += 1
        return count == 1 ? .suspended : nil
    }

    /// Follows the task's `Progress`, whose handlers come in any order and number: its state alone counts.
    /// - Parameter isPaused: Whether it is paused now.
    /// - Returns: What has changed; nil while the task goes on as before.
    mutating func follow(isPaused: Bool) -> Change? {
        guard isPaused != includesProgress else {
            // As with the superclass's tasks, this starts one that was never resumed.
            return isPaused || hasRun ? nil : resume()
        }
        includesProgress = isPaused
        return isPaused ? suspend() : resume()
    }
}
#endif
