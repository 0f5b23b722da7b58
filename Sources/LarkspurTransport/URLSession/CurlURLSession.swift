#if canImport(FoundationNetworking)
/// A `URLSession` for Linux whose http and https tasks are carried by libcurl's multi interface, on a thread of the
/// session's own.
///
/// Use it in place of `URLSession`: make it with the same initialiser, and everything that the superclass's
/// documentation says of data, upload and download tasks holds. Tasks for other schemes (data:, file:, ftp:, ws:) are
/// the superclass's own. Unlike the superclass it never ends the process because of what a server sends, or because it
/// was invalidated.
///
/// The delegate is called on the delegate queue, one call after the other, and is kept until the session is
/// invalidated. A session that is released without having been invalidated ends with its last task.
///
/// Sessions whose configuration is `.default` share their cookies in `HTTPCookieStorage.shared`, as with the
/// superclass. A server that acts for several users gives each an `.ephemeral` configuration, or a storage of its own.
public final class CurlURLSession: URLSession, SessionObject, @unchecked Sendable {
    /// The options that a `URLSessionConfiguration` has no properties for.
    public typealias Options = EngineOptions

    // Safe: what can change is behind the lock of the core.
    let core: SessionCore
    /// Nil where tasks that the superclass makes by itself cannot be carried.
    let layout: FoundationLayout?
    private let ownConfiguration: URLSessionConfiguration
    private let superclassConfiguration: URLSessionConfiguration
    private let ownQueue: OperationQueue

    /// Makes a session without a delegate.
    /// - Parameter configuration: How the session behaves; it is copied, and what is changed later has no effect.
    public convenience override init(configuration: URLSessionConfiguration) {
        self.init(configuration: configuration, delegate: nil, delegateQueue: nil)
    }

    /// Makes a session.
    /// - Parameters:
    ///   - configuration: How the session behaves; it is copied, and what is changed later has no effect.
    ///   - delegate: Hears of the session and its tasks; kept until the session is invalidated.
    ///   - queue: Where the delegate and completion handlers are called, one call after the other, each as an
    ///     operation. Default: a serial queue of the session's own.
    public convenience override init(
        configuration: URLSessionConfiguration,
        delegate: (any URLSessionDelegate)?,
        delegateQueue queue: OperationQueue?
    ) {
        self.init(configuration: configuration, delegate: delegate, delegateQueue: queue, options: Options())
    }

    /// Makes a session with options that a configuration has no words for.
    /// - Parameters:
    ///   - configuration: How the session behaves; it is copied, and what is changed later has no effect.
    ///   - delegate: Hears of the session and its tasks; kept until the session is invalidated.
    ///   - queue: Where the delegate and completion handlers are called, one call after the other, each as an
    ///     operation. Default: a serial queue of the session's own.
    ///   - options: What else there is to choose.
    public convenience init(
        configuration: URLSessionConfiguration,
        delegate: (any URLSessionDelegate)? = nil,
        delegateQueue queue: OperationQueue? = nil,
        options: Options
    ) {
        self.init(configuration, delegate: delegate, queue: queue, options: options, callsDelegateOnLoop: false)
    }

    /// - Parameters:
    ///   - callsDelegateOnLoop: Whether the delegate is called on the loop's thread, where it must never wait for
    ///     anything.
    ///   - unavailability: Why no task can be carried; nil if they can.
    ///   - tlsAbilities: What libcurl can do for TLS. Default: nil, what it really can.
    ///   - thread: Starts the session's thread. Default: one of the system's.
    package convenience init(
        _ configuration: URLSessionConfiguration,
        delegate: (any URLSessionDelegate)?,
        queue: OperationQueue?,
        options: Options,
        callsDelegateOnLoop: Bool,
        unavailability: String? = CurlURLSession.unavailabilityReason,
        tlsAbilities: TLSAbilities? = nil,
        thread: LoopThread = .system
    ) {
        self.init(
            configuration,
            delegate: delegate,
            queue: queue,
            options: options,
            callsDelegateOnLoop: callsDelegateOnLoop,
            unavailability: unavailability,
            tlsAbilities: tlsAbilities,
            thread: thread,
            layout: .current
        )
    }

