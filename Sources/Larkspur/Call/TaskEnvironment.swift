/// The values of the session manager that a task needs, captured when the task is created. Tasks that are created
/// between two changes of the manager share them.
final class TaskEnvironment: Sendable {
    /// The queue that runs handlers and progress closures, and posts notifications.
    let completionQueue: DispatchQueue
    /// Whether that is the main queue.
    let completesOnMain: Bool
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
    /// The notifications that anybody may observe.
    let interest: NotificationInterest

    init(_ settings: ManagerSettings, _ processing: ProcessingPool) {
        completionQueue = settings.completionQueue
        completesOnMain = completionQueue.isMain
        completionGroup = settings.completionGroup
        self.processing = processing
        maximumContentSize = settings.maximumContentSize
        failureWriter = settings.reportsUnhandledFailures ? settings.failureWriter : nil
        interceptors = settings.interceptors
        clock = settings.clock
        timeouts = settings.timeouts
        interest = settings.interest
    }

    /// Whether calls are launched when they start, and not when they are made.
    var launchesLate: Bool { !interceptors.isEmpty || !timeouts.isEmpty }
}

extension DispatchQueue {
    private static let mainLabel = main.label

    /// Whether the queue is the main queue, of which Dispatch on Linux makes another object for each use.
    fileprivate var isMain: Bool { label == Self.mainLabel }
}

/// The settings of a session manager, most of which its tasks capture.
struct ManagerSettings {
    var completionQueue: DispatchQueue
    var completionGroup: DispatchGroup
    var jsonDecoder = JSONDecoder()
    var jsonEncoder = JSONEncoder()
    var maximumContentSize = 1 << 30
    var reportsUnhandledFailures = Platform.isDebugBuild
    var failureWriter = UnhandledFailure.writer
    var interceptors = RequestInterceptors()
    var clock: any Clock<Duration> = ContinuousClock()
    var timeouts = Timeouts()
    var interest = NotificationInterest.shared
    /// What tasks capture of them, until a setting changes.
    var environment: TaskEnvironment?
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
