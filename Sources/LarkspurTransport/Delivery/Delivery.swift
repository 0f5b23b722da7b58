#if canImport(FoundationNetworking)
import Synchronization

/// Calls delegates and completion handlers, one after the other, with what the loop has for them.
///
/// The events of one turn of the loop are handed over together, and one piece of work on the delegate queue goes through all that have gathered.
final class Delivery: Sendable {
    /// Where delegates are called.
    enum Place: Sendable {
        /// On the loop's thread; nothing in the delegate may block.
        case loop
        /// On the queue below an operation queue, which is cheaper than operations are.
        case queue(DispatchQueue)
        case operations(OperationQueue)
    }

    struct Item: Sendable {
        let task: TaskCore
        let event: Event
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
        case complete((any Error)?)
        /// The content that came to a task with a completion handler.
        case content(Data)
        /// The delegate has at last said what to do with the response.
        case disposition(URLSession.ResponseDisposition)
    }

    typealias ResumeDataHandler = Transferring<(Data?) -> Void>

    private struct Pending {
        var items: [Item] = []
        var isScheduled = false
    }

    private let place: Place
    private let pending = Mutex(Pending())

    init(place: Place) { self.place = place }

    /// Hands over what the loop has, leaving the array empty; only on the loop's thread.
    func send(_ items: inout [Item]) {
        guard !items.isEmpty else { return }
        if case .loop = place {
            // What delegates cause meanwhile arrives in the mailbox.
            for item in items { item.task.deliver(item.event) }
            items.removeAll(keepingCapacity: true)
            return
        }
        let mustSchedule = pending.withLock { pending in
            if pending.items.isEmpty { swap(&pending.items, &items) } else { pending.items += items }
            defer { pending.isScheduled = true }
            return !pending.isScheduled
        }
        items.removeAll(keepingCapacity: true)
        if mustSchedule { schedule() }
    }

    /// Hands over one event from any thread.
    func send(_ item: Item, through loop: EventLoop) {
        if case .loop = place { return loop.post(.deliver(item)) }
        var items = [item]
        send(&items)
    }

    /// Runs something where delegates are called, after what was handed over before.
    func afterwards(through loop: EventLoop, _ action: @escaping @Sendable () -> Void) {
        switch place {
        case .loop: loop.post(.run(action))
        case .queue(let queue): queue.async(execute: action)
        case .operations(let queue): queue.addOperation(action)
        }
    }

    private func schedule() {
        switch place {
        case .loop: break
        case .queue(let queue): queue.async { [self] in deliverPending() }
        // One at a time, whatever the queue allows, so that a task's events keep their order.
        case .operations(let queue): queue.addOperation { [self] in deliverPending() }
        }
    }

    private func deliverPending() {
        var items: [Item] = []
        while true {
            let isOver = pending.withLock { pending in
                guard !pending.items.isEmpty else {
                    pending.isScheduled = false
                    return true
                }
                swap(&pending.items, &items)
                return false
            }
            if isOver { return }
            for item in items { item.task.deliver(item.event) }
            items.removeAll(keepingCapacity: true)
        }
    }
}
#endif
