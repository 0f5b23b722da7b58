#if canImport(FoundationNetworking)
import Synchronization

/// What the three classes of tasks have in common: everything but their superclass.
///
/// What users see of a task is behind one lock, in which nobody else's code runs. Work is done on the session's loop.
final class TaskCore: Sendable {
    /// How the response is delivered.
    enum Kind: Sendable {
        case data
        case upload
        case download
    }

    /// The closure that takes the place of the delegate's methods for the response and its content.
    enum Completion: Sendable {
        case data(@Sendable (Data?, URLResponse?, (any Error)?) -> Void)
        case download(@Sendable (URL?, URLResponse?, (any Error)?) -> Void)
        /// A Swift task that takes the content as it comes.
        case bytes(ByteChannel)

        /// Whether the content is delivered piece by piece, as to a delegate.
        var isPiecewise: Bool {
            if case .bytes = self { return true }
            return false
        }
    }

    /// Whether response and content are delivered as they come.
    var isPiecewise: Bool { completion?.isPiecewise ?? true }

    struct Storage {
        var state = URLSessionTask.State.suspended
        /// It was resumed at least once.
        var isStarted = false
        /// The loop has taken it up, which it does once.
        var hasBegun = false
        var currentRequest: URLRequest?
        var response: URLResponse?
        var error: (any Error)?
        /// What a cancellation ends the task with.
        var cancellation: (any Error)?
        var counts = TransferCounts()
        var priority = URLSessionTask.defaultPriority
        var description: String?
        var delegate: (any URLSessionTaskDelegate)?
        var progress: Progress?
        var earliestBeginDate: Date?
        var expectsToReceive = NSURLSessionTransferSizeUnknown
        var expectsToSend = NSURLSessionTransferSizeUnknown
        var metrics: [TransferMetrics] = []
        /// What another download could go on from if this one ended now.
        var resumption: ResumeData?
        weak var face: URLSessionTask?
        /// From the first resumption to the end the session keeps its tasks.
        var runningFace: URLSessionTask?
    }

    let identifier: Int
    let kind: Kind
    let originalRequest: URLRequest?
    let body: RequestBody
    let completion: Completion?
    /// What the task goes on with.
    let resumption: ResumeData?
    let session: SessionCore
    /// Why the task fails as soon as it is resumed.
    let defect: URLError?
    /// Whether it is the session's own, which asks about a cached response that was delivered stale.
    let isRefresh: Bool
    private let storage: Mutex<Storage>
    let backlog = Backlog()
    /// What belongs to the thread or queue on which the delegate is called.
    let deliveryState = DeliveryState()

    init(
        identifier: Int,
        kind: Kind,
        request: URLRequest?,
        body: RequestBody,
        completion: Completion?,
        resumption: ResumeData? = nil,
        session: SessionCore,
        defect: URLError?,
        isRefresh: Bool = false
    ) {
        self.identifier = identifier
        self.kind = kind
        self.originalRequest = request
        self.body = body
        self.completion = completion
        self.resumption = resumption
        self.session = session
        self.defect = defect
        self.isRefresh = isRefresh
        var storage = Storage()
        storage.currentRequest = request
        self.storage = Mutex(storage)
    }

    func withStorage<Result>(_ access: (inout Storage) -> sending Result) -> sending Result {
        storage.withLock { access(&$0) }
    }

    // MARK: What its face shows

    func attach(_ face: URLSessionTask) { storage.withLock { $0.face = face } }

    /// Nobody can resume it any more; a task under way keeps its face.
    func faceReleased() {
        if withStorage({ !$0.isStarted && $0.state == .suspended }) { session.taskEnded(self) }
    }

    /// Puts another face in the place of the one that it had.
    func replaceFace(with face: URLSessionTask) {
        storage.withLock { storage in
            storage.face = face
            if storage.runningFace != nil { storage.runningFace = face }
        }
    }

    var counts: TransferCounts { storage.withLock { $0.counts } }

    /// Both directions of the task; made when somebody asks for it, and kept up from then on.
    var progress: Progress {
        storage.withLock { storage in
            if let progress = storage.progress { return progress }
            let progress = Progress(totalUnitCount: -1)
            storage.counts.show(in: progress)
            if storage.state == .completed, storage.error == nil { storage.counts.finish(progress) }
            progress.isPausable = true
            progress.cancellationHandler = { [weak self] in self?.cancel() }
            progress.pausingHandler = { [weak self] in self?.suspend() }
            progress.resumingHandler = { [weak self] in self?.resume() }
            storage.progress = progress
            return progress
        }
    }

    func summary(of name: String) -> String {
        "<\(name) \(identifier): \(originalRequest?.httpMethod ?? "GET") \(originalRequest?.url?.host ?? "no host")>"
    }

    // MARK: Controls

    func resume() {
        let (isResumed, date) = storage.withLock { storage -> (Bool, Date?) in
            guard storage.state == .suspended else { return (false, nil) }
            storage.state = .running
            if !storage.isStarted { storage.runningFace = storage.face }
            storage.isStarted = true
            return (true, storage.hasBegun ? nil : storage.earliestBeginDate)
        }
        guard isResumed else { return }
        if let defect { return end(with: defect) }
        if let delay = date?.timeIntervalSinceNow, delay > 0, delay < 1e9 {
            DispatchQueue.global().asyncAfter(deadline: .now() + delay) { [self] in
                if withStorage({ $0.state }) == .running { session.loop.post(.resume(self)) }
            }
        } else {
            session.loop.post(.resume(self))
        }
    }

