#if canImport(FoundationNetworking)
import Synchronization

/// The delivery of the loop's events. It calls delegates and completion handlers, one call after the other.
///
/// The events of one turn of the loop arrive together. On an operation queue that other code can use, each call is a
/// separate operation. When an operation ends, it adds the next operation. This has three effects:
///
/// - Operations that a delegate adds in a call run before the next call.
/// - While the queue is suspended, no call is made.
/// - The calls stay in order even if the queue runs several operations at a time.
final class Delivery: Sendable {
    /// The thread or queue on which delegates are called.
    enum Place: Sendable {
        /// The loop's thread; the delegate must not block.
        case loop
        /// The session's own operation queue, with its underlying dispatch queue. Until a program reads the operation
        /// queue, the calls use the dispatch queue, because it is faster.
        case own(OperationQueue, DispatchQueue)
        /// An operation queue of the caller.
        case operations(OperationQueue)
    }

    /// One pending call.
    enum Item: Sendable {
        case event(TaskCore, Event)
        case action(@Sendable () -> Void)

        fileprivate func perform() {
            switch self {
            case .event(let task, let event): task.deliver(event)
            case .action(let action): action()
            }
        }
    }

    enum Event: Sendable {
        case response(ReceivedResponse)
        /// The request has waited a second for a place at its host. Only for a receiver.
        case waiting(ConnectionWait)
        /// An interim response. Only for a receiver.
        case interim(ReceivedResponse)
        case data(Data)
        /// All of the content has been delivered, while content of the request is still being sent.
        case contentEnded
        case sent(Int64, total: Int64, expected: Int64)
        case wrote(Int64, total: Int64, expected: Int64)
        case redirect(HTTPURLResponse, URLRequest)
        case challenge(URLAuthenticationChallenge)
        /// A challenge that the session's delegate has not handled, for the task's delegate.
        case taskChallenge(URLAuthenticationChallenge)
        case needsBodyStream
        case willCache(CacheProposal)
        /// A download continues at this offset.
        case resumed(at: Int64, expected: Int64)
        /// The resume data of a cancelled download, for the handler of its cancellation.
        case resumeData(Data?, ResumeDataHandler)
        /// A download is complete, and its file has this URL.
        case file(URL)
        /// The metrics are complete. The delegate receives them before the end of the task.
        case metrics(hasFailed: Bool)
        case end((any Error)?)
        /// The content of a task with a completion handler.
        case content(Data)
        /// A decision about the response that the delegate has made after its method had returned. Nil if the delegate
        /// has released the handler without a call.
        case disposition(URLSession.ResponseDisposition?)
    }

    typealias ResumeDataHandler = Transferring<(Data?) -> Void>

    private let place: Place
    /// Whether the delegate is called on the loop's thread.
    let isOnLoop: Bool
    private let pending = Mutex(PendingItems())
    /// Whether a program has read the session's own operation queue.
    private let isQueueKnown = Atomic(false)

    init(place: Place) {
        self.place = place
        isOnLoop = if case .loop = place { true } else { false }
    }

    /// Records that other code may use the session's operation queue from now on.
    func noteUseOfQueue() { isQueueKnown.store(true, ordering: .relaxed) }

    /// Delivers the loop's events, and empties the array. Called only on the loop's thread.
    func send(_ items: inout [Item]) {
        guard !items.isEmpty else { return }
        if isOnLoop {
            // If a delegate posts a command during its call, the command waits in the mailbox.
            for item in items { item.perform() }
            items.removeAll(keepingCapacity: true)
            return
        }
        let mustSchedule = pending.withLock { $0.add(&items) }
        items.removeAll(keepingCapacity: true)
        if mustSchedule { schedule() }
    }

    /// Delivers one call. May be called on any thread.
    func send(_ item: Item, through loop: LoopMailbox) { send([item], through: loop) }

    /// Delivers calls one after the other, with no other calls between them. May be called on any thread.
    func send(_ items: [Item], through loop: LoopMailbox) {
        if isOnLoop { return loop.post(.deliver(items)) }
        var items = items
        send(&items)
    }

    /// Runs an action on the thread or queue of the delegates, after all calls that were added before.
    func afterwards(through loop: LoopMailbox, _ action: @escaping @Sendable () -> Void) {
        send(.action(action), through: loop)
    }

    /// Delivers delayed events before all other pending events. Called only on the thread or queue of the delegates.
    func sendFirst(_ items: [Item]) {
        if isOnLoop {
            for item in items { item.perform() }
        } else {
            pending.withLock { $0.putFirst(items) }
        }
    }

    // MARK: On the delegate queue

    private func schedule() {
        switch place {
        case .loop: break
        case .own(let operations, _) where isQueueKnown.load(ordering: .relaxed):
            operations.addOperation(DeliveryOperation(self))
        case .own(_, let queue): queue.async { [self] in performAll() }
        case .operations(let operations): operations.addOperation(DeliveryOperation(self))
        }
    }

    /// Makes the first pending call, and schedules the next call.
    fileprivate func performNext() {
        pending.withLock { $0.takeNext() }?.perform()
        if pending.withLock({ $0.hasNext() }) { schedule() }
    }

