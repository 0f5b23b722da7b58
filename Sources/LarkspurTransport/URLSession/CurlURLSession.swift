#if canImport(FoundationNetworking)
/// A `URLSession` for Linux that performs its http and https tasks with libcurl's multi interface, on its own thread.
///
/// Use it in place of `URLSession`. It has the same initialisers, and the superclass's documentation of data, upload
/// and download tasks applies. The engine also loads `data:` URLs. For other schemes (file:, ftp:), the superclass
/// performs data tasks, but upload and download tasks fail with the code `unsupportedURL`. In contrast to the
/// superclass, this class never ends the process because of a server's response, or because the session was
/// invalidated.
///
/// The delegate is called on the delegate queue, one call after the other, and is retained until the session is
/// invalidated. A session that is released without an invalidation ends when its last task has ended.
///
/// Sessions with the configuration `.default` share their cookies in `HTTPCookieStorage.shared`, as with the
/// superclass. A server that acts for several users should give each of them an `.ephemeral` configuration, or a
/// separate storage.
public final class CurlURLSession: URLSession, SessionObject, @unchecked Sendable {
    /// The options for which `URLSessionConfiguration` has no properties.
    public typealias Options = EngineOptions

    // Safe: the core's lock guards all changing state.
    let core: SessionCore
    /// The hidden parts of the superclass. Nil if the engine cannot perform the tasks that the superclass creates.
    let layout: FoundationLayout?
    private let ownConfiguration: URLSessionConfiguration
    private let superclassConfiguration: URLSessionConfiguration
    private let ownQueue: OperationQueue

    /// Creates a session without a delegate.
    /// - Parameter configuration: The configuration of the session. It is copied, so later changes have no effect.
    public convenience override init(configuration: URLSessionConfiguration) {
        self.init(configuration: configuration, delegate: nil, delegateQueue: nil)
    }

    /// Creates a session with a delegate.
    /// - Parameters:
    ///   - configuration: The configuration of the session. It is copied, so later changes have no effect.
    ///   - delegate: The delegate for the session and its tasks, or nil. It is retained until the session is
    ///     invalidated.
    ///   - queue: The queue on which the delegate and completion handlers are called, one call after the other. Each
    ///     call is an operation. Nil for a serial queue that the session creates.
    public convenience override init(
        configuration: URLSessionConfiguration,
        delegate: (any URLSessionDelegate)?,
        delegateQueue queue: OperationQueue?
    ) {
        self.init(configuration: configuration, delegate: delegate, delegateQueue: queue, options: Options())
    }

