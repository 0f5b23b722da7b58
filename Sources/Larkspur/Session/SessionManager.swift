import Synchronization

/// Makes requests and follows them to their end: the centre of Larkspur.
///
/// A session manager wraps a `URLSession`. It builds requests with its ``requestSerializer``, hands them to the session as tasks, validates and parses their responses with
/// its ``responseSerializer``, and calls your closures on its ``completionQueue``:
///
///     let manager = SessionManager(baseURL: URL(string: "https://api.example.com/v1"))
///     manager.get("users", parameters: ["page": 2]) { task, object in
///         print(object ?? "nothing")
///     } failure: { task, error in
///         print(error)
///     }
///
/// It may be used from any thread. What is set on it applies to the tasks made afterwards. When the last reference to it goes away, its tasks finish first and the session is invalidated
/// then.
public final class SessionManager: Sendable {
    private struct Settings {
        var requestSerializer: any RequestSerializer
        var responseSerializer: any ResponseSerializer
        var completionQueue: DispatchQueue
        var completionGroup: DispatchGroup
        var jsonDecoder = JSONDecoder()
        var jsonEncoder = JSONEncoder()
        var maximumContentSize = 1 << 30
        var pause = DownloadResumer.realPause
    }

    /// What relative URL strings are resolved against, by RFC 3986; with a trailing slash, if it has a path.
    public let baseURL: URL?

    /// The concurrent queue on which responses are validated and serialized.
    public let processingQueue: DispatchQueue

    private let processing: ProcessingPool
    let sessions: SessionStore
    private let values: Mutex<Settings>

    /// Makes a session manager; its session is made with the first task.
    /// - Parameters:
    ///   - baseURL: What relative URL strings are resolved against; a slash is appended to its path if it has one that lacks it. Default: none.
    ///   - configuration: Copied; later changes to it have no effect. Default: `.default`, with which all managers of the process share cookies, stored credentials and cache: one
    ///     that acts for several users needs `.ephemeral`, or storages of its own, for each.
    ///   - transport: What carries the requests. Default: `.automatic`.
    ///   - requestSerializer: Builds requests. Default: ``HTTPRequestSerializer``: queries and form bodies.
    ///   - responseSerializer: Validates and parses responses. Default: ``JSONResponseSerializer``.
    ///   - completionQueue: Runs closures and notifications; make it a serial one. Default: the main queue on Apple platforms, elsewhere a private serial queue, as most programs
    ///     there do not drain the main queue.
    ///   - completionGroup: Entered while a task is under way. Default: a group of its own.
    public convenience init(
        baseURL: URL? = nil,
        configuration: URLSessionConfiguration = .default,
        transport: Transport = .automatic,
        requestSerializer: any RequestSerializer = HTTPRequestSerializer(),
        responseSerializer: any ResponseSerializer = JSONResponseSerializer(),
        completionQueue: DispatchQueue? = nil,
        completionGroup: DispatchGroup = DispatchGroup()
    ) {
        self.init(
            baseURL: baseURL,
            sessions: SessionStore(configuration: configuration, transport: transport),
            requestSerializer: requestSerializer,
            responseSerializer: responseSerializer,
            completionQueue: completionQueue,
            completionGroup: completionGroup
        )
    }

