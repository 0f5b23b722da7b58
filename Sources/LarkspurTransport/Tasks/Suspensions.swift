#if canImport(FoundationNetworking)
/// The calls of `suspend()` that `resume()` still has to balance: one to begin with, as a new task is suspended.
///
/// Calls nest. Calls of `resume()` on a running task do not accumulate, and those of its `Progress` count as one
/// suspension together.
struct Suspensions: Equatable, Sendable {
    enum Change: Equatable, Sendable {
        /// The task runs from now on.
        case resumed
        /// The task no longer runs.
        case suspended
    }

    private var count = 1
    /// Whether one of the suspensions is the `Progress` object's.
    private var includesProgress = false
    private var hasRun = false

    /// - Returns: The change; nil if the task continues as before.
    mutating func resume() -> Change? {
        guard count > 0 else { return nil }
        count -= 1
        guard count == 0 else { return nil }
        hasRun = true
        return .resumed
    }

    /// - Returns: The change; nil if the task continues as before.
    mutating func suspend() -> Change? {
        guard count < .max else { return nil }
        count += 1
        return count == 1 ? .suspended : nil
    }

    /// Follows the task's `Progress`, whose handlers are called in any order and number: only its state counts.
    /// - Parameter isPaused: Whether the `Progress` is paused now.
    /// - Returns: The change; nil if the task continues as before.
    mutating func follow(isPaused: Bool) -> Change? {
        guard isPaused != includesProgress else {
            // As with the superclass's tasks, this starts a task that was never resumed.
            return isPaused || hasRun ? nil : resume()
        }
        includesProgress = isPaused
        return isPaused ? suspend() : resume()
    }
}
#endif
