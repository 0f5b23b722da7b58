#if canImport(FoundationNetworking)
import HTTPSyntax
import Synchronization

/// The state that a session and its tasks share: the settings, the loop, the delegate, and the list of the tasks.
final class SessionCore: Sendable {
    fileprivate struct Storage {
        weak var object: (any SessionObject)?
        var delegate: (any URLSessionDelegate)?
        var delegates: Delegates
        var tasks: [Int: TaskCore] = [:]
        var nextIdentifier = SessionCore.firstIdentifier
        var isInvalidated = false
        var hasEnded = false
        /// Whether the superclass performs or has performed a task. If so, the session ends only when the superclass's
        /// tasks have ended too.
        var usesSuperclass = false
    }

    /// The first identifier of the engine's tasks. The superclass counts its tasks from 1, so the identifiers differ.
    private static let firstIdentifier = 1 << 30

    let settings: SessionSettings
    let delivery: Delivery
    let loop: LoopMailbox
    /// The loop's thread as an executor of Swift tasks.
    let executor: LoopExecutor
    /// The reason why every task fails; nil if tasks can be performed.
    private let unavailability: String?
    private let storage: Mutex<Storage>

    init(
        settings: SessionSettings,
        delegate: (any URLSessionDelegate)?,
        place: Delivery.Place,
        unavailability: String? = Libcurl.unavailability,
        thread: LoopThread = .system,
        work: @escaping LoopMailbox.Work
    ) {
        self.settings = settings
        self.unavailability = unavailability
        delivery = Delivery(place: place)
        loop = LoopMailbox(delivery: delivery, thread: thread, work: work)
        executor = LoopExecutor(mailbox: loop)
        storage = Mutex(Storage(delegate: delegate, delegates: Delegates(delegate)))
    }

    func attach(_ object: any SessionObject) { storage.withLock { $0.object = object } }

    var object: (any SessionObject)? { storage.withLock { $0.object } }
    var delegate: (any URLSessionDelegate)? { storage.withLock { $0.delegate } }
    var delegates: Delegates { storage.withLock { $0.delegates } }

    /// The session object and its delegate; nil if the object was released.
    var objectAndDelegates: (any SessionObject, Delegates)? {
        storage.withLock { storage in storage.object.map { ($0, storage.delegates) } }
    }

    // MARK: Tasks

    /// The tasks that have not ended, were not cancelled, and whose task objects still exist.
    var tasks: [URLSessionTask] {
        storage.withLock { Array($0.tasks.values) }.filter { !$0.isCancelled }.compactMap(\.object)
    }

    private static let schemes = ["http", "https", "data"] + UnixSocketTarget.schemes

    /// Whether the engine performs a request over the network, from the request's URL, or with a `URLProtocol`. The
    /// superclass performs all other requests.
    func carries(_ request: URLRequest) -> Bool {
        guard let scheme = request.url?.scheme else { return true }
        return scheme == "http" || scheme == "https" || Self.schemes.contains(scheme.inLowercase)
            || settings.protocols?.load(request) == true
    }

    func makeTask(
        kind: TaskCore.Kind,
        request: URLRequest?,
        body: TaskBody,
        completion: TaskCore.Completion?,
        resumption: ResumeData? = nil,
        webSocket: WebSocketConnection? = nil,
        defect: URLError? = nil,
        receiver: (any TransferReceiver)? = nil,
        opensConnection: Bool = false
    ) -> TaskCore {
        storage.withLock { storage in
            let identifier = storage.nextIdentifier
            storage.nextIdentifier += 1
            let plan = TaskPlan(
                kind: kind,
                originalRequest: request,
                body: body,
                completion: completion,
                resumption: Boxed(wrappedValue: resumption),
                webSocket: webSocket,
                defect: storage.isInvalidated ? Self.invalidated(request) : defect ?? unavailable(request),
                hasReceiver: receiver != nil,
                opensConnection: opensConnection
            )
            let task = TaskCore(identifier: identifier, plan, session: self, receiver: receiver)
            storage.tasks[identifier] = task
            return task
        }
    }

    /// Creates a task that revalidates a cached response. The task has no task object, and the session's invalidation
    /// does not wait for the task.
    /// - Parameters:
    ///   - request: The request to send.
    ///   - task: The task that gets the stale response. Its delegate or receiver decides about storing the new
    ///     response.
    func makeRefresh(of request: URLRequest, after task: TaskCore) -> TaskCore {
        let identifier = storage.withLock { storage in
            defer { storage.nextIdentifier += 1 }
            return storage.nextIdentifier
        }
        let plan = TaskPlan(
            kind: .data,
            originalRequest: request,
            body: .none,
            completion: .data { _, _, _ in },
            refresh: TaskPlan.Refresh(decision: task.decisionForRefresh, asks: task.asksAboutCaching)
        )
        let refresh = TaskCore(identifier: identifier, plan, session: self)
        if let delegate = task.delegate { refresh.setDelegate(delegate) }
        return refresh
    }

