#if canImport(FoundationNetworking)
/// The waiting time of a task that was resumed and has not begun, and the reason for it.
struct Dormancy: Equatable, Sendable {
    /// The time at which the timer of its resource started: with its first resumption, or at its earliest begin date,
    /// if that is later.
    var timerStart: LoopTime
    /// The time at which it begins by itself; nil for a suspended task.
    var beginning: LoopTime?

    func expiry(resourceTimeout: TimeInterval) -> LoopTime { timerStart.adding(resourceTimeout) }

    func deadline(resourceTimeout: TimeInterval) -> LoopTime {
        min(beginning ?? .distantFuture, expiry(resourceTimeout: resourceTimeout))
    }
}
#endif
