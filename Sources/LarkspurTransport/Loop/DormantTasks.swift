#if canImport(FoundationNetworking)
/// The tasks of a loop that were resumed but have not begun. Either they were suspended before the loop could start
/// them, or their earliest begin date is in the future.
///
/// It is a value without I/O. The loop stores the waiting tasks because their deadlines apply even before they begin.
struct DormantTasks {
    enum Due {
        case begins(TaskCore)
        /// The resource timeout of the task has passed.
        case expired(TaskCore)
    }

    private final class Entry: DeadlineHolder {
        let task: TaskCore
        let dormancy: Dormancy
        var deadlineIndex: Int?

        init(task: TaskCore, dormancy: Dormancy) {
            self.task = task
            self.dormancy = dormancy
        }
    }

    private let resourceTimeout: TimeInterval
    private var entries: [Int: Entry] = [:]
    private var deadlines = DeadlineHeap<Entry>()

    /// - Parameter resourceTimeout: The time limit for a task as a whole, in seconds.
    init(resourceTimeout: TimeInterval) { self.resourceTimeout = resourceTimeout }

    var isEmpty: Bool { entries.isEmpty }

    /// The time at which the first of the tasks is due.
    var deadline: LoopTime { deadlines.next }

    mutating func add(_ task: TaskCore, _ dormancy: Dormancy) {
        remove(task)
        let entry = Entry(task: task, dormancy: dormancy)
        entries[task.identifier] = entry
        deadlines.set(dormancy.deadline(resourceTimeout: resourceTimeout), of: entry)
    }

    mutating func remove(_ task: TaskCore) {
        if let entry = entries.removeValue(forKey: task.identifier) { deadlines.remove(entry) }
    }

    /// Removes and returns a task that is due; nil if no task is due.
    mutating func takeDue(at now: LoopTime) -> Due? {
        guard let entry = deadlines.takeDue(at: now) else { return nil }
        entries[entry.task.identifier] = nil
        return now >= entry.dormancy.expiry(resourceTimeout: resourceTimeout)
            ? .expired(entry.task) : .begins(entry.task)
    }
}
#endif
