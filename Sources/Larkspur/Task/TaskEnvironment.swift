/// What a task needs of its session manager, captured when the task is made.
struct TaskEnvironment: Sendable {
    /// Runs handlers, progress closures and notifications.
    let completionQueue: DispatchQueue
    /// Entered while the task is under way.
    let completionGroup: DispatchGroup
    /// Runs validation and serialization.
    let processing: ProcessingPool
    /// How many bytes of content a task may collect in memory.
    let maximumContentSize: Int
    /// Gets the line about a failure that nothing handled; nil where these are not reported.
    let failureWriter: UnhandledFailure.Writer?
    /// Lets time pass before a download goes on.
    let pause: DownloadResumer.Pause
}
