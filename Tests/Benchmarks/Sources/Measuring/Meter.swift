import Glibc

/// The processor time (user and system, of all threads) and the time that pass between `start` and `stop`.
package struct Meter: Sendable {
    package private(set) var processorMicroseconds = 0
    package private(set) var wallMicroseconds = 0

    package init() {}

    package mutating func start() {
        processorMicroseconds -= Self.processorTime()
        wallMicroseconds -= Self.monotonicTime()
    }

    package mutating func stop() {
        processorMicroseconds += Self.processorTime()
        wallMicroseconds += Self.monotonicTime()
    }

    private static func processorTime() -> Int {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1_000_000 + usage.ru_utime.tv_usec
            + usage.ru_stime.tv_usec
    }

    private static func monotonicTime() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1_000_000 + time.tv_nsec / 1000
    }
}
