#if canImport(FoundationNetworking)
/// The parts of FoundationNetworking's sessions and tasks that the engine needs to perform their tasks, but that are
/// not in the API.
///
/// They are read and written only on the work queue of the session or the task, because FoundationNetworking uses them
/// there.
struct FoundationLayout: Sendable {
    private let sessionQueue: StoredProperty
    private let taskQueue: StoredProperty
    private let registry: StoredProperty
    private let completesOnWorkQueue: StoredProperty
    private let knownBody: StoredProperty
    private let protocolProperties: StoredProperty
    /// The property of a task that contains its session. Nil if the property was not found. In this case, no WebSocket
    /// task is created.
    private let taskSession: StoredProperty?
    /// The properties with the messages to send and the receivers of a WebSocket task; nil if they were not found.
    private let webSocketCalls: (messages: StoredProperty, receivers: StoredProperty)?

    /// The layout of the loaded FoundationNetworking; nil if the expected properties were not found.
    static let current = FoundationLayout()

    private init?() {
        guard let sessionQueue = StoredProperty("workQueue", of: URLSession.self, as: DispatchQueue.self),
            let taskQueue = StoredProperty("workQueue", of: URLSessionTask.self, as: DispatchQueue.self),
            let registry = StoredProperty("taskRegistry", of: URLSession.self),
            let inline = StoredProperty("_callCompletionHandlerInline", of: URLSessionTask.self, as: Bool.self),
            let knownBody = StoredProperty("knownBody", of: URLSessionTask.self),
            let properties = StoredProperty("properties", of: URLProtocol.self)
        else { return nil }
        self.sessionQueue = sessionQueue
        self.taskQueue = taskQueue
        self.registry = registry
        completesOnWorkQueue = inline
        self.knownBody = knownBody
        protocolProperties = properties
        taskSession = StoredProperty("session", of: URLSessionTask.self)
        let socket = URLSessionWebSocketTask.self
        if let messages = StoredProperty("sendBuffer", of: socket, as: [WebSocketCalls.Message].self),
            let receivers = StoredProperty("receiveCompletionHandlers", of: socket, as: [WebSocketCalls.Receiver].self)
        {
            webSocketCalls = (messages, receivers)
        } else {
            webSocketCalls = nil
        }
    }

    func workQueue(of session: URLSession) -> DispatchQueue? { sessionQueue.value(in: session, as: DispatchQueue.self) }

    func workQueue(of task: URLSessionTask) -> DispatchQueue? { taskQueue.value(in: task, as: DispatchQueue.self) }

    /// Makes FoundationNetworking call the completion handler of an async method on the delegate queue.
    ///
    /// On the work queue, the handler would wait for the lock of a Swift task. If that Swift task is cancelled at the
    /// same time, the cancellation holds the lock and waits for the work queue. This is a deadlock.
    func completeOnDelegateQueue(_ task: URLSessionTask) { completesOnWorkQueue.set(false, in: task) }

    /// Returns the content of an upload task.
    func body(of task: URLSessionTask) -> TaskBody {
        switch content(of: knownBody.value(in: task)).flatMap(content) {
        // Empty data has no pointer, and without a pointer Dispatch ends the process.
        case let data as DispatchData:
            .data(data.isEmpty ? Data() : data.withUnsafeBytes { Data(bytes: $0, count: data.count) })
        case let file as URL: .file(file)
        case let stream as InputStream: .stream(Transferring(stream))
        default: .none
        }
    }

    /// Returns the delegate that was passed to the async method that created a task; nil if there is none.
    func delegate(of task: URLSessionTask, in session: URLSession) -> (any URLSessionTaskDelegate)? {
        let registry = registry.value(in: session) as AnyObject
        let behaviours = StoredProperty("behaviours", of: Swift.type(of: registry))?.value(in: registry)
        guard let behaviour = (behaviours as? any NumberedTable)?.entry(task.taskIdentifier),
            let content = content(of: behaviour)
        else { return nil }
        return Mirror(reflecting: content).children.lazy.compactMap { $0.value as? any URLSessionTaskDelegate }.first
    }

    /// Sets the session of a task that no session has created.
    /// - Returns: Whether the session was set. False if the property is not as expected.
    func setSession(_ session: URLSession, of task: URLSessionTask) -> Bool {
        taskSession?.setCast(of: session, in: task) ?? false
    }

    /// Whether the stored calls of WebSocket tasks can be taken.
    var hasWebSocketCalls: Bool { webSocketCalls != nil }

    /// Takes the calls of a WebSocket task's methods that FoundationNetworking has stored.
    func takeCalls(of task: URLSessionWebSocketTask) -> WebSocketCalls {
        guard let (messages, receivers) = webSocketCalls else { return WebSocketCalls() }
        let calls = WebSocketCalls(
            messages: messages.value(in: task, as: [WebSocketCalls.Message].self) ?? [],
            receivers: receivers.value(in: task, as: [WebSocketCalls.Receiver].self) ?? []
        )
        if !calls.messages.isEmpty { messages.set([WebSocketCalls.Message](), in: task) }
        if !calls.receivers.isEmpty { receivers.set([WebSocketCalls.Receiver](), in: task) }
        return calls
    }

    /// Returns the number of the superclass's tasks that have not ended.
    func taskCount(of session: URLSession) -> Int {
        let registry = registry.value(in: session) as AnyObject
        let tasks = StoredProperty("tasks", of: Swift.type(of: registry))?.value(in: registry)
        return (tasks as? any NumberedTable)?.count ?? 0
    }

    /// Sets the location of a download's file.
    func setFile(_ file: URL, of loader: URLProtocol) -> Bool {
        protocolProperties.insert(file, forCase: "temporaryFileURL", in: loader)
    }

    /// Returns the wrapped value of an optional, or the associated value of an enumeration's case.
    private func content(of value: Any) -> Any? { Mirror(reflecting: value).children.first?.value }
}

/// The calls of the methods of a WebSocket task that cannot be overridden, in the order of the calls.
struct WebSocketCalls {
    typealias Message = (URLSessionWebSocketTask.Message, @Sendable ((any Error)?) -> Void)
    typealias Receiver = @Sendable (Result<URLSessionWebSocketTask.Message, any Error>) -> Void

    var messages: [Message] = []
    var receivers: [Receiver] = []
}

private protocol NumberedTable {
    var count: Int { get }
    func entry(_ number: Int) -> Any?
}

extension Dictionary: NumberedTable where Key == Int {
    fileprivate func entry(_ number: Int) -> Any? { self[number] }
}

/// The work queue of the superclass of a ``CurlURLSession``.
enum SuperclassQueue {
    private static let key = DispatchSpecificKey<SessionCore>()

    /// The session, if the current queue is the work queue of the session's superclass; nil on other queues.
    static var session: SessionCore? { DispatchQueue.getSpecific(key: key) }

    /// Marks the queue of a session's superclass. The mark does not retain the session object.
    static func mark(_ queue: DispatchQueue, with core: SessionCore) { queue.setSpecific(key: key, value: core) }
}
#endif
