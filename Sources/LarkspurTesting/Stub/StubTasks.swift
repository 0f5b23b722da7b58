#if canImport(FoundationNetworking)
/// A stub data task.
final class StubDataTask: URLSessionDataTask, @unchecked Sendable {  // Safe: everything is in `core`.
    private let core: StubTaskCore

    init(core: StubTaskCore) {
        self.core = core
        super.init()
        core.attach(self)
    }

    override var taskIdentifier: Int { core.identifier }
    override var originalRequest: URLRequest? { core.request }
    override var currentRequest: URLRequest? { core.currentRequest }
    override var response: URLResponse? { core.response }
    override var state: URLSessionTask.State { core.state }
    override var error: (any Error)? { core.error }
    override var priority: Float {
        get { URLSessionTask.defaultPriority }
        set {}
    }
    override var delegate: (any URLSessionTaskDelegate)? {
        get { core.delegate }
        set { core.delegate = newValue }
    }
    override func resume() { core.resume() }
    override func suspend() { core.suspend() }
    override func cancel() { core.cancel() }
}

/// A stub download task.
final class StubDownloadTask: URLSessionDownloadTask, @unchecked Sendable {  // Safe: everything is in `core`.
    private let core: StubTaskCore

    init(core: StubTaskCore) {
        self.core = core
        super.init()
        core.attach(self)
    }

    override var taskIdentifier: Int { core.identifier }
    override var originalRequest: URLRequest? { core.request }
    override var currentRequest: URLRequest? { core.currentRequest }
    override var response: URLResponse? { core.response }
    override var state: URLSessionTask.State { core.state }
    override var error: (any Error)? { core.error }
    override var priority: Float {
        get { URLSessionTask.defaultPriority }
        set {}
    }
    override var delegate: (any URLSessionTaskDelegate)? {
        get { core.delegate }
        set { core.delegate = newValue }
    }
    override func resume() { core.resume() }
    override func suspend() { core.suspend() }
    override func cancel() { core.cancel() }
    // The superclass's method looks for the session's protocol classes, and ends the process because there are none.
    override func cancel(byProducingResumeData completionHandler: @escaping (Data?) -> Void) {
        let handler = ResumeDataHandler(body: completionHandler)
        core.cancel()
        core.afterwards { handler.body(nil) }
    }

    private struct ResumeDataHandler: @unchecked Sendable {  // Safe: it is called once, on the delegate queue.
        let body: (Data?) -> Void
    }
}

/// A stub upload task.
final class StubUploadTask: URLSessionUploadTask, @unchecked Sendable {  // Safe: everything is in `core`.
    private let core: StubTaskCore

    init(core: StubTaskCore) {
        self.core = core
        super.init()
        core.attach(self)
    }

    override var taskIdentifier: Int { core.identifier }
    override var originalRequest: URLRequest? { core.request }
    override var currentRequest: URLRequest? { core.currentRequest }
    override var response: URLResponse? { core.response }
    override var state: URLSessionTask.State { core.state }
    override var error: (any Error)? { core.error }
    override var priority: Float {
        get { URLSessionTask.defaultPriority }
        set {}
    }
    override var delegate: (any URLSessionTaskDelegate)? {
        get { core.delegate }
        set { core.delegate = newValue }
    }
    override func resume() { core.resume() }
    override func suspend() { core.suspend() }
    override func cancel() { core.cancel() }
}
#endif
