#if canImport(FoundationNetworking)
import Synchronization

/// Calls delegates and completion handlers, one after the other, with what the loop has for them.
///
/// The events of one turn of the loop are handed over together. On an operation queue that others can reach each call
/// is an operation of its own, and the next one is queued when it has returned: so what a delegate queues in a call
/// runs before the next call, a suspended queue holds the calls back, and they keep their order on a queue that runs
/// several operations at a time.
final class Delivery: Sendable {
    /// Where delegates are called.
    enum Place: Sendable {
        /// On the loop's thread; nothing in the delegate may block.
        case loop
        /// On an operation queue of the session's own with the dispatch queue below it, which is cheaper and serves
        /// until the operation queue is asked for.
        case own(OperationQueue, DispatchQueue)
        /// On an operation queue of the caller's.
        case operations(OperationQueue)
    }

    /// One call that is due.
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
        case response(URLResponse)
        case data(Data)
        case sent(Int64, total: Int64, expected: Int64)
        case wrote(Int64, total: Int64, expected: Int64)
        case redirect(HTTPURLResponse, URLRequest)
        case challenge(URLAuthenticationChallenge)
        /// One that the session's delegate has left to that of the task.
        case taskChallenge(URLAuthenticationChallenge)
        case needsBodyStream
        case willCache(CacheProposal)
        /// A download goes on from there.
        case resumed(at: Int64, expected: Int64)
        /// What somebody who has cancelled a download gets of it.
        case resumeData(Data?, ResumeDataHandler)
        /// A download is complete, in this file.
        case file(URL)
        /// The metrics are complete, which the delegate hears before the end.
        case metrics(hasFailed: Bool)
        case complete((any Error)?)
        /// The content that came to a task with a completion handler.
        case content(Data)
        /// The delegate has at last said what to do with the response.
        case disposition(URLSession.ResponseDisposition)
    }

    typealias ResumeDataHandler = Transferring<(Data?) -> Void>

    private let place: Place
    private let pending = Mutex(PendingItems())
    /// Whether the session's own operation queue was asked for.
    private let isQueueKnown = Atomic(false)

    init(place: Place) { self.place = place }

    /// Whether the delegate is called on the loop's thread.
    var isOnLoop: Bool {
        if case .loop = place { true } else { false }
    }

    /// From now on others may use the session's own operation queue.
    func noteUseOfQueue() { isQueueKnown.store(true, ordering: .relaxed) }

    /// Hands over what the loop has, leaving the array empty; only on the loop's thread.
    func send(_ items: inout [Item]) {
        guard !items.isEmpty else { return }
        if case .loop = place {
            // What delegates cause meanwhile arrives in the mailbox.
            for item in items { item.perform() }
            items.removeAll(keepingCapacity: true)
            return
        }
        let mustSchedule = pending.withLock { $0.add(&items) }
        items.removeAll(keepingCapacity: true)
        if mustSchedule { schedule() }
    }

    /// Hands over one call from any thread.
    func send(_ item: Item, through loop: LoopMailbox) {
        if case .loop = place { return loop.post(.deliver(item)) }
        var items = [item]
        send(&items)
    }

    /// Runs something where delegates are called, after what was handed over before.
    func afterwards(through loop: LoopMailbox, _ action: @escaping @Sendable () -> Void) {
        send(.action(action), through: loop)
    }

    /// Delivers what was held back before anything else; only where delegates are called.
    func sendFirst(_ items: [Item]) {
        if case .loop = place {
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

    /// Makes the call that is due, and has the next one queued.
    fileprivate func performNext() {
        pending.withLock { $0.takeNext() }?.perform()
        if pending.withLock({ $0.hasNext() }) { schedule() }
    }

    /// Makes all calls that are due, as long as nobody can tell that they are no operations.
    private func performAll() {
        repeat {
            if isQueueKnown.load(ordering: .relaxed) { return schedule() }
            pending.withLock { $0.takeNext() }?.perform()
        } while pending.withLock { $0.hasNext() }
    }
}

/// One call of a delegate or completion handler as an operation.
private final class DeliveryOperation: Operation, @unchecked Sendable {
    // Safe: what it has is a constant.
    private let delivery: Delivery

    init(_ delivery: Delivery) { self.delivery = delivery }

    override func main() { delivery.performNext() }

    /// Without effect: a queue all of whose operations are cancelled must not leave tasks without an end.
    override func cancel() {}
}

/// The calls that are due, in order, and whether somebody is about to make them.
private struct PendingItems {
    /// Those that come first, the next one last.
    private var first: [Delivery.Item] = []
    private var later: [Delivery.Item] = []
    private var isScheduled = false

    /// Takes items over from an array that may get others in return.
    /// - Returns: Whether the first call has to be scheduled.
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

    /// Whether another call is due; if none is, the next one that comes has to be scheduled.
    mutating func hasNext() -> Bool {
        isScheduled = !first.isEmpty || !later.isEmpty
        return isScheduled
    }
}
#endif
