#if canImport(FoundationNetworking)
import Synchronization

/// The task's request, response, error and metrics, as programs read them.
struct TaskRecord {
    var currentRequest: URLRequest?
    var response: ReceivedResponse?
    /// The trailers of the response. Nil before the end of the response, and if there are no trailers.
    var trailers: [String: String]?
    var error: (any Error)?
    var metrics: [TransactionMetrics] = []
    /// The resume data that the download would produce if it ended now; nil if it would produce none.
    @Boxed var resumption: ResumeData?
}

/// The byte counts of a task, and the progress object that shows them.
struct TaskTraffic {
    var counts = TransferCounts()
    /// The progress object; nil until it is first read.
    private(set) var progress: Progress?
    var expectsToReceive = NSURLSessionTransferSizeUnknown
    var expectsToSend = NSURLSessionTransferSizeUnknown

    /// Stores a new progress object if there is none yet.
    /// - Parameter isOver: Whether the task has succeeded.
    /// - Returns: The progress object of the task.
    mutating func adopt(_ made: Progress, isOver: Bool) -> Progress {
        if let progress { return progress }
        counts.show(in: made)
        if isOver { counts.end(made) }
        progress = made
        return made
    }
}

/// The numbers of bytes that a task has transferred and expects to transfer.
struct TransferCounts: Sendable {
    var received: Int64 = 0
    var sent: Int64 = 0
    /// The expected number of bytes; −1 if it is unknown.
    var expectedToReceive = NSURLSessionTransferSizeUnknown
    var expectedToSend: Int64 = 0

    /// Shows both directions in one progress object. The progress is indeterminate until both lengths are known.
    func show(in progress: Progress) {
        let isKnown = expectedToReceive >= 0 && expectedToSend >= 0
        let total = isKnown ? Self.sum(expectedToReceive, expectedToSend) : -1
        // A total of 0 would end the process in Foundation's calculation of the completed fraction.
        progress.totalUnitCount = total > 0 ? total : -1
        progress.completedUnitCount = Self.sum(received, sent)
    }

    func end(_ progress: Progress) {
        let total = max(1, Self.sum(received, sent))
        progress.totalUnitCount = total
        progress.completedUnitCount = total
    }

    /// Adds two numbers. If the sum overflows, returns the largest number. A negative sum would end the process in
    /// Foundation's calculation too.
    private static func sum(_ first: Int64, _ second: Int64) -> Int64 {
        let (sum, overflows) = first.addingReportingOverflow(second)
        return overflows ? .max : sum
    }
}

/// The task object of a task, which programs see, and its retention by the session.
struct TaskObjects {
    private weak var object: URLSessionTask?
    /// The object while the session retains it, usually from the first resumption to the end; nil before and after.
    private var retained: URLSessionTask?

    /// The object; nil if there is none, or if it was released.
    var current: URLSessionTask? { retained ?? object }

    /// Sets the object if there is none yet.
    mutating func attach(_ object: URLSessionTask) { self.object = self.object ?? object }

    mutating func replace(with object: URLSessionTask) {
        self.object = object
        if retained != nil { retained = object }
    }

    mutating func retain() { retained = object }

    /// Ends the retention of the object, and returns the object.
    mutating func release() -> URLSessionTask? {
        defer { retained = nil }
        return current
    }
}

/// The part of a task that is known at its creation and never changes.
struct TaskPlan: Sendable {
    let kind: TaskCore.Kind
    let originalRequest: URLRequest?
    let body: TaskBody
    let completion: TaskCore.Completion?
    /// The resume data of the download that the task continues.
    @Boxed var resumption: ResumeData?
    /// The WebSocket connection that the task opens; nil for other tasks.
    var webSocket: WebSocketConnection?
    /// The error with which the task fails as soon as it is resumed; nil if there is none.
    var defect: URLError?
    /// The decisions about the new response, if the session has created the task to revalidate a stale response from
    /// the cache; nil for other tasks.
    var refresh: Refresh?
    /// Whether a receiver gets the events. In this case, the task object is created only when it is read.
    var hasReceiver = false
    /// Whether the task opens a connection in advance, with a HEAD request. It sends no credentials to the origin,
    /// follows no redirect, and does not use the cache.
    var opensConnection = false

    /// The decisions about the new response of a refresh. They are made in the same way as for the responses of the
    /// task that received the stale response.
    struct Refresh: Sendable {
        /// The decision of the receiver of the task that received the stale response; nil if that task has no receiver.
        var decision: CachingDecision?
        /// Whether a delegate or the receiver is asked whether to store the response.
        var asks: Bool
    }
}

/// The number of bytes of a task that were delivered but are not consumed yet. It determines when the transfer pauses.
final class Backlog: Sendable {
    /// The number of bytes at which a transfer pauses.
    static let upperMark = 1 << 20
    /// The number of bytes below which a paused transfer continues. It is far below the upper mark, because otherwise a
    /// transfer would pause and continue with each chunk.
    static let lowerMark = upperMark / 2

    private let bytes = Atomic(0)
    private let isPaused = Atomic(false)

    /// Adds bytes that are about to be delivered.
    func add(_ count: Int) { bytes.add(count, ordering: .relaxed) }

    /// Whether the transfer has to pause. If it has to, ``consume(_:)`` returns true as soon as the transfer may
    /// continue.
    func pausesTransfer() -> Bool {
        guard bytes.load(ordering: .relaxed) >= Self.upperMark else { return false }
        isPaused.store(true, ordering: .sequentiallyConsistent)
        // Just before the pause was recorded, the number may have fallen below the lower mark, and `consume` has
        // returned false.
        guard bytes.load(ordering: .sequentiallyConsistent) < Self.lowerMark else { return true }
        return !isPaused.exchange(false, ordering: .sequentiallyConsistent)
    }

    /// Subtracts consumed bytes. If the transfer has paused and may now continue, returns true once.
    func consume(_ count: Int) -> Bool {
        let rest = bytes.subtract(count, ordering: .sequentiallyConsistent).newValue
        guard rest < Self.lowerMark else { return false }
        return isPaused.exchange(false, ordering: .sequentiallyConsistent)
    }
}

/// Content that a delegate has received but not consumed. While this object exists, the content counts as not consumed,
/// so that the transfer may pause.
package final class HeldContent: Sendable {
    // Safe: it is set once, before the object is shared. It is weak, because a task retains the channel of its content.
    private nonisolated(unsafe) weak var task: TaskCore?
    private let count: Int

    init(_ count: Int, of task: TaskCore) {
        self.task = task
        self.count = count
    }

    deinit { task?.consumed(count) }
}

extension URLSessionTask {
    /// Makes content count as not consumed after `urlSession(_:dataTask:didReceive:)` has returned. Has to be called
    /// within that method.
    /// - Parameter count: The number of bytes that were delivered.
    /// - Returns: The object to retain until the content is consumed; nil if the task is not the engine's.
    package func holdContent(_ count: Int) -> HeldContent? {
        (self as? any EngineTask)?.core.hold(count)
    }
}

extension TaskCore {
    /// Makes content count as not consumed after its delivery. Has to be called during the delivery.
    func hold(_ count: Int) -> HeldContent {
        deliveryState.heldBack += count
        return HeldContent(count, of: self)
    }
}
#endif
