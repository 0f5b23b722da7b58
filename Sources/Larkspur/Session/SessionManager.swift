import Synchronization

/// Makes requests and follows them to their end: the centre of Larkspur.
///
/// A session manager wraps a `URLSession`. It builds requests by its ``requestSettings`` and ``requestSerializer``,
/// hands them to the session as tasks, validates and parses their responses with its ``responseSerializer``, and calls
/// your closures on its ``completionQueue``:
///
///     let manager = SessionManager(baseURL: URL(string: "https://api.example.com/v1"))
///     manager.get("users", parameters: ["page": 2]) { task, object in
///         print(object ?? "nothing")
///     } failure: { task, error in
///         print(error)
///     }
///
/// It may be used from any thread. Changes of its properties apply to the tasks made afterwards. When the last
/// reference to it goes away, its tasks finish first and the session is invalidated then.
public final class SessionManager: Sendable {
    private struct Settings {
        var completionQueue: DispatchQueue
        var completionGroup: DispatchGroup
        var jsonDecoder = JSONDecoder()
        var jsonEncoder = JSONEncoder()
        var maximumContentSize = 1 << 30
        var reportsUnhandledFailures = Platform.isDebugBuild
        var failureWriter = UnhandledFailure.writer
        var pause = DownloadResumer.realPause
    }

    /// The URL that relative URL strings are resolved against, by RFC 3986; with a trailing slash, if it has a path.
    public let baseURL: URL?

    /// The concurrent queue on which responses are validated and serialized.
    public let processingQueue: DispatchQueue

    private let processing: ProcessingPool
    let sessions: SessionStore
    private let builder: Published<RequestBuilder>
    private let parser: Published<any ResponseSerializer>
    private let values: Mutex<Settings>

    /// Makes a session manager; its session is made with the first task.
    /// - Parameters:
    ///   - baseURL: The URL that relative URL strings are resolved against; a slash is appended to its path if it has
    ///     one that lacks it. Default: none.
    ///   - configuration: Copied; later changes to it have no effect. Default: `.default`, with which all managers of
    ///     the process share cookies, stored credentials and cache: one that acts for several users needs `.ephemeral`,
    ///     or storages of its own, for each.
    ///   - transport: The carrier of the requests. Default: `.automatic`.
    ///   - requestSettings: Headers, request properties, and how parameters become a query. Default: those of
    ///     ``RequestSettings``.
    ///   - requestSerializer: Writes parameters into the content of requests. Default: ``HTTPRequestSerializer``, which
    ///     writes forms.
    ///   - responseSerializer: Validates and parses responses. Default: ``JSONResponseSerializer``.
    ///   - completionQueue: Runs closures and notifications; make it a serial one. Default: the main queue on Apple
    ///     platforms, elsewhere a private serial queue, as most programs there do not drain the main queue.
    ///   - completionGroup: Entered while a task is under way. Default: a group of its own.
    public convenience init(
        baseURL: URL? = nil,
        configuration: URLSessionConfiguration = .default,
        transport: Transport = .automatic,
        requestSettings: RequestSettings = RequestSettings(),
        requestSerializer: any RequestSerializer = HTTPRequestSerializer(),
        responseSerializer: any ResponseSerializer = JSONResponseSerializer(),
        completionQueue: DispatchQueue? = nil,
        completionGroup: DispatchGroup = DispatchGroup()
    ) {
        self.init(
            baseURL: baseURL,
            sessions: SessionStore(configuration: configuration, transport: transport),
            requestBuilder: RequestBuilder(requestSerializer, settings: requestSettings),
            responseSerializer: responseSerializer,
            completionQueue: completionQueue,
            completionGroup: completionGroup
        )
    }

