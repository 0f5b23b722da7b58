#if canImport(FoundationNetworking)
/// A loop that another thread may run once while the loop's own thread waits for sockets. The mailbox decides which of
/// the two has the loop, so it is never used on both at a time.
struct LentLoop: @unchecked Sendable {
    // Safe: only the thread that has the loop calls the closure.
    /// Starts a task, and lets libcurl send its request. No event of the task is delivered.
    ///
    /// Returns the time at which the loop has something to do; nil if the task was not started, because this might take
    /// long.
    let start: (TaskCore) -> LoopTime?
}
#endif
