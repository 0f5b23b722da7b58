#if canImport(FoundationNetworking)
import HTTPSyntax

extension CurlURLSession {
    // MARK: Availability

    /// Whether the process has a libcurl that the engine can use: version 7.68 or later. If false, every task fails
    /// with the code `resourceUnavailable` and the message of ``unavailabilityReason``.
    public static var isAvailable: Bool { unavailabilityReason == nil }

    /// The reason why the engine cannot be used; nil if it can be used.
    public static var unavailabilityReason: String? { Libcurl.unavailability }

    /// The version of the libcurl that performs the requests, such as "7.88.1"; nil if there is none.
    public static var libcurlVersion: String? { Libcurl.version }

    /// Whether the libcurl of the process can use HTTP/3. Its version must be 7.88 or later, and it must be built with
    /// HTTP/3.
    public static var supportsHTTP3: Bool { Libcurl.hasHTTP3 }

    /// Whether requests of the session may use HTTP/3. The session's options must request it, and libcurl and the other
    /// options must permit it (see ``EngineOptions/http3``).
    public var offersHTTP3: Bool { core.settings.http3 != .never }

    /// Returns the URL with https if HSTS requires this for its host. Returns nil if the URL is requested unchanged.
    package func secured(_ url: URL) -> URL? { core.settings.secured(url) }

    // MARK: Sessions with options

    /// Creates a session with options that a configuration does not have.
    /// - Parameters:
    ///   - configuration: The configuration of the session. It is copied, so later changes have no effect.
    ///   - delegate: The delegate for the session and its tasks. It is retained until the session is invalidated.
    ///     Default: nil.
    ///   - queue: The queue on which the delegate and completion handlers are called, one call after the other. Each
    ///     call is an operation. Default: nil, a serial queue that the session creates.
    ///   - options: The options of the session.
    public convenience init(
        configuration: URLSessionConfiguration,
        delegate: (any URLSessionDelegate)? = nil,
        delegateQueue queue: OperationQueue? = nil,
        options: Options
    ) {
        self.init(configuration, delegate: delegate, queue: queue, options: options, callsDelegateOnLoop: false)
    }

    /// - Parameters:
    ///   - callsDelegateOnLoop: Whether the delegate is called on the loop's thread. In this case, the delegate must
    ///     never block.
    ///   - unavailability: The reason why every task fails; nil if tasks can be performed.
    ///   - tlsAbilities: The TLS abilities of libcurl. Default: nil, the abilities of the loaded libcurl.
    ///   - thread: Starts the session's thread. Default: a thread of the system.
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

    /// The configuration of ``shared``: the default configuration, with the `URLProtocol` classes that the program has
    /// registered.
    ///
    /// Only the configuration of the superclass's shared session contains the registered classes. If they were
    /// registered after that session was created, they come after FoundationNetworking's own classes in the list, and
    /// would never load a request. So they are moved to the beginning of the list.
    static var sharedConfiguration: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.default
        ProcessEnd.prepareForSession()
        let registered = ProtocolClasses.own(URLSession.shared.configuration.protocolClasses ?? [])
        configuration.protocolClasses = registered + (configuration.protocolClasses ?? [])
        return configuration
    }

    /// Returns the configuration for the superclass. It contains the class that performs the superclass's tasks. Three
    /// kinds of values are converted or removed. With the first kind, the superclass would end the process. The second
    /// kind would be added to requests by the superclass's own rules. For the third kind, the superclass would open
    /// files that it does not need.
    static func forSuperclass(_ configuration: URLSessionConfiguration) -> URLSessionConfiguration {
        let copy = configuration.copy() as? URLSessionConfiguration ?? .ephemeral
        copy.httpAdditionalHeaders = SessionSettings.fields(copy.httpAdditionalHeaders)
        copy.protocolClasses =
            [HandedTaskProtocol.self] + (copy.protocolClasses ?? []).filter { $0 is URLProtocol.Type }
        // Recent versions of libcurl refuse negative numbers.
        copy.httpMaximumConnectionsPerHost = max(1, copy.httpMaximumConnectionsPerHost)
        copy.urlCache = nil
        copy.urlCredentialStorage = nil
        copy.httpCookieStorage = nil
        return copy
    }

    /// Returns the queue of the delegate, and the way in which the delegate is called there. If the caller passes no
    /// queue, creates a serial queue.
    static func delegateQueue(_ queue: OperationQueue?) -> (OperationQueue, Delivery.Place) {
        if let queue { return (queue, .operations(queue)) }
        let serialQueue = DispatchQueue(label: "larkspur.delegate")
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        queue.underlyingQueue = serialQueue
        return (queue, .own(queue, serialQueue))
    }
}

