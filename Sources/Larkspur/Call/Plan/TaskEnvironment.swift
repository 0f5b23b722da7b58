import HTTPSyntax

/// The settings of the session manager, captured when a task is created, and the values that follow from them. All
/// tasks that are created between two changes of the manager share one object.
final class TaskEnvironment: Sendable {
    let settings: ManagerSettings
    /// The pool that runs validation and serialization.
    let processing: ProcessingPool
    /// Whether the completion queue is the main queue.
    let completesOnMain: Bool
    /// Whether calls create their transfers when they start, and not when the calls are created.
    let launchesLate: Bool

    init(_ settings: ManagerSettings, _ processing: ProcessingPool) {
        self.settings = settings
        self.processing = processing
        completesOnMain = settings.completionQueue.isMain
        launchesLate = !settings.interceptors.isEmpty || !settings.timeouts.isEmpty
    }

    /// The closure that writes the line about an unhandled failure; nil if such failures are not reported.
    var failureWriter: UnhandledFailure.Writer? { settings.reportsUnhandledFailures ? settings.failureWriter : nil }
}

extension DispatchQueue {
    private static let mainLabel = main.label

    /// Whether the queue is the main queue. The labels are compared, because Dispatch on Linux returns another object
    /// each time that `main` is read.
    fileprivate var isMain: Bool { label == Self.mainLabel }
}

/// The settings of a session manager that apply to the tasks that it creates from then on.
struct ManagerSettings: Sendable {
    /// The queue that runs handlers and progress closures, and posts notifications.
    var completionQueue: DispatchQueue
    /// The group of the tasks under way.
    var completionGroup: DispatchGroup
    var jsonDecoder = JSONDecoder()
    var jsonEncoder = JSONEncoder()
    /// The maximum number of bytes of content that a task collects in memory.
    var maximumContentSize = 1 << 30
    var reportsUnhandledFailures = Platform.isDebugBuild
    /// The closure that writes the lines about unhandled failures.
    var failureWriter = UnhandledFailure.writer
    /// The interceptors of all calls.
    var interceptors = RequestInterceptors()
    /// The clock for every delay of an interceptor.
    var clock: any Clock<Duration> = ContinuousClock()
    /// The limits of the time of all calls.
    var timeouts = Timeouts()
    /// The notifications that may have observers.
    var interest = NotificationInterest.shared

    init(completionQueue: DispatchQueue?, completionGroup: DispatchGroup) {
        self.completionQueue = completionQueue ?? Platform.makeCompletionQueue()
        self.completionGroup = completionGroup
    }
}

extension Platform {
    /// Whether the program is built for debugging.
    static var isDebugBuild: Bool {
        #if DEBUG
        true
        #else
        false
        #endif
    }
}
