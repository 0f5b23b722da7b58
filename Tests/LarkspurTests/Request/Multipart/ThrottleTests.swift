import Synchronization
import Testing

@testable import Larkspur

/// A clock on which time passes only by waiting, or by hand.
final class ManualThrottleClock: ThrottleClock {
    private let time = Mutex(Duration.seconds(100))
    let waits = Mutex<[Duration]>([])

    var now: Duration { time.withLock { $0 } - .seconds(100) }

    func sleep(for duration: Duration) {
        waits.withLock { $0.append(duration) }
        advance(by: duration)
    }

    func advance(by duration: Duration) { time.withLock { $0 += duration } }
}

@Suite("Throttling")
struct ThrottleTests {
    @Test("After each chunk, the reader waits for the chunk's time at the rate")
    func waiting() {
        let clock = ManualThrottleClock()
        var throttle = Throttle(bytesPerSecond: 1000, clock: clock)
        throttle.waitForTurn()
        throttle.note(500)
        throttle.waitForTurn()
        throttle.note(100)
        clock.advance(by: .milliseconds(60))
        throttle.waitForTurn()
        #expect(clock.waits.withLock { $0 } == [.milliseconds(500), .milliseconds(40)])
    }

    @Test("After a time without reading, the rate does not increase")
    func idle() {
        let clock = ManualThrottleClock()
        var throttle = Throttle(bytesPerSecond: 1000, clock: clock)
        throttle.note(100)
        clock.advance(by: .seconds(3600))
        throttle.waitForTurn()
        throttle.note(100)
        throttle.waitForTurn()
        #expect(clock.waits.withLock { $0 } == [.milliseconds(100)])
    }

    @Test(
        "Chunks have the size for a tenth of a second, and at least a byte",
        arguments: [(1, 1), (9, 1), (1000, 100), (0, 1), (-5, 1), (.min, 1), (.max, Int.max / 10)]
    )
    func chunks(rate: Int, size: Int) {
        var throttle = Throttle(bytesPerSecond: rate, clock: ManualThrottleClock())
        #expect(throttle.chunkSize == size)
        throttle.note(size)
        throttle.waitForTurn()
    }
}
