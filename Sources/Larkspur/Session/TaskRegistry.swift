import Synchronization

/// The tasks of one session that have not ended, by their identifiers.
final class TaskRegistry: Sendable {
    private let delegates = Mutex<[Int: TaskDelegate]>([:])

    func add(_ delegate: TaskDelegate, for identifier: Int) {
        delegates.withLock { $0[identifier] = delegate }
    }

    func delegate(for identifier: Int) -> TaskDelegate? {
        delegates.withLock { $0[identifier] }
    }

    func remove(_ identifier: Int) -> TaskDelegate? {
        delegates.withLock { $0.removeValue(forKey: identifier) }
    }

    /// The tasks in the order of their creation.
    var tasks: [SessionTask] {
        delegates.withLock { $0 }.sorted { $0.key < $1.key }.map(\.value.task)
    }
}
