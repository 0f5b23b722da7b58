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

/// The calls with interceptors that are under way. Such a call may have no attempt in a session.
final class CallRegistry: Sendable {
    private let calls = Mutex<[ObjectIdentifier: SessionTask]>([:])

    func add(_ task: SessionTask) { calls.withLock { $0[ObjectIdentifier(task)] = task } }

    func remove(_ task: SessionTask) {
        // The task may be released here, outside the lock.
        _ = calls.withLock { $0.removeValue(forKey: ObjectIdentifier(task)) }
    }

    func tasks(except others: [SessionTask]) -> [SessionTask] {
        let known = Set(others.map(ObjectIdentifier.init))
        return calls.withLock { $0 }.filter { !known.contains($0.key) }.map(\.value)
    }
}
