#if canImport(FoundationNetworking)
extension TaskCore {
    /// Records that the task no longer waits for a connection.
    /// - Returns: The maximum time in which the connection must be established, in seconds; nil for no limit.
    func leaveQueue() -> TimeInterval? {
        withStorage { storage in
            storage.queueing.isOver = true
            storage.queueing.wait = nil
            return storage.options?.connectTimeout
        }
    }
}

extension TaskCore {
    /// The wait of the task for a place at its host; nil while it does not wait.
    var connectionWait: ConnectionWait? {
        get { withStorage(\.queueing.wait) }
        set { withStorage { $0.queueing.wait = newValue } }
    }
}

extension URLSessionTask {
    /// The wait of the task for a place at its host; nil while it does not wait, or if the engine does not perform the
    /// task.
    package var connectionWait: ConnectionWait? { (self as? any EngineTask)?.core.connectionWait }

    /// Sets the options of the transfer. Has to be called before the task is resumed. Has no effect if the engine does
    /// not perform the task.
    package func use(_ options: TransferOptions) {
        (self as? any EngineTask)?.core.withStorage { $0.options = options }
    }

    /// Whether the task still waits for a place at its host, because the connections per host are limited. False if the
    /// engine does not perform the task.
    package var waitsForConnection: Bool {
        (self as? any EngineTask).map { !$0.core.withStorage(\.queueing.isOver) } ?? false
    }
}
#endif
