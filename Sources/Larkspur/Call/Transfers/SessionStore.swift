import Synchronization

/// The owner of a session manager's `URLSession`. It creates the session, replaces it after a reset, and refuses tasks
/// once it is invalid.
final class SessionStore: Sendable {
    /// A session with its delegate and its transport adapter.
    struct Live: Sendable {
        let session: URLSession
        let delegate: SessionDelegate
        let adapter: any TransportAdapter

        init(session: URLSession, delegate: SessionDelegate) {
            self.session = session
            self.delegate = delegate
            adapter = Platform.adapter(for: session)
        }
    }

    private struct Storage {
        var live: Live?
        var isInvalidated = false
        /// The threads that are creating a session.
        var making: Set<ObjectIdentifier> = []
        var didBecomeInvalid: (@Sendable () -> Void)?
    }

    let hooks = SessionHooksStore()
    let calls = CallRegistry()
    /// The cancellations of WebSockets that open a connection or may open another connection.
    let sockets = Cancellations()
    private let template: SessionConfiguration
    let transport: Transport
    let securityPolicy: SecurityPolicy
    /// The error that prevents the creation of tasks; nil if there is none.
    private let defect: LarkspurError?
    private let storage = Mutex(Storage())

    /// - Parameter separatesCredentials: True if the additional fields that carry credentials are added to requests by
    ///   the session manager, and not by the session.
    convenience init(
        configuration: URLSessionConfiguration,
        separatesCredentials: Bool,
        transport: Transport,
        securityPolicy: SecurityPolicy = .default
    ) {
        let template = SessionConfiguration(configuration, separatesCredentials: separatesCredentials)
        self.init(template, transport, securityPolicy)
    }

    /// Creates a store for URLs that the program has not chosen.
    convenience init(_ limits: UntrustedURLLimits, transport: Transport) {
        let defect = LarkspurError(
            .unsupported,
            "The transport cannot limit requests to URLs that the program has not chosen, so that nothing is sent; the transport .curl can."
        )
        self.init(
            SessionConfiguration(limits.configuration, separatesCredentials: false),
            transport.limited?(limits) ?? transport,
            .default,
            defect: transport.limited == nil ? defect : nil
        )
    }

    /// Creates a store with the configuration of another store, including the error in the configuration.
    convenience init(like other: SessionStore) {
        self.init(other.template, other.transport, other.securityPolicy, defect: other.defect)
    }

    private init(
        _ template: SessionConfiguration,
        _ transport: Transport,
        _ securityPolicy: SecurityPolicy,
        defect: LarkspurError? = nil
    ) {
        self.template = template
        self.transport = transport
        self.securityPolicy = securityPolicy
        if let error = defect ?? template.error {
            self.defect = error
        } else if !securityPolicy.isSystemsOwn, transport.makeSecureSession == nil {
            self.defect = LarkspurError(
                .securityPolicyNotEnforceable,
                "The transport cannot enforce the security policy, so that nothing is sent; the transport .curl can."
            )
        } else {
            self.defect = nil
        }
    }

    private func makeSession(_ delegate: SessionDelegate, _ queue: OperationQueue) -> URLSession {
        Platform.prepareForSession()
        guard !securityPolicy.isSystemsOwn, let makeSession = transport.makeSecureSession else {
            return transport.makeSession(template.makeSessionCopy(), delegate, queue)
        }
        return makeSession(securityPolicy, template.makeSessionCopy(), delegate, queue)
    }

    /// A copy of the configuration that sessions are created with, including its credentials.
    var configuration: URLSessionConfiguration { template.makeCopy() }

    /// The additional fields of the configuration that sessions do not add to requests.
    var credentials: HTTPHeaders { template.credentials }

    /// Returns the URL with https if the session requires this for its host (HSTS), otherwise nil. Creates the session
    /// if there is none.
    func secured(_ url: URL) -> URL? { Platform.secured(url, in: current.session) }

    /// The closure that is called when a session has become invalid, on the session's delegate queue.
    var didBecomeInvalid: (@Sendable () -> Void)? {
        get { storage.withLock { $0.didBecomeInvalid } }
        // The previous closure is released outside the lock.
        set { _ = storage.withLock { exchange(&$0.didBecomeInvalid, with: newValue) } }
    }

