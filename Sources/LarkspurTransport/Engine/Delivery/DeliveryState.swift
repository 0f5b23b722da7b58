#if canImport(FoundationNetworking)
/// What of a task belongs to the place where its delegate is called.
final class DeliveryState: @unchecked Sendable {
    // Safe: only TaskCore.deliver(_:) uses it, and Delivery makes those calls one after the other.
    /// The delegate has not said yet what to do with the response; what comes meanwhile waits.
    var isHeld = false
    var heldEvents: [Delivery.Event] = []
    /// How much of the content that the delegate is being given it has not done with when it returns, in bytes.
    var heldBack = 0
    /// The content of a task with a completion handler.
    var content: Data?
    /// Where the file of a download is, for its completion handler.
    var file: URL?
    /// What a data task is written to that has become a download.
    var download: DownloadFile?
    /// The delegate has been given the file, after which the task has succeeded.
    var hasHandedOverFile = false
    var isOver = false
}
#endif
