#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// An object that can be in a ``DeadlineHeap``, but only in one heap at a time.
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

    /// Sets the deadline of an object. It replaces the earlier deadline. The distant future removes the object.
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

    /// If the earliest deadline has come, removes and returns its object. Otherwise returns nil.
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

/// A time of the monotonic clock, in nanoseconds. A result beyond the range becomes the limit of the range.
struct LoopTime: Comparable, Sendable {
    private var nanoseconds: Int64

    static let distantFuture = LoopTime(nanoseconds: .max)

    static var now: LoopTime {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return LoopTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    static func < (left: LoopTime, right: LoopTime) -> Bool { left.nanoseconds < right.nanoseconds }

    /// Returns the time that is this number of seconds later. Returns the distant future if the number is too large or
    /// not a number.
    func adding(_ seconds: TimeInterval) -> LoopTime {
        guard seconds >= 0, seconds < 1e9 else { return seconds < 0 ? self : .distantFuture }
        let (sum, overflows) = nanoseconds.addingReportingOverflow(Int64(seconds * 1e9))
        return overflows ? .distantFuture : LoopTime(nanoseconds: sum)
    }

    /// Returns the time that is later by a duration. Returns the distant future if the duration is too long.
    func adding(_ duration: Duration) -> LoopTime { adding(duration.timeInterval) }

    /// Returns the time that is this number of seconds earlier. Returns the same time if the number is not positive.
    func subtracting(_ seconds: TimeInterval) -> LoopTime {
        guard seconds > 0 else { return self }
        let (difference, overflows) = nanoseconds.subtractingReportingOverflow(Int64(min(seconds, 9e9) * 1e9))
        return LoopTime(nanoseconds: overflows ? .min : difference)
    }

    /// Returns the duration until a later time. Returns zero if that time is not later.
    func duration(until later: LoopTime) -> Duration {
        later > self ? .nanoseconds(later.nanoseconds.subtractingReportingOverflow(nanoseconds).partialValue) : .zero
    }

    /// Returns the milliseconds until a later time, rounded up, from 0 to a day.
    func milliseconds(until later: LoopTime) -> Int32 {
        guard later > self else { return 0 }
        let (difference, overflows) = later.nanoseconds.subtractingReportingOverflow(nanoseconds)
        let limit: Int64 = 86_400_000
        return Int32(overflows ? limit : min(limit, (difference + 999_999) / 1_000_000))
    }
}
#endif
