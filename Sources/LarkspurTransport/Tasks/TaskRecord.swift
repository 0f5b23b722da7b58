#if canImport(FoundationNetworking)
/// What a task has done so far, as its users see it.
struct TaskRecord {
    var currentRequest: URLRequest?
    var response: ReceivedResponse?
    var error: (any Error)?
    var metrics: [TransferMetrics] = []
    /// The resume data of a download that ended now.
    @Boxed var resumption: ResumeData?
}
#endif
