#if canImport(FoundationNetworking)
import Synchronization

/// A `URLSession` that talks to nobody: each of its tasks receives what a script answers to its request.
///
/// It delivers the delegate calls of a real session on the delegate queue, in order and without timing, so that a test
/// of what happens above a session is deterministic:
///
///     let manager = SessionManager(transport: .custom { configuration, delegate, queue in
///         StubURLSession(configuration: configuration, delegate: delegate, delegateQueue: queue) { request in
///             .respond(status: 200, headers: ["Content-Type": "application/json"], body: Data("{}".utf8))
///         }
///     })
///
/// Available where `URLSession` can be subclassed, which is on Linux. Completion-handler tasks and the session's async
/// methods are not scripted.
public final class StubURLSession: URLSession, @unchecked Sendable {  // Safe: what changes is behind `storage`.
    /// Answers requests; called when a task is resumed for the first time, on the thread that resumes it.
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

    /// Makes a session.
    /// - Parameters:
    ///   - configuration: Kept, and of no effect.
    ///   - delegate: Gets the calls; kept until the session has become invalid.
    ///   - delegateQueue: Where it is called; must be a serial queue. Default: a queue of its own.
    ///   - script: Answers requests.
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

    /// The delegate, until the session has become invalid.
    public override var delegate: (any URLSessionDelegate)? { storage.withLock { $0.delegate } }

    /// Where the delegate is called.
    public override var delegateQueue: OperationQueue { queue }

    /// How many tasks have not ended.
    public var openTaskCount: Int { storage.withLock { $0.tasks.count } }

    // MARK: Tasks

    /// Makes a scripted data task.
    public override func dataTask(with request: URLRequest) -> URLSessionDataTask {
        StubDataTask(core: makeCore(request))
    }

    /// Makes a scripted upload task; the data counts as its body.
    public override func uploadTask(with request: URLRequest, from bodyData: Data) -> URLSessionUploadTask {
        StubUploadTask(core: makeCore(request, bodyLength: Int64(bodyData.count)))
    }

    /// Makes a scripted upload task; the file is not read.
    public override func uploadTask(with request: URLRequest, fromFile fileURL: URL) -> URLSessionUploadTask {
        StubUploadTask(core: makeCore(request))
    }

    /// Makes a scripted upload task; no stream is asked for.
    public override func uploadTask(withStreamedRequest request: URLRequest) -> URLSessionUploadTask {
        StubUploadTask(core: makeCore(request))
    }

    /// Makes a scripted download task; the body is written to a temporary file.
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

    /// Lets the tasks finish; then the delegate hears that the session is invalid.
    public override func finishTasksAndInvalidate() {
        storage.withLock { $0.isInvalidated = true }
        becomeInvalidIfDone()
    }

    /// Cancels the tasks; then the delegate hears that the session is invalid.
    public override func invalidateAndCancel() {
        let tasks = storage.withLock { storage in
            storage.isInvalidated = true
            return storage.tasks.values.sorted { $0.identifier < $1.identifier }
        }
        for task in tasks { task.cancel() }
        becomeInvalidIfDone()
    }

    /// A task has ended.
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
