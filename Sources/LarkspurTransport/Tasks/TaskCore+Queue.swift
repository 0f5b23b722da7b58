#if canImport(FoundationNetworking)
extension TaskCore {
    /// Records that the task no longer waits for a connection.
    /// - Returns: The limit of the time for making a connection, in seconds; nil for none.
    func leaveQueue() -> TimeInterval? {
        withStorage { storage in
            storage.queueing.isOver = true
            return storage.queueing.connectTimeout
        }
    }
}

extension URLSessionTask {
    /// Limits the time for making a connection, including name resolution and the TLS handshake. Has to be called
    /// before the task is resumed. Has no effect if the task is not the engine's.
    /// - Parameter seconds: The limit, in seconds.
    package func limitConnecting(to seconds: TimeInterval) {
        (self as? any EngineTask)?.core.withStorage { $0.queueing.connectTimeout = seconds }
    }

    /// Whether the task still waits for a place at its host. False if the task is not the engine's.
    package var waitsForConnection: Bool {
        (self as? any EngineTask).map { !$0.core.withStorage(\.queueing.isOver) } ?? false
    }
}
#endif