    /// The session, which is created if there is none. If the transport's closure that creates the session reads the
    /// property, it gets a stand-in that sends nothing.
    var current: Live { live() ?? makeStandIn() }

    /// The tasks of the current session that have not ended.
    var tasks: [SessionTask] {
        let tasks = storage.withLock { $0.live }?.delegate.registry.tasks ?? []
        // A call with interceptors is in `calls`. During an attempt, it is also in the registry of the session. It must
        // not be listed twice.
        let others = calls.tasks(except: tasks)
        return others.isEmpty ? tasks : (tasks + others).sorted { $0.timeline.created < $1.timeline.created }
    }

    /// Creates a transfer of a task, and registers its delegate. An invalidation waits until that is done.
    /// - Parameters:
    ///   - request: The request; nil for the request in the resume data.
    ///   - ending: The consequence of the transfer's end.
    /// - Throws: `sessionInvalidated`, the error in the request or the configuration, or the transport's error if it
    ///   cannot resume from the data.
    func makeTransfer(
        for task: SessionTask,
        _ template: TransferTemplate,
        _ request: URLRequest?,
        ending: TransferEnding
    ) throws(LarkspurError) {
        try withSession { live throws(LarkspurError) in
            let delegate = TaskDelegate(task: task, template, in: live.delegate, live.adapter, ending: ending)
            let transfer = try live.makeTransfer(template, request, for: delegate)
            // The delegate is registered before a cancellation can reach the transfer. Otherwise the end of the
            // transfer would find no delegate.
            delegate.register(as: transfer.identifier)
            task.attach(transfer)
        }
    }

    /// Runs a closure that creates something in the session. An invalidation waits until the closure has returned.
    /// - Throws: `sessionInvalidated`, the error in the configuration, or the error of the closure.
    func withSession<Result>(
        _ make: (Live) throws(LarkspurError) -> Result
    ) throws(LarkspurError) -> Result {
        if let defect { throw defect }
        let live = try enter()
        // The closure runs outside the lock, because it waits for the transport. An invalidation waits for `leave`.
        defer { live.delegate.creations.leave() }
        return try make(live)
    }

    func invalidate(cancelingTasks: Bool, resettingSession: Bool) {
        var wasInvalidated = false
        let live = storage.withLock { storage -> Live? in
            let live = storage.live
            wasInvalidated = storage.isInvalidated
            storage.isInvalidated = !resettingSession
            if resettingSession { storage.live = nil }
            return live
        }
        // Calls and WebSockets belong to no session before their first attempt, and between two attempts.
        if cancelingTasks {
            for task in calls.tasks(except: []) { task.cancel() }
            sockets.cancelAll()
        }
        guard let live else {
            // There is no session to invalidate; observers of the invalidation are notified nevertheless.
            if !wasInvalidated && !resettingSession { sessionDidBecomeInvalid(nil, nil) }
            return
        }
        // Waits for the creations in flight, because their tasks would escape the cancellation.
        live.delegate.creations.whenIdle { [wasInvalidated] in
            if cancelingTasks {
                for task in live.delegate.registry.tasks { task.cancel() }
            }
            if !wasInvalidated { live.adapter.invalidate(live.session, cancelingTasks: cancelingTasks) }
        }
    }

    /// Marks the store as invalid, and reports the invalidation. The program may have invalidated the session directly,
    /// without this store.
    private func sessionDidBecomeInvalid(_ delegate: SessionDelegate?, _ error: (any Error)?) {
        let notify = storage.withLock { storage in
            if let delegate, storage.live?.delegate === delegate { storage.isInvalidated = true }
            return storage.didBecomeInvalid
        }
        guard let hook = hooks.hook(\.didBecomeInvalid) else {
            notify?()
            return
        }
        // The notification follows the hook.
        hooks.queue.async {
            hook(error)
            notify?()
        }
    }

    // MARK: Making sessions

