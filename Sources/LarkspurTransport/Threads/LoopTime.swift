#if canImport(FoundationNetworking)
/// A time of the monotonic clock, in nanoseconds. Arithmetic saturates at its bounds.
struct LoopTime: Comparable, Sendable {
    private var nanoseconds: Int64

    static let distantFuture = LoopTime(nanoseconds: .max)

    static var now: LoopTime {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return LoopTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    static func < (left: LoopTime, right: LoopTime) -> Bool { left.nanoseconds < right.nanoseconds }

    /// Returns a time this many seconds later; the distant future if the number is too large, or is not a number.
    func adding(_ seconds: TimeInterval) -> LoopTime {
        guard seconds >= 0, seconds < 1e9 else { return seconds < 0 ? self : .distantFuture }
        let (sum, overflows) = nanoseconds.addingReportingOverflow(Int64(seconds * 1e9))
        return overflows ? .distantFuture : LoopTime(nanoseconds: sum)
    }

    /// Returns a time this many seconds earlier; the same time if the number is not positive.
    func subtracting(_ seconds: TimeInterval) -> LoopTime {
        guard seconds > 0 else { return self }
        let (difference, overflows) = nanoseconds.subtractingReportingOverflow(Int64(min(seconds, 9e9) * 1e9))
        return LoopTime(nanoseconds: overflows ? .min : difference)
    }

    /// Returns the duration until a later time; zero if the time is not later.
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