    /// Makes pending calls until no call is left. If other code can now use the operation queue, schedules the
    /// remaining calls there.
    private func performAll() {
        repeat {
            if isQueueKnown.load(ordering: .relaxed) { return schedule() }
            pending.withLock { $0.takeNext() }?.perform()
        } while pending.withLock { $0.hasNext() }
    }
}

/// One call of a delegate or completion handler as an operation.
private final class DeliveryOperation: Operation, @unchecked Sendable {
    // Safe: its only property is a constant.
    private let delivery: Delivery

    init(_ delivery: Delivery) { self.delivery = delivery }

    override func main() { delivery.performNext() }

    /// Does nothing, because tasks must end even if a program cancels all operations of its queue.
    override func cancel() {}
}

/// The pending calls in order, and whether the next call is scheduled.
private struct PendingItems {
    /// The calls to make first, in reverse order.
    private var first: [Delivery.Item] = []
    private var later: [Delivery.Item] = []
    private var isScheduled = false

    /// Adds the items of an array. The array may be replaced by an empty array, so that the caller can reuse its
    /// storage.
    /// - Returns: Whether the next call has to be scheduled.
    mutating func add(_ items: inout [Delivery.Item]) -> Bool {
        if later.isEmpty { swap(&later, &items) } else { later += items }
        defer { isScheduled = true }
        return !isScheduled
    }

    mutating func putFirst(_ items: [Delivery.Item]) { first += items.reversed() }

    mutating func takeNext() -> Delivery.Item? {
        if first.isEmpty {
            swap(&first, &later)
            first.reverse()
        }
        return first.popLast()
    }

    /// Returns whether another call is pending. If no call is pending, the next added item has to be scheduled.
    mutating func hasNext() -> Bool {
        isScheduled = !first.isEmpty || !later.isEmpty
        return isScheduled
    }
}

/// The events that are delayed until work outside of the loop has ended. For example, when a delegate receives a
/// response, the cookies of the response must already be in the storage.
///
/// The failure of a task is not delayed. When a task fails, all of its delayed events and then its failure are
/// delivered immediately.
struct DeliveryHolds {
    private struct Hold {
        var count = 1
        var items: [Delivery.Item] = []
    }

    /// The holds of each task, in order. The first hold ends first.
    private var holds: [Int: [Hold]] = [:]

    var isEmpty: Bool { holds.isEmpty }

    /// Delays a task's events until ``release(_:)`` has been called as often as this method.
    mutating func hold(_ task: TaskCore) {
        guard let last = holds[task.identifier]?.indices.last else { return holdLater(task) }
        holds[task.identifier]?[last].count += 1
    }

    /// Delays a task's events from now on. The events wait for work that begins when the previous event is delivered.
    /// The previous event may be delayed too.
    mutating func holdLater(_ task: TaskCore) { holds[task.identifier, default: []].append(Hold()) }

    /// Adds an event. Returns the events that can be delivered now.
    mutating func pass(_ event: Delivery.Event, of task: TaskCore) -> [Delivery.Item] {
        guard let last = holds[task.identifier]?.indices.last else { return [.event(task, event)] }
        holds[task.identifier]?[last].items.append(.event(task, event))
        guard case .end(.some) = event else { return [] }
        return holds.removeValue(forKey: task.identifier)?.flatMap(\.items) ?? []
    }

    /// Records that a part of the task's work has ended, and returns the events that can be delivered now.
    mutating func release(_ task: TaskCore) -> [Delivery.Item] {
        guard let hold = holds[task.identifier]?.first else { return [] }
        if hold.count > 1 {
            holds[task.identifier]?[0].count -= 1
            return []
        }
        holds[task.identifier]?.removeFirst()
        if holds[task.identifier]?.isEmpty == true { holds[task.identifier] = nil }
        return hold.items
    }
}

/// The state of a task that is used only on the thread or queue of its delegate.
final class DeliveryState: @unchecked Sendable {
    // Safe: only `TaskCore.deliver(_:)` changes the state, and `Delivery` calls that method for one event after the
    // other. If these calls are on the loop's thread, the receiver is also read by the thread that has the loop.
    /// The receiver of the transfer's events. Nil after the end, and for a task with a delegate or a completion
    /// handler.
    @exclusivity(unchecked) var receiver: (any TransferReceiver)?
    /// Whether the delegate has not decided about the response yet. Later events wait for the decision.
    @exclusivity(unchecked) var isHeld = false
    @exclusivity(unchecked) var heldEvents: [Delivery.Event] = []
    /// The number of bytes of the current chunk that the delegate retains after its method has returned.
    @exclusivity(unchecked) var heldBack = 0
    /// The content of a task with a completion handler.
    @exclusivity(unchecked) var content: Data?
    /// The file of a download that has a completion handler.
    @exclusivity(unchecked) var file: URL?
    /// The file of a data task that has become a download.
    @exclusivity(unchecked) var download: DownloadFile?
    /// Whether the delegate has received the file. If so, the task has succeeded.
    @exclusivity(unchecked) var hasHandedOverFile = false
    @exclusivity(unchecked) var hasDeliveredMetrics = false
    @exclusivity(unchecked) var isOver = false
}
#endif
