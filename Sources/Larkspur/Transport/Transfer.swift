/// One transfer of a session: a `URLSessionTask`, or an object of the engine that creates the task object only when it
/// is needed. Its events go to a ``TransferReceiver``.
protocol Transfer: Sendable {
    /// The identifier of the task, unique among the tasks of its session.
    var identifier: Int { get }
    /// The task object, which is created if necessary.
    var urlSessionTask: URLSessionTask? { get }
    var originalRequest: URLRequest? { get }
    var currentRequest: URLRequest? { get }
    var response: URLResponse? { get }
    /// The trailers of the response. Nil before the end of the response, if there are no trailers, and if the session
    /// does not report them.
    var trailers: [String: String]? { get }
    /// The metrics of the requests so far.
    var metrics: [TransactionMetrics] { get }
    /// The resume data of a download under way, if any.
    var currentResumeData: Data? { get }
    /// Whether the transfer still waits because of the limit of connections per host. False if the session does not
    /// report it.
    var waitsForConnection: Bool { get }

    /// The wait for a place at the host; nil while the transfer does not wait, and if the session does not report it.
    var connectionWait: ConnectionWait? { get }

    /// Performs an order. The calls come in order, never two at a time.
    func perform(_ control: TaskControl)

    /// Sets the priority, if that has an effect.
    func setPriority(_ priority: Float)
}

/// A transfer by a `URLSessionTask` of any class. Its events come through the session's delegate.
struct SessionTransfer: Transfer {
    let task: URLSessionTask
    let session: URLSession
    let adapter: any TransportAdapter
    /// The closure that ends the task if it takes longer than the resource timeout of its configuration.
    var expire: @Sendable () -> Void = {}

    var identifier: Int { task.taskIdentifier }
    var urlSessionTask: URLSessionTask? { task }
    var originalRequest: URLRequest? { task.originalRequest }
    var currentRequest: URLRequest? { task.currentRequest }
    var response: URLResponse? { task.response }
    var trailers: [String: String]? { task.responseTrailers }
    var metrics: [TransactionMetrics] { task.transactionMetrics }
    var currentResumeData: Data? { (task as? URLSessionDownloadTask).flatMap(Platform.currentResumeData) }
    var waitsForConnection: Bool { Platform.waitsForConnection(task) }
    var connectionWait: ConnectionWait? { Platform.connectionWait(of: task) }

    func perform(_ control: TaskControl) {
        adapter.perform(control, on: task, in: session)
        if control == .start, let limit = adapter.unenforcedResourceTimeout(of: session) {
            // A task that has ended by then ignores the call.
            DispatchQueue.global().asyncAfter(deadline: .now() + limit, execute: expire)
        }
    }

    func setPriority(_ priority: Float) { adapter.setPriority(priority, of: task) }
}

extension TransferContent {
    /// The kind of transfer.
    var kind: TransferKind {
        switch self {
        case .data: .data
        case .download: .download
        case .uploadOfBody, .uploadOfData, .uploadOfFile, .uploadOfStream, .uploadOfProduced: .upload
        }
    }

    /// Creates the task of a session.
    func makeTask(_ request: URLRequest, in session: URLSession) -> URLSessionTask {
        switch self {
        case .uploadOfBody:
            var request = request
            let content = request.httpBody ?? Data()
            request.httpBody = nil
            return session.uploadTask(with: request, from: content)
        case .data: return session.dataTask(with: request)
        case .download: return session.downloadTask(with: request)
        case .uploadOfData(let data): return session.uploadTask(with: request, from: data)
        case .uploadOfFile(let file): return session.uploadTask(with: request, fromFile: file)
        case .uploadOfProduced(let content):
            return Platform.makeTask(request, producing: content, in: session)
                ?? session.uploadTask(withStreamedRequest: request)
        case .uploadOfStream: return session.uploadTask(withStreamedRequest: request)
        }
    }
}
