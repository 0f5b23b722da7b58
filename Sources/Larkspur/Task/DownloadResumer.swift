import Synchronization

/// The automatic resumption of a download that has lost its connection. The `SessionTask` stays the same, and gets
/// another attempt.
final class DownloadResumer: Sendable {
    /// A closure that runs an action after a number of seconds.
    typealias Pause = @Sendable (TimeInterval, @escaping @Sendable () -> Void) -> Void
    /// A closure that creates the `URLSessionTask` that continues the download, and registers it for the delegate.
    typealias Maker = @Sendable (TaskDelegate, Data) throws(LarkspurError) -> Void

    /// A pause in real time.
    static let realPause: Pause = { seconds, action in
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds, execute: action)
    }

    /// The failures after which another attempt may succeed. A server's refusal, or a rejected certificate, does not
    /// change by itself.
    private static let losses: Set<URLError.Code> = [
        .networkConnectionLost, .timedOut, .cannotConnectToHost, .cannotFindHost, .dnsLookupFailed,
        .notConnectedToInternet, .secureConnectionFailed,
    ]

    private let schedule: Mutex<ResumeSchedule>
    private let pause: Pause
    private let makeAttempt: Maker

    init(limit: Int, pause: @escaping Pause, makeAttempt: @escaping Maker) {
        schedule = Mutex(ResumeSchedule(limit: limit))
        self.pause = pause
        self.makeAttempt = makeAttempt
    }

    /// Resumes a task after a pause, if its attempt has left resume data.
    /// - Parameters:
    ///   - delegate: The delegate of the task.
    ///   - error: The error of the attempt.
    ///   - forget: Called when another attempt has replaced this one.
    ///   - giveUp: Ends the task with an error, because it was cancelled during the pause or no other attempt is
    ///     possible.
    /// - Returns: False if the task ends with this attempt.
    func resume(
        _ delegate: TaskDelegate,
        after error: any Error,
        forget: @escaping @Sendable () -> Void,
        giveUp: @escaping @Sendable (any Error) -> Void
    ) -> Bool {
        let task = delegate.task
        guard let code = (error as? URLError)?.code, Self.losses.contains(code),
            let data = Platform.resumeData(of: error),
            let seconds = schedule.withLock({ $0.next(received: task.urlSessionTask?.countOfBytesReceived ?? 0) })
        else { return false }
        let isDetached = task.detach(resumeData: data) { keepsResumeData in
            if !keepsResumeData { Platform.discard(resumeData: data) }
            giveUp(Platform.cancellation(resumeData: keepsResumeData ? data : nil))
        }
        guard isDetached else { return false }
        let failure = (error: error, data: data)
        pause(seconds) { [makeAttempt] in
            // False if the task was cancelled during the pause.
            guard task.endPause() else { return }
            do throws(LarkspurError) {
                try makeAttempt(delegate, failure.data)
            } catch {
                // The session has been invalidated. The error that interrupted the download is more informative, and
                // has the resume data.
                return giveUp(failure.error)
            }
            forget()
            task.beginAttempt()
        }
        return true
    }
}

/// The number of automatic resumptions of a download that has lost its connection, and the pauses before them.
struct ResumeSchedule: Equatable, Sendable {
    /// The longest pause, in seconds.
    static let longestPause: TimeInterval = 30
    /// The shortest pause, in seconds.
    static let shortestPause: TimeInterval = 0.25

    private var remaining: Int
    private var pause = shortestPause
    private var received: Int64 = 0

    /// - Parameter limit: The maximum number of resumptions in total.
    init(limit: Int) { remaining = max(0, limit) }

    /// Returns the pause before the next attempt, in seconds; nil if the limit is reached. Each pause is twice as long
    /// as the one before, up to the longest. After new content has arrived, the next pause is the shortest again.
    /// - Parameter received: The number of bytes received so far.
    mutating func next(received: Int64) -> TimeInterval? {
        guard remaining > 0 else { return nil }
        remaining -= 1
        if received > self.received { pause = Self.shortestPause }
        self.received = received
        defer { pause = min(pause * 2, Self.longestPause) }
        return pause
    }
}
