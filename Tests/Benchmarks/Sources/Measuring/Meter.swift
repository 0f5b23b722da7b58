import Glibc

/// The processor time (user and system, of all threads), the time, and the number of times that a thread goes to sleep,
/// between `start` and `stop`.
package struct Meter: Sendable {
    package private(set) var processorMicroseconds = 0
    package private(set) var wallMicroseconds = 0
    package private(set) var sleeps = 0

    package init() {}

    package mutating func start() {
        let usage = Self.usage()
        processorMicroseconds -= usage.processorMicroseconds
        sleeps -= usage.sleeps
        wallMicroseconds -= Self.monotonicTime()
    }

    package mutating func stop() {
        let usage = Self.usage()
        processorMicroseconds += usage.processorMicroseconds
        sleeps += usage.sleeps
        wallMicroseconds += Self.monotonicTime()
    }

    private static func usage() -> (processorMicroseconds: Int, sleeps: Int) {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        let seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
        return (seconds * 1_000_000 + usage.ru_utime.tv_usec + usage.ru_stime.tv_usec, usage.ru_nvcsw)
    }

    private static func monotonicTime() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1_000_000 + time.tv_nsec / 1000
    }
}
