#if canImport(FoundationNetworking)
extension TaskCore {
    /// Records that the task waits for a connection no longer.
    /// - Returns: The longest time for making one, in seconds; nil for none.
    func leaveQueue() -> TimeInterval? {
        withStorage { storage in
            storage.queueing.isOver = true
            return storage.queueing.connectTimeout
        }
    }
}

extension URLSessionTask {
    /// Limits the time for making a connection, with the resolution of the host's name and the handshake of TLS; to be
    /// called before the task is resumed. Without effect on tasks that are not the engine's.
    /// - Parameter seconds: The longest time, in seconds.
    package func limitConnecting(to seconds: TimeInterval) {
        (self as? any EngineTask)?.core.withStorage { $0.queueing.connectTimeout = seconds }
    }

    /// Whether the task has not been given a place at its host yet. False for tasks that are not the engine's.
    package var waitsForConnection: Bool {
        (self as? any EngineTask).map { !$0.core.withStorage(\.queueing.isOver) } ?? false
    }
}
#endif
