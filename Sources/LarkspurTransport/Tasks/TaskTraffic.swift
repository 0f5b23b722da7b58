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
#endif
