#if canImport(FoundationNetworking)
import Foundation
import Testing

/// How many times as long this thread computes for four times the input: about 4 where the work grows with the input, 16 where it grows with its square.
///
/// Of several runs the fastest counts, as other programs only ever add to the time; where one takes long they matter little.
/// - Parameters:
///   - size: The size of the larger input.
///   - make: Makes an input of a size; not measured.
func growth<Input>(to size: Int, of make: (Int) -> Input, _ work: (Input) -> Void) -> Double {
    func time(_ size: Int) -> Double {
        let input = make(size)
        var fastest = Double.infinity
        var total = 0.0
        var runs = 0
        while runs < 5, total < 0.2 {
            let start = threadTime()
            work(input)
            let time = threadTime() - start
            fastest = min(fastest, time)
            total += time
            runs += 1
        }
        return fastest
    }
    // What is done for the first time is dearer.
    _ = time(size / 16)
    return time(size) / max(time(size / 4), 1e-5)
}

/// The processor time of this thread, in seconds.
private func threadTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// The bound between growth with the input and growth with its square.
let linearGrowth = 9.0

extension Trait where Self == ConditionTrait {
    /// Runs tests that compute for seconds only where that is asked for, as they would keep the others from their turn.
    static var measuresCosts: Self {
        .enabled("LARKSPUR_COSTS=1 measures costs") { ProcessInfo.processInfo.environment["LARKSPUR_COSTS"] == "1" }
    }
}
#endif
