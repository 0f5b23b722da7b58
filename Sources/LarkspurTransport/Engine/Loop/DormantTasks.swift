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

/// The tasks of a loop that were resumed and have not begun: they were suspended before the loop could start them, or
/// wait for their earliest begin date.
///
/// It is a value without I/O.
struct DormantTasks {
    enum Due {
        case begins(TaskCore)
        /// The task has taken longer than its session allows.
        case expired(TaskCore)
    }

    private var entries: [Int: (task: TaskCore, dormancy: Dormancy)] = [:]

    var isEmpty: Bool { entries.isEmpty }

    mutating func add(_ task: TaskCore, _ dormancy: Dormancy) { entries[task.identifier] = (task, dormancy) }

    mutating func remove(_ task: TaskCore) { entries[task.identifier] = nil }

    /// Returns the time at which the next of them is due.
    func deadline(resourceTimeout: TimeInterval) -> LoopTime {
        entries.values.map { $0.dormancy.deadline(resourceTimeout: resourceTimeout) }.min() ?? .distantFuture
    }

    /// Removes and returns the tasks that are due.
    mutating func takeDue(at now: LoopTime, resourceTimeout: TimeInterval) -> [Due] {
        guard !entries.isEmpty else { return [] }
        var due: [Due] = []
        for (identifier, (task, dormancy)) in entries {
            if now >= dormancy.expiry(resourceTimeout: resourceTimeout) {
                due.append(.expired(task))
            } else if let beginning = dormancy.beginning, now >= beginning {
                due.append(.begins(task))
            } else {
                continue
            }
            entries[identifier] = nil
        }
        return due
    }
}
#endif
