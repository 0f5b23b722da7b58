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

#if canImport(FoundationNetworking)
import Synchronization

/// The bytes of a task that were delivered and not yet consumed; the measure of back-pressure.
final class Backlog: Sendable {
    /// The number of bytes at which a transfer pauses.
    static let upperMark = 1 << 20
    /// The number of bytes below which a paused transfer continues.
    static let lowerMark = upperMark / 2

    private let bytes = Atomic(0)
    private let isPaused = Atomic(false)

    /// Notes bytes that are on their way to the delegate.
    func add(_ count: Int) { bytes.add(count, ordering: .relaxed) }

    /// Whether the transfer has to pause; ``consume(_:)`` returns true when it may continue.
    func pausesTransfer() -> Bool {
        guard bytes.load(ordering: .relaxed) >= Self.upperMark else { return false }
        isPaused.store(true, ordering: .sequentiallyConsistent)
        // The consumer may have passed the lower mark just before it could see that.
        guard bytes.load(ordering: .sequentiallyConsistent) < Self.lowerMark else { return true }
        return !isPaused.exchange(false, ordering: .sequentiallyConsistent)
    }

    /// Notes bytes that have been consumed. Returns true, once, if the transfer has paused and may continue.
    func consume(_ count: Int) -> Bool {
        let rest = bytes.subtract(count, ordering: .sequentiallyConsistent).newValue
        guard rest < Self.lowerMark else { return false }
        return isPaused.exchange(false, ordering: .sequentiallyConsistent)
    }
}
#endif