    /// - Parameter layout: The hidden parts of the superclass; nil where they were not found.
    init(
        _ configuration: URLSessionConfiguration,
        delegate: (any URLSessionDelegate)?,
        queue: OperationQueue?,
        options: Options,
        callsDelegateOnLoop: Bool,
        unavailability: String?,
        tlsAbilities: TLSAbilities?,
        thread: LoopThread = .system,
        layout: FoundationLayout?
    ) {
        self.layout = layout
        let copy = configuration.copy() as? URLSessionConfiguration ?? configuration
        // One that was shown by a session without a layout.
        copy.protocolClasses?.removeAll { $0 == HandedTaskProtocol.self }
        let place: Delivery.Place
        if let queue {
            ownQueue = queue
            place = callsDelegateOnLoop ? .loop : .operations(queue)
        } else {
            let serialQueue = DispatchQueue(label: "larkspur.delegate")
            ownQueue = OperationQueue()
            ownQueue.maxConcurrentOperationCount = 1
            ownQueue.underlyingQueue = serialQueue
            place = callsDelegateOnLoop ? .loop : .own(ownQueue, serialQueue)
        }
        ownConfiguration = copy
        core = SessionCore(
            settings: SessionSettings(copy, options: options, tlsAbilities: tlsAbilities),
            delegate: delegate,
            place: place,
            unavailability: unavailability,
            thread: thread
        )
        superclassConfiguration = Self.forSuperclass(copy)
        super.init(configuration: superclassConfiguration, delegate: nil, delegateQueue: nil)
        core.attach(self)
        if let queue = layout?.workQueue(of: self) { SuperclassQueue.mark(queue, with: core) }
    }

    deinit { core.abandon() }

    /// The configuration without what the superclass would trap on when it is made, add to requests by rules of its
    /// own, or needlessly open files for; with the class that carries its tasks.
    private static func forSuperclass(_ configuration: URLSessionConfiguration) -> URLSessionConfiguration {
        let copy = configuration.copy() as? URLSessionConfiguration ?? .ephemeral
        copy.httpAdditionalHeaders = SessionSettings.fields(copy.httpAdditionalHeaders)
        copy.protocolClasses =
            [HandedTaskProtocol.self] + (copy.protocolClasses ?? []).filter { $0 is URLProtocol.Type }
        copy.urlCache = nil
        copy.urlCredentialStorage = nil
        copy.httpCookieStorage = nil
        return copy
    }

    // MARK: Availability

    /// Whether there is a libcurl that the engine can use: 7.68 or later. Without one every task fails with what
    /// ``unavailabilityReason`` says.
    public static var isAvailable: Bool { unavailabilityReason == nil }

    /// Why the engine cannot be used; nil if it can.
    public static var unavailabilityReason: String? { Libcurl.unavailability }

    /// The version of the libcurl that carries the requests, as in "7.88.1"; nil if there is none.
    public static var libcurlVersion: String? { Libcurl.version }

    // MARK: What the superclass shows

    private static let sharedSession = CurlURLSession(configuration: .default)

    /// A session for requests without demands of their own. Invalidating it has no effect.
    ///
    /// Its type is `CurlURLSession`: what only this class has can be called on it without a cast.
    public override class var shared: CurlURLSession { sharedSession }

    private var isShared: Bool { self === Self.sharedSession }

    public override var delegate: (any URLSessionDelegate)? { core.delegate }
    public override var delegateQueue: OperationQueue {
        core.delivery.noteUseOfQueue()
        return ownQueue
    }
    public override var configuration: URLSessionConfiguration {
        // The superclass asks here which classes load its tasks.
        if SuperclassQueue.session != nil { return superclassConfiguration }
        let copy = ownConfiguration.copy() as? URLSessionConfiguration ?? ownConfiguration
        if layout == nil { copy.protocolClasses?.insert(HandedTaskProtocol.self, at: 0) }
        return copy
    }

