#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// A task of URLSession's WebSocket API.
///
/// The superclass's methods for sending and receiving cannot be overridden. They store a call in the task. Then, on the
/// task's work queue, they read the overridden property for the error. There, this class takes the stored calls. So the
/// task also works in code that was compiled without this module.
final class CurlWebSocketTask: URLSessionWebSocketTask, EngineTask, @unchecked Sendable {
    // Safe: all properties are constants, and the core's and the channel's locks guard all changing state.
    let core: TaskCore
    private let channel: WebSocketChannel
    /// The request of the program. Its URL may have the scheme ws or wss.
    private let request: URLRequest
    private let session: CurlURLSession
    private let layout: FoundationLayout

    /// The key of the mark on the work queues of these tasks.
    private static let mark = DispatchSpecificKey<Void>()
    /// A request that no `URLProtocol` class loads.
    private static let unloadable = URLRequest(url: URL(fileURLWithPath: "/dev/null"))

    /// Creates a task; nil if the hidden parts of the superclass were not found.
    init?(
        _ core: TaskCore,
        _ channel: WebSocketChannel,
        _ request: URLRequest,
        of session: CurlURLSession,
        _ layout: FoundationLayout
    ) {
        self.core = core
        self.channel = channel
        self.request = request
        self.session = session
        self.layout = layout
        super.init()
        core.attach(self)
        guard let queue = layout.workQueue(of: self), layout.setSession(session, of: self) else { return nil }
        queue.setSpecific(key: Self.mark, value: ())
    }

    deinit { core.objectReleased() }

    /// Whether the superclass reads a property in order to process its calls.
    private var isOnWorkQueue: Bool { DispatchQueue.getSpecific(key: Self.mark) != nil }

    override var error: (any Error)? {
        get {
            guard isOnWorkQueue else { return core.withStorage { $0.record.error } }
            performCalls()
            return nil
        }
        set {}
    }
    // On the work queue, the superclass would create a `URLProtocol` for this request. So there, the property returns a
    // request that no class loads.
    override var currentRequest: URLRequest? {
        if isOnWorkQueue { return Self.unloadable }
        let current = core.currentRequest
        return current?.url == request.url?.ofHandshake ? request : current
    }

    private func performCalls() {
        let calls = layout.takeCalls(of: self)
        for (message, completion) in calls.messages {
            channel.give(.send(WebSocketMessage(message), complete(completion)))
        }
        for receiver in calls.receivers {
            channel.next { [core] result in
                let result = Result { () throws -> URLSessionWebSocketTask.Message in
                    do {
                        guard let message = try result.get() else { throw WebSocketError.ended(nil) }
                        return URLSessionWebSocketTask.Message(message)
                    } catch {
                        throw core.foundationError(error)
                    }
                }
                core.session.delivery.afterwards(through: core.session.loop) { receiver(result) }
            }
        }
    }

    override func sendPing(pongReceiveHandler: @escaping @Sendable ((any Error)?) -> Void) {
        channel.give(.ping(complete(pongReceiveHandler)))
    }

    /// Returns a completion for an order. It calls a handler on the delegate queue.
    private func complete(_ handler: @escaping @Sendable ((any Error)?) -> Void) -> WebSocketChannel.Completion {
        { [core] result in
            var error: URLError?
            if case .failure(let failure) = result { error = core.foundationError(failure) }
            core.session.delivery.afterwards(through: core.session.loop) { [error] in handler(error) }
        }
    }

    override var maximumMessageSize: Int {
        get { channel.maximumMessageSize }
        set { channel.maximumMessageSize = newValue }
    }
    /// The code of the server's close frame. Before this frame has arrived, the code of the frame of
    /// `cancel(with:reason:)`.
    override var closeCode: CloseCode { (channel.closeFrame ?? channel.ownCloseFrame)?.foundationCode ?? .invalid }
    override var closeReason: Data? { (channel.closeFrame ?? channel.ownCloseFrame).map { Data($0.reason.utf8) } }

    override func resume() { core.resume() }
    override func suspend() { core.suspend() }
    override func cancel() { core.cancel() }

    /// Sends a close frame. If the task was never resumed, or the code must not be sent, ends the task immediately.
    override func cancel(with closeCode: CloseCode, reason: Data?) {
        let code: WebSocketTask.CloseCode?
        switch closeCode {
        case .noStatusReceived: code = nil
        case .invalid, .abnormalClosure, .tlsHandshakeFailure: return cancel()
        default: code = WebSocketTask.CloseCode(rawValue: closeCode.rawValue)
        }
        if core.withStorage({ $0.course.isUntouched }) { return cancel() }
        let reason = String(decoding: reason ?? Data(), as: UTF8.self)
        channel.give(.close(WebSocketTask.CloseFrame(code: code, reason: reason)) { _ in })
    }

    override var taskIdentifier: Int { core.identifier }
    override var originalRequest: URLRequest? { request }
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

extension WebSocketMessage {
    fileprivate init(_ message: URLSessionWebSocketTask.Message) {
        switch message {
        case .string(let text): self = .text(text)
        case .data(let data): self = .binary(data)
        @unknown default: self = .binary(Data())
        }
    }
}

extension URLSessionWebSocketTask.Message {
    fileprivate init(_ message: WebSocketTask.Message) {
        switch message {
        case .text(let text): self = .string(text)
        case .data(let data): self = .data(data)
        }
    }
}
#endif
