#if canImport(FoundationNetworking)
import Testing

@testable import LarkspurTransport

@Suite(.timeLimit(.minutes(5))) struct LoopTimeTests {
    @Test(
        "Times are added and subtracted",
        arguments: [(0.0, Int32(0)), (0.0005, 1), (1.5, 1500), (86_400, 86_400_000)]
    )
    func arithmetic(seconds: TimeInterval, milliseconds: Int32) {
        let now = LoopTime.now
        #expect(now.milliseconds(until: now.adding(seconds)) == milliseconds)
    }

    @Test(
        "A time interval that is too long or not a number leads to the distant future",
        arguments: [
            TimeInterval.infinity, .nan, .greatestFiniteMagnitude, 1e16, 1e9,
        ]
    )
    func distantFuture(seconds: TimeInterval) {
        let later = LoopTime.now.adding(seconds)
        #expect(later == .distantFuture)
        #expect(LoopTime.now.milliseconds(until: later) == 86_400_000)
        #expect(LoopTime.distantFuture.adding(1) == .distantFuture)
    }

    @Test(
        "A negative interval does not change a time, and the remaining time to a past time is zero",
        arguments: [-1, -TimeInterval.infinity, -1e300]
    )
    func past(seconds: TimeInterval) {
        let now = LoopTime.now
        #expect(now.adding(seconds) == now)
        #expect(LoopTime.distantFuture.milliseconds(until: now) == 0)
    }
}
#endif
