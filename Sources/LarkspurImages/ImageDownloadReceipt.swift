/// The receipt of one caller for a download that several callers may share. ``ImageDownloader/cancel(_:)`` takes it.
public struct ImageDownloadReceipt: Sendable, Hashable, Identifiable {
    /// The identifier of the receipt. It is the one that the caller passed, unless that was in use.
    public let id: UUID
}
