import Larkspur
import Synchronization

/// A printer of the notifications of all tasks.
final class NotificationPrinter: Sendable {
    private struct Tokens: @unchecked Sendable {
        // Safe: tokens are only passed back to the notification center.
        let values: [any NSObjectProtocol]
    }

    private let tokens: Tokens

    init() {
        let names: [(Notification.Name, String)] = [
            (SessionTask.didResumeNotification, "did resume"),
            (SessionTask.didSuspendNotification, "did suspend"),
            (SessionTask.didCompleteNotification, "did complete"),
        ]
        tokens = Tokens(
            values: names.map { name, text in
                NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { notification in
                    let identifier = notification.sessionTask?.taskIdentifier ?? 0
                    let ending = notification.taskCompletion.map { " " + ($0.error?.label ?? "successfully") } ?? ""
                    print("   [task \(identifier)] \(text)\(ending)")
                }
            }
        )
    }

    func stop() {
        for token in tokens.values { NotificationCenter.default.removeObserver(token) }
    }
}