    /// Makes a session manager that judges servers by a policy; its session is made with the first task.
    ///
    /// A transport that cannot enforce the policy fails each request before it is sent.
    /// - Parameters:
    ///   - baseURL: The URL that relative URL strings are resolved against; a slash is appended to its path if it has
    ///     one that lacks it. With a pinning policy it has to have the scheme https. Default: none.
    ///   - configuration: Copied; later changes to it have no effect. Default: `.default`, with which all managers of
    ///     the process share cookies, stored credentials and cache: one that acts for several users needs `.ephemeral`,
    ///     or storages of its own, for each.
    ///   - transport: The carrier of the requests. Default: `.automatic`.
    ///   - securityPolicy: The rules by which the certificates of servers are judged.
    ///   - requestSettings: Headers, request properties, and how parameters become a query. Default: those of
    ///     ``RequestSettings``.
    ///   - requestSerializer: Writes parameters into the content of requests. Default: ``HTTPRequestSerializer``, which
    ///     writes forms.
    ///   - responseSerializer: Validates and parses responses. Default: ``JSONResponseSerializer``.
    ///   - completionQueue: Runs closures and notifications; make it a serial one. Default: the main queue on Apple
    ///     platforms, elsewhere a private serial queue, as most programs there do not drain the main queue.
    ///   - completionGroup: Entered while a task is under way. Default: a group of its own.
    /// - Throws: ``LarkspurError`` with the code `invalidSecurityPolicy`, if there are pins and the base URL is
    ///   missing or not https.
    public convenience init(
        baseURL: URL? = nil,
        configuration: URLSessionConfiguration = .default,
        transport: Transport = .automatic,
        securityPolicy: SecurityPolicy,
        requestSettings: RequestSettings = RequestSettings(),
        requestSerializer: any RequestSerializer = HTTPRequestSerializer(),
        responseSerializer: any ResponseSerializer = JSONResponseSerializer(),
        completionQueue: DispatchQueue? = nil,
        completionGroup: DispatchGroup = DispatchGroup()
    ) throws(LarkspurError) {
        try securityPolicy.validate(for: baseURL)
        self.init(
            baseURL: baseURL,
            sessions: SessionStore(
                configuration: configuration,
                transport: transport,
                securityPolicy: securityPolicy
            ),
            requestBuilder: RequestBuilder(requestSerializer, settings: requestSettings),
            responseSerializer: responseSerializer,
            completionQueue: completionQueue,
            completionGroup: completionGroup
        )
    }

    private init(
        baseURL: URL?,
        sessions: SessionStore,
        requestBuilder: RequestBuilder,
        responseSerializer: any ResponseSerializer,
        completionQueue: DispatchQueue?,
        completionGroup: DispatchGroup
    ) {
        self.baseURL = baseURL.map(BaseURL.normalized)
        self.sessions = sessions
        builder = Published(requestBuilder, writers: sessions.hooks.writers)
        parser = Published(responseSerializer, writers: sessions.hooks.writers)
        values = Mutex(
            Settings(
                completionQueue: completionQueue ?? Platform.makeCompletionQueue(),
                completionGroup: completionGroup
            )
        )
        processingQueue = DispatchQueue(label: "larkspur.processing", attributes: .concurrent)
        processing = ProcessingPool(queue: processingQueue)
        sessions.didBecomeInvalid = { [weak self] in
            guard let self else { return }
            self.completionQueue.async {
                NotificationCenter.default.post(name: Self.didInvalidateNotification, object: self)
            }
        }
    }

    deinit {
        sessions.invalidate(cancellingTasks: false, resettingSession: false)
    }

    /// Writes the parameters of calls into the content of their requests. Default: ``HTTPRequestSerializer``.
    ///
    /// Headers and request settings are not its own but the manager's: they stay when it is replaced. No change in
    /// place is lost to another thread's.
    public var requestSerializer: any RequestSerializer {
        get { builder.read(\.serializer) }
        set { builder.value.serializer = newValue }
        _modify { yield &builder.value.serializer }
    }

    /// The headers and properties of every request that the manager builds, and how parameters become a query.
    ///
    ///     manager.requestSettings.timeoutInterval = 10
    ///
    /// They go with all calls by a URL string, and not with tasks that are made of a `URLRequest`. Changes apply to the
    /// calls that are made afterwards. No change in place is lost to another thread's.
    public var requestSettings: RequestSettings {
        get { builder.read(\.settings) }
        set { builder.value.settings = newValue }
        _modify { yield &builder.value.settings }
    }