    /// - Parameter layout: The hidden parts of the superclass; nil if they were not found.
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
        // If the caller has taken the configuration from a session without a layout, the configuration contains this
        // class.
        copy.protocolClasses?.removeAll { $0 == HandedTaskProtocol.self }
        let place: Delivery.Place
        (ownQueue, place) = Self.delegateQueue(queue)
        ownConfiguration = copy
        let settings = SessionSettings(copy, options: options, tlsAbilities: tlsAbilities)
        core = SessionCore(
            settings: settings,
            delegate: delegate,
            place: callsDelegateOnLoop ? .loop : place,
            unavailability: unavailability,
            thread: thread,
            work: { EventLoop(mailbox: $0, settings: settings, poll: $1).run() }
        )
        superclassConfiguration = Self.forSuperclass(copy)
        ProcessEnd.prepareForSession()
        super.init(configuration: superclassConfiguration, delegate: nil, delegateQueue: nil)
        core.attach(self)
        if let queue = layout?.workQueue(of: self) { SuperclassQueue.mark(queue, with: core) }
    }

    deinit { core.abandon() }

    // MARK: Properties of URLSession

    private static let sharedSession = CurlURLSession(configuration: sharedConfiguration)

    /// A session with the default configuration, for requests without special requirements. It cannot be invalidated.
    ///
    /// `URLProtocol` classes can load requests of this session. Register them by `URLProtocol.registerClass(_:)` before
    /// the session is first used.
    ///
    /// Its type is `CurlURLSession`, so the members of this class can be used without a cast.
    public override class var shared: CurlURLSession { sharedSession }

    private var isShared: Bool { self === Self.sharedSession }

    /// The delegate for the session and its tasks. Nil if there is none, or if the session was invalidated and its last
    /// task has ended.
    public override var delegate: (any URLSessionDelegate)? { core.delegate }

    /// The queue on which the delegate and completion handlers are called. It is the queue with which the session was
    /// created. If there was none, it is a serial queue of the session.
    public override var delegateQueue: OperationQueue {
        core.delivery.noteUseOfQueue()
        return ownQueue
    }

    /// A copy of the configuration with which the session was created. Changes to the copy do not affect the session.
    public override var configuration: URLSessionConfiguration {
        // The superclass reads this property to find the classes that load its tasks.
        if SuperclassQueue.session != nil { return superclassConfiguration }
        let copy = ownConfiguration.copy() as? URLSessionConfiguration ?? ownConfiguration
        if layout == nil { copy.protocolClasses?.insert(HandedTaskProtocol.self, at: 0) }
        return copy
    }

    // MARK: Invalidation

    /// Invalidates the session after its tasks have ended.
    ///
    /// New tasks fail with the code `cancelled`. When the last task has ended, the delegate's
    /// `urlSession(_:didBecomeInvalidWithError:)` is called on the delegate queue, and the delegate is released. The
    /// call has no effect on ``shared``.
    public override func finishTasksAndInvalidate() {
        if !isShared { core.invalidate(cancelingTasks: false) }
    }

    /// Cancels the session's tasks and invalidates the session.
    ///
    /// New tasks fail with the code `cancelled`. When the last task has ended, the delegate's
    /// `urlSession(_:didBecomeInvalidWithError:)` is called on the delegate queue, and the delegate is released. The
    /// call has no effect on ``shared``.
    public override func invalidateAndCancel() {
        guard !isShared else { return }
        if core.usesSuperclass { super.getAllTasks { tasks in for task in tasks { task.cancel() } } }
        core.invalidate(cancelingTasks: true)
    }

    /// Removes the cookies and credentials of the session's storages, and all entries of its cache. Closes the
    /// session's connections as soon as no transfer is running.
    /// - Parameter completionHandler: Called once, on the delegate queue, after the removal.
    public override func reset(completionHandler: @Sendable @escaping () -> Void) {
        core.settings.cookies.removeAll()
        core.settings.credentials.removeAll()
        core.settings.cache?.removeAll()
        flush(completionHandler: completionHandler)
    }

    /// Closes the session's connections as soon as no transfer is running.
    /// - Parameter completionHandler: Called once, on the delegate queue.
    public override func flush(completionHandler: @Sendable @escaping () -> Void) {
        core.loop.end()
        core.delivery.afterwards(through: core.loop, completionHandler)
    }

    // MARK: Tasks

    /// Passes the session's tasks to a closure. Tasks that have ended or were cancelled are not included.
    /// - Parameter completionHandler: Called once, on the delegate queue.
    public override func getAllTasks(completionHandler: @Sendable @escaping ([URLSessionTask]) -> Void) {
        let tasks = core.tasks
        guard core.usesSuperclass else {
            return core.delivery.afterwards(through: core.loop) { completionHandler(tasks) }
        }
        super.getAllTasks { [core] own in
            core.delivery.afterwards(through: core.loop) { completionHandler(tasks + own) }
        }
    }

    /// Passes the data, upload and download tasks of the session to a closure. Tasks that have ended or were cancelled
    /// are not included.
    /// - Parameter completionHandler: Called once, on the delegate queue, with the data tasks, the upload tasks and the
    ///   download tasks.
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

    /// Creates a data task. Its delegate receives the response and the content.
    ///
    /// The task is suspended until `resume()` is called. The task's delegate, or the session's if the task has none, is
    /// called on the delegate queue.
    /// - Parameter request: The request to send.
    public override func dataTask(with request: URLRequest) -> URLSessionDataTask {
        makeDataTask(request, nil) ?? super.dataTask(with: request)
    }

    /// Creates a data task for a GET. Its delegate receives the response and the content.
    ///
    /// The task is suspended until `resume()` is called. The task's delegate, or the session's if the task has none, is
    /// called on the delegate queue.
    /// - Parameter url: The URL to get.
    public override func dataTask(with url: URL) -> URLSessionDataTask { dataTask(with: URLRequest(url: url)) }

    /// Creates a data task that passes the complete content to a completion handler.
    ///
    /// The task is suspended until `resume()` is called.
    /// - Parameters:
    ///   - request: The request to send.
    ///   - completionHandler: Called once, on the delegate queue. After a success, it receives the content, the
    ///     response and nil. After a failure, it receives nil, the response if there is one, and the error. The
    ///     delegate does not receive the response and the content.
    public override func dataTask(
        with request: URLRequest,
        completionHandler: @Sendable @escaping (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask {
        makeDataTask(request, .data(completionHandler))
            ?? super.dataTask(with: request, completionHandler: completionHandler)
    }

    /// Creates a data task for a GET that passes the complete content to a completion handler.
    ///
    /// The task is suspended until `resume()` is called.
    /// - Parameters:
    ///   - url: The URL to get.
    ///   - completionHandler: Called once, on the delegate queue. After a success, it receives the content, the
    ///     response and nil. After a failure, it receives nil, the response if there is one, and the error. The
    ///     delegate does not receive the response and the content.
    public override func dataTask(
        with url: URL,
        completionHandler: @Sendable @escaping (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask {
        dataTask(with: URLRequest(url: url), completionHandler: completionHandler)
    }

    /// Creates a task that sends the content of a file.
    ///
    /// The task is suspended until `resume()` is called. The task's delegate, or the session's if the task has none, is
    /// called on the delegate queue. If the file cannot be read, the task fails with the code `fileDoesNotExist`,
    /// `fileIsDirectory` or `noPermissionsToReadFile`. If the file changes while it is sent, the code is
    /// `requestBodyStreamExhausted`.
    /// - Parameters:
    ///   - request: The request to send. The content of the request is ignored.
    ///   - fileURL: The file with the content, which must not change while it is sent.
    public override func uploadTask(with request: URLRequest, fromFile fileURL: URL) -> URLSessionUploadTask {
        makeUploadTask(request, .file(fileURL), nil)
    }

    /// Creates a task that sends content from memory.
    ///
    /// The task is suspended until `resume()` is called. The task's delegate, or the session's if the task has none, is
    /// called on the delegate queue.
    /// - Parameters:
    ///   - request: The request to send. The content of the request is ignored.
    ///   - bodyData: The content to send.
    public override func uploadTask(with request: URLRequest, from bodyData: Data) -> URLSessionUploadTask {
        makeUploadTask(request, .data(bodyData), nil)
    }

    /// Creates a task that sends content from a stream.
    ///
    /// Each time the content is sent, the delegate provides a new stream in `urlSession(_:task:needNewBodyStream:)`. If
    /// it provides no stream, the task fails with the code `requestBodyStreamExhausted`. The task is suspended until
    /// `resume()` is called. The task's delegate, or the session's if the task has none, is called on the delegate
    /// queue.
    /// - Parameter request: The request to send. The content of the request is ignored.
    public override func uploadTask(withStreamedRequest request: URLRequest) -> URLSessionUploadTask {
        makeUploadTask(request, .stream(nil), nil)
    }

    /// Creates a task that sends the content of a file, and passes the response's complete content to a completion
    /// handler.
    ///
    /// The task is suspended until `resume()` is called. If the file cannot be read, the task fails with the code
    /// `fileDoesNotExist`, `fileIsDirectory` or `noPermissionsToReadFile`. If the file changes while it is sent, the
    /// code is `requestBodyStreamExhausted`.
    /// - Parameters:
    ///   - request: The request to send. The content of the request is ignored.
    ///   - fileURL: The file with the content, which must not change while it is sent.
    ///   - completionHandler: Called once, on the delegate queue. After a success, it receives the content, the
    ///     response and nil. After a failure, it receives nil, the response if there is one, and the error. The
    ///     delegate does not receive the response and the content.
    public override func uploadTask(
        with request: URLRequest,
        fromFile fileURL: URL,
        completionHandler: @Sendable @escaping (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionUploadTask {
        makeUploadTask(request, .file(fileURL), .data(completionHandler))
    }

    /// Creates a task that sends content from memory, and passes the response's complete content to a completion
    /// handler.
    ///
    /// The task is suspended until `resume()` is called.
    /// - Parameters:
    ///   - request: The request to send. The content of the request is ignored.
    ///   - bodyData: The content to send; nil for none.
    ///   - completionHandler: Called once, on the delegate queue. After a success, it receives the content, the
    ///     response and nil. After a failure, it receives nil, the response if there is one, and the error. The
    ///     delegate does not receive the response and the content.
    public override func uploadTask(
        with request: URLRequest,
        from bodyData: Data?,
        completionHandler: @Sendable @escaping (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionUploadTask {
        makeUploadTask(request, bodyData.map(TaskBody.data) ?? .none, .data(completionHandler))
    }

    /// Creates a task that downloads to a file.
    ///
    /// The task is suspended until `resume()` is called. The task's delegate, or the session's if the task has none, is
    /// called on the delegate queue. The delegate receives the file in
    /// `urlSession(_:downloadTask:didFinishDownloadingTo:)`. The file is removed when that method returns.
    /// - Parameter request: The request to send.
    public override func downloadTask(with request: URLRequest) -> URLSessionDownloadTask {
        makeDownloadTask(request, nil)
    }

    /// Creates a task that downloads a URL to a file.
    ///
    /// The task is suspended until `resume()` is called. The task's delegate, or the session's if the task has none, is
    /// called on the delegate queue. The delegate receives the file in
    /// `urlSession(_:downloadTask:didFinishDownloadingTo:)`. The file is removed when that method returns.
    /// - Parameter url: The URL to get.
    public override func downloadTask(with url: URL) -> URLSessionDownloadTask {
        downloadTask(with: URLRequest(url: url))
    }

    /// Creates a task that downloads to a file, and passes the file to a completion handler.
    ///
    /// The task is suspended until `resume()` is called.
    /// - Parameters:
    ///   - request: The request to send.
    ///   - completionHandler: Called once, on the delegate queue. After a success, it receives the file, the response
    ///     and nil. The file is removed when the handler returns. After a failure, it receives nil, the response if
    ///     there is one, and the error.
    public override func downloadTask(
        with request: URLRequest,
        completionHandler: @Sendable @escaping (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        makeDownloadTask(request, .download(completionHandler))
    }

    /// Creates a task that downloads a URL to a file, and passes the file to a completion handler.
    ///
    /// The task is suspended until `resume()` is called.
    /// - Parameters:
    ///   - url: The URL to get.
    ///   - completionHandler: Called once, on the delegate queue. After a success, it receives the file, the response
    ///     and nil. The file is removed when the handler returns. After a failure, it receives nil, the response if
    ///     there is one, and the error.
    public override func downloadTask(
        with url: URL,
        completionHandler: @Sendable @escaping (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        downloadTask(with: URLRequest(url: url), completionHandler: completionHandler)
    }

    /// Creates a task that continues another download from its resume data.
    ///
    /// Resume data does not contain credentials. Use ``downloadTask(with:resumeData:)`` for a request that needs them.
    /// If the server's file or the partial file has changed, the download starts over. If the data is not resume data
    /// of a ``CurlURLSession``, the task fails with the code `unsupportedURL`. The task is suspended until `resume()`
    /// is called. Its delegate is called on the delegate queue.
    /// - Parameter resumeData: The resume data of an earlier download.
    public override func downloadTask(withResumeData resumeData: Data) -> URLSessionDownloadTask {
        CurlDownloadTask(core.makeTask(withResumeData: resumeData, completion: nil), of: self)
    }

    /// Creates a task that continues another download from its resume data, and calls a completion handler.
    ///
    /// Resume data does not contain credentials. If the server's file or the partial file has changed, the download
    /// starts over. If the data is not resume data of a ``CurlURLSession``, the task fails with the code
    /// `unsupportedURL`. The task is suspended until `resume()` is called.
    /// - Parameters:
    ///   - resumeData: The resume data of an earlier download.
    ///   - completionHandler: Called once, on the delegate queue. After a success, it receives the file, the response
    ///     and nil. The file is removed when the handler returns. After a failure, it receives nil, the response if
    ///     there is one, and the error.
    public override func downloadTask(
        withResumeData resumeData: Data,
        completionHandler: @Sendable @escaping (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        CurlDownloadTask(core.makeTask(withResumeData: resumeData, completion: .download(completionHandler)), of: self)
    }

    /// Creates a task of URLSession's WebSocket API. ``webSocket(with:options:)-(URL,_)`` creates a WebSocket with more
    /// functions.
    ///
    /// The task is suspended until `resume()` is called. Messages and receivers wait until the connection is open. The
    /// delegate is called if it conforms to `URLSessionWebSocketDelegate`. Completion handlers are called on the
    /// delegate queue. All errors are `URLError`s. Their code is `badServerResponse` if the server refuses the
    /// handshake, and `networkConnectionLost` after the connection has been closed.
    /// - Parameter url: The URL of the server, with the scheme ws, wss, http or https.
    public override func webSocketTask(with url: URL) -> URLSessionWebSocketTask {
        webSocketTask(with: URLRequest(url: url))
    }

    /// Creates a task of URLSession's WebSocket API that offers subprotocols. Otherwise, this method is the same as
    /// ``webSocketTask(with:)-(URL)``.
    ///
    /// - Parameters:
    ///   - url: The URL of the server, with the scheme ws, wss, http or https.
    ///   - protocols: The names of the subprotocols, in order of preference.
    public override func webSocketTask(with url: URL, protocols: [String]) -> URLSessionWebSocketTask {
        var request = URLRequest(url: url)
        if !protocols.isEmpty {
            request.setValue(protocols.joined(separator: ", "), forHTTPHeaderField: "Sec-WebSocket-Protocol")
        }
        return webSocketTask(with: request)
    }

    /// Creates a task of URLSession's WebSocket API whose handshake has the fields and the timeout of a request.
    /// Otherwise, this method is the same as ``webSocketTask(with:)-(URL)``.
    ///
    /// - Parameter request: The request of the handshake. Its method and content are ignored. The field
    ///   `Sec-WebSocket-Protocol` has the names of the subprotocols.
    public override func webSocketTask(with request: URLRequest) -> URLSessionWebSocketTask {
        if let task = makeWebSocketTask(request) { return task }
        // FoundationNetworking does not have the expected layout. Its own task fails.
        core.noteUseOfSuperclass()
        var request = request
        request.url = request.url.map(core.webSocketURL)
        return super.webSocketTask(with: request)
    }
}
#endif
