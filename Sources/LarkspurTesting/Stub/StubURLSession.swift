#if canImport(FoundationNetworking)
internal import LarkspurTransport
import Synchronization

/// A `URLSession` without a network. A script returns the reply for each task's request.
///
/// It makes the same delegate calls as a real session on the delegate queue, in order. So tests of code that uses a
/// session are deterministic. ``StubTransport`` creates sessions of this class with routes, and records their requests.
/// A session with a separate script is for tests of delegates:
///
///     let session = StubURLSession(delegate: delegate) { request in
///         .respond(status: 200, headers: ["Content-Type": "application/json"], body: Data("{}".utf8))
///     }
///
/// The class is available where `URLSession` can be subclassed, which is on Linux. Data, upload and download tasks get
/// replies, with a delegate, a completion handler, or `await` in files that import Larkspur.
public final class StubURLSession: URLSession, @unchecked Sendable {  // Safe: what changes is behind `storage`.
    /// A closure that returns the reply to a request. Called when a task is first resumed, on the same thread.
    public typealias Script = @Sendable (URLRequest) -> Reply

    private struct Storage {
        var delegate: (any URLSessionDelegate)?
        var nextIdentifier = 1
        var isInvalidated = false
        var tasks: [Int: StubTaskCore] = [:]
    }

    private let source: any ReplySource
    private let queue: OperationQueue
    private let storage: Mutex<Storage>

    /// Creates a session.
    /// - Parameters:
    ///   - configuration: The configuration. It is stored but has no effect. Default: `.default`.
    ///   - delegate: The delegate. It is retained until the session has become invalid. Default: nil, for none.
    ///   - delegateQueue: The queue on which the delegate and completion handlers are called. It must be serial.
    ///     Default: a queue that the session creates.
    ///   - clock: The clock for the delays in replies. Default: the continuous clock.
    ///   - script: Returns the replies to requests.
    public convenience init(
        configuration: URLSessionConfiguration = .default,
        delegate: (any URLSessionDelegate)? = nil,
        delegateQueue: OperationQueue? = nil,
        clock: any Clock<Duration> = ContinuousClock(),
        script: @escaping Script
    ) {
        self.init(
            configuration: configuration,
            delegate: delegate,
            delegateQueue: delegateQueue,
            source: ScriptedReplies(clock: clock, script: script)
        )
    }

    init(
        configuration: URLSessionConfiguration,
        delegate: (any URLSessionDelegate)?,
        delegateQueue: OperationQueue?,
        source: any ReplySource
    ) {
        let queue = delegateQueue ?? OperationQueue()
        if delegateQueue == nil { queue.maxConcurrentOperationCount = 1 }
        self.source = source
        self.queue = queue
        storage = Mutex(Storage(delegate: delegate))
        ProcessEnd.prepareForSession()
        super.init(configuration: configuration, delegate: nil, delegateQueue: queue)
    }

    /// The delegate; nil after the session has become invalid.
    public override var delegate: (any URLSessionDelegate)? { storage.withLock { $0.delegate } }

    /// The queue on which the delegate is called.
    public override var delegateQueue: OperationQueue { queue }

    /// The number of tasks that have not ended.
    public var openTaskCount: Int { storage.withLock { $0.tasks.count } }

    // MARK: Tasks

    /// Creates a data task.
    public override func dataTask(with request: URLRequest) -> URLSessionDataTask {
        StubDataTask(core: makeCore(request))
    }

    /// Creates a data task for a GET request of a URL.
    public override func dataTask(with url: URL) -> URLSessionDataTask { dataTask(with: URLRequest(url: url)) }

