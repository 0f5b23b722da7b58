#if canImport(FoundationNetworking)
/// The state of a task that is used only on the thread or queue of its delegate.
final class DeliveryState: @unchecked Sendable {
    // Safe: only `TaskCore.deliver(_:)` changes the state, and `Delivery` calls that method for one event after the
    // other. If that is on the loop's thread, the thread that has the loop reads the receiver too.
    /// The receiver of the transfer's events. Nil after the end, and for a task with a delegate or a completion
    /// handler.
    @exclusivity(unchecked) var receiver: (any TransferReceiver)?
    /// Whether the delegate has not decided about the response yet. Later events wait for the decision.
    @exclusivity(unchecked) var isHeld = false
    @exclusivity(unchecked) var heldEvents: [Delivery.Event] = []
    /// The number of bytes of the current chunk that the delegate retains after its method has returned.
    @exclusivity(unchecked) var heldBack = 0
    /// The content of a task with a completion handler.
    @exclusivity(unchecked) var content: Data?
    /// The file of a download, for its completion handler.
    @exclusivity(unchecked) var file: URL?
    /// The file of a data task that has become a download.
    @exclusivity(unchecked) var download: DownloadFile?
    /// Whether the delegate has received the file. If so, the task has succeeded.
    @exclusivity(unchecked) var hasHandedOverFile = false
    @exclusivity(unchecked) var hasDeliveredMetrics = false
    @exclusivity(unchecked) var isOver = false
}
#endif
