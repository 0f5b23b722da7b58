import Synchronization

/// The central class of Larkspur, which sends requests and handles their responses.
///
/// A session manager wraps a `URLSession`. It builds requests with its ``requestSettings`` and ``requestSerializer``
/// and passes them to the session as tasks. It validates and parses their responses with its ``responseSerializer``,
/// and calls your closures on its ``completionQueue``:
///
///     let manager = SessionManager(baseURL: "https://api.example.com/v1")
///     manager.get("users", parameters: ["page": 2]) { task, object in
///         print(object ?? "nothing")
///     } failure: { task, error in
///         print(error)
///     }
///
/// A session manager may be used from any thread. A change of a property applies to tasks that are created afterwards;
/// a change of ``hooks`` applies immediately. When the last reference to the manager is released, its tasks still
/// finish, and then the session is invalidated.
public final class SessionManager: Sendable {
    /// The URL against which relative URL strings are resolved (RFC 3986, section 5). Its path, if it has one, ends in
    /// a slash. Nil if the manager has no base URL, or was given a string that is not an absolute URL.
    ///
    /// The manager's credentials are sent only to the origin (scheme, host and port) of the base URL, and to the
    /// origins of ``RequestSettings/credentialOrigins``. If HSTS requires https for the host, the origin with https
    /// counts as the origin of the base URL. A call with an absolute URL of another origin, or with a reference such as
    /// `//example.com/users`, is sent without these credentials. They are the fields of ``headers`` and of the
    /// configuration's `httpAdditionalHeaders` whose names indicate credentials, such as `Authorization`, `Cookie` and
    /// `X-Api-Key`. Fields that a call passes, or that an interceptor sets, are sent to every origin. Without a base
    /// URL, the manager's credentials are sent to every origin that a call names.
    public var baseURL: URL? { (try? base.get()) ?? nil }

    /// The base URL, or the error of a string that is not an absolute URL. Each call that takes a URL or a URL string
    /// ends with that error.
    let base: Result<URL?, LarkspurError>
    /// The origins to which the manager's credentials are sent.
    let scope: CredentialScope

    /// The concurrent queue on which responses are validated and serialized.
    ///
    /// Your own serializers, decoders and checks always run on this queue, and so do all decoders for closures. But if
    /// a call has no checks of yours, content of at most 4 KiB may be serialized elsewhere, because waking a thread
    /// would take longer than serializing the content:
    /// - If one `await` is all that is notified of the end of the call, the task that awaits serializes the content: as
    ///   data, text or a JSON object, or with a `JSONDecoder` as a value of your type. The task does so on its own
    ///   executor, or on a thread of Swift's pool if it is on an actor, such as the main actor.
    /// - In other cases ``completionQueue`` creates data, text and JSON objects, unless it is the main queue.
    public var processingQueue: DispatchQueue { processing.queue }

    private let processing = ProcessingPool()
    let observing: Published<ObserverList?>
    let sessions: SessionStore
    let builder: Published<RequestBuilder>
    let requests = RequestMemo()
    let urls = URLMemo()
    private let parser: Published<any ResponseSerializer>
    /// The settings for the next task. A change replaces the whole object, so that a new task only copies a reference.
    private let current: Mutex<TaskEnvironment>

    /// Creates a session manager. Its session is created with the first task.
    /// - Parameters:
    ///   - baseURL: The URL against which relative URL strings are resolved, as a `URL` or a `String`. If its path does
    ///     not end in a slash, a slash is appended. If it is a string that is not an absolute URL, each call that takes
    ///     a URL string or a `URL` ends with the error `invalidURL`. Default: none.
    ///   - configuration: The configuration, which is copied; later changes to it have no effect. Default: `.default`,
    ///     with which all managers of the process share cookies, stored credentials and cache. A program that acts for
    ///     several users needs a manager with `.ephemeral`, or with separate storages, for each user.
    ///   - transport: The transport that sends the requests. Default: `.automatic`.
    ///   - requestSettings: Headers, request properties, and the encoding of parameters as a query. Default: those of
    ///     ``RequestSettings``.
    ///   - requestSerializer: Writes parameters into the content of requests. Default: ``HTTPRequestSerializer``, which
    ///     writes forms.
    ///   - responseSerializer: Validates and parses responses. Default: ``JSONResponseSerializer``.
    ///   - completionQueue: The queue that runs closures and posts notifications; pass a serial queue. Default: the
    ///     main queue on Apple platforms, elsewhere a private serial queue, because most programs there do not run the
    ///     main queue.
    ///   - completionGroup: The group of the tasks under way. Default: a separate group.
    public convenience init(
        baseURL: (any RequestTarget)? = nil,
        configuration: URLSessionConfiguration = .default,
        transport: Transport = .automatic,
        requestSettings: RequestSettings = RequestSettings(),
        requestSerializer: any RequestSerializer = HTTPRequestSerializer(),
        responseSerializer: any ResponseSerializer = JSONResponseSerializer(),
        completionQueue: DispatchQueue? = nil,
        completionGroup: DispatchGroup = DispatchGroup()
    ) {
        let base = BaseURL.result(of: baseURL)
        self.init(
            base: base,
            sessions: SessionStore(
                configuration: configuration,
                separatesCredentials: !CredentialScope(base).isUnlimited,
                transport: transport
            ),
            requestBuilder: RequestBuilder(requestSerializer, settings: requestSettings),
            responseSerializer: responseSerializer,
            settings: ManagerSettings(completionQueue: completionQueue, completionGroup: completionGroup)
        )
    }

