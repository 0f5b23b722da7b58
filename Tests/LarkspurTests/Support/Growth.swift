import Foundation
import Testing

/// How the cost of work grows with its input.
enum Growth {
    /// The least CPU time of the work that is told from none, in seconds.
    private static let resolution = 0.004

    /// The CPU time of this thread for an input of the whole size, by that for a quarter of it: 4 where the cost grows with
    /// the length, 16 where it grows with the square.
    ///
    /// Each is the least of several runs. Making the input does not count.
    static func factor<Input>(_ input: (Int) -> Input, upTo size: Int = 1 << 20, work: (Input) -> Void) -> Double {
        let (part, whole) = (input(size / 4), input(size))
        var best = Double.infinity
        // What else the machine does disturbs one run, not all of them.
        for _ in 0..<4 where best > 8 {
            best = min(best, max(time { work(whole) }, resolution) / max(time { work(part) }, resolution))
        }
        return best
    }

    private static func time(_ work: () -> Void) -> Double {
        let start = now
        work()
        return now - start
    }

    private static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

extension Trait where Self == ConditionTrait {
    /// Runs tests that compute for seconds only where that is asked for, as they would keep the others from their turn.
    static var measuresCosts: Self {
        .enabled("LARKSPUR_COSTS=1 measures costs") { ProcessInfo.processInfo.environment["LARKSPUR_COSTS"] == "1" }
    }
}
