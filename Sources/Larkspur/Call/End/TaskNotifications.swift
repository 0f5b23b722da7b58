import HTTPSyntax

/// The notifications of tasks. A notification is posted only if the program has read its name, or has set
/// ``postsAllNotifications``.
extension SessionTask {
    /// Posted when a task has started to run, or runs again after a suspension. The object is the `SessionTask`.
    ///
    /// Like every notification of Larkspur, this one is posted on the completion queue of the task's session manager.
    /// Reading the name turns the notification on, for all tasks of the process and their later changes. An observer
    /// that does not read the name needs ``postsAllNotifications``.
    public static var didResumeNotification: Notification.Name { NotificationInterest.shared.reading(.didResume) }

    /// Posted on the completion queue of the task's session manager when a running task has been suspended. The object
    /// is the `SessionTask`.
    ///
    /// Reading this name turns the notification on, for all tasks of the process and their later changes. An observer
    /// that does not read this name needs ``postsAllNotifications``.
    public static var didSuspendNotification: Notification.Name { NotificationInterest.shared.reading(.didSuspend) }

    /// Posted once for every task, after its completion handler has run. The object is the `SessionTask`;
    /// ``Foundation/Notification/taskCompletion`` describes its end.
    ///
    /// If a task has ended when it is created, or was cancelled before it was resumed, no ``didResumeNotification``
    /// comes before this notification. This notification is posted on the completion queue of the task's session
    /// manager. Reading the name turns the notification on, for all tasks of the process that end later. An observer
    /// that does not read the name needs ``postsAllNotifications``.
    public static var didCompleteNotification: Notification.Name { NotificationInterest.shared.reading(.didComplete) }

    /// Whether all notifications of tasks are posted, even if the program has not read their names from
    /// ``SessionTask``. Set it to true if the program observes every notification, or uses a name as a string. Default:
    /// false, so that notifications without observers cost nothing.
    ///
    /// The property applies to all tasks of the process and to their later changes, and may be set from any thread.
    public static var postsAllNotifications: Bool {
        get { NotificationInterest.shared.postsAll }
        set { NotificationInterest.shared.postsAll = newValue }
    }
}

extension DownloadTask {
    /// Posted when a downloaded file has been moved to its destination, before the completion handler runs. The
    /// notification is posted on the completion queue of the download's session manager. The object is the
    /// `DownloadTask`; ``Foundation/Notification/downloadMove`` has the destination.
    ///
    /// Reading this name turns the notification on, for all downloads of the process that end later. An observer that
    /// does not read it needs ``SessionTask/postsAllNotifications``.
    public static var didMoveFileNotification: Notification.Name { NotificationInterest.shared.reading(.didMoveFile) }

    /// Posted when a downloaded file could not be moved to its destination, before the completion handler runs with
    /// that error. The notification is posted on the completion queue of the download's session manager. The object is
    /// the `DownloadTask`; ``Foundation/Notification/downloadMove`` has the error.
    ///
    /// Reading this name turns the notification on, for all downloads of the process that end later. An observer that
    /// does not read it needs ``SessionTask/postsAllNotifications``.
    public static var didFailToMoveFileNotification: Notification.Name {
        NotificationInterest.shared.reading(.didFailToMoveFile)
    }
}

/// The content of the move notifications of downloads: the destination of a file, or the error of its move.
public struct DownloadMove: Sendable {
    /// The destination of the file.
    public let destination: URL
    /// The error of the move; nil if the file was moved.
    public let error: LarkspurError?

    static let userInfoKey = "LarkspurDownloadMove"

    func post(from task: SessionTask) {
        task.post(error == nil ? .didMoveFile : .didFailToMoveFile) { [Self.userInfoKey: self] }
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