    /// Creates a session manager that validates the certificates of servers by a policy. Its session is created with
    /// the first task.
    ///
    /// If the transport cannot enforce the policy, each request fails before it is sent, with the code
    /// `securityPolicyNotEnforceable`.
    /// - Parameters:
    ///   - baseURL: The URL against which relative URL strings are resolved, as a `URL` or a `String`. If its path does
    ///     not end in a slash, a slash is appended. With a pinning policy its scheme must be https. Default: none.
    ///   - configuration: The configuration, which is copied; later changes to it have no effect. Default: `.default`,
    ///     with which all managers of the process share cookies, stored credentials and cache. A program that acts for
    ///     several users needs a manager with `.ephemeral`, or with separate storages, for each user.
    ///   - transport: The transport that sends the requests. Default: `.automatic`.
    ///   - securityPolicy: The rules by which the certificates of servers are validated.
    ///   - requestSettings: Headers, request properties, and the encoding of parameters as a query. Default: those of
    ///     ``RequestSettings``.
    ///   - requestSerializer: Writes parameters into the content of requests. Default: ``HTTPRequestSerializer``, which
    ///     writes forms.
    ///   - responseSerializer: Validates and parses responses. Default: ``JSONResponseSerializer``.
    ///   - completionQueue: The queue that runs closures and posts notifications; pass a serial queue. Default: the
    ///     main queue on Apple platforms, elsewhere a private serial queue, because most programs there do not run the
    ///     main queue.
    ///   - completionGroup: The group of the tasks under way. Default: a separate group.
    /// - Throws: ``LarkspurError`` with the code `invalidSecurityPolicy`, if there are pins and the base URL is missing
    ///   or not https; with the code `invalidURL`, if the base URL is a string that is not an absolute URL.
    public convenience init(
        baseURL: (any RequestTarget)? = nil,
        configuration: URLSessionConfiguration = .default,
        transport: Transport = .automatic,
        securityPolicy: SecurityPolicy,
        requestSettings: RequestSettings = RequestSettings(),
        requestSerializer: any RequestSerializer = HTTPRequestSerializer(),
        responseSerializer: any ResponseSerializer = JSONResponseSerializer(),
        completionQueue: DispatchQueue? = nil,
        completionGroup: DispatchGroup = DispatchGroup()
    ) throws(LarkspurError) {
        let base = BaseURL.result(of: baseURL)
        try securityPolicy.validate(for: base.get())
        self.init(
            base: base,
            sessions: SessionStore(
                configuration: configuration,
                separatesCredentials: !CredentialScope(base).isUnlimited,
                transport: transport,
                securityPolicy: securityPolicy
            ),
            requestBuilder: RequestBuilder(requestSerializer, settings: requestSettings),
            responseSerializer: responseSerializer,
            settings: ManagerSettings(completionQueue: completionQueue, completionGroup: completionGroup)
        )
    }

    init(
        base: Result<URL?, LarkspurError>,
        sessions: SessionStore,
        requestBuilder: RequestBuilder,
        responseSerializer: any ResponseSerializer,
        settings: ManagerSettings
    ) {
        self.base = base
        scope = CredentialScope(base)
        self.sessions = sessions
        builder = Published(requestBuilder, writers: sessions.hooks.writers)
        parser = Published(responseSerializer, writers: sessions.hooks.writers)
        observing = Published(nil, writers: sessions.hooks.writers, didChange: ObserverList.endSequences)
        current = Mutex(TaskEnvironment(settings, processing))
        // The reference is weak, because the manager owns the store.
        sessions.didBecomeInvalid = { [weak self] in
            guard let self else { return }
            self.completionQueue.async {
                NotificationCenter.default.post(name: Self.didInvalidateNotification, object: self)
            }
        }
    }

