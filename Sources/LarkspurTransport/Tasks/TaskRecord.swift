#if canImport(FoundationNetworking)
/// The task's request, response, error and metrics so far, as its users see them.
struct TaskRecord {
    var currentRequest: URLRequest?
    var response: ReceivedResponse?
    /// The trailers of the response; nil before its end, and if there are none.
    var trailers: [String: String]?
    var error: (any Error)?
    var metrics: [TransferMetrics] = []
    /// The resume data that the download would produce if it ended now; nil if it would produce none.
    @Boxed var resumption: ResumeData?
}

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
        if isOver { counts.end(made) }
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

    func end(_ progress: Progress) {
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

/// The task object of a task, which programs see, and its retention by the session.
struct TaskObjects {
    private weak var object: URLSessionTask?
    /// The object while the session retains it, usually from the first resumption to the end; nil before and after.
    private var retained: URLSessionTask?

    /// The object; nil if there is none, or if it was released.
    var current: URLSessionTask? { retained ?? object }

    /// Sets the object if there is none.
    mutating func attach(_ object: URLSessionTask) { self.object = self.object ?? object }

    mutating func replace(with object: URLSessionTask) {
        self.object = object
        if retained != nil { retained = object }
    }

    mutating func retain() { retained = object }

    /// Ends the retention of the object, and returns the object.
    mutating func release() -> URLSessionTask? {
        defer { retained = nil }
        return current
    }
}
#endif
