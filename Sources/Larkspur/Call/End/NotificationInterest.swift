import Synchronization

/// The notifications of tasks.
enum TaskNotification: UInt8, CaseIterable {
    case didResume
    case didSuspend
    case didComplete
    case didMoveFile
    case didFailToMoveFile

    var name: Notification.Name {
        switch self {
        case .didResume: Notification.Name("LarkspurTaskDidResume")
        case .didSuspend: Notification.Name("LarkspurTaskDidSuspend")
        case .didComplete: Notification.Name("LarkspurTaskDidComplete")
        case .didMoveFile: Notification.Name("LarkspurDownloadDidMoveFile")
        case .didFailToMoveFile: Notification.Name("LarkspurDownloadDidFailToMoveFile")
        }
    }
}

/// The notifications that may have observers, because the program has read their names.
///
/// An observer needs the name of a notification. If a name was never read, the notification has no observers and is not
/// created. A name that was read once counts as read from then on.
final class NotificationInterest: Sendable {
    /// The object that all session managers of the process share.
    static let shared = NotificationInterest()

    /// A bit for each notification whose name was read, and one for all notifications.
    private let names = Atomic<UInt8>(0)
    private static let all: UInt8 = 1 << 7

    /// Records that a name is read, and returns it. From now on the notification is posted.
    func reading(_ notification: TaskNotification) -> Notification.Name {
        names.bitwiseOr(notification.bit, ordering: .releasing)
        return notification.name
    }

    /// Returns whether a notification may have observers.
    func includes(_ notification: TaskNotification) -> Bool {
        names.load(ordering: .acquiring) & (notification.bit | Self.all) != 0
    }

    /// Whether no notification has observers.
    var isEmpty: Bool { names.load(ordering: .acquiring) == 0 }

    /// Whether every notification is posted, even if its name was not read.
    var postsAll: Bool {
        get { names.load(ordering: .acquiring) & Self.all != 0 }
        set {
            if newValue {
                names.bitwiseOr(Self.all, ordering: .releasing)
            } else {
                names.bitwiseAnd(~Self.all, ordering: .releasing)
            }
        }
    }
}

extension TaskNotification {
    fileprivate var bit: UInt8 { 1 << rawValue }
}
