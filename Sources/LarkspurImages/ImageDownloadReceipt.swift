/// What ``ImageDownloader/cancel(_:)`` takes: one caller's part in a download, which others may have a part in too.
public struct ImageDownloadReceipt: Sendable, Hashable, Identifiable {
    /// Its identifier, the one that the caller gave unless that was in use.
    public let id: UUID
}
