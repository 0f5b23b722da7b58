/// What a transport delivered for a task, once it has finished.
struct TransferResult: Sendable {
    /// The request that was performed last.
    let request: URLRequest?
    let response: URLResponse?
    /// What arrived in memory.
    let data: Data
    /// What arrived in a file, at a temporary place of ours.
    let file: URL?
    /// Why the transfer failed.
    let error: LarkspurError?
}
