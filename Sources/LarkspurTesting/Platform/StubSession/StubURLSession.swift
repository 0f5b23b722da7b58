#if canImport(FoundationNetworking)
import Synchronization

/// A `URLSession` without a network: each of its tasks receives the reply that a script returns for its request.
///
/// It makes the delegate calls of a real session on the delegate queue, in order and without delays, so that a test of
/// the code above a session is deterministic:
///
///     let manager = SessionManager(transport: .custom { configuration, delegate, queue in
///         StubURLSession(configuration: configuration, delegate: delegate, delegateQueue: queue) { request in
///             .respond(status: 200, headers: ["Content-Type": "application/json"], body: Data("{}".utf8))
///         }
///     })
///
/// It is available where `URLSession` can be subclassed, which is on Linux. Completion-handler tasks and the session's
/// async methods are not scripted.
public final class StubURLSession: URLSession, @unchecked Sendable {  // Safe: what changes is behind `storage`.
    /// A closure that returns the reply to a request. Called when a task is first resumed, on the thread that resumes
    /// it.
    public typealias Script = @Sendable (URLRequest) -> Reply

    private struct Storage {
        var delegate: (any URLSessionDelegate)?
        var nextIdentifier = 1
        var isInvalidated = false
        var tasks: [Int: StubTaskCore] = [:]
    }

    private let script: Script
    private let queue: OperationQueue
    private let storage: Mutex<Storage>

    /// Creates a session.
    /// - Parameters:
    ///   - configuration: The configuration, which is stored but has no effect. Default: `.default`.
    ///   - delegate: The delegate, which is retained until the session has become invalid.
    ///   - delegateQueue: The queue on which the delegate is called, which must be serial. Default: a queue of the
    ///     session's own.
    ///   - script: Returns the replies to requests.
    public init(
        configuration: URLSessionConfiguration = .default,
        delegate: any URLSessionDelegate,
        delegateQueue: OperationQueue? = nil,
        script: @escaping Script
    ) {
        let queue = delegateQueue ?? OperationQueue()
        if delegateQueue == nil { queue.maxConcurrentOperationCount = 1 }
        self.script = script
        self.queue = queue
        storage = Mutex(Storage(delegate: delegate))
        super.init(configuration: configuration, delegate: nil, delegateQueue: queue)
    }

    /// The delegate; nil after the session has become invalid.
    public override var delegate: (any URLSessionDelegate)? { storage.withLock { $0.delegate } }

    /// The queue on which the delegate is called.
    public override var delegateQueue: OperationQueue { queue }

    /// The number of tasks that have not ended.
    public var openTaskCount: Int { storage.withLock { $0.tasks.count } }

    // MARK: Tasks

    /// Creates a scripted data task.
    public override func dataTask(with request: URLRequest) -> URLSessionDataTask {
        StubDataTask(core: makeCore(request))
    }

    /// Creates a scripted upload task. The data counts as its body.
    public override func uploadTask(with request: URLRequest, from bodyData: Data) -> URLSessionUploadTask {
        StubUploadTask(core: makeCore(request, bodyLength: Int64(bodyData.count)))
    }

    /// Creates a scripted upload task. The file is not read.
    public override func uploadTask(with request: URLRequest, fromFile fileURL: URL) -> URLSessionUploadTask {
        StubUploadTask(core: makeCore(request))
    }

    /// Creates a scripted upload task. It does not request a stream.
    public override func uploadTask(withStreamedRequest request: URLRequest) -> URLSessionUploadTask {
        StubUploadTask(core: makeCore(request))
    }

    /// Creates a scripted download task. The body is written to a temporary file.
    public override func downloadTask(with request: URLRequest) -> URLSessionDownloadTask {
        StubDownloadTask(core: makeCore(request))
    }

    private func makeCore(_ request: URLRequest, bodyLength: Int64? = nil) -> StubTaskCore {
        storage.withLock { storage in
            let core = StubTaskCore(
                session: self,
                identifier: storage.nextIdentifier,
                request: request,
                bodyLength: bodyLength ?? request.httpBody.map { Int64($0.count) } ?? 0,
                script: script
            )
            storage.nextIdentifier += 1
            storage.tasks[core.identifier] = core
            return core
        }
    }

    // MARK: Invalidation

    /// Lets the tasks finish. Then the delegate is called with the invalidation.
    public override func finishTasksAndInvalidate() {
        storage.withLock { $0.isInvalidated = true }
        becomeInvalidIfDone()
    }

    /// Cancels the tasks. Then the delegate is called with the invalidation.
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
