import LarkspurTesting
import Testing

@testable import Larkspur

@Suite("Retries in an outage", .timeLimit(.minutes(5)))
struct RetryOutageTests {
    /// A thousand clients call once a second. For ten seconds, the server is down.
    @Test("During an outage, retries add few requests, and calls succeed soon after its end")
    func outage() async throws {
        let clock = TestClock()
        let attempts = Recorder<TestClock.Instant>()
        let successes = Recorder<Int>()
        let outage = TestClock.Instant(offset: .seconds(2))..<TestClock.Instant(offset: .seconds(12))
        let manager = SessionManager.stubbed { _ in
            attempts.record(clock.now)
            return outage.contains(clock.now) ? .fail(URLError(.cannotConnectToHost)) : .json("{}")
        }
        manager.clock = clock
        manager.reportsUnhandledFailures = false
        manager.interceptors.call = [.retry()]
        let count = 1000
        let loops = (0..<count).map { index in
            Task {
                try await clock.sleep(for: .milliseconds(index))
                while !Task.isCancelled {
                    let isSuccess = await manager.get("x").response().error == nil
                    if isSuccess, clock.now >= outage.upperBound { successes.record(index) }
                    try await clock.sleep(for: .seconds(1))
                }
            }
        }
        // Every loop sleeps, either between two calls or before an attempt, when the clock moves on.
        let step = Duration.milliseconds(50)
        try await eventually(count) { clock.sleeperCount }
        while clock.now < outage.upperBound.advanced(by: .seconds(3)) {
            clock.advance(by: step)
            try await eventually(count) { clock.sleeperCount }
        }
        for loop in loops { loop.cancel() }
        for loop in loops { _ = await loop.result }

        let during = attempts.values.count { outage.contains($0) }
        #expect(during >= 9_000 && during <= 12_000, "\(during) attempts")
        #expect(Set(successes.values).count == count)
    }
}
