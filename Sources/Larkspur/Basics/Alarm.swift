import Synchronization

/// An action at a later time of the continuous clock.
///
/// An alarm that is cancelled leaves nothing behind. In contrast, the timer of a sleep of the standard library stays in
/// memory until its time has come, even if the sleep is cancelled. With a limit of 30 seconds for each of 1,000 calls a
/// second, that would be 30,000 timers.
final class Alarm: DeadlineHolder, Sendable {
    private let schedule: AlarmSchedule
    // Safe: these properties are used only within the schedule's lock.
    nonisolated(unsafe) var deadlineIndex: Int?
    fileprivate nonisolated(unsafe) var isCancelled = false  // Safe for the same reason.
    fileprivate nonisolated(unsafe) var action: (@Sendable (_ isTime: Bool) -> Void)?  // Safe for the same reason.

    /// - Parameter schedule: The schedule of the alarm. Default: that of the process.
    init(in schedule: AlarmSchedule = .shared) { self.schedule = schedule }

    /// Sets the alarm. Called once.
    /// - Parameters:
    ///   - time: The time of the action.
    ///   - action: The closure that is called exactly once: with true after the time has come, in a task of its own, or
    ///     with false when the alarm is cancelled before, on the thread that cancels it.
    func set(for time: ContinuousClock.Instant, _ action: @escaping @Sendable (_ isTime: Bool) -> Void) {
        if !schedule.insert(self, at: time, action) { action(false) }
    }

    /// Cancels the alarm. It may not have been set yet. After the action, this has no effect.
    func cancel() { schedule.remove(self)?(false) }
}

extension Clock<Duration> {
    /// Sleeps for a duration, like `sleep(for:)`. A sleep of the continuous clock that is cancelled leaves nothing
    /// behind.
    /// - Returns: Whether the time has come; false if the task was cancelled, or if the clock has failed.
    func wait(for duration: Duration) async -> Bool {
        guard let clock = self as? ContinuousClock else { return (try? await sleep(for: duration)) != nil }
        let end = clock.now.advanced(by: duration)
        let alarm = Alarm()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in alarm.set(for: end) { continuation.resume(returning: $0) } }
        } onCancel: {
            alarm.cancel()
        }
    }
}

/// Alarms in the order of their times.
final class AlarmSchedule: Sendable {
    static let shared = AlarmSchedule()

    private struct State {
        var alarms = DeadlineHeap<ContinuousClock.Instant, Alarm>()
        /// The times at which sleeps of the schedule end, the earliest last. Cancelled alarms end no sleep, so the
        /// times are at most as many as the alarms that had the earliest time when they were set.
        var sleeps: [ContinuousClock.Instant] = []

        /// Returns the time until which another sleep is needed; nil if a sleep ends early enough.
        mutating func takeSleep() -> ContinuousClock.Instant? {
            guard let time = alarms.earliest, sleeps.last.map({ time < $0 }) ?? true else { return nil }
            sleeps.append(time)
            return time
        }
    }

    private let state = Mutex(State())

    /// The number of sleeps that have not ended. It is zero some time after the last alarm.
    var sleepCount: Int { state.withLock { $0.sleeps.count } }
    /// The times of the alarms, in no order.
    var times: [ContinuousClock.Instant] { state.withLock { $0.alarms.deadlines } }

    /// Adds an alarm. Returns false if it was cancelled before.
    fileprivate func insert(
        _ alarm: Alarm,
        at time: ContinuousClock.Instant,
        _ action: @escaping @Sendable (Bool) -> Void
    ) -> Bool {
        let (isSet, sleep) = state.withLock { state in
            guard !alarm.isCancelled else { return (false, ContinuousClock.Instant?.none) }
            alarm.action = action
            state.alarms.insert(alarm, at: time)
            return (true, state.takeSleep())
        }
        if let sleep { wake(at: sleep) }
        return isSet
    }

    /// Removes an alarm. Returns its action if it was set and is not due.
    fileprivate func remove(_ alarm: Alarm) -> (@Sendable (Bool) -> Void)? {
        state.withLock { state in
            alarm.isCancelled = true
            state.alarms.remove(alarm)
            return alarm.action.take()
        }
    }

    private func wake(at time: ContinuousClock.Instant) {
        Task.detached {
            try? await ContinuousClock().sleep(until: time, tolerance: nil)
            self.act()
        }
    }

    /// Starts the actions that are due. Called at the end of a sleep.
    private func act() {
        let (actions, sleep) = state.withLock { state in
            state.sleeps.removeLast()
            let now = ContinuousClock.now
            var actions: [@Sendable (Bool) -> Void] = []
            while let alarm = state.alarms.takeDue(at: now) {
                if let action = alarm.action.take() { actions.append(action) }
            }
            return (actions, state.takeSleep())
        }
        for action in actions { Task.detached { action(true) } }
        if let sleep { wake(at: sleep) }
    }
}
