#if canImport(FoundationNetworking)
/// The request, response, error and metrics of a task so far, as its users see them.
struct TaskRecord {
    var currentRequest: URLRequest?
    var response: ReceivedResponse?
    var error: (any Error)?
    var metrics: [TransferMetrics] = []
    /// The resume data of a download that ended now.
    @Boxed var resumption: ResumeData?
}
#endif
