import Larkspur

/// The notifications of Larkspur about one object, in the order in which they are posted.
final class NotificationRecorder: Sendable {
    struct Event: Sendable {
        let name: Notification.Name
        let completion: TaskCompletion?
        let move: DownloadMove?
        let queue: String?
    }

    static let taskNames = [
        SessionTask.didResumeNotification, SessionTask.didSuspendNotification, SessionTask.didCompleteNotification,
        DownloadTask.didMoveFileNotification, DownloadTask.didFailToMoveFileNotification,
    ]

    let events = Recorder<Event>()
    private let tokens: [Token]
    /// Kept, as another object may get the address of one that is gone, and its notifications.
    private let object: (any AnyObject & Sendable)?

    private struct Token: @unchecked Sendable {  // Safe: a token is only handed back to the notification center.
        let value: any NSObjectProtocol
    }

    init(_ object: (any AnyObject & Sendable)?, names: [Notification.Name] = NotificationRecorder.taskNames) {
        self.object = object
        let events = events
        tokens = names.map { name in
            Token(
                value: NotificationCenter.default.addObserver(forName: name, object: object, queue: nil) {
                    notification in
                    events.record(
                        Event(
                            name: notification.name,
                            completion: notification.taskCompletion,
                            move: notification.downloadMove,
                            queue: TestQueue.current
                        )
                    )
                }
            )
        }
    }

    deinit {
        for token in tokens { NotificationCenter.default.removeObserver(token.value) }
    }

    var names: [Notification.Name] { events.values.map(\.name) }
}
