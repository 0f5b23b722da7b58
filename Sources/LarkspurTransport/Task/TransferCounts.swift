#if canImport(FoundationNetworking)
/// The bytes that a task has moved, and how many it expects to.
struct TransferCounts: Sendable {
    var received: Int64 = 0
    var sent: Int64 = 0
    /// −1 where that is unknown.
    var expectedToReceive = NSURLSessionTransferSizeUnknown
    var expectedToSend: Int64 = 0

    /// Shows both directions in one progress object, which is indeterminate until both lengths are known.
    func show(in progress: Progress) {
        let isKnown = expectedToReceive >= 0 && expectedToSend >= 0
        progress.totalUnitCount = isKnown ? expectedToReceive &+ expectedToSend : -1
        progress.completedUnitCount = received &+ sent
    }

    func finish(_ progress: Progress) {
        let total = max(1, received &+ sent)
        progress.totalUnitCount = total
        progress.completedUnitCount = total
    }
}
#endif