    /// The header fields of every request that the manager builds: those of ``requestSettings``. Fields of a call
    /// replace those with the same name. Default: ``HTTPHeaders/default``.
    ///
    /// No change in place is lost to another thread's.
    public var headers: HTTPHeaders {
        get { builder.read(\.settings.headers) }
        set { builder.value.settings.headers = newValue }
        _modify { yield &builder.value.settings.headers }
    }

    /// A copy of ``requestSettings`` and ``requestSerializer``, for requests that are not sent by a call.
    public var requestBuilder: RequestBuilder { builder.value }

    /// Sends credentials with every request that the manager builds, by the Basic scheme in UTF-8 (RFC 7617).
    /// - Parameters:
    ///   - username: The user's name; by the scheme's rules it can hold no colon.
    ///   - password: The password.
    public func setAuthorization(username: String, password: String) {
        requestSettings.setAuthorization(username: username, password: password)
    }

    /// Sends an access token with every request that the manager builds, by the Bearer scheme (RFC 6750).
    /// - Parameter bearerToken: The token.
    public func setAuthorization(bearerToken: String) {
        requestSettings.setAuthorization(bearerToken: bearerToken)
    }

    /// Removes the credentials or the token from ``headers``.
    public func clearAuthorization() {
        requestSettings.clearAuthorization()
    }

    /// Validates and parses the responses of tasks that bring no serializer of their own; captured when a task is made.
    /// Default: ``JSONResponseSerializer``.
    ///
    /// No change in place is lost to another thread's.
    public var responseSerializer: any ResponseSerializer {
        get { parser.value }
        set { parser.value = newValue }
        _modify { yield &parser.value }
    }

    /// Decodes the responses of the calls that name a type with `as:`; captured when a task is made.
    ///
    ///     manager.jsonDecoder.keyDecodingStrategy = .convertFromSnakeCase
    ///
    /// It is an object that many threads use at once: set it up before the first call, or set another. A serializer
    /// that is given with a call keeps its own decoder. Default: a plain `JSONDecoder`.
    public var jsonDecoder: JSONDecoder {
        get { values.withLock { $0.jsonDecoder } }
        set { _ = values.withLock { exchange(&$0.jsonDecoder, with: newValue) } }
    }

    /// Encodes the values that calls give to `body:` without an encoder of their own.
    ///
    ///     manager.jsonEncoder.keyEncodingStrategy = .convertToSnakeCase
    ///
    /// It is an object that many threads use at once: set it up before the first call, or set another. Default: a plain
    /// `JSONEncoder`.
    public var jsonEncoder: JSONEncoder {
        get { values.withLock { $0.jsonEncoder } }
        set { _ = values.withLock { exchange(&$0.jsonEncoder, with: newValue) } }
    }

    /// Runs success, failure and completion handlers, progress closures and notifications; captured when a task is
    /// made.
    ///
    /// Give it a serial queue: on a concurrent one, what was queued first need not run first.
    public var completionQueue: DispatchQueue {
        get { values.withLock { $0.completionQueue } }
        set { values.withLock { $0.completionQueue = newValue } }
    }

    /// Entered when a task is resumed for the first time and left after its handlers and its completion notification,
    /// so that waiting for the group waits for the requests; captured when a task is made.
    public var completionGroup: DispatchGroup {
        get { values.withLock { $0.completionGroup } }
        set { values.withLock { $0.completionGroup = newValue } }
    }

    /// The number of bytes of content that a data or upload task collects in memory before it ends with the error
    /// `contentTooLarge`, so that no server can use up the memory; captured when a task is made. Default: 1 GiB. A
    /// download task has no such limit.
    public var maximumContentSize: Int {
        get { values.withLock { $0.maximumContentSize } }
        set { values.withLock { $0.maximumContentSize = newValue } }
    }

    /// True to report the failure of a call that was made without a closure for failures on standard error, in one
    /// line; captured when a task is made. Default: true in debug builds, false in release builds.
    ///
    /// The line has the method, the URL without credentials and query, and the error's message. It is written on
    /// ``completionQueue``. A task that was cancelled, or that became a download, is not reported.
    public var reportsUnhandledFailures: Bool {
        get { values.withLock { $0.reportsUnhandledFailures } }
        set { values.withLock { $0.reportsUnhandledFailures = newValue } }
    }

