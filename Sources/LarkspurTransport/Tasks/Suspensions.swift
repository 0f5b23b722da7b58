#if canImport(FoundationNetworking)
/// The number of calls of `suspend()` that `resume()` has yet to balance. It begins with one, as a new task is
/// suspended.
///
/// Suspensions nest. Calls of `resume()` on a running task do not count. All suspensions by the `Progress` object
/// together count as one.
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

    /// Follows the task's `Progress`. Its handlers are called in any order and number, so that only its state counts.
    /// - Parameter isPaused: Whether the `Progress` is now paused.
    /// - Returns: The change; nil if nothing changes.
    mutating func follow(isPaused: Bool) -> Change? {
        guard isPaused != includesProgress else {
            // As with the superclass's tasks, this also starts a task that was never resumed.
            return isPaused || hasRun ? nil : resume()
        }
        includesProgress = isPaused
        return isPaused ? suspend() : resume()
    }
}
#endif
