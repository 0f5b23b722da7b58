#if canImport(FoundationNetworking)
/// A task of FoundationNetworking's WebSocket API. It always fails, because no libcurl has the functions that this API
/// needs.
///
/// The superclass's methods for sending and receiving cannot be overridden. They end with the task's error, because on
/// the task's work queue they read the overridden properties for the error and the request.
final class CurlWebSocketTask: URLSessionWebSocketTask, EngineTask, @unchecked Sendable {
    // Safe: both properties are constants, and the core's lock guards all changing state.
    let core: TaskCore
    private let session: CurlURLSession

    /// The key of the mark that the work queues of these tasks have.
    private static let mark = DispatchSpecificKey<Void>()
    /// A request that no `URLProtocol` class loads.
    private static let unloadable = URLRequest(url: URL(fileURLWithPath: "/dev/null"))

    /// Creates a task; nil if the hidden parts of the superclass were not found.
    init?(_ core: TaskCore, of session: CurlURLSession, _ layout: FoundationLayout) {
        self.core = core
        self.session = session
        super.init()
        core.attach(self)
        guard let queue = layout.workQueue(of: self), layout.setSession(session, of: self) else { return nil }
        queue.setSpecific(key: Self.mark, value: ())
    }

    deinit { core.objectReleased() }

    /// Returns the error of a task of this kind.
    static func defect(of request: URLRequest) -> URLError {
        .engine(
            .unsupportedURL,
            "FoundationNetworking's WebSockets work with no libcurl: use webSocket(with:) of CurlURLSession.",
            url: request.url
        )
    }

    private var isOnWorkQueue: Bool { DispatchQueue.getSpecific(key: Self.mark) != nil }

    private var ownError: (any Error)? { core.withStorage { $0.record.error } }

    override var error: (any Error)? {
        get { isOnWorkQueue ? ownError ?? core.defect : ownError }
        set {}
    }
    override var currentRequest: URLRequest? {
        isOnWorkQueue ? Self.unloadable : core.withStorage { $0.record.currentRequest }
    }

    override func sendPing(pongReceiveHandler: @escaping @Sendable ((any Error)?) -> Void) {
        let error = ownError ?? core.defect
        core.session.delivery.afterwards(through: core.session.loop) { pongReceiveHandler(error) }
    }

    override func resume() { core.resume() }
    override func suspend() { core.suspend() }
    override func cancel() { core.cancel() }
    override func cancel(with closeCode: URLSessionWebSocketTask.CloseCode, reason: Data?) { core.cancel() }

    override var taskIdentifier: Int { core.identifier }
    override var originalRequest: URLRequest? { core.originalRequest }
    override var response: URLResponse? { core.withStorage { $0.record.response }?.object }
    override var state: URLSessionTask.State { core.withStorage { $0.course.state } }
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

    override var description: String { core.summary(of: "CurlWebSocketTask") }
}
#endif
