/// The result of a task's transfer, once the transport has finished.
struct TransferResult: Sendable {
    /// The request that was performed last.
    let request: URLRequest?
    let response: URLResponse?
    /// The content that was collected in memory.
    let data: Data
    /// The file with the content, at a temporary location of Larkspur.
    let file: URL?
    /// The error of the transfer, if any.
    let error: LarkspurError?
}