    /// Makes a session manager that judges servers by a policy; its session is made with the first task.
    ///
    /// A transport that cannot enforce the policy fails each request before it is sent.
    /// - Parameters:
    ///   - baseURL: As with the other initialiser; with a pinning policy it has to have the scheme https.
    ///   - configuration: Copied; later changes to it have no effect. Default: `.default`, with which all managers of the process share cookies, stored credentials and cache: one
    ///     that acts for several users needs `.ephemeral`, or storages of its own, for each.
    ///   - transport: What carries the requests. Default: `.automatic`.
    ///   - securityPolicy: By what the certificates of servers are judged.
    ///   - requestSerializer: Builds requests. Default: ``HTTPRequestSerializer``: queries and form bodies.
    ///   - responseSerializer: Validates and parses responses. Default: ``JSONResponseSerializer``.
    ///   - completionQueue: Runs closures and notifications; make it a serial one. Default: as with the other initialiser.
    ///   - completionGroup: Entered while a task is under way. Default: a group of its own.
    /// - Throws: ``LarkspurError`` with the code `invalidSecurityPolicy`, if there are pins and the base URL is missing or not https.
    public convenience init(
        baseURL: URL? = nil,
        configuration: URLSessionConfiguration = .default,
        transport: Transport = .automatic,
        securityPolicy: SecurityPolicy,
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
            requestSerializer: requestSerializer,
            responseSerializer: responseSerializer,
            completionQueue: completionQueue,
            completionGroup: completionGroup
        )
    }

    private init(
        baseURL: URL?,
        sessions: SessionStore,
        requestSerializer: any RequestSerializer,
        responseSerializer: any ResponseSerializer,
        completionQueue: DispatchQueue?,
        completionGroup: DispatchGroup
    ) {
        self.baseURL = baseURL.map(BaseURL.normalized)
        self.sessions = sessions
        values = Mutex(
            Settings(
                requestSerializer: requestSerializer,
                responseSerializer: responseSerializer,
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

    /// Builds requests of URL strings and parameters. Default: ``HTTPRequestSerializer``.
    ///
    /// Changing a setting in place reads the serializer and sets it again: of two threads that do so at once, one may undo the other's change.
    public var requestSerializer: any RequestSerializer {
        get { values.withLock { $0.requestSerializer } }
        // As of every closure of the caller's, it is not known what ends with it: it is released without the lock.
        set { _ = values.withLock { exchange(&$0.requestSerializer, with: newValue) } }
    }

    /// Validates and parses the responses of tasks that bring no serializer of their own; captured when a task is made. Default: ``JSONResponseSerializer``.
    public var responseSerializer: any ResponseSerializer {
        get { values.withLock { $0.responseSerializer } }
        set { _ = values.withLock { exchange(&$0.responseSerializer, with: newValue) } }
    }

    /// Decodes the responses of the calls that name a type with `as:`; captured when a task is made.
    ///
    ///     manager.jsonDecoder.keyDecodingStrategy = .convertFromSnakeCase
    ///
    /// It is an object that many threads use at once: set it up before the first call, or set another. A serializer that
    /// is given with a call keeps its own decoder. Default: a plain `JSONDecoder`.
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

    /// Runs success, failure and completion handlers, progress closures and notifications; captured when a task is made.
    ///
    /// Give it a serial queue: on a concurrent one, what was queued first need not run first.
    public var completionQueue: DispatchQueue {
        get { values.withLock { $0.completionQueue } }
        set { values.withLock { $0.completionQueue = newValue } }
    }

    /// Entered when a task is resumed for the first time and left after its handlers and its completion notification, so that waiting for
    /// the group waits for the requests; captured when a task is made.
    public var completionGroup: DispatchGroup {
        get { values.withLock { $0.completionGroup } }
        set { values.withLock { $0.completionGroup = newValue } }
    }

    /// How many bytes of content a data or upload task collects in memory before it ends with the error `contentTooLarge`, so that no server can use up the memory;
    /// captured when a task is made. Default: 1 GiB. A download task has no such limit.
    public var maximumContentSize: Int {
        get { values.withLock { $0.maximumContentSize } }
        set { values.withLock { $0.maximumContentSize = newValue } }
    }

    /// Lets time pass before a download goes on; captured when a task is made.
    var pause: DownloadResumer.Pause {
        get { values.withLock { $0.pause } }
        set { values.withLock { $0.pause = newValue } }
    }

    /// Closures that take part in what the session does. Changes apply at once, to tasks under way too.
    ///
    /// Setting one reads all and sets them again: of two threads that do so at once, one may undo the other's change.
    public var hooks: SessionHooks {
        get { sessions.hooks.hooks }
        set { sessions.hooks.hooks = newValue }
    }

    /// By what the certificates of servers are judged. Default: ``SecurityPolicy/default``.
    public var securityPolicy: SecurityPolicy { sessions.securityPolicy }

    /// A copy of the configuration that sessions are made with.
    public var configuration: URLSessionConfiguration { sessions.configuration }

    /// The session that tasks are made in; made when it is first needed, and anew after a reset.
    ///
    /// Tasks that are made in it directly are not known to the session manager. Invalidate it through the session manager: behind its back, a task that is
    /// made at that moment may end the process on Linux.
    public var session: URLSession { sessions.current.session }

    /// The tasks of the current session that have not ended, in the order of their creation.
    public var tasks: [SessionTask] { sessions.tasks }

    /// The data tasks among ``tasks``, without the upload tasks.
    public var dataTasks: [DataTask] { tasks.compactMap { $0 is UploadTask ? nil : $0 as? DataTask } }

    /// The upload tasks among ``tasks``.
    public var uploadTasks: [UploadTask] { tasks.compactMap { $0 as? UploadTask } }

    /// The download tasks among ``tasks``.
    public var downloadTasks: [DownloadTask] { tasks.compactMap { $0 as? DownloadTask } }

    /// Invalidates the session: it ends its tasks and makes no more. ``didInvalidateNotification`` is posted when they have ended.
    ///
    /// Making a task afterwards fails with the error `sessionInvalidated`, unless the session was reset.
    /// - Parameters:
    ///   - cancellingTasks: Whether to cancel the tasks under way rather than let them finish.
    ///   - resettingSession: Whether to forget the session, so that the next task is made in a new one. Default: false.
    public func invalidate(cancellingTasks: Bool, resettingSession: Bool = false) {
        sessions.invalidate(cancellingTasks: cancellingTasks, resettingSession: resettingSession)
    }

    /// Makes a session manager with the same settings, coders, hooks and queues and a session of its own; tasks are not
    /// copied.
    public func copy() -> SessionManager {
        let copy = SessionManager(
            baseURL: baseURL,
            sessions: SessionStore(like: sessions),
            requestSerializer: requestSerializer,
            responseSerializer: responseSerializer,
            completionQueue: completionQueue,
            completionGroup: completionGroup
        )
        copy.jsonDecoder = jsonDecoder
        copy.jsonEncoder = jsonEncoder
        copy.hooks = hooks
        copy.maximumContentSize = maximumContentSize
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
