/// The calls that wait for their turn. The call with the highest priority comes first; calls with equal priority come
/// in the order of their arrival. The cost of a change grows with the logarithm of the number of calls.
struct WaitingLine<Waiter> {
    private struct Place {
        let priority: Int
        /// The position of the call in the order of arrival.
        let number: Int
        let id: Int

        func comes(before other: Place) -> Bool {
            priority != other.priority ? priority > other.priority : number < other.number
        }
    }

    private var waiters: [Int: Waiter] = [:]
    /// A binary heap: no place comes before its parent, which is at the index (i − 1) / 2. The places of calls that
    /// have left stay for a while.
    private var places: [Place] = []
    private var nextNumber = 0

    /// The number of calls that wait.
    var count: Int { waiters.count }
    var isEmpty: Bool { waiters.isEmpty }

    /// Whether a call waits.
    func contains(_ id: Int) -> Bool { waiters[id] != nil }

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

    /// Removes and returns a call that was cancelled; nil if its turn has already come.
    mutating func remove(_ id: Int) -> Waiter? {
        guard let waiter = waiters.removeValue(forKey: id) else { return nil }
        // A removal from the middle of the heap would be slow. So obsolete places are removed together, now and then.
        if places.count > waiters.count * 2 + 64 {
            // A sorted array is a heap.
            places = places.filter { waiters[$0.id] != nil }.sorted { $0.comes(before: $1) }
        }
        return waiter
    }

    /// Removes and returns the call whose turn it is; nil if no call waits.
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

/// A call that waits for its turn. It is resumed when its turn comes, or with an error when it is cancelled.
typealias WaitingCall = CheckedContinuation<Void, any Error>
