#if canImport(FoundationNetworking)
/// One transfer of a ``CurlURLSession``, whose events are passed to a receiver. A session manager uses it in place of a
/// task.
///
/// The `URLSessionTask` of the transfer is created when it is first read. It needs two dispatch queues, and only a few
/// callers read it.
package struct EngineTransfer: Sendable {
    private let core: TaskCore
    /// The session. This value retains it.
    private let session: CurlURLSession

    fileprivate init(_ core: TaskCore, of session: CurlURLSession) {
        self.core = core
        self.session = session
    }

    package var identifier: Int { core.identifier }
    package var urlSessionTask: URLSessionTask? { core.object }
    package var originalRequest: URLRequest? { core.plan.originalRequest }
    package var currentRequest: URLRequest? { core.withStorage { $0.record.currentRequest } }
    package var response: URLResponse? { core.withStorage { $0.record.response }?.object }
    /// The trailers of the response. Nil before the end of the response, and if there are no trailers.
    package var trailers: [String: String]? { core.withStorage { $0.record.trailers } }
    package var metrics: [TransactionMetrics] { core.withStorage { $0.record.metrics } }
    package var currentResumeData: Data? { core.plan.kind == .download ? core.currentResumeData : nil }
    /// Whether the transfer still waits for a place at its host, because the connections per host are limited.
    package var waitsForConnection: Bool { !core.withStorage(\.queueing.isOver) }
    /// The wait for a place at the host; nil while the transfer does not wait.
    package var connectionWait: ConnectionWait? { core.connectionWait }

    /// Sets the options. Has to be called before the transfer is first resumed.
    package func use(_ options: TransferOptions) { core.withStorage { $0.options = options } }

    package func resume() { core.resume() }
    package func suspend() { core.suspend() }
    package func cancel() { core.cancel() }
    package func setPriority(_ priority: Float) { core.setPriority(priority) }

    /// Cancels a download, but does not remove its partial file. The error of the transfer contains the resume data.
    package func cancelKeepingResumeData() {
        if core.plan.kind == .download {
            core.cancel(leavingResumeDataFor: Transferring { _ in })
        } else {
            core.cancel()
        }
    }
}

extension CurlURLSession {
    /// Whether receivers may be called on the loop's thread. This is so if the session belongs to a session manager.
    package var callsReceivers: Bool { core.delivery.isOnLoop }

    /// Creates a suspended transfer. Returns nil if the superclass performs the request.
    package func makeTransfer(
        _ request: URLRequest,
        _ content: TransferContent,
        for receiver: any TransferReceiver
    ) -> EngineTransfer? {
        let (kind, body): (TaskCore.Kind, TaskBody) =
            switch content {
            case .data: (.data, TaskBody(of: request))
            case .download: (.download, TaskBody(of: request))
            case .uploadOfBody: (.upload, .data(request.httpBody ?? Data()))
            case .uploadOfData(let data): (.upload, .data(data))
            case .uploadOfFile(let file): (.upload, .file(file))
            case .uploadOfStream: (.upload, .stream(nil))
            case .uploadOfProduced(let content): (.upload, .produced(content))
            }
        guard kind != .data || core.carries(request) else { return nil }
        var request = request
        if case .uploadOfBody = content { request.httpBody = nil }
        let task = core.makeTask(kind: kind, request: request, body: body, completion: nil, receiver: receiver)
        return EngineTransfer(task, of: self)
    }

    /// Creates a suspended transfer that continues a download.
    /// - Parameter request: The request to send; nil for the request of the resume data.
    package func makeTransfer(
        resuming resumeData: Data,
        with request: URLRequest?,
        for receiver: any TransferReceiver
    ) -> EngineTransfer {
        let task = core.makeTask(withResumeData: resumeData, request: request, completion: nil, receiver: receiver)
        return EngineTransfer(task, of: self)
    }

    func makeTaskObject(_ core: TaskCore) -> URLSessionTask {
        switch core.plan.kind {
        case .data, .webSocket: CurlDataTask(core, of: self)
        case .upload: CurlUploadTask(core, of: self)
        case .download: CurlDownloadTask(core, of: self)
        }
    }
}
#endif
