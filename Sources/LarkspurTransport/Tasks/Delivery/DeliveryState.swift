#if canImport(FoundationNetworking)
/// The state of a task that is only used where its delegate is called.
final class DeliveryState: @unchecked Sendable {
    // Safe: only TaskCore.deliver(_:) uses it, and Delivery makes those calls one after the other.
    /// The receiver of the transfer's events; nil for a task with a delegate or a completion handler, and after the
    /// end.
    var receiver: (any TransferReceiver)?
    /// Whether the delegate has yet to decide about the response. Later events wait for the decision.
    var isHeld = false
    var heldEvents: [Delivery.Event] = []
    /// The number of bytes of the current chunk that the delegate holds beyond its call.
    var heldBack = 0
    /// The content of a task with a completion handler.
    var content: Data?
    /// The file of a download, for its completion handler.
    var file: URL?
    /// The file of a data task that has become a download.
    var download: DownloadFile?
    /// Whether the delegate has received the file. Then the task has succeeded.
    var hasHandedOverFile = false
    var isOver = false
}
#endif