    /// Creates a download that continues an earlier one.
    /// - Parameter request: The request to send; nil for the request of the resume data.
    func makeTask(
        withResumeData data: Data,
        request: URLRequest? = nil,
        completion: TaskCore.Completion?,
        receiver: (any TransferReceiver)? = nil
    ) -> TaskCore {
        let resumption = ResumeData(data)
        let request = request ?? resumption?.request
        let sentence = "The download cannot be resumed: this is no resume data of Larkspur's."
        let defect = resumption == nil ? URLError.engine(.unsupportedURL, sentence, url: nil) : nil
        return makeTask(
            kind: .download,
            request: request,
            body: request.map(TaskBody.init(of:)) ?? TaskBody.none,
            completion: completion,
            resumption: resumption,
            defect: defect,
            receiver: receiver
        )
    }

    /// Records that a task has ended, or that its task object was released before the task was resumed.
    func taskEnded(_ task: TaskCore) {
        let isLast = storage.withLock { storage in
            storage.tasks[task.identifier] = nil
            return storage.endsNow
        }
        if isLast { end() }
    }

    var usesSuperclass: Bool { storage.withLock { $0.usesSuperclass } }

    func noteUseOfSuperclass() { storage.withLock { $0.usesSuperclass = true } }

    // MARK: Invalidation

    var isInvalidated: Bool { storage.withLock { $0.isInvalidated } }

    func invalidate(cancelingTasks: Bool) {
        let (tasks, isLast) = storage.withLock { storage in
            storage.isInvalidated = true
            return (cancelingTasks ? Array(storage.tasks.values) : [], storage.endsNow)
        }
        for task in tasks { task.cancel() }
        if isLast { end() }
    }

    /// Ends the thread. Called when the last reference to the session was released. Then there are no tasks, and no
    /// task can be created.
    func abandon() { loop.finish() }

    /// Calls the delegate, releases it, and ends the thread.
    private func end() {
        guard let object = self.object else { return abandon() }
        let notify = { @Sendable [self] in
            delivery.afterwards(through: loop) { [self] in
                delegate?.urlSession(object, didBecomeInvalidWithError: nil)
                storage.withLock { storage in
                    storage.delegate = nil
                    storage.delegates = Delegates(nil)
                }
                loop.finish()
            }
        }
        if usesSuperclass { object.whenSuperclassIsIdle(notify) } else { notify() }
    }

    private static func invalidated(_ request: URLRequest?) -> URLError {
        .engine(.cancelled, "The session has been invalidated and performs no more tasks.", url: request?.url)
    }

    private func unavailable(_ request: URLRequest?) -> URLError? {
        unavailability.map { .engine(.resourceUnavailable, $0, url: request?.url) }
    }
}

extension SessionCore.Storage {
    /// Whether the session ends now: it is invalidated, has no tasks, and has not ended before. A read that returns
    /// true records the end, so that later reads return false.
    fileprivate var endsNow: Bool {
        mutating get {
            guard isInvalidated, tasks.isEmpty, !hasEnded else { return false }
            hasEnded = true
            return true
        }
    }
}

/// The checks of tasks that the superclass performs. The superclass does not apply the session's TLS configuration and
/// its rules about servers.
extension SessionCore {
    /// Returns an error if the session's options do not permit that the superclass performs a request; nil otherwise.
    /// Called for requests that the engine does not perform because of their scheme.
    func foreignDefect(_ request: URLRequest) -> URLError? {
        if settings.access != nil { return AccessRules.unsupportedScheme(of: request.url) }
        guard !settings.tls.admitsForeignTask(for: request.url) else { return nil }
        return .tls(
            .secureConnectionFailed,
            "The TLS configuration applies only to http and https, so URLs with other schemes are not loaded.",
            url: request.url,
            TLSFailure(.notEnforceable, host: request.url?.host ?? "")
        )
    }

    /// Returns the URL for a WebSocket task of the superclass. If the session's options do not permit the task, returns
    /// a URL to which no connection is possible. This is the only way to make the task fail.
    func webSocketURL(_ url: URL) -> URL {
        guard settings.access != nil || !settings.tls.admitsForeignTask(for: url) else { return url }
        return URL(string: "wss://0.0.0.0:0/") ?? url
    }
}

/// The session object that programs use, with the methods that the engine needs.
protocol SessionObject: URLSession {
    /// Creates the task object for a transfer.
    func makeTaskObject(_ core: TaskCore) -> URLSessionTask

    /// Creates a download task that replaces a data task.
    func makeDownloadTask(_ core: TaskCore) -> URLSessionDownloadTask

    /// Calls a closure when all tasks of the superclass have ended.
    func whenSuperclassIsIdle(_ action: @escaping @Sendable () -> Void)
}
#endif
