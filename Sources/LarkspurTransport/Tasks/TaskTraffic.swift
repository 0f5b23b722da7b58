#if canImport(FoundationNetworking)
/// The bytes of a task, and the progress that shows them.
struct TaskTraffic {
    var counts = TransferCounts()
    /// The progress; nil until somebody has asked for it.
    private(set) var progress: Progress?
    var expectsToReceive = NSURLSessionTransferSizeUnknown
    var expectsToSend = NSURLSessionTransferSizeUnknown

    /// Takes over a progress that no other thread has, unless there is one.
    /// - Parameter isOver: Whether the task has succeeded.
    /// - Returns: The progress of the task.
    mutating func adopt(_ made: Progress, isOver: Bool) -> Progress {
        if let progress { return progress }
        counts.show(in: made)
        if isOver { counts.finish(made) }
        progress = made
        return made
    }
}

/// The bytes that a task has transferred, and the bytes that it expects to transfer.
struct TransferCounts: Sendable {
    var received: Int64 = 0
    var sent: Int64 = 0
    /// The expected number of bytes; −1 if it is unknown.
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

    /// Adds two numbers, and saturates at the greatest number: a negative sum also ends the process in that arithmetic.
    private static func sum(_ first: Int64, _ second: Int64) -> Int64 {
        let (sum, overflows) = first.addingReportingOverflow(second)
        return overflows ? .max : sum
    }
}
#endif
