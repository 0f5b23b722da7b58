#if canImport(FoundationNetworking)
/// The task's request, response, error and metrics so far, as its users see them.
struct TaskRecord {
    var currentRequest: URLRequest?
    var response: ReceivedResponse?
    var error: (any Error)?
    var metrics: [TransferMetrics] = []
    /// The resume data that the download would leave if it ended now; nil if there is none.
    @Boxed var resumption: ResumeData?
}
#endif
