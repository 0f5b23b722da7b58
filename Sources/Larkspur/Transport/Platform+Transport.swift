import HTTPSyntax

extension Platform {
    /// Prepares the process for a session of any class.
    static func prepareForSession() {
        #if canImport(FoundationNetworking)
        ProcessEnd.prepareForSession()
        #endif
    }

    /// Creates a session of Foundation, with a configuration that this function may change.
    static func makeFoundationSession(
        _ configuration: URLSessionConfiguration,
        _ delegate: any URLSessionDelegate,
        _ queue: OperationQueue
    ) -> URLSession {
        #if canImport(FoundationNetworking)
        FoundationTransportAdapter.prepare(configuration)
        #endif
        return URLSession(configuration: configuration, delegate: delegate, delegateQueue: queue)
    }

    /// Prepares a session of Foundation's own class that the caller's factory has created.
    static func prepare(_ session: URLSession) {
        #if canImport(FoundationNetworking)
        if type(of: session) == URLSession.self { FoundationTransportAdapter.prepare(session.configuration) }
        #endif
    }

    /// Returns the adapter of a session, depending on its class: `URLSession` itself or a subclass of it.
    static func adapter(for session: URLSession) -> any TransportAdapter {
        #if canImport(FoundationNetworking)
        type(of: session) == URLSession.self ? FoundationTransportAdapter() : StandardTransportAdapter()
        #else
        StandardTransportAdapter()
        #endif
    }
}

extension Platform {
    /// Throws `unsupported` if a transport that behaves as documented cannot enforce one of the limits. Foundation's
    /// own transport cannot do so on platforms other than Linux.
    static func validate(_ limits: Timeouts) throws(LarkspurError) {
        #if !canImport(FoundationNetworking)
        try limits.validateWithoutConnections()
        #endif
    }

    /// Passes the options of a call to the transport, for a task that has not been resumed yet. A custom transport
    /// ignores them.
    static func apply(_ options: TransferOptions, to task: URLSessionTask) {
        #if canImport(FoundationNetworking)
        task.use(options)
        #endif
    }

    /// Creates a task whose content is produced while it is sent. Nil if the session takes such content only from a
    /// stream.
    static func makeTask(
        _ request: URLRequest,
        producing content: ProducedBody,
        in session: URLSession
    ) -> URLSessionTask? {
        #if canImport(FoundationNetworking)
        (session as? CurlURLSession)?.uploadTask(with: request, producing: content)
        #else
        nil
        #endif
    }

    /// Throws `unsupported` if a session cannot do what a call needs.
    /// - Parameters:
    ///   - producesContent: Whether the content is produced while it is sent.
    ///   - keepsSending: Whether the content is sent to its end even if the response has a status of 300 or more.
    static func validate(
        producesContent: Bool,
        keepsSending: Bool,
        in session: URLSession
    ) throws(LarkspurError) {
        guard keepsSending || producesContent else { return }
        #if canImport(FoundationNetworking)
        if session is CurlURLSession { return }
        if producesContent, type(of: session) == URLSession.self {
            throw LarkspurError(
                .unsupported,
                "The transport cannot send content that is produced while it is sent, because it takes a pause for the end; .curl can."
            )
        }
        #endif
        if keepsSending {
            throw LarkspurError(
                .unsupported,
                "The transport cannot go on sending after a status of 300 or more; .curl can."
            )
        }
    }

    /// Returns the URL with https if HSTS requires this for its host in a session. Returns nil if the URL is requested
    /// unchanged.
    static func secured(_ url: URL, in session: URLSession) -> URL? {
        #if canImport(FoundationNetworking)
        (session as? CurlURLSession)?.secured(url)
        #else
        nil
        #endif
    }

    /// Returns whether a task belongs to no call: it is the handshake of a WebSocket, or opens a connection in advance.
    static func belongsToNoCall(_ task: URLSessionTask) -> Bool {
        #if canImport(FoundationNetworking)
        task.opensWebSocket || task.opensConnection
        #else
        false
        #endif
    }

    /// Returns the lower-case names of the fields that are not sent after a redirect of a WebSocket's handshake to
    /// another origin.
    static func withheldFields(of task: URLSessionTask) -> Set<TextKey> {
        #if canImport(FoundationNetworking)
        task.withheldFields
        #else
        []
        #endif
    }

    /// Returns an object that counts content as not consumed until the object is released. Call it where the content is
    /// delivered. Nil for a transport that does not limit the content that it delivers.
    static func hold(_ count: Int, of task: URLSessionTask) -> (any Sendable)? {
        #if canImport(FoundationNetworking)
        task.holdContent(count)
        #else
        nil
        #endif
    }

    /// Returns the wait of a task for a place at its host; nil if it does not wait, or if the transport does not report
    /// it.
    static func connectionWait(of task: URLSessionTask) -> ConnectionWait? {
        #if canImport(FoundationNetworking)
        task.connectionWait
        #else
        nil
        #endif
    }

    /// Returns whether a task still waits because of the limit of connections per host. False if the transport does not
    /// report it.
    static func waitsForConnection(_ task: URLSessionTask) -> Bool {
        #if canImport(FoundationNetworking)
        task.waitsForConnection
        #else
        false
        #endif
    }
}

extension Platform {
    /// Opens connections to the origin of a URL in advance.
    /// - Parameters:
    ///   - count: The number of connections that shall be open.
    ///   - requestTimeout: The time without a byte after which a request fails, in seconds; nil for the timeout of the
    ///     configuration.
    ///   - connectTimeout: The maximum time for opening a connection, in seconds; nil for no limit.
    static func connect(
        to url: URL,
        count: Int,
        in session: URLSession,
        requestTimeout: TimeInterval?,
        connectTimeout: TimeInterval?
    ) async throws {
        #if canImport(FoundationNetworking)
        if let session = session as? CurlURLSession {
            return try await session.connect(
                to: url,
                count: count,
                requestTimeout: requestTimeout,
                connectTimeout: connectTimeout
            )
        }
        #endif
        throw LarkspurError(
            .unsupported,
            "The transport cannot open connections in advance, so that none is opened; the transport .curl can."
        )
    }

    /// Returns the executor of the thread on which a session calls its delegate; nil if it has none.
    static func executor(of session: URLSession) -> (any TaskExecutor)? {
        #if canImport(FoundationNetworking)
        (session as? CurlURLSession)?.executor
        #else
        nil
        #endif
    }
}
