/// The state of a call, which the lock of its task protects.
struct CallState {
    var start = CallStart()
    var course = CallCourse()
    var attempt = CallAttempt()
    var handlers = CallHandlers()
    var timeline = Timeline()
    var taskDescription: String?
    /// The task's own hooks. They are stored behind a reference, because most tasks have none.
    var hooks: TaskHooks?
    /// The observers of the call; nil if there are none.
    var observation: CallObservation?

    /// Applies the options that the caller has set for the call.
    mutating func use(_ options: CallOptions) {
        start.use(options)
        hooks = options.taskHooks.map(TaskHooks.init)
        if let priority = options.priority { attempt.priority = priority }
    }

    /// Adds the metrics of an attempt that has ended.
    mutating func note(_ transactions: [TransactionMetrics]) {
        // The metrics of a detached attempt were added at its end, or belong to another task.
        guard !attempt.isDetached else { return }
        if timeline.transactions.isEmpty {
            timeline.transactions = transactions
        } else {
            timeline.transactions += transactions
        }
    }
}

/// The hooks of one task.
final class TaskHooks: Sendable {
    let value: SessionHooks

    init(value: SessionHooks) { self.value = value }
}
