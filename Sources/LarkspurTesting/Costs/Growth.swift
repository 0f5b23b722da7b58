internal import Foundation

/// The growth of the cost of work with its input; for Larkspur's own tests.
package enum Growth {
    /// Whether costs are to be measured: that takes seconds of computing, which would keep other tests from their turn.
    package static let isMeasured = ProcessInfo.processInfo.environment["LARKSPUR_COSTS"] == "1"

    /// The bound between growth with the length of the input and growth with its square.
    package static let linear = 9.0

    /// The least time that is told from none, in seconds.
    private static let resolution = 0.001

    /// The time that this thread computes for an input of the whole size, as a multiple of that for a quarter of it:
    /// about 4 where the work grows with the length, 16 where it grows with the square.
    /// - Parameters:
    ///   - make: Makes an input of a size; not measured.
    ///   - size: The whole size.
    package static func factor<Input>(
        of make: (Int) -> Input,
        upTo size: Int = 1 << 20,
        _ work: (Input) -> Void
    ) -> Double {
        // The first time is dearer than others.
        work(make(size / 16))
        let (part, whole) = (make(size / 4), make(size))
        var least = Double.infinity
        // The rest of the machine disturbs one run, not all of them.
        for _ in 0..<4 where least >= linear {
            least = min(least, time { work(whole) } / time { work(part) })
        }
        return least
    }

    /// The least time of several runs; of few where one takes long, as disturbances matter little then.
    private static func time(_ work: () -> Void) -> Double {
        var least = Double.infinity
        var total = 0.0
        for _ in 0..<5 where total < 0.2 {
            let start = System.threadTime
            work()
            let time = System.threadTime - start
            least = min(least, time)
            total += time
        }
        return max(least, resolution)
    }
}
