/// The calls that wait for their turn: those with the highest priority come first, and those with equal priority in
/// their order. Each change takes a time that grows with the logarithm of their number.
struct WaitingLine<Waiter> {
    private struct Place {
        let priority: Int
        /// The number of the call's arrival.
        let number: Int
        let id: Int

        func comes(before other: Place) -> Bool {
            priority != other.priority ? priority > other.priority : number < other.number
        }
    }

    private var waiters: [Int: Waiter] = [:]
    /// A binary heap: no place comes before its parent, that at half its index. Those of calls that have left stay for
    /// a while.
    private var places: [Place] = []
    private var nextNumber = 0

    /// The number of calls that wait.
    var count: Int { waiters.count }
    var isEmpty: Bool { waiters.isEmpty }

    /// Adds a call.
    mutating func add(_ waiter: Waiter, _ id: Int, priority: Int) {
        waiters[id] = waiter
        places.append(Place(priority: priority, number: nextNumber, id: id))
        nextNumber += 1
        var index = places.count - 1
        while index > 0, places[index].comes(before: places[(index - 1) / 2]) {
            places.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    /// Removes a call that was cancelled; nil if its turn has come already.
    mutating func remove(_ id: Int) -> Waiter? {
        guard let waiter = waiters.removeValue(forKey: id) else { return nil }
        // All at once now and then, so that the cost of a change stays small.
        if places.count > waiters.count * 2 + 64 {
            // Places in order are a heap.
            places = places.filter { waiters[$0.id] != nil }.sorted { $0.comes(before: $1) }
        }
        return waiter
    }

    /// Removes the call whose turn it is.
    mutating func popFirst() -> Waiter? {
        while let id = popPlace()?.id {
            if let waiter = waiters.removeValue(forKey: id) { return waiter }
        }
        return nil
    }

    private mutating func popPlace() -> Place? {
        guard let last = places.popLast() else { return nil }
        guard let first = places.first else { return last }
        var index = 0
        while true {
            var child = index * 2 + 1
            if child + 1 < places.count, places[child + 1].comes(before: places[child]) { child += 1 }
            guard child < places.count, places[child].comes(before: last) else { break }
            places[index] = places[child]
            index = child
        }
        places[index] = last
        return first
    }
}

/// A call that waits for its turn. It is resumed when that has come, or with an error when it is cancelled.
typealias WaitingCall = CheckedContinuation<Void, any Error>
