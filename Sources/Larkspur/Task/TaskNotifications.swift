extension SessionTask {
    /// Posted when a task has started to run, or runs again after a suspension. The object is the `SessionTask`.
    ///
    /// This and every notification of Larkspur is posted on the completion queue of the task's session manager.
    public static let didResumeNotification = Notification.Name("LarkspurTaskDidResume")

    /// Posted when a running task has been suspended. The object is the `SessionTask`.
    public static let didSuspendNotification = Notification.Name("LarkspurTaskDidSuspend")

    /// Posted once for every task, after its completion handler has run. The object is the `SessionTask`;
    /// ``Foundation/Notification/taskCompletion`` describes its end.
    ///
    /// A task that could not be created, or was cancelled before it was resumed, completes without the notification of
    /// a resume.
    public static let didCompleteNotification = Notification.Name("LarkspurTaskDidComplete")
}

extension DownloadTask {
    /// Posted when a downloaded file has been moved to its destination, before the completion handler runs. The object
    /// is the `DownloadTask`; ``Foundation/Notification/downloadMove`` has the destination.
    public static let didMoveFileNotification = Notification.Name("LarkspurDownloadDidMoveFile")

    /// Posted when a downloaded file could not be moved to its destination, before the completion handler runs with
    /// that error. The object is the `DownloadTask`; ``Foundation/Notification/downloadMove`` has the error.
    public static let didFailToMoveFileNotification = Notification.Name("LarkspurDownloadDidFailToMoveFile")
}

/// The content of the move notifications of downloads: the destination of a file, or the error of its move.
public struct DownloadMove: Sendable {
    /// The destination of the file.
    public let destination: URL
    /// The error of the move; nil if the file was moved.
    public let error: LarkspurError?

    static let userInfoKey = "LarkspurDownloadMove"

    func post(from task: SessionTask) {
        let name = error == nil ? DownloadTask.didMoveFileNotification : DownloadTask.didFailToMoveFileNotification
        task.post(name, userInfo: [Self.userInfoKey: self])
    }
}

extension Notification {
    /// The task of a notification of Larkspur; nil for any other notification.
    public var sessionTask: SessionTask? { object as? SessionTask }

    /// The end of the task, in ``SessionTask/didCompleteNotification``; nil for any other notification.
    public var taskCompletion: TaskCompletion? { userInfo?[TaskCompletion.userInfoKey] as? TaskCompletion }

    /// The move of a downloaded file, in the move notifications of ``DownloadTask``; nil for any other notification.
    public var downloadMove: DownloadMove? { userInfo?[DownloadMove.userInfoKey] as? DownloadMove }
}
