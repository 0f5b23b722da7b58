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
#endif
