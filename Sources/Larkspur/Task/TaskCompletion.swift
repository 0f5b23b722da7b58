/// What ``SessionTask/didCompleteNotification`` says about the end of a task.
public struct TaskCompletion: Sendable {
    /// The serializer that the response was for; nil for a download or a task that hands its content on, which have
    /// none.
    public let serializer: (any ResponseSerializer)?
    /// The content of the response, as far as it arrived; nil where there was no response, or where it is in
    /// ``fileURL``.
    public let data: Data?
    /// Why the task failed; nil if it succeeded.
    public let error: LarkspurError?
    /// Where the downloaded file is; nil for other tasks and failed downloads.
    public let fileURL: URL?
    /// When the stages of the task were reached.
    public let timeline: Timeline

    /// Finds the value, which nobody may ask for.
    let serialized: (@Sendable () -> Transferred<Any>?)?

    /// The object that the serializer made of the response: on success the value that the completion handler got,
    /// unless it was nil; on an unacceptable status the parsed body. Treat it as read-only.
    public var serializedResponse: Any? { serialized?()?.value ?? error?.responseObject }

    static let userInfoKey = "LarkspurTaskCompletion"
}

/// How a task ends: made on the processing queue, carried out on the completion queue.
struct TaskEnding: Sendable {
    let completion: TaskCompletion
    /// Calls the caller's handlers.
    let deliver: @Sendable () -> Void
    /// A file that was moved or was to be moved.
    var move: DownloadMove?
    /// A temporary file that nobody claimed: removed when the handlers have run.
    var unclaimedFile: URL?

    func discardFile() {
        guard let unclaimedFile else { return }
        // Nothing can be done about a file that does not go away, and it may be gone already if a handler moved it.
        try? FileManager.default.removeItem(at: unclaimedFile)
    }
}
