/// An object that can be in a ``DeadlineHeap``, but only in one heap at a time.
package protocol DeadlineHolder: AnyObject {
    /// The index in the heap; nil if the object is in no heap. Only the heap sets this property.
    var deadlineIndex: Int? { get set }
}

/// Objects in the order of their deadlines. The cost of a change is at most logarithmic in the number of objects.
///
/// It is a value without I/O.
package struct DeadlineHeap<Time: Comparable, Holder: DeadlineHolder> {
    private var entries: [(deadline: Time, holder: Holder)] = []

    package init() {}

    /// The earliest deadline; nil if there are no objects.
    package var earliest: Time? { entries.first?.deadline }

    /// The deadlines, in no order.
    package var deadlines: [Time] { entries.map(\.deadline) }

    /// Adds an object with a deadline. If the object is in the heap, the deadline replaces the present one.
    package mutating func insert(_ holder: Holder, at deadline: Time) {
        if let index = holder.deadlineIndex {
            entries[index].deadline = deadline
            settle(index)
        } else {
            holder.deadlineIndex = entries.count
            entries.append((deadline, holder))
            rise(entries.count - 1)
        }
    }

    /// The deadline of an object; nil if it is not in the heap.
    func deadline(of holder: Holder) -> Time? { holder.deadlineIndex.map { entries[$0].deadline } }

    package mutating func remove(_ holder: Holder) {
        guard let index = holder.deadlineIndex else { return }
        holder.deadlineIndex = nil
        let last = entries.removeLast()
        guard index < entries.count else { return }
        entries[index] = last
        last.holder.deadlineIndex = index
        settle(index)
    }

    /// If the earliest deadline has come, removes and returns its object. Otherwise returns nil.
    package mutating func takeDue(at now: Time) -> Holder? {
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
