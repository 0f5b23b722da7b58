extension SessionTask {
    /// Posted when a task has begun to run, or runs again after it was suspended. The object is the `SessionTask`.
    ///
    /// This and every notification of Larkspur is posted on the completion queue of the task's session manager.
    public static let didResumeNotification = Notification.Name("LarkspurTaskDidResume")

    /// Posted when a running task has been suspended. The object is the `SessionTask`.
    public static let didSuspendNotification = Notification.Name("LarkspurTaskDidSuspend")

    /// Posted once for every task, after its completion handler has run. The object is the `SessionTask`;
    /// ``Foundation/Notification/taskCompletion`` says how it ended.
    ///
    /// A task that could not be made, or was cancelled before it was resumed, completes without ever having been
    /// resumed.
    public static let didCompleteNotification = Notification.Name("LarkspurTaskDidComplete")
}

extension DownloadTask {
    /// Posted when a downloaded file has been moved to its destination, before the completion handler runs. The object
    /// is the `DownloadTask`; ``Foundation/Notification/downloadMove`` says where to.
    public static let didMoveFileNotification = Notification.Name("LarkspurDownloadDidMoveFile")

    /// Posted when a downloaded file could not be moved to its destination, before the completion handler runs with
    /// that error. The object is the `DownloadTask`; ``Foundation/Notification/downloadMove`` has the error.
    public static let didFailToMoveFileNotification = Notification.Name("LarkspurDownloadDidFailToMoveFile")
}

extension SessionManager {
    /// Posted when a session has become invalid: its tasks have ended and it makes no more. The object is the
    /// `SessionManager`.
    public static let didInvalidateNotification = Notification.Name("LarkspurSessionDidInvalidate")
}

/// What the download notifications say: where a file went, or why it did not.
public struct DownloadMove: Sendable {
    /// Where the file was to go.
    public let destination: URL
    /// Why it could not be moved; nil if it was.
    public let error: LarkspurError?

    static let userInfoKey = "LarkspurDownloadMove"

    func post(from task: SessionTask) {
        let name = error == nil ? DownloadTask.didMoveFileNotification : DownloadTask.didFailToMoveFileNotification
        task.post(name, userInfo: [Self.userInfoKey: self])
    }
}

extension Notification {
    /// The task that a notification of Larkspur is about; nil for any other notification.
    public var sessionTask: SessionTask? { object as? SessionTask }

    /// How the task ended: what ``SessionTask/didCompleteNotification`` carries; nil for any other notification.
    public var taskCompletion: TaskCompletion? { userInfo?[TaskCompletion.userInfoKey] as? TaskCompletion }

    /// The move of a downloaded file, which the move notifications of ``DownloadTask`` carry; nil for any other
    /// notification.
    public var downloadMove: DownloadMove? { userInfo?[DownloadMove.userInfoKey] as? DownloadMove }
}
