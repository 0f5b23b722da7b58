/// The calls that wait for their turn: those with the highest priority come first, and those with equal priority in
/// their order.
struct WaitingLine {
    /// A call that waits. It is resumed when its turn has come, or with an error when it is cancelled.
    typealias Waiter = CheckedContinuation<Void, any Error>

    private var waiters: [Int: Waiter] = [:]
    /// The identifiers by priority, highest first. Those of calls that have left stay for a while.
    private var lines: [(priority: Int, ids: ArraySlice<Int>)] = []
    private var staleCount = 0

    /// The number of calls that wait.
    var count: Int { waiters.count }
    var isEmpty: Bool { waiters.isEmpty }

    /// Adds a call.
    mutating func add(_ waiter: Waiter, _ id: Int, priority: Int) {
        waiters[id] = waiter
        let index = lines.firstIndex { $0.priority <= priority } ?? lines.endIndex
        if index == lines.endIndex || lines[index].priority != priority { lines.insert((priority, []), at: index) }
        lines[index].ids.append(id)
    }

    /// Removes a call that was cancelled; nil if its turn has come already.
    mutating func remove(_ id: Int) -> Waiter? {
        guard let waiter = waiters.removeValue(forKey: id) else { return nil }
        staleCount += 1
        // All at once now and then, so that the cost of a change stays small.
        if staleCount > waiters.count + 64 {
            lines = lines.map { ($0.priority, $0.ids.filter { waiters[$0] != nil }[...]) }.filter { !$0.ids.isEmpty }
            staleCount = 0
        }
        return waiter
    }

    /// Removes the call whose turn it is.
    mutating func popFirst() -> Waiter? {
        while !lines.isEmpty {
            while let id = lines[0].ids.popFirst() {
                if let waiter = waiters.removeValue(forKey: id) { return waiter }
                staleCount -= 1
            }
            lines.removeFirst()
        }
        return nil
    }
}
