#if canImport(FoundationNetworking)
internal import HTTPSyntax

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

extension DeadlineHeap where Time == LoopTime {
    /// The earliest deadline; the distant future if there are no objects.
    var next: LoopTime { earliest ?? .distantFuture }

    /// Sets the deadline of an object. It replaces the earlier deadline. The distant future removes the object.
    mutating func set(_ deadline: LoopTime, of holder: Holder) {
        if deadline < .distantFuture { insert(holder, at: deadline) } else { remove(holder) }
    }

    /// Moves the deadline of an object to an earlier time. A later time has no effect.
    mutating func advance(_ deadline: LoopTime, of holder: Holder) {
        if let current = self.deadline(of: holder), current <= deadline { return }
        set(deadline, of: holder)
    }
}
#endif
