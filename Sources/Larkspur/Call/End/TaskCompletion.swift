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

    /// The object that the serializer returned for the response; nil if there is none. After success it is the value
    /// that the first completion handler got. After an unacceptable status it is the parsed body. Treat it as
    /// read-only.
    public var serializedResponse: Any? { serialized?()?.value ?? error?.responseObject }

    static let userInfoKey = "LarkspurTaskCompletion"
}

/// The result of a task's transfer, once the transport has finished.
struct TransferResult: Sendable {
    /// The request that was performed last.
    let request: URLRequest?
    let received: ReceivedResponse?
    /// The content that was collected in memory.
    let data: Data
    /// The file with the content, at a temporary location of Larkspur.
    var file: URL?
    /// The trailers of the response; nil if there are none.
    var trailers: HTTPHeaders?
    private(set) var failure: StoredError?
    /// The error if the content does not have the announced digest. It is reported only if the response is acceptable.
    var digestFailure: StoredError?
    /// The resume data of an earlier attempt, which this attempt may not have used.
    var unusedResumeData: Data?

    init(
        request: URLRequest?,
        received: ReceivedResponse?,
        data: Data,
        file: URL? = nil,
        trailers: HTTPHeaders? = nil,
        error: LarkspurError? = nil
    ) {
        self.request = request
        self.received = received
        self.data = data
        self.file = file
        self.trailers = trailers
        self.error = error
    }

    var response: URLResponse? { received?.object }

    /// The error of the transfer, if any.
    var error: LarkspurError? {
        get { failure?.error }
        set { failure = newValue.map { StoredError($0) } }
    }
}
