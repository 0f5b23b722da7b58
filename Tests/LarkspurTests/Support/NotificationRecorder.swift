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

    private struct Token: @unchecked Sendable {  // Safe: a token is only handed back to the notification center.
        let value: any NSObjectProtocol
    }

    init(_ object: AnyObject?, names: [Notification.Name] = NotificationRecorder.taskNames) {
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
