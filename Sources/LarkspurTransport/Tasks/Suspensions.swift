#if canImport(FoundationNetworking)
/// The number of suspensions of a task: the calls of `suspend()` without a later call of `resume()`. It begins with
/// one, because a new task is suspended.
///
/// The task runs only if the number is 0. Calls of `resume()` on a running task have no effect. All suspensions by the
/// `Progress` object together count as one.
struct Suspensions: Equatable, Sendable {
    enum Change: Equatable, Sendable {
        /// The task runs from now on.
        case resumed
        /// The task no longer runs.
        case suspended
    }

    private var count = 1
    /// Whether the `Progress` object has suspended the task.
    private var includesProgress = false
    private var hasRun = false

    /// - Returns: The change; nil if nothing changes.
    mutating func resume() -> Change? {
        guard count > 0 else { return nil }
        count -= 1
        guard count == 0 else { return nil }
        hasRun = true
        return .resumed
    }

    /// - Returns: The change; nil if nothing changes.
    mutating func suspend() -> Change? {
        guard count < .max else { return nil }
        count += 1
        return count == 1 ? .suspended : nil
    }

    /// Applies the state of the task's `Progress`. Only the state is used, because the `Progress` may call its handlers
    /// in any order and any number of times.
    /// - Parameter isPaused: Whether the `Progress` is now paused.
    /// - Returns: The change; nil if nothing changes.
    mutating func follow(isPaused: Bool) -> Change? {
        guard isPaused != includesProgress else {
            // As with the superclass's tasks, the `Progress` can also start a task that was never resumed.
            return isPaused || hasRun ? nil : resume()
        }
        includesProgress = isPaused
        return isPaused ? suspend() : resume()
    }
}
#endif
