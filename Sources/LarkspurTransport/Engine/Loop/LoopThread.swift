#if canImport(FoundationNetworking)
/// The function that starts sessions' threads. It reports a failure, unlike Foundation's `Thread`.
package struct LoopThread: Sendable {
    /// The thread's name in the process's list of threads, which has room for 15 bytes.
    static let name = "larkspur.loop"
    /// The stack size in bytes, that of a main thread, as the code of Swift tasks may run here. Only pages that are
    /// used cost memory.
    private static let stackSize = 1 << 23

    /// The closure that runs an action on a new thread. It returns 0, or the `errno` of the failure, in which case the
    /// action does not run.
    let start: @Sendable (@escaping @Sendable () -> Void) -> Int32

    package init(start: @escaping @Sendable (@escaping @Sendable () -> Void) -> Int32) { self.start = start }

    /// The function that starts threads of the system.
    package static let system = LoopThread { action in
        let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
        defer { attributes.deallocate() }
        pthread_attr_init(attributes)
        defer { pthread_attr_destroy(attributes) }
        pthread_attr_setdetachstate(attributes, Int32(PTHREAD_CREATE_DETACHED))
        pthread_attr_setstacksize(attributes, stackSize)
        var thread = pthread_t()
        let body = Unmanaged.passRetained(Body(action: action))
        let result = pthread_create(&thread, attributes, { run($0) }, body.toOpaque())
        if result != 0 { body.release() }
        return result
    }

    private final class Body: Sendable {
        let action: @Sendable () -> Void

        init(action: @escaping @Sendable () -> Void) { self.action = action }
    }

    private static func run(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let argument else { return nil }
        Thread.current.name = name
        Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().action()
        return nil
    }
}
#endif

#if canImport(FoundationNetworking)
/// A moment of the monotonic clock, in nanoseconds; arithmetic saturates at its bounds.
struct LoopTime: Comparable, Sendable {
    private var nanoseconds: Int64

    static let distantFuture = LoopTime(nanoseconds: .max)

    static var now: LoopTime {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return LoopTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    static func < (left: LoopTime, right: LoopTime) -> Bool { left.nanoseconds < right.nanoseconds }

    /// Returns the time this many seconds later; the distant future if the number is too large or not a number.
    func adding(_ seconds: TimeInterval) -> LoopTime {
        guard seconds >= 0, seconds < 1e9 else { return seconds < 0 ? self : .distantFuture }
        let (sum, overflows) = nanoseconds.addingReportingOverflow(Int64(seconds * 1e9))
        return overflows ? .distantFuture : LoopTime(nanoseconds: sum)
    }

    /// Returns the time this many seconds earlier; the same time if the number is not positive.
    func subtracting(_ seconds: TimeInterval) -> LoopTime {
        guard seconds > 0 else { return self }
        let (difference, overflows) = nanoseconds.subtractingReportingOverflow(Int64(min(seconds, 9e9) * 1e9))
        return LoopTime(nanoseconds: overflows ? .min : difference)
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
