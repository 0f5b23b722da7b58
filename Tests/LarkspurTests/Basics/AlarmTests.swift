import Foundation
import LarkspurTesting
import TestSupport
import Testing

@testable import Larkspur

@Suite("Alarms", .timeLimit(.minutes(5)))
struct AlarmTests {
    private let schedule = AlarmSchedule()
    private let clock = ContinuousClock()

    private func alarm(in duration: Duration, _ action: @escaping @Sendable (Bool) -> Void) -> Alarm {
        let alarm = Alarm(in: schedule)
        alarm.set(for: clock.now.advanced(by: duration), action)
        return alarm
    }

    @Test("An action runs once, and not before its time")
    func time() async throws {
        let rings = Recorder<Duration>()
        let start = clock.now
        let clock = clock
        for time in [30, 10, 20, 10, 0, -5] {
            _ = alarm(in: .milliseconds(time)) { isTime in
                #expect(isTime)
                rings.record(start.duration(to: clock.now) - .milliseconds(time))
            }
        }
        let delays = try await rings.wait { $0.count >= 6 }
        #expect(delays.count == 6 && delays.allSatisfy { $0 >= .zero })
        #expect(schedule.times.isEmpty)
        try await eventually(0) { schedule.sleepCount }
    }

    @Test("A cancelled alarm acts at once, and a cancelled alarm cannot be set")
    func cancellation() {
        let actions = Recorder<Bool>()
        let set = alarm(in: .seconds(3600)) { actions.record($0) }
        set.cancel()
        set.cancel()
        #expect(actions.values == [false])
        let unset = Alarm(in: schedule)
        unset.cancel()
        unset.set(for: clock.now) { actions.record($0) }
        #expect(actions.values == [false, false])
        #expect(schedule.times.isEmpty)
    }

    @Test("Cancelled alarms leave nothing behind, and an earlier alarm does not wait for a later one")
    func remains() async throws {
        let later = alarm(in: .seconds(3600)) { _ in }
        for _ in 0..<10_000 { alarm(in: .seconds(1800)) { _ in }.cancel() }
        #expect(schedule.sleepCount == 2)
        for _ in 0..<20 {
            let rings = Recorder<Bool>()
            _ = alarm(in: .milliseconds(1)) { rings.record($0) }
            #expect(try await rings.wait { !$0.isEmpty } == [true])
        }
        try await eventually(2) { schedule.sleepCount }
        later.cancel()
        #expect(schedule.times.isEmpty)
    }

    @Test("Each action runs once although the alarm is cancelled at its time")
    func race() async {
        let actions = Recorder<Bool>()
        let count = 5000
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                group.addTask {
                    await withCheckedContinuation { continuation in
                        let alarm = alarm(in: .microseconds(number % 500)) {
                            actions.record($0)
                            continuation.resume()
                        }
                        Task.detached { alarm.cancel() }
                    }
                }
            }
        }
        #expect(actions.values.count == count)
        #expect(schedule.times.isEmpty)
    }

    @Test("A wait ends at its time, or when its task is cancelled")
    func wait() async throws {
        let start = clock.now
        #expect(await clock.wait(for: .milliseconds(5)))
        #expect(start.duration(to: clock.now) >= .milliseconds(5))
        for isEarly in [true, false] {
            let task = Task { [clock] in await clock.wait(for: .seconds(3600)) }
            if !isEarly { await Task.yield() }
            task.cancel()
            #expect(await task.value == false)
        }
    }

    @Test("The limits of a call are alarms, and none is left when the call has ended")
    func callLimits() async throws {
        let server = try LoopbackServer()
        let gate = LoopbackServer.Gate()
        server.route("/held") { _ in .text("done").held(until: gate) }
        let manager = SessionManager(baseURL: server.baseURL)
        // No other test has such limits.
        let day = Duration.seconds(86_400)
        manager.interceptors = .standard(total: day * 300, attempt: day * 200)
        let start = clock.now
        let count = { AlarmSchedule.shared.times.count { $0 > start.advanced(by: day * 100) } }
        let call = manager.get("held").timeout(total: day * 400)
        async let text = call.string
        try await eventually(3) { count() }
        gate.open()
        #expect(try await text == "done")
        try await eventually(0) { count() }
    }
}
