public import Larkspur
public import ServiceLifecycle

/// A service that owns a session manager, and invalidates it when the program shuts down.
///
///     let group = ServiceGroup(services: [SessionService(manager), server], logger: logger)
///
/// A group shuts its services down in the reverse order: name this one before those that send requests.
public struct SessionService: Service {
    private let manager: SessionManager
    private let limit: Duration

    /// Creates a service.
    /// - Parameters:
    ///   - manager: The session manager.
    ///   - limit: The time that calls have to finish in a graceful shutdown, on the manager's clock. Those that have
    ///     not finished then are cancelled. Default: 30 seconds.
    public init(_ manager: SessionManager, finishingWithin limit: Duration = .seconds(30)) {
        self.manager = manager
        self.limit = limit
    }

    /// Waits for a graceful shutdown, and then for the end of the calls under way. No new ones begin, and none is sent
    /// again.
    /// - Throws: `CancellationError`, if the surrounding task is cancelled. All calls are cancelled then.
    public func run() async throws {
        await withTaskCancellationHandler {
            // An error means that the task was cancelled.
            try? await gracefulShutdown()
            manager.invalidate(cancelingTasks: Task.isCancelled)
            await finishCalls()
        } onCancel: {
            manager.invalidate(cancelingTasks: true)
        }
        try Task.checkCancellation()
    }

    private func finishCalls() async {
        await withTaskGroup { group in
            group.addTask {
                // The sleep ends with an error when all calls have ended.
                guard (try? await manager.clock.sleep(for: limit)) != nil else { return }
                manager.invalidate(cancelingTasks: true)
            }
            await withCheckedContinuation { continuation in
                manager.completionGroup.notify(queue: .global()) { continuation.resume() }
            }
            group.cancelAll()
        }
    }
}
