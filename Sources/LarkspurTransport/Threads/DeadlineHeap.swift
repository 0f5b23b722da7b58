#if canImport(FoundationNetworking)
/// An object that can be in a ``DeadlineHeap``, but in only one at a time.
protocol DeadlineHolder: AnyObject {
    /// The index in the heap; nil if the object is in no heap. Only the heap sets this property.
    var deadlineIndex: Int? { get set }
}

/// Objects in the order of their deadlines. The cost of a change is at most logarithmic in the number of objects.
///
/// It is a value without I/O.
struct DeadlineHeap<Holder: DeadlineHolder> {
    private var entries: [(deadline: LoopTime, holder: Holder)] = []

    /// The earliest deadline; the distant future if there are no objects.
    var next: LoopTime { entries.first?.deadline ?? .distantFuture }

    /// Sets the deadline of an object in place of its previous one. The distant future removes the object.
    mutating func set(_ deadline: LoopTime, of holder: Holder) {
        guard deadline < .distantFuture else { return remove(holder) }
        if let index = holder.deadlineIndex {
            entries[index].deadline = deadline
            settle(index)
        } else {
            holder.deadlineIndex = entries.count
            entries.append((deadline, holder))
            rise(entries.count - 1)
        }
    }

    /// Moves the deadline of an object to an earlier time. A later time has no effect.
    mutating func advance(_ deadline: LoopTime, of holder: Holder) {
        if let index = holder.deadlineIndex, entries[index].deadline <= deadline { return }
        set(deadline, of: holder)
    }

    mutating func remove(_ holder: Holder) {
        guard let index = holder.deadlineIndex else { return }
        holder.deadlineIndex = nil
        let last = entries.removeLast()
        guard index < entries.count else { return }
        entries[index] = last
        last.holder.deadlineIndex = index
        settle(index)
    }

    /// Removes and returns the object with the earliest deadline, if that deadline has come; otherwise returns nil.
    mutating func takeDue(at now: LoopTime) -> Holder? {
        guard let first = entries.first, first.deadline <= now else { return nil }
        remove(first.holder)
        return first.holder
    }

    private mutating func settle(_ index: Int) {
        rise(index)
        sink(index)
    }

    private mutating func rise(_ start: Int) {
        var index = start
        while index > 0 {
            let parent = (index - 1) / 2
            guard entries[index].deadline < entries[parent].deadline else { return }
            swap(index, parent)
            index = parent
        }
    }

    private mutating func sink(_ start: Int) {
        var index = start
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2]
            where child < entries.count && entries[child].deadline < entries[least].deadline {
                least = child
            }
            guard least != index else { return }
            swap(index, least)
            index = least
        }
    }

    private mutating func swap(_ first: Int, _ second: Int) {
        entries.swapAt(first, second)
        entries[first].holder.deadlineIndex = first
        entries[second].holder.deadlineIndex = second
    }
}
#endif