    /// Gets the lines about failures that nothing handled; captured when a task is made.
    var failureWriter: UnhandledFailure.Writer {
        get { values.withLock { $0.failureWriter } }
        set { values.withLock { $0.failureWriter = newValue } }
    }

    /// Lets time pass before a download goes on; captured when a task is made.
    var pause: DownloadResumer.Pause {
        get { values.withLock { $0.pause } }
        set { values.withLock { $0.pause = newValue } }
    }

    /// Closures that take part in the work of the session. Changes apply at once, to tasks under way too.
    ///
    /// No change in place is lost to another thread's.
    public var hooks: SessionHooks {
        get { sessions.hooks.hooks }
        set { sessions.hooks.hooks = newValue }
        _modify { yield &sessions.hooks.hooks }
    }

    /// The rules by which the certificates of servers are judged. Default: ``SecurityPolicy/default``.
    public var securityPolicy: SecurityPolicy { sessions.securityPolicy }

    /// A copy of the configuration that sessions are made with.
    public var configuration: URLSessionConfiguration { sessions.configuration }

    /// The session that tasks are made in; made when it is first needed, and anew after a reset.
    ///
    /// Tasks that are made in it directly are not known to the session manager. Invalidate it through the session
    /// manager: behind its back, a task that is made at that moment may end the process on Linux.
    public var session: URLSession { sessions.current.session }

    /// The tasks of the current session that have not ended, in the order of their creation.
    public var tasks: [SessionTask] { sessions.tasks }

    /// The data tasks among ``tasks``, without the upload tasks.
    public var dataTasks: [DataTask] { tasks.compactMap { $0 is UploadTask ? nil : $0 as? DataTask } }

    /// The upload tasks among ``tasks``.
    public var uploadTasks: [UploadTask] { tasks.compactMap { $0 as? UploadTask } }

    /// The download tasks among ``tasks``.
    public var downloadTasks: [DownloadTask] { tasks.compactMap { $0 as? DownloadTask } }

    /// Invalidates the session: it ends its tasks and makes no more. ``didInvalidateNotification`` is posted when they
    /// have ended.
    ///
    /// Making a task afterwards fails with the error `sessionInvalidated`, unless the session was reset.
    /// - Parameters:
    ///   - cancellingTasks: True to cancel the tasks under way, false to let them finish.
    ///   - resettingSession: True to forget the session, so that the next task is made in a new one. Default: false.
    public func invalidate(cancellingTasks: Bool, resettingSession: Bool = false) {
        sessions.invalidate(cancellingTasks: cancellingTasks, resettingSession: resettingSession)
    }

    /// Makes a session manager with the same settings, coders, hooks and queues and a session of its own; tasks are not
    /// copied.
    public func copy() -> SessionManager {
        let copy = SessionManager(
            baseURL: baseURL,
            sessions: SessionStore(like: sessions),
            requestBuilder: requestBuilder,
            responseSerializer: responseSerializer,
            completionQueue: completionQueue,
            completionGroup: completionGroup
        )
        copy.jsonDecoder = jsonDecoder
        copy.jsonEncoder = jsonEncoder
        copy.hooks = hooks
        copy.maximumContentSize = maximumContentSize
        copy.reportsUnhandledFailures = reportsUnhandledFailures
        copy.failureWriter = failureWriter
        copy.pause = pause
        return copy
    }

    var environment: TaskEnvironment {
        values.withLock {
            TaskEnvironment(
                completionQueue: $0.completionQueue,
                completionGroup: $0.completionGroup,
                processing: processing,
                maximumContentSize: $0.maximumContentSize,
                failureWriter: $0.reportsUnhandledFailures ? $0.failureWriter : nil,
                pause: $0.pause
            )
        }
    }
}

extension SessionManager: CustomStringConvertible {
    /// Base URL and number of tasks.
    public var description: String {
        "<SessionManager baseURL: \(baseURL?.absoluteString ?? "none"), tasks: \(tasks.count)>"
    }
}
