#if canImport(FoundationNetworking)
/// A data task of a ``CurlURLSession``. Its ``TaskCore`` performs the task.
final class CurlDataTask: URLSessionDataTask, EngineTask, @unchecked Sendable {
    // Safe: both properties are constants, and the core's lock guards all changing state.
    let core: TaskCore
    private let session: CurlURLSession

    init(_ core: TaskCore, of session: CurlURLSession) {
        self.core = core
        self.session = session
        super.init()
        core.attach(self)
    }

    deinit { core.objectReleased() }

    override var taskIdentifier: Int { core.identifier }
    override var originalRequest: URLRequest? { core.plan.originalRequest }
    override var currentRequest: URLRequest? { core.withStorage { $0.record.currentRequest } }
    override var response: URLResponse? { core.withStorage { $0.record.response }?.object }
    override var state: URLSessionTask.State { core.withStorage { $0.course.state } }
    override var error: (any Error)? { core.withStorage { $0.record.error } }
    override var progress: Progress { core.progress }
    override var countOfBytesReceived: Int64 { core.counts.received }
    override var countOfBytesSent: Int64 { core.counts.sent }
    override var countOfBytesExpectedToSend: Int64 { core.counts.expectedToSend }
    override var countOfBytesExpectedToReceive: Int64 { core.counts.expectedToReceive }

    override var priority: Float {
        get { core.priority }
        set { core.setPriority(newValue) }
    }
    override var taskDescription: String? {
        get { core.withStorage { $0.description } }
        set { core.withStorage { $0.description = newValue } }
    }
    override var delegate: (any URLSessionTaskDelegate)? {
        get { core.delegate }
        set { core.setDelegate(newValue) }
    }
    override var earliestBeginDate: Date? {
        get { core.withStorage { $0.course.earliestBeginDate } }
        set { core.withStorage { $0.course.earliestBeginDate = newValue } }
    }
    override var countOfBytesClientExpectsToReceive: Int64 {
        get { core.withStorage { $0.traffic.expectsToReceive } }
        set { core.withStorage { $0.traffic.expectsToReceive = newValue } }
    }
    override var countOfBytesClientExpectsToSend: Int64 {
        get { core.withStorage { $0.traffic.expectsToSend } }
        set { core.withStorage { $0.traffic.expectsToSend = newValue } }
    }

    override func resume() { core.resume() }
    override func suspend() { core.suspend() }
    override func cancel() { core.cancel() }

    override var description: String { core.summary(of: "CurlDataTask") }
}

/// An upload task of a ``CurlURLSession``. Its ``TaskCore`` performs the task.
final class CurlUploadTask: URLSessionUploadTask, EngineTask, @unchecked Sendable {
    // Safe: both properties are constants, and the core's lock guards all changing state.
    let core: TaskCore
    private let session: CurlURLSession

    init(_ core: TaskCore, of session: CurlURLSession) {
        self.core = core
        self.session = session
        super.init()
        core.attach(self)
    }

    deinit { core.objectReleased() }

    override var taskIdentifier: Int { core.identifier }
    override var originalRequest: URLRequest? { core.plan.originalRequest }
    override var currentRequest: URLRequest? { core.withStorage { $0.record.currentRequest } }
    override var response: URLResponse? { core.withStorage { $0.record.response }?.object }
    override var state: URLSessionTask.State { core.withStorage { $0.course.state } }
    override var error: (any Error)? { core.withStorage { $0.record.error } }
    override var progress: Progress { core.progress }
    override var countOfBytesReceived: Int64 { core.counts.received }
    override var countOfBytesSent: Int64 { core.counts.sent }
    override var countOfBytesExpectedToSend: Int64 { core.counts.expectedToSend }
    override var countOfBytesExpectedToReceive: Int64 { core.counts.expectedToReceive }

