#if canImport(FoundationNetworking)
/// The limit of the connections to all origins together. The queues of the origins share it. Each request takes one
/// place. The requests to an origin with HTTP/2 take only one place together.
///
/// The object belongs to the loop's thread.
final class ConnectionBudget {
    private let limit: Int
    @exclusivity(unchecked) private var used = 0
    @exclusivity(unchecked) private var isReleasing = false
    /// The queues that wait for a place, in the order in which they began to wait.
    @exclusivity(unchecked) private var waiting = Line<HostQueue>()

    init(limit: Int) { self.limit = limit }

    var hasRoom: Bool { used < limit }

    func take() { used += 1 }

    /// Makes a queue wait for a place. The queue must not wait already.
    func wait(_ queue: HostQueue) { waiting.append(queue) }

    /// Releases places, and lets the waiting queues use them, one after the other. If a request ends as soon as it
    /// begins, it releases its place, and this method is called again. Such a nested call only adds to the number of
    /// places. The loop of the first call uses them.
    func release(_ count: Int) {
        used -= count
        guard !isReleasing else { return }
        isReleasing = true
        defer { isReleasing = false }
        while hasRoom, let queue = waiting.take() { queue.budgetHasRoom() }
    }
}
#endif