    deinit {
        // Without this, a loop over a sequence of events could wait for ever.
        ObserverList.endSequences(observing.value, nil)
        sessions.invalidate(cancelingTasks: false, resettingSession: false)
    }

    /// The serializer that writes the parameters of calls into the content of their requests. Default:
    /// ``HTTPRequestSerializer``.
    ///
    /// Headers and request settings belong to the manager, not to the serializer: they remain when the serializer is
    /// replaced. If several threads change the property in place, no change is lost.
    public var requestSerializer: any RequestSerializer {
        get { builder.read(\.serializer) }
        set { builder.value.serializer = newValue }
        // With `get` and `set` alone, a change in place would have two steps, and the change of another thread between
        // these steps would be lost.
        _modify { yield &builder.value.serializer }
    }

    /// The headers and properties of every request that the manager builds, and the encoding of parameters as a query.
    ///
    ///     manager.requestSettings.timeoutInterval = 10
    ///
    /// The settings apply to all calls that take a URL or a URL string, but not to tasks that are created from a
    /// `URLRequest`. Changes apply to later calls. If several threads change the settings in place, one thread waits
    /// for another, so that no change is lost.
    public var requestSettings: RequestSettings {
        get { builder.read(\.settings) }
        set { builder.value.settings = newValue }
        _modify { yield &builder.value.settings }
    }

    /// The header fields of every request that the manager builds. They are a part of ``requestSettings``. Fields of a
    /// call replace fields with the same name. If several threads change the headers in place, no change is lost.
    /// Default: ``HTTPHeaders/default``.
    ///
    /// With a ``baseURL``, the fields that carry credentials, such as `Authorization`, are sent only to its origin and
    /// to the origins of ``RequestSettings/credentialOrigins``.
    public var headers: HTTPHeaders {
        get { builder.read(\.settings.headers) }
        set { builder.value.settings.headers = newValue }
        _modify { yield &builder.value.settings.headers }
    }

    /// The serializer that validates and parses the responses of tasks that name no serializer. It is captured when a
    /// task is created. If several threads change it in place, no change is lost. Default: ``JSONResponseSerializer``.
    public var responseSerializer: any ResponseSerializer {
        get { parser.value }
        set { parser.value = newValue }
        _modify { yield &parser.value }
    }

    /// The decoder for the responses of calls that name a type with `as:`. It is captured when a task is created.
    ///
    ///     manager.jsonDecoder.keyDecodingStrategy = .convertFromSnakeCase
    ///
    /// Many threads use the decoder at once: configure it before the first call, or set another decoder. If a
    /// serializer was created with a decoder, it uses its own decoder instead. Default: a plain `JSONDecoder`.
    public var jsonDecoder: JSONDecoder {
        get { environment.settings.jsonDecoder }
        set { set(\.jsonDecoder, to: newValue) }
    }

    /// The encoder for the values that calls pass as `body:` without naming an encoder.
    ///
    ///     manager.jsonEncoder.keyEncodingStrategy = .convertToSnakeCase
    ///
    /// Many threads use the encoder at once: configure it before the first call, or set another encoder. Default: a
    /// plain `JSONEncoder`.
    public var jsonEncoder: JSONEncoder {
        get { environment.settings.jsonEncoder }
        set { set(\.jsonEncoder, to: newValue) }
    }

    /// The queue that runs success, failure and completion handlers and progress closures, and posts notifications. It
    /// is captured when a task is created.
    ///
    /// Use a serial queue: a concurrent queue may run closures in another order than that of the events.
    public var completionQueue: DispatchQueue {
        get { environment.settings.completionQueue }
        set { set(\.completionQueue, to: newValue) }
    }

    /// The group of the tasks under way. A task enters the group when it is first resumed, and leaves it after its
    /// handlers and its completion notification. So a program that waits for the group waits for the requests. The
    /// group is captured when a task is created.
    public var completionGroup: DispatchGroup {
        get { environment.settings.completionGroup }
        set { set(\.completionGroup, to: newValue) }
    }