/// The creation of tasks, including tasks that the superclass performs.
extension CurlURLSession {
    func makeDownloadTask(_ core: TaskCore) -> URLSessionDownloadTask { CurlDownloadTask(core, of: self) }

    /// Creates a task that passes its content to a channel. Returns nil if the superclass performs the request.
    func dataTask(with request: URLRequest, channel: ResponseChannel<any Error>) -> URLSessionDataTask? {
        makeDataTask(request, .bytes(channel))
    }

    /// Creates a data task. Returns nil if the superclass performs the request.
    func makeDataTask(_ request: URLRequest, _ completion: TaskCore.Completion?) -> CurlDataTask? {
        let isCarried = core.carries(request)
        let defect = isCarried ? nil : core.foreignDefect(request)
        guard isCarried || defect != nil || core.isInvalidated else {
            core.noteUseOfSuperclass()
            return nil
        }
        let body = isCarried ? TaskBody(of: request) : .none
        let task = core.makeTask(kind: .data, request: request, body: body, completion: completion, defect: defect)
        return CurlDataTask(task, of: self)
    }

    func makeUploadTask(
        _ request: URLRequest,
        _ body: TaskBody,
        _ completion: TaskCore.Completion?
    ) -> CurlUploadTask {
        CurlUploadTask(core.makeTask(kind: .upload, request: request, body: body, completion: completion), of: self)
    }

    /// Creates a task that sends content while the content is produced.
    package func uploadTask(with request: URLRequest, producing content: ProducedBody) -> URLSessionUploadTask {
        makeUploadTask(request, .produced(content), nil)
    }

    /// Creates a task of URLSession's WebSocket API. Returns nil if the superclass has to create the task.
    func makeWebSocketTask(_ request: URLRequest) -> CurlWebSocketTask? {
        guard let layout, layout.hasWebSocketCalls else { return nil }
        var options = WebSocketOptions()
        // This is the default of URLSession.
        options.maximumMessageSize = 1 << 20
        options.protocols = (request.value(forHTTPHeaderField: "Sec-WebSocket-Protocol") ?? "")
            .parts(separatedBy: ",").map { String($0.trimmingBlanks) }.filter { !$0.isEmpty }
        let channel = WebSocketChannel(options: options, hasBegun: true)
        let task = makeHandshake(request, for: channel, kind: .webSocket)
        return CurlWebSocketTask(task, channel, request, of: self, layout)
    }

    func makeDownloadTask(_ request: URLRequest, _ completion: TaskCore.Completion?) -> CurlDownloadTask {
        let body = TaskBody(of: request)
        return CurlDownloadTask(
            core.makeTask(kind: .download, request: request, body: body, completion: completion),
            of: self
        )
    }

    /// Calls a closure when all tasks that the superclass performs have ended.
    ///
    /// The superclass is never invalidated, because code that was compiled without this module can call the
    /// superclass's async methods. After an invalidation, these calls would end the process.
    func whenSuperclassIsIdle(_ action: @escaping @Sendable () -> Void) {
        guard let layout, let queue = layout.workQueue(of: self) else { return action() }
        queue.async { [self] in
            if layout.taskCount(of: self) == 0 { return action() }
            queue.asyncAfter(deadline: .now() + .milliseconds(20)) { [self] in whenSuperclassIsIdle(action) }
        }
    }
}
#endif
