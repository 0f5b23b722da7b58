/// The end of a task, as ``SessionTask/didCompleteNotification`` reports it.
public struct TaskCompletion: Sendable {
    /// The serializer of the response; nil for a download or a streaming task, which have none.
    public let serializer: (any ResponseSerializer)?
    /// The content of the response, as far as it arrived. Nil if there was no response, or if the content is in
    /// ``fileURL``.
    public let data: Data?
    /// The error of the task; nil if it succeeded.
    public let error: LarkspurError?
    /// The location of the downloaded file; nil for other tasks and failed downloads.
    public let fileURL: URL?
    /// The times at which the task reached its stages.
    public let timeline: Timeline

    /// The closure that returns the value. It runs only if an observer reads the value.
    let serialized: (@Sendable () -> Transferred<Any>?)?

    /// The object that the serializer made of the response. After success it is the value that the completion handler
    /// got, unless that was nil; after an unacceptable status it is the parsed body. Treat it as read-only.
    public var serializedResponse: Any? { serialized?()?.value ?? error?.responseObject }

    static let userInfoKey = "LarkspurTaskCompletion"
}

/// The ending of a task, which is created on the processing queue and carried out on the completion queue.
struct TaskEnding: Sendable {
    /// A call of a handler.
    struct Delivery: Sendable {
        /// The queue that the handler runs on; nil for the completion queue.
        var queue: DispatchQueue?
        let run: @Sendable () -> Void
    }

    let completion: TaskCompletion
    /// The calls of the caller's handlers, one after the other.
    let deliveries: [Delivery]
    /// Whether each of them resumes an `await`, which no queue has to do.
    var isAwaited = false
    /// The move of a downloaded file, successful or not.
    var move: DownloadMove?
    /// The file of a download that was not moved.
    var temporaryFile: TemporaryDownload?
}

/// The way from the result of a transfer to the ending of its task: validation and serialization.
struct TaskFinisher: Sendable {
    /// The number of bytes up to which content counts as small.
    static let smallSize = 4096

    /// Whether only serializers work that are quick and run no code of a caller.
    let isQuick: Bool
    /// Creates the ending. It is called once, on the processing queue or, for small content, on the completion queue.
    let makeEnding: @Sendable (TransferResult, SessionTask) -> TaskEnding

    init(isQuick: Bool = false, _ makeEnding: @escaping @Sendable (TransferResult, SessionTask) -> TaskEnding) {
        self.isQuick = isQuick
        self.makeEnding = makeEnding
    }

    /// Decides whether the ending is created on the completion queue, because that takes less time than waking a thread
    /// of the processing queue for it. The main queue, which may have a user interface to serve, does no such work.
    func isQuick(for result: TransferResult, of task: SessionTask) -> Bool {
        isQuick && isSmall(result) && !task.environment.completionQueue.isMain && task.plan?.becomesQuick() != false
    }

    /// Whether the content is small.
    func isSmall(_ result: TransferResult) -> Bool { result.data.count <= Self.smallSize }
}

extension DispatchQueue {
    private static let mainLabel = main.label

    /// Whether the queue is the main queue, of which Dispatch on Linux makes another object for each use.
    fileprivate var isMain: Bool { label == Self.mainLabel }
}

/// The result of a task's transfer, once the transport has finished.
struct TransferResult: Sendable {
    /// The request that was performed last.
    let request: URLRequest?
    let response: URLResponse?
    /// The content that was collected in memory.
    let data: Data
    /// The file with the content, at a temporary location of Larkspur.
    var file: URL?
    /// The error of the transfer, if any.
    var error: LarkspurError?
    /// The resume data of an earlier attempt, whose file this one may not have used up.
    var unusedResumeData: Data?
}