    func suspend() {
        let isSuspended = storage.withLock { storage in
            guard storage.state == .running else { return false }
            storage.state = .suspended
            return true
        }
        if isSuspended { session.loop.post(.suspend(self)) }
    }

    func cancel() { cancel(with: URLError.engine(.cancelled, "The task was cancelled.", url: originalRequest?.url)) }

    func cancel(with error: any Error) {
        guard noteCancellation(error) else { return }
        if defect == nil { session.loop.post(.cancel(self, error)) } else { end(with: error) }
    }

    /// Cancels a download, and hands on what another one can go on with; the handler is called once, where delegates are.
    func cancel(leavingResumeDataFor handler: Delivery.ResumeDataHandler) {
        let error = URLError.engine(.cancelled, "The task was cancelled.", url: originalRequest?.url)
        let isCancelled = noteCancellation(error)
        if isCancelled, defect == nil { return session.loop.post(.cancelResumably(self, error, handler)) }
        session.delivery.send(Delivery.Item(task: self, event: .resumeData(nil, handler)), through: session.loop)
        if isCancelled { end(with: error) }
    }

    /// False where the task has ended, or been cancelled before.
    private func noteCancellation(_ error: any Error) -> Bool {
        storage.withLock { storage in
            guard storage.state == .running || storage.state == .suspended else { return false }
            storage.state = .canceling
            storage.cancellation = error
            // A task that was never resumed ends too, and tells its delegate so.
            storage.runningFace = storage.face
            return true
        }
    }

    /// Ends a task that has nothing to do with the loop.
    private func end(with error: any Error) {
        session.delivery.send(Delivery.Item(task: self, event: .complete(error)), through: session.loop)
    }

    // MARK: For the loop

    var isCancelled: Bool { storage.withLock { $0.state == .canceling || $0.state == .completed } }

    var isSuspended: Bool { storage.withLock { $0.state == .suspended } }

    /// Whether the loop is to take it up; true once.
    func beginsNow() -> Bool {
        storage.withLock { storage in
            guard storage.state == .running, !storage.hasBegun else { return false }
            storage.hasBegun = true
            return true
        }
    }

    var priority: Float { storage.withLock { $0.priority } }

    func setPriority(_ priority: Float) {
        storage.withLock { $0.priority = priority }
        session.loop.post(.prioritize(self))
    }

    func setCurrentRequest(_ request: URLRequest) { storage.withLock { $0.currentRequest = request } }

    /// Notes a response, and what it says of the length of its content.
    func setResponse(_ response: URLResponse, expected: Int64) {
        storage.withLock { storage in
            storage.response = response
            storage.counts.expectedToReceive = expected
        }
    }

    /// Changes the counts, and the progress object if somebody has asked for it.
    func count(_ change: (inout TransferCounts) -> Void) {
        let (progress, counts) = storage.withLock { storage in
            change(&storage.counts)
            return (storage.progress, storage.counts)
        }
        if let progress { counts.show(in: progress) }
    }

    /// Notes what another download could go on from, and how much of that there is; nil for as much as there was.
    func noteResumption(_ resumption: ResumeData?, received: Int64?) {
        storage.withLock { $0.resumption = resumption }
        if let received { count { $0.received = received } }
    }

    var currentResumeData: Data? {
        let (resumption, received) = storage.withLock { ($0.resumption, $0.counts.received) }
        guard var resumption, received > 0 else { return nil }
        resumption.received = received
        resumption.date = Date()
        return resumption.encoded
    }

    /// What a task that never began was to go on with.
    var unusedResumeData: Data? { storage.withLock { $0.hasBegun } ? nil : resumption?.encoded }

    func add(_ metrics: TransferMetrics) { storage.withLock { $0.metrics.append(metrics) } }

    /// Corrects the metrics of the last transfer, of which not all had been decoded when it ended.
    func noteDecodedBytes(_ count: Int64) {
        storage.withLock { storage in
            guard let last = storage.metrics.indices.last else { return }
            storage.metrics[last].responseBodyBytesDecoded = count
        }
    }

    /// Marks the task as completed and lets go of it; the face is returned so that it lives until its delegate has been told.
    ///
    /// A task that was cancelled before its delegate could hear of its end has failed, unless that is to come too late.
    func complete(with outcome: (any Error)?, heedsCancellation: Bool) -> (URLSessionTask?, (any Error)?) {
        let (face, error, progress, counts) = storage.withLock { storage in
            let error = outcome ?? (heedsCancellation ? storage.cancellation : nil)
            storage.state = .completed
            storage.error = error
            storage.currentRequest = storage.currentRequest ?? originalRequest
            defer { storage.runningFace = nil }
            return (storage.runningFace ?? storage.face, error, storage.progress, storage.counts)
        }
        if let progress, error == nil { counts.finish(progress) }
        return (face, error)
    }

    func setDelegate(_ delegate: (any URLSessionTaskDelegate)?) {
        // The previous one may end with this, and its code must not run within the lock.
        let previous = storage.withLock { storage in
            defer { storage.delegate = delegate }
            return storage.delegate
        }
        withExtendedLifetime(previous) {}
    }

    /// The delegate that hears of the task: its own, else the session's.
    var delegates: Delegates { storage.withLock { $0.delegate }.map { Delegates($0) } ?? session.delegates }

    /// The face, while there is one.
    var face: URLSessionTask? { storage.withLock { $0.runningFace ?? $0.face } }
}
#endif
