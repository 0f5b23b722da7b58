import Synchronization

/// Has a download go on by itself when it has lost its connection: its `SessionTask` stays, and gets another attempt.
final class DownloadResumer: Sendable {
    /// Runs something after so many seconds.
    typealias Pause = @Sendable (TimeInterval, @escaping @Sendable () -> Void) -> Void
    /// Makes the `URLSessionTask` that goes on, and registers it for the delegate.
    typealias Maker = @Sendable (TaskDelegate, Data) throws(LarkspurError) -> Void

    /// A pause of real time.
    static let realPause: Pause = { seconds, action in
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds, execute: action)
    }

    /// What another attempt can cure: a server that refuses, or a certificate that is refused, stays as it is.
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

    /// Lets a task go on after a while, if its attempt has left resume data.
    /// - Parameters:
    ///   - delegate: The delegate of the task.
    ///   - error: What the attempt has failed with.
    ///   - forget: Called when the attempt's place is taken by another one.
    ///   - giveUp: Ends the task instead, with an error, because it is cancelled in between or there can be no other
    ///     attempt.
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
            // Nil if it was cancelled meanwhile.
            guard task.endPause() else { return }
            do throws(LarkspurError) {
                try makeAttempt(delegate, failure.data)
            } catch {
                // The session has been invalidated. What broke off the download says more, and has the resume data.
                return giveUp(failure.error)
            }
            forget()
            task.beginAttempt()
        }
        return true
    }
}
