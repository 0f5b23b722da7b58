import Larkspur

/// A printer of the notifications of all tasks.
final class NotificationPrinter: Sendable {
    private struct Observers: @unchecked Sendable {
        // Safe: observers are only passed back to the notification center.
        let values: [any NSObjectProtocol]
    }

    private let observers: Observers

    init() {
        let events: KeyValuePairs = [
            SessionTask.didResumeNotification: "resumed",
            SessionTask.didSuspendNotification: "suspended",
            SessionTask.didCompleteNotification: "completed",
        ]
        observers = Observers(
            values: events.map { name, event in
                NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { notification in
                    guard let request = notification.sessionTask?.originalRequest else { return }
                    let end = notification.taskCompletion.map { ": " + ($0.error?.label ?? "success") } ?? ""
                    print("\(request.httpMethod ?? "GET") \(request.url?.path ?? "") \(event)\(end)")
                }
            }
        )
    }

    func stop() {
        for observer in observers.values { NotificationCenter.default.removeObserver(observer) }
    }
}
