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
    /// The closure that delays the resumption of a download.
    let pause: DownloadResumer.Pause
}
