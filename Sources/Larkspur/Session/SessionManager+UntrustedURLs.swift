extension SessionManager {
    /// Creates a session manager for URLs that the program has not chosen. Its session is created with the first task.
    ///
    ///     let manager = SessionManager(forUntrustedURLs: .standard)
    ///     let page = try await manager.get(address).string
    ///
    /// The manager has no base URL, no cookies, no stored credentials and no cache. If the transport cannot enforce the
    /// limits, each call fails before it is sent, with the error `unsupported`.
    /// - Parameters:
    ///   - limits: The addresses, ports, redirects, content and time that a call may use.
    ///   - transport: The transport that sends the requests: `.curl`, or one of LarkspurTesting. Default: `.automatic`.
    ///   - requestSettings: Headers, request properties, and the encoding of parameters as a query. Default: those of
    ///     ``RequestSettings``.
    ///   - requestSerializer: Writes parameters into the content of requests. Default: ``HTTPRequestSerializer``, which
    ///     writes forms.
    ///   - responseSerializer: Validates and parses responses. Default: ``JSONResponseSerializer``.
    ///   - completionQueue: The queue that runs closures and posts notifications; pass a serial queue. Default: the
    ///     main queue on Apple platforms, elsewhere a private serial queue.
    ///   - completionGroup: The group that each task enters while it is under way. Default: a separate group.
    public convenience init(
        forUntrustedURLs limits: UntrustedURLLimits,
        transport: Transport = .automatic,
        requestSettings: RequestSettings = RequestSettings(),
        requestSerializer: any RequestSerializer = HTTPRequestSerializer(),
        responseSerializer: any ResponseSerializer = JSONResponseSerializer(),
        completionQueue: DispatchQueue? = nil,
        completionGroup: DispatchGroup = DispatchGroup()
    ) {
        var settings = ManagerSettings(completionQueue: completionQueue, completionGroup: completionGroup)
        settings.maximumContentSize = limits.maximumResponseSize
        settings.timeouts.total = limits.totalTime
        self.init(
            base: .success(nil),
            sessions: SessionStore(limits, transport: transport),
            requestBuilder: RequestBuilder(requestSerializer, settings: requestSettings),
            responseSerializer: responseSerializer,
            settings: settings
        )
    }
}
