#if canImport(FoundationNetworking)
extension CurlURLSession {
    // MARK: Availability

    /// Whether the process has a libcurl that the engine can use: version 7.68 or later. Otherwise every task fails
    /// with the code `resourceUnavailable` and the message of ``unavailabilityReason``.
    public static var isAvailable: Bool { unavailabilityReason == nil }

    /// The reason why the engine cannot be used; nil if it can.
    public static var unavailabilityReason: String? { Libcurl.unavailability }

    /// The version of the libcurl that performs the requests, such as "7.88.1"; nil if there is none.
    public static var libcurlVersion: String? { Libcurl.version }

    /// Whether the libcurl of the process can use HTTP/3: it is 7.88 or later, and was built with HTTP/3.
    public static var supportsHTTP3: Bool { Libcurl.hasHTTP3 }

    /// Whether requests of the session may use HTTP/3: its options ask for it, and libcurl and the other options permit
    /// it (see ``EngineOptions/http3``).
    public var offersHTTP3: Bool { core.settings.http3 != .off }

    // MARK: Sessions with options

    /// Creates a session with options that a configuration does not have.
    /// - Parameters:
    ///   - configuration: The configuration of the session. It is copied; later changes have no effect.
    ///   - delegate: The delegate for the session and its tasks; retained until the session is invalidated. Default:
    ///     nil, none.
    ///   - queue: The queue on which the delegate and completion handlers are called, one call after the other, each as
    ///     an operation. Default: nil, a serial queue that the session creates.
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
    ///   - callsDelegateOnLoop: Whether the delegate is called on the loop's thread. It must never block there.
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

    /// The configuration of ``shared``: the default one, with the classes that the program has registered.
    ///
    /// Only the superclass's shared session has a configuration with those classes. If that session was made before
    /// they were registered, they stand behind FoundationNetworking's own classes there, and would never be asked.
    static var sharedConfiguration: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.default
        let registered = ProtocolClasses.own(URLSession.shared.configuration.protocolClasses ?? [])
        configuration.protocolClasses = registered + (configuration.protocolClasses ?? [])
        return configuration
    }

    /// Returns the configuration for the superclass. It has the class that performs the superclass's tasks, and lacks
    /// three kinds of values: those on which the superclass would trap, those that it would add to requests by rules of
    /// its own, and those for which it would open files in vain.
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

    /// Returns the queue of the delegate, and how the delegate is called there. Without a queue of the caller's, this
    /// is a new serial queue.
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