    // MARK: Invalidation

    public override func finishTasksAndInvalidate() {
        if !isShared { core.invalidate(cancellingTasks: false) }
    }

    public override func invalidateAndCancel() {
        guard !isShared else { return }
        if core.usesSuperclass { super.getAllTasks { tasks in for task in tasks { task.cancel() } } }
        core.invalidate(cancellingTasks: true)
    }

    /// Calls back when the superclass's own tasks have ended.
    ///
    /// It is never invalidated itself: its async methods would then end the process in code that was compiled without
    /// this module.
    func whenSuperclassIsIdle(_ action: @escaping @Sendable () -> Void) {
        guard let layout, let queue = layout.workQueue(of: self) else { return action() }
        queue.async { [self] in
            if layout.taskCount(of: self) == 0 { return action() }
            queue.asyncAfter(deadline: .now() + .milliseconds(20)) { [self] in whenSuperclassIsIdle(action) }
        }
    }

    /// Removes the cookies and credentials of the session's storages and all that its cache keeps, and closes its
    /// connections as soon as no transfer is under way; then calls back on the delegate queue.
    public override func reset(completionHandler: @Sendable @escaping () -> Void) {
        core.settings.cookies.removeAll()
        core.settings.credentials.removeAll()
        core.settings.cache?.removeAll()
        flush(completionHandler: completionHandler)
    }

    /// Closes the session's connections as soon as no transfer is under way; then calls back on the delegate queue.
    public override func flush(completionHandler: @Sendable @escaping () -> Void) {
        core.loop.end()
        core.delivery.afterwards(through: core.loop, completionHandler)
    }

    // MARK: Tasks

    public override func getAllTasks(completionHandler: @Sendable @escaping ([URLSessionTask]) -> Void) {
        let tasks = core.tasks
        guard core.usesSuperclass else {
            return core.delivery.afterwards(through: core.loop) { completionHandler(tasks) }
        }
        super.getAllTasks { [core] own in
            core.delivery.afterwards(through: core.loop) { completionHandler(tasks + own) }
        }
    }

    public override func getTasksWithCompletionHandler(
        _ completionHandler:
            @Sendable @escaping ([URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask])
            -> Void
    ) {
        getAllTasks { tasks in
            let uploads = tasks.compactMap { $0 as? URLSessionUploadTask }
            let data = tasks.filter { !($0 is URLSessionUploadTask) }.compactMap { $0 as? URLSessionDataTask }
            completionHandler(data, uploads, tasks.compactMap { $0 as? URLSessionDownloadTask })
        }
    }

    public override func dataTask(with request: URLRequest) -> URLSessionDataTask {
        makeDataTask(request, nil) ?? super.dataTask(with: request)
    }

    public override func dataTask(with url: URL) -> URLSessionDataTask { dataTask(with: URLRequest(url: url)) }

