#if canImport(FoundationNetworking)
extension CurlURLSession {
    // MARK: Availability

    /// Whether the process has a libcurl that the engine can use: 7.68 or later. Without one, every task fails with the
    /// code `resourceUnavailable` and the message of ``unavailabilityReason``.
    public static var isAvailable: Bool { unavailabilityReason == nil }

    /// The reason why the engine cannot be used; nil if it can.
    public static var unavailabilityReason: String? { Libcurl.unavailability }

    /// The version of the libcurl that performs the requests, as in "7.88.1"; nil if there is none.
    public static var libcurlVersion: String? { Libcurl.version }

    /// Whether that libcurl can use HTTP/3: it was built with it, and is 7.88 or later.
    public static var supportsHTTP3: Bool { Libcurl.hasHTTP3 }

    /// Whether requests of the session may use HTTP/3: its options ask for it, and it is possible
    /// (``EngineOptions/http3``).
    public var offersHTTP3: Bool { core.settings.http3 != .off }

    // MARK: Sessions with options

    /// Creates a session with options that a configuration does not have.
    /// - Parameters:
    ///   - configuration: The configuration of the session. It is copied; later changes have no effect.
    ///   - delegate: The delegate for the session and its tasks; retained until the session is invalidated. Default:
    ///     nil, none.
    ///   - queue: The queue on which the delegate and completion handlers are called, one call after the other, each as
    ///     an operation. Default: nil, a serial queue of the session's own.
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
    ///   - callsDelegateOnLoop: Whether the delegate is called on the loop's thread, where it must never block.
    ///   - unavailability: The reason why every task fails; nil if tasks work.
    ///   - tlsAbilities: The TLS abilities of libcurl. Default: nil, the real ones.
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

    /// The configuration of ``shared``: the default one with the classes that the program has registered.
    ///
    /// Only the configuration of the superclass's shared session has these. There they stand behind
    /// FoundationNetworking's own classes if a session was made before they were registered, and would never be asked.
    static var sharedConfiguration: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.default
        let registered = ProtocolClasses.own(URLSession.shared.configuration.protocolClasses ?? [])
        configuration.protocolClasses = registered + (configuration.protocolClasses ?? [])
        return configuration
    }

    /// Returns the configuration for the superclass, without the values on which it would trap, which it would add to
    /// requests by rules of its own, or for which it would needlessly open files; with the class that performs its
    /// tasks.
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

    /// Returns the queue of the delegate, and how the delegate is called there. Without a queue of the caller's it is a
    /// serial one.
    static func delegateQueue(_ queue: OperationQueue?) -> (OperationQueue, Delivery.Place) {
        if let queue { return (queue, .operations(queue)) }
        let serialQueue = DispatchQueue(label: "larkspur.delegate")
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        queue.underlyingQueue = serialQueue
        return (queue, .own(queue, serialQueue))
    }
}
#endif
