/// The values of the session manager that a task needs, captured when the task is created.
struct TaskEnvironment: Sendable {
    /// The queue that runs handlers and progress closures, and posts notifications.
    let completionQueue: DispatchQueue
    /// The group that the task enters while it is under way.
    let completionGroup: DispatchGroup
    /// The pool that runs validation and serialization.
    let processing: ProcessingPool
    /// The number of bytes of content that a task may collect in memory.
    let maximumContentSize: Int
    /// The closure that writes the line about an unhandled failure; nil if these are not reported.
    let failureWriter: UnhandledFailure.Writer?
    /// The interceptors of all calls.
    let interceptors: RequestInterceptors
    /// The clock of every delay of an interceptor.
    let clock: any Clock<Duration>
    /// The limits of the time of all calls.
    let timeouts: Timeouts
    /// The deadline of the code that made the task; nil if there is none.
    let deadline: Deadline?
    /// The observers of all calls; nil if there are none.
    let observers: ObserverList?
    /// The notifications that anybody may observe.
    let interest: NotificationInterest

    /// Whether a task has to be launched by a plan when it starts.
    var needsPlan: Bool { !interceptors.isEmpty || !timeouts.isEmpty || deadline != nil }
}