    public override func dataTask(
        with request: URLRequest,
        completionHandler: @Sendable @escaping (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask {
        makeDataTask(request, .data(completionHandler))
            ?? super.dataTask(with: request, completionHandler: completionHandler)
    }

    public override func dataTask(
        with url: URL,
        completionHandler: @Sendable @escaping (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask {
        dataTask(with: URLRequest(url: url), completionHandler: completionHandler)
    }

    public override func uploadTask(with request: URLRequest, fromFile fileURL: URL) -> URLSessionUploadTask {
        makeUploadTask(request, .file(fileURL), nil)
    }

    public override func uploadTask(with request: URLRequest, from bodyData: Data) -> URLSessionUploadTask {
        makeUploadTask(request, .data(bodyData), nil)
    }

    public override func uploadTask(withStreamedRequest request: URLRequest) -> URLSessionUploadTask {
        makeUploadTask(request, .stream(nil), nil)
    }

    public override func uploadTask(
        with request: URLRequest,
        fromFile fileURL: URL,
        completionHandler: @Sendable @escaping (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionUploadTask {
        makeUploadTask(request, .file(fileURL), .data(completionHandler))
    }

    public override func uploadTask(
        with request: URLRequest,
        from bodyData: Data?,
        completionHandler: @Sendable @escaping (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionUploadTask {
        makeUploadTask(request, bodyData.map(RequestBody.data) ?? .none, .data(completionHandler))
    }

    public override func downloadTask(with request: URLRequest) -> URLSessionDownloadTask {
        makeDownloadTask(request, nil)
    }

    public override func downloadTask(with url: URL) -> URLSessionDownloadTask {
        downloadTask(with: URLRequest(url: url))
    }

    public override func downloadTask(
        with request: URLRequest,
        completionHandler: @Sendable @escaping (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        makeDownloadTask(request, .download(completionHandler))
    }

    public override func downloadTask(
        with url: URL,
        completionHandler: @Sendable @escaping (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        downloadTask(with: URLRequest(url: url), completionHandler: completionHandler)
    }

    /// A task that goes on with what another download has left. Its fields that prove who somebody is are not in resume
    /// data: use ``downloadTask(with:resumeData:)``.
    ///
    /// If the file or its beginning is not the same any more, it begins anew. Data that is not a ``CurlURLSession``'s
    /// fails the task with `unsupportedURL`.
    public override func downloadTask(withResumeData resumeData: Data) -> URLSessionDownloadTask {
        CurlDownloadTask(core.makeTask(withResumeData: resumeData, completion: nil), of: self)
    }

    /// The same with a completion handler in place of the delegate.
    public override func downloadTask(
        withResumeData resumeData: Data,
        completionHandler: @Sendable @escaping (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        CurlDownloadTask(core.makeTask(withResumeData: resumeData, completion: .download(completionHandler)), of: self)
    }

    public override func webSocketTask(with url: URL) -> URLSessionWebSocketTask {
        core.noteUseOfSuperclass()
        return super.webSocketTask(with: core.webSocketURL(url))
    }

    public override func webSocketTask(with url: URL, protocols: [String]) -> URLSessionWebSocketTask {
        core.noteUseOfSuperclass()
        return super.webSocketTask(with: core.webSocketURL(url), protocols: protocols)
    }

    public override func webSocketTask(with request: URLRequest) -> URLSessionWebSocketTask {
        core.noteUseOfSuperclass()
        var request = request
        request.url = request.url.map(core.webSocketURL)
        return super.webSocketTask(with: request)
    }

    // MARK: Making

    func makeDownloadTask(_ core: TaskCore) -> URLSessionDownloadTask { CurlDownloadTask(core, of: self) }

    /// A task whose content goes to a channel; nil for what the superclass carries.
    func dataTask(with request: URLRequest, channel: ByteChannel) -> URLSessionDataTask? {
        guard let task = makeDataTask(request, .bytes(channel)) else { return nil }
        channel.attach(task.core)
        return task
    }

    /// Nil for what the superclass carries.
    private func makeDataTask(_ request: URLRequest, _ completion: TaskCore.Completion?) -> CurlDataTask? {
        guard core.carries(request) else {
            let defect = core.foreignDefect(request)
            if defect != nil || core.isInvalidated {
                return CurlDataTask(
                    core.makeTask(kind: .data, request: request, body: .none, completion: completion, defect: defect),
                    of: self
                )
            }
            core.noteUseOfSuperclass()
            return nil
        }
        let task = core.makeTask(kind: .data, request: request, body: RequestBody(of: request), completion: completion)
        return CurlDataTask(task, of: self)
    }

    private func makeUploadTask(
        _ request: URLRequest,
        _ body: RequestBody,
        _ completion: TaskCore.Completion?
    ) -> CurlUploadTask {
        CurlUploadTask(core.makeTask(kind: .upload, request: request, body: body, completion: completion), of: self)
    }

    private func makeDownloadTask(_ request: URLRequest, _ completion: TaskCore.Completion?) -> CurlDownloadTask {
        let body = RequestBody(of: request)
        return CurlDownloadTask(
            core.makeTask(kind: .download, request: request, body: body, completion: completion),
            of: self
        )
    }
}
#endif