    /// Creates a data task with a completion handler. The handler is called on the delegate queue.
    public override func dataTask(
        with request: URLRequest,
        completionHandler: @Sendable @escaping (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask {
        StubDataTask(core: makeCore(request, completion: .data(completionHandler)))
    }

    /// Creates a data task for a GET request of a URL, with a completion handler, which is called on the delegate
    /// queue.
    public override func dataTask(
        with url: URL,
        completionHandler: @Sendable @escaping (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask {
        dataTask(with: URLRequest(url: url), completionHandler: completionHandler)
    }

    /// Creates an upload task. The data is the body of the request.
    public override func uploadTask(with request: URLRequest, from bodyData: Data) -> URLSessionUploadTask {
        StubUploadTask(core: makeCore(request, .data(bodyData)))
    }

    /// Creates an upload task. A session of a ``StubTransport`` reads the file when the task is resumed. A session with
    /// a script does not read it.
    public override func uploadTask(with request: URLRequest, fromFile fileURL: URL) -> URLSessionUploadTask {
        StubUploadTask(core: makeCore(request, .file(fileURL)))
    }

    /// Creates an upload task. A session of a ``StubTransport`` requests the stream from the delegate, and reads it. A
    /// session with a script does not request a stream.
    public override func uploadTask(withStreamedRequest request: URLRequest) -> URLSessionUploadTask {
        StubUploadTask(core: makeCore(request, .stream))
    }

    /// Creates an upload task with a completion handler. The handler is called on the delegate queue.
    public override func uploadTask(
        with request: URLRequest,
        from bodyData: Data?,
        completionHandler: @Sendable @escaping (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionUploadTask {
        StubUploadTask(core: makeCore(request, .data(bodyData ?? Data()), completion: .data(completionHandler)))
    }

    /// Creates an upload task with a completion handler. The handler is called on the delegate queue.
    public override func uploadTask(
        with request: URLRequest,
        fromFile fileURL: URL,
        completionHandler: @Sendable @escaping (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionUploadTask {
        StubUploadTask(core: makeCore(request, .file(fileURL), completion: .data(completionHandler)))
    }

    /// Creates a download task. The body is written to a temporary file.
    public override func downloadTask(with request: URLRequest) -> URLSessionDownloadTask {
        StubDownloadTask(core: makeCore(request))
    }

    /// Creates a download task for a GET request of a URL. The body is written to a temporary file.
    public override func downloadTask(with url: URL) -> URLSessionDownloadTask {
        downloadTask(with: URLRequest(url: url))
    }

    /// Creates a download task with a completion handler. The handler is called on the delegate queue. The file is
    /// removed when the handler returns.
    public override func downloadTask(
        with request: URLRequest,
        completionHandler: @Sendable @escaping (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        StubDownloadTask(core: makeCore(request, completion: .file(completionHandler)))
    }

    /// Creates a download task for a GET request of a URL, with a completion handler. The handler is called on the
    /// delegate queue. The file is removed when the handler returns.
    public override func downloadTask(
        with url: URL,
        completionHandler: @Sendable @escaping (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        downloadTask(with: URLRequest(url: url), completionHandler: completionHandler)
    }

    private func makeCore(
        _ request: URLRequest,
        _ content: StubTaskCore.Content = .request,
        completion: StubTaskCore.Completion? = nil
    ) -> StubTaskCore {
        storage.withLock { storage in
            let core = StubTaskCore(
                session: self,
                identifier: storage.nextIdentifier,
                request: request,
                content: content,
                completion: completion,
                source: source
            )
            storage.nextIdentifier += 1
            storage.tasks[core.identifier] = core
            return core
        }
    }

    // MARK: Invalidation

    /// Waits until the tasks have ended. Then notifies the delegate that the session has become invalid.
    public override func finishTasksAndInvalidate() {
        storage.withLock { $0.isInvalidated = true }
        becomeInvalidIfDone()
    }

    /// Cancels the tasks. Then notifies the delegate that the session has become invalid.
    public override func invalidateAndCancel() {
        let tasks = storage.withLock { storage in
            storage.isInvalidated = true
            return storage.tasks.values.sorted { $0.identifier < $1.identifier }
        }
        for task in tasks { task.cancel() }
        becomeInvalidIfDone()
    }

    /// Removes a task that has ended.
    func remove(_ identifier: Int) {
        _ = storage.withLock { $0.tasks.removeValue(forKey: identifier) }
        becomeInvalidIfDone()
    }

    private func becomeInvalidIfDone() {
        queue.addOperation { [self] in
            let delegate = storage.withLock { storage -> (any URLSessionDelegate)? in
                guard storage.isInvalidated, storage.tasks.isEmpty else { return nil }
                return storage.delegate.take()
            }
            delegate?.urlSession(self, didBecomeInvalidWithError: nil)
        }
    }
}
#endif
