import Foundation

/// The growth of a cost with its input, by CPU time.
package enum Growth {
    /// Whether costs are measured. A measurement takes seconds of CPU time, which would delay other tests.
    package static let isMeasured = ProcessInfo.processInfo.environment["LARKSPUR_COSTS"] == "1"

    /// The factor that separates linear growth from quadratic growth.
    package static let linear = 9.0

    /// The factor above which one run is not enough, because other processes may have disturbed the run.
    private static let suspicious = 7.0

    /// The smallest time that does not count as zero, in seconds.
    private static let resolution = 0.001

    /// Returns the CPU time of this thread for an input of the whole size, divided by the time for a quarter of it. The
    /// result is about 4 for linear growth, and about 16 for quadratic growth.
    /// - Parameters:
    ///   - make: Creates an input of a size. The time for this is not measured.
    ///   - size: The whole size. Default: 512 KiB.
    package static func factor<Input>(
        of make: (Int) -> Input,
        upTo size: Int = 1 << 19,
        _ work: (Input) -> Void
    ) -> Double {
        // The first run is more expensive than later ones.
        work(make(size / 16))
        let (part, whole) = (make(size / 4), make(size))
        // A disturbed run takes longer than it should. For the whole that can only make the factor larger, so that one
        // run is enough if the factor is small.
        var least = time(runs: 1) { work(whole) } / time(runs: 3) { work(part) }
        for _ in 0..<3 where least >= linear {
            least = min(least, time(runs: 5) { work(whole) } / time(runs: 5) { work(part) })
        }
        return least
    }

    /// Whether one run suggests that the cost grows faster than the input. If not, the time for ``factor(of:upTo:_:)``
    /// can be saved.
    static func isSuspicious<Input>(of make: (Int) -> Input, upTo size: Int, _ work: (Input) -> Void) -> Bool {
        let (part, whole) = (make(size / 4), make(size))
        let start = threadTime
        work(part)
        let middle = threadTime
        work(whole)
        return threadTime - middle > max(middle - start, resolution / 10) * suspicious
    }

    /// Returns the shortest time of several runs. If a run takes long, a few runs are enough, because disturbances
    /// matter less.
    private static func time(runs: Int, _ work: () -> Void) -> Double {
        var least = Double.infinity
        var total = 0.0
        for _ in 0..<runs where total < 0.2 {
            let start = threadTime
            work()
            let time = threadTime - start
            least = min(least, time)
            total += time
        }
        return max(least, resolution)
    }

    /// The CPU time of the calling thread, in seconds.
    private static var threadTime: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
