#if canImport(FoundationNetworking)
/// Content that a delegate has received and not consumed. As long as this object is retained, the content counts as
/// unconsumed and may pause the transfer.
package final class HeldContent: Sendable {
    private let task: TaskCore
    private let count: Int

    init(_ count: Int, of task: TaskCore) {
        self.task = task
        self.count = count
    }

    deinit { task.consumed(count) }
}

extension URLSessionTask {
    /// Keeps content from counting as consumed when `urlSession(_:dataTask:didReceive:)` returns; to be called within
    /// that method.
    /// - Parameter count: The number of bytes that were delivered.
    /// - Returns: The object to retain until the content is consumed; nil for tasks that are not the engine's.
    package func holdContent(_ count: Int) -> HeldContent? {
        (self as? any EngineTask)?.core.hold(count)
    }
}

extension TaskCore {
    /// Keeps content from counting as consumed when it has been delivered; to be called while it is delivered.
    func hold(_ count: Int) -> HeldContent {
        deliveryState.heldBack += count
        return HeldContent(count, of: self)
    }
}
#endif
