#if canImport(FoundationNetworking)
/// The byte counts of a task, and the progress object that shows them.
struct TaskTraffic {
    var counts = TransferCounts()
    /// The progress object; nil until it is first read.
    private(set) var progress: Progress?
    var expectsToReceive = NSURLSessionTransferSizeUnknown
    var expectsToSend = NSURLSessionTransferSizeUnknown

    /// Stores a new progress object if there is none yet.
    /// - Parameter isOver: Whether the task has succeeded.
    /// - Returns: The progress object of the task.
    mutating func adopt(_ made: Progress, isOver: Bool) -> Progress {
        if let progress { return progress }
        counts.show(in: made)
        if isOver { counts.finish(made) }
        progress = made
        return made
    }
}

/// The numbers of bytes that a task has transferred and expects to transfer.
struct TransferCounts: Sendable {
    var received: Int64 = 0
    var sent: Int64 = 0
    /// The expected number of bytes; −1 if it is unknown.
    var expectedToReceive = NSURLSessionTransferSizeUnknown
    var expectedToSend: Int64 = 0

    /// Shows both directions in one progress object. It is indeterminate until both lengths are known.
    func show(in progress: Progress) {
        let isKnown = expectedToReceive >= 0 && expectedToSend >= 0
        let total = isKnown ? Self.sum(expectedToReceive, expectedToSend) : -1
        // A total of 0 would end the process in Foundation's calculation of the completed fraction.
        progress.totalUnitCount = total > 0 ? total : -1
        progress.completedUnitCount = Self.sum(received, sent)
    }

    func finish(_ progress: Progress) {
        let total = max(1, Self.sum(received, sent))
        progress.totalUnitCount = total
        progress.completedUnitCount = total
    }

    /// Adds two numbers. If the sum overflows, returns the largest number, because a negative sum would end the process
    /// in Foundation's calculation too.
    private static func sum(_ first: Int64, _ second: Int64) -> Int64 {
        let (sum, overflows) = first.addingReportingOverflow(second)
        return overflows ? .max : sum
    }
}
#endif
