#if canImport(FoundationNetworking)
/// Content that a delegate has received but not consumed. While this object exists, the content counts as not consumed,
/// and the transfer may pause.
package final class HeldContent: Sendable {
    // Safe: it is set once, before the object is shared. It is weak, because a task retains the channel of its content.
    private nonisolated(unsafe) weak var task: TaskCore?
    private let count: Int

    init(_ count: Int, of task: TaskCore) {
        self.task = task
        self.count = count
    }

    deinit { task?.consumed(count) }
}

extension URLSessionTask {
    /// Makes content count as not consumed after `urlSession(_:dataTask:didReceive:)` has returned. Has to be called
    /// within that method.
    /// - Parameter count: The number of bytes that were delivered.
    /// - Returns: The object to retain until the content is consumed; nil if the task is not the engine's.
    package func holdContent(_ count: Int) -> HeldContent? {
        (self as? any EngineTask)?.core.hold(count)
    }
}

extension TaskCore {
    /// Makes content count as not consumed after its delivery. Has to be called during the delivery.
    func hold(_ count: Int) -> HeldContent {
        deliveryState.heldBack += count
        return HeldContent(count, of: self)
    }
}
#endif
