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
        let total = isKnown ? Self.sum(expectedToReceive, expectedToSend) : -1
        // A total that becomes 0 ends the process, in Foundation's arithmetic of fractions.
        progress.totalUnitCount = total > 0 ? total : -1
        progress.completedUnitCount = Self.sum(received, sent)
    }

    func finish(_ progress: Progress) {
        let total = max(1, Self.sum(received, sent))
        progress.totalUnitCount = total
        progress.completedUnitCount = total
    }

    /// The sum, or the greatest number where it is greater: a negative one ends the process in that arithmetic too.
    private static func sum(_ first: Int64, _ second: Int64) -> Int64 {
        let (sum, overflows) = first.addingReportingOverflow(second)
        return overflows ? .max : sum
    }
}
#endif