    override var priority: Float {
        get { core.priority }
        set { core.setPriority(newValue) }
    }
    override var taskDescription: String? {
        get { core.withStorage { $0.description } }
        set { core.withStorage { $0.description = newValue } }
    }
    override var delegate: (any URLSessionTaskDelegate)? {
        get { core.delegate }
        set { core.setDelegate(newValue) }
    }
    override var earliestBeginDate: Date? {
        get { core.withStorage { $0.course.earliestBeginDate } }
        set { core.withStorage { $0.course.earliestBeginDate = newValue } }
    }
    override var countOfBytesClientExpectsToReceive: Int64 {
        get { core.withStorage { $0.traffic.expectsToReceive } }
        set { core.withStorage { $0.traffic.expectsToReceive = newValue } }
    }
    override var countOfBytesClientExpectsToSend: Int64 {
        get { core.withStorage { $0.traffic.expectsToSend } }
        set { core.withStorage { $0.traffic.expectsToSend = newValue } }
    }

    override func resume() { core.resume() }
    override func suspend() { core.suspend() }
    override func cancel() { core.cancel() }

    override var description: String { core.summary(of: "CurlUploadTask") }
}

/// A download task of a ``CurlURLSession``. Its ``TaskCore`` performs the task.
final class CurlDownloadTask: URLSessionDownloadTask, EngineTask, @unchecked Sendable {
    // Safe: both properties are constants, and the core's lock guards all changing state.
    let core: TaskCore
    private let session: CurlURLSession

    init(_ core: TaskCore, of session: CurlURLSession) {
        self.core = core
        self.session = session
        super.init()
        core.attach(self)
    }

    deinit { core.objectReleased() }

    override var taskIdentifier: Int { core.identifier }
    override var originalRequest: URLRequest? { core.plan.originalRequest }
    override var currentRequest: URLRequest? { core.withStorage { $0.record.currentRequest } }
    override var response: URLResponse? { core.withStorage { $0.record.response }?.object }
    override var state: URLSessionTask.State { core.withStorage { $0.course.state } }
    override var error: (any Error)? { core.withStorage { $0.record.error } }
    override var progress: Progress { core.progress }
    override var countOfBytesReceived: Int64 { core.counts.received }
    override var countOfBytesSent: Int64 { core.counts.sent }
    override var countOfBytesExpectedToSend: Int64 { core.counts.expectedToSend }
    override var countOfBytesExpectedToReceive: Int64 { core.counts.expectedToReceive }

    override var priority: Float {
        get { core.priority }
        set { core.setPriority(newValue) }
    }
    override var taskDescription: String? {
        get { core.withStorage { $0.description } }
        set { core.withStorage { $0.description = newValue } }
    }
    override var delegate: (any URLSessionTaskDelegate)? {
        get { core.delegate }
        set { core.setDelegate(newValue) }
    }
    override var earliestBeginDate: Date? {
        get { core.withStorage { $0.course.earliestBeginDate } }
        set { core.withStorage { $0.course.earliestBeginDate = newValue } }
    }
    override var countOfBytesClientExpectsToReceive: Int64 {
        get { core.withStorage { $0.traffic.expectsToReceive } }
        set { core.withStorage { $0.traffic.expectsToReceive = newValue } }
    }
    override var countOfBytesClientExpectsToSend: Int64 {
        get { core.withStorage { $0.traffic.expectsToSend } }
        set { core.withStorage { $0.traffic.expectsToSend = newValue } }
    }

    override func resume() { core.resume() }
    override func suspend() { core.suspend() }
    override func cancel() { core.cancel() }

    /// Cancels the task, and passes resume data for ``CurlURLSession/downloadTask(withResumeData:)`` to a handler. If
    /// there is no resume data, the handler receives nil. The handler is called once, on the queue of the session's
    /// delegate.
    override func cancel(byProducingResumeData completionHandler: @escaping (Data?) -> Void) {
        core.cancel(leavingResumeDataFor: Transferring(completionHandler))
    }

    override var description: String { core.summary(of: "CurlDownloadTask") }
}
#endif