    /// Returns the session in which a task is about to be created, and counts that creation.
    private func enter() throws(LarkspurError) -> Live {
        repeat {
            let entered = try storage.withLock { storage throws(LarkspurError) -> Live? in
                guard !storage.isInvalidated else {
                    throw LarkspurError(
                        .sessionInvalidated,
                        "The session has been invalidated and makes no more tasks."
                    )
                }
                storage.live?.delegate.creations.enter()
                return storage.live
            }
            if let entered { return entered }
            // Without a session, one is created outside the lock. Another thread may reset it in the meantime.
        } while live() != nil
        throw LarkspurError(
            .transportUnavailable,
            "The transport has no session yet: this request comes from the closure that makes it."
        )
    }

    /// Returns the session, which is created if there is none. Returns nil within the closure that creates the session.
    ///
    /// The transport's closure runs without a lock, because it may use the session manager. Several threads may
    /// therefore create a session each; the first session is used and the others are invalidated.
    private func live() -> Live? {
        if let live = storage.withLock({ $0.live }) { return live }
        let thread = ObjectIdentifier(Thread.current)
        // The same thread can come here again only from the transport's closure.
        guard storage.withLock({ $0.making.insert(thread).inserted }) else { return nil }
        defer { _ = storage.withLock { $0.making.remove(thread) } }
        let queue = OperationQueue()
        // URLSession calls its delegate in order only on a serial queue.
        queue.maxConcurrentOperationCount = 1
        queue.name = "larkspur.delegate"
        let isSurplus = Flag()
        let delegate = SessionDelegate(hooks: hooks) { [weak self] delegate, error in
            if !isSurplus.isSet { self?.sessionDidBecomeInvalid(delegate, error) }
        }
        let live = Live(session: makeSession(delegate, queue), delegate: delegate)
        Platform.prepare(live.session)
        let (current, isInvalidated) = storage.withLock { storage in
            let current = storage.live ?? live
            storage.live = current
            return (current, storage.isInvalidated)
        }
        if current.delegate !== delegate || isInvalidated {
            // The invalidation of this session is not reported, because it was never used.
            isSurplus.set()
            live.adapter.invalidate(live.session, cancelingTasks: true)
        }
        return current
    }

    private func makeStandIn() -> Live {
        let delegate = SessionDelegate(hooks: hooks) { _, _ in }
        let session = Platform.makeFoundationSession(.ephemeral, delegate, OperationQueue())
        session.invalidateAndCancel()
        return Live(session: session, delegate: delegate)
    }

    private final class Flag: Sendable {
        private let value = Mutex(false)

        var isSet: Bool { value.withLock { $0 } }

        func set() { value.withLock { $0 = true } }
    }
}

extension SessionStore.Live {
    /// Creates a transfer of the engine, or else a task of the session.
    fileprivate func makeTransfer(
        _ template: TransferTemplate,
        _ request: URLRequest?,
        for delegate: TaskDelegate
    ) throws(LarkspurError) -> any Transfer {
        // The engine takes every request, and enforces all limits.
        if let transfer = Platform.makeTransfer(template, request, in: session, for: delegate) { return transfer }
        try adapter.validate(template.options.value.timeouts)
        try Platform.validate(
            producesContent: template.producer != nil,
            keepsSending: template.options.value.keepsSending,
            in: session
        )
        var prepared = request
        if let request { prepared = try adapter.prepare(request, for: template.content.kind) }
        let task: URLSessionTask
        if let resumeData = template.resumeData {
            task = try adapter.makeDownloadTask(resuming: resumeData, with: prepared, in: session)
        } else if let prepared {
            task = template.transferContent(of: prepared).makeTask(prepared, in: session)
        } else {
            throw LarkspurError(.invalidURL, "The request has no URL: set one before a task is made of it.")
        }
        // The task ignores options that are set after it was resumed.
        if let options = template.options.ofTransfer { Platform.apply(options, to: task) }
        return SessionTransfer(task: task, session: session, adapter: adapter) { [weak delegate] in
            delegate?.fail(
                with: LarkspurError(.timedOut, "The request took longer than its session allows in all.")
            )
        }
    }
}
