#if canImport(FoundationNetworking)
/// The state of a task that belongs to the place where its delegate is called.
final class DeliveryState: @unchecked Sendable {
    // Safe: only TaskCore.deliver(_:) uses it, and Delivery makes those calls one after the other.
    /// The receiver of a transfer, until its end; nil for a task with a delegate or a completion handler.
    var receiver: (any TransferReceiver)?
    /// Whether the delegate has yet to decide on the response; later events wait.
    var isHeld = false
    var heldEvents: [Delivery.Event] = []
    /// The number of bytes of the current content that the delegate has not consumed when it returns.
    var heldBack = 0
    /// The content of a task with a completion handler.
    var content: Data?
    /// The file of a download, for its completion handler.
    var file: URL?
    /// The file of a data task that has become a download.
    var download: DownloadFile?
    /// Whether the delegate has received the file; the task has succeeded then.
    var hasHandedOverFile = false
    var isOver = false
}
#endif