    /// The maximum number of bytes of decoded content that a data or upload task collects in memory. A response with
    /// more content ends the task with the error `contentTooLarge`, so that a server cannot exhaust the memory. The
    /// limit is captured when a task is created. It does not apply to content that is delivered in chunks, and to a
    /// download task only if its file is read as a value. Default: 1 GiB.
    public var maximumContentSize: Int {
        get { environment.settings.maximumContentSize }
        set { set(\.maximumContentSize, to: newValue) }
    }

    /// Whether a line on standard error reports the failure of a call that has no closure for failures. If calls
    /// have waited for a connection to a host for a second, a line about the first of them names the calls that have
    /// the connections. Another line reports the first request to an origin that does not get the credentials of the
    /// manager. The value is captured when a task is created. Default: true in debug builds, false in release builds.
    ///
    /// The line contains the method, the URL without credentials and query, and the error's message. It is written on
    /// ``completionQueue``. A task that was cancelled, or that became a download, is not reported.
    public var reportsUnhandledFailures: Bool {
        get { environment.settings.reportsUnhandledFailures }
        set { set(\.reportsUnhandledFailures, to: newValue) }
    }

    /// The closure that writes the lines about unhandled failures. It is captured when a task is created.
    var failureWriter: UnhandledFailure.Writer {
        get { environment.settings.failureWriter }
        set { set(\.failureWriter, to: newValue) }
    }

    /// The notifications that may have observers. The value is captured when a task is created.
    var interest: NotificationInterest {
        get { environment.settings.interest }
        set { set(\.interest, to: newValue) }
    }

    /// The interceptors of all calls and tasks. They are captured when a task is created. Default: none.
    ///
    ///     manager.interceptors.call = [.retry()]
    ///
    /// If two threads change the value in place at the same time, one change may be lost.
    public var interceptors: RequestInterceptors {
        get { environment.settings.interceptors }
        set { set(\.interceptors, to: newValue) }
    }

    /// The clock for every delay of an interceptor, such as the delay before a retry. Tests may set a clock that they
    /// control. The clock is captured when a task is created. Default: the continuous clock.
    public var clock: any Clock<Duration> {
        get { environment.settings.clock }
        set { set(\.clock, to: newValue) }
    }

    /// The limits of the time that calls and tasks may take. They are captured when a task is created. Default: no
    /// limits except the limits of the request and the configuration.
    ///
    /// If two threads change the value in place at the same time, one change may be lost.
    public var timeouts: Timeouts {
        get { environment.settings.timeouts }
        set { set(\.timeouts, to: newValue) }
    }

    /// Closures that take part in the work of the session. Changes apply immediately, also to tasks under way. If
    /// several threads change the hooks in place, no change is lost.
    public var hooks: SessionHooks {
        get { sessions.hooks.hooks }
        set { sessions.hooks.hooks = newValue }
        _modify { yield &sessions.hooks.hooks }
    }

    /// The rules by which the certificates of servers are validated. Default: ``SecurityPolicy/default``.
    public var securityPolicy: SecurityPolicy { sessions.securityPolicy }

    /// A copy of the configuration that was passed to the initializer.
    ///
    /// If the manager has a ``baseURL``, it adds the additional fields that carry credentials to requests itself. So
    /// they are in this copy, but not in the configuration of ``session``.
    public var configuration: URLSessionConfiguration { sessions.configuration }

    /// Creates a session manager with the same settings, coders, hooks and queues, and with a separate session. Tasks
    /// are not copied.
    public func copy() -> SessionManager {
        let copy = SessionManager(
            base: base,
            sessions: SessionStore(like: sessions),
            requestBuilder: builder.value,
            responseSerializer: responseSerializer,
            settings: environment.settings
        )
        copy.hooks = hooks
        // Sequences of events are not copied: the end of one manager would end the sequences of the other.
        copy.observers = observers.filter { !($0 is StreamObserver) }
        return copy
    }

    /// The settings for a new task.
    var environment: TaskEnvironment { current.withLock { $0 } }

    /// Changes a setting. The previous value may own objects of the caller, so it is released outside the lock.
    private func set<Value>(_ setting: any WritableKeyPath<ManagerSettings, Value> & Sendable, to value: sending Value)
    {
        let previous = current.withLock { environment in
            var settings = environment.settings
            settings[keyPath: setting] = value
            return exchange(&environment, with: TaskEnvironment(settings, processing))
        }
        withExtendedLifetime(previous) {}
    }
}

extension SessionManager: CustomStringConvertible {
    /// The base URL and the number of tasks.
    public var description: String {
        "<SessionManager baseURL: \(baseURL.map(Redaction.standard.text(of:)) ?? "none"), tasks: \(tasks.count)>"
    }
}
