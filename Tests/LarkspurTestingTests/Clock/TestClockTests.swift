import LarkspurTesting
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct TestClockTests {
    private let clock = TestClock()

    @Test("A sleep ends when the clock reaches its deadline, and not before")
    func deadline() async throws {
        let ends = Recorder<Duration>()
        let sleep = Task { [clock] in
            try await clock.sleep(for: .seconds(2))
            ends.record(clock.now.offset)
        }
        try await clock.waitForSleepers(1)
        clock.advance(by: .milliseconds(1_999))
        #expect(clock.sleeperCount == 1 && ends.values.isEmpty)
        clock.advance(by: .milliseconds(1))
        try await sleep.value
        #expect(ends.values == [.seconds(2)] && clock.sleeperCount == 0 && clock.sleeps == [.seconds(2)])
        clock.advance(by: .seconds(-5))
        #expect(clock.now.offset == .seconds(2))
    }

    @Test("A cancelled sleep throws, before it begins and while it lasts")
    func cancellation() async throws {
        let sleep = Task { [clock] in try await clock.sleep(for: .seconds(1)) }
        try await clock.waitForSleepers(1)
        sleep.cancel()
        await #expect(throws: CancellationError.self) { try await sleep.value }
        #expect(clock.sleeperCount == 0)

        let late = Task { [clock] in
            withUnsafeCurrentTask { $0?.cancel() }
            try await clock.sleep(for: .seconds(1))
        }
        await #expect(throws: CancellationError.self) { try await late.value }
        #expect(clock.sleeperCount == 0 && clock.sleeps.count == 2)
    }

    @Test("A wait for sleepers counts current sleeps, and a wait for sleeps counts all sleeps")
    func waits() async throws {
        try await clock.sleep(for: .zero)
        let sleeps = (1...3).map { seconds in Task { [clock] in try await clock.sleep(for: .seconds(seconds)) } }
        try await clock.waitForSleepers(3)
        #expect(try await clock.waitForSleeps(4).sorted() == [.zero, .seconds(1), .seconds(2), .seconds(3)])
        clock.advance(by: .seconds(2))
        #expect(clock.sleeperCount == 1)
        clock.advance(by: .seconds(1))
        for sleep in sleeps { try await sleep.value }
    }

    @Test("A wait has a limit, and its error lists the sleeps")
    func limit() async throws {
        await #expect(throws: LoopbackServer.WaitTimeout.self) { try await clock.waitForSleeps(timeout: .zero) }
        try await clock.sleep(for: .zero)
        let sleep = Task { [clock] in try await clock.sleep(for: .milliseconds(2500)) }
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))

        let sleeps = await #expect(throws: LoopbackServer.WaitTimeout.self) {
            try await clock.waitForSleeps(3, timeout: .zero)
        }
        #expect(
            sleeps?.description
                == "Waited 0.0 seconds for 3 sleeps, but 2 have begun (0.0 seconds, 2.5 seconds), of which "
                + "1 is under way, until 2.5 seconds; it is 1.0 seconds now."
        )
        clock.advance(by: .seconds(2))
        try await sleep.value
        let sleepers = await #expect(throws: LoopbackServer.WaitTimeout.self) {
            try await clock.waitForSleepers(1, timeout: .zero)
        }
        #expect(sleepers?.description.contains("of which none is under way; it is 3.0 seconds now.") == true)
        // A wait that has ended is forgotten.
        for _ in 0..<30 { try await clock.sleep(for: .zero) }
        let many = await #expect(throws: LoopbackServer.WaitTimeout.self) {
            try await clock.waitForSleeps(99, timeout: .zero)
        }
        #expect(many.map { $0.description.count < 500 } == true)
        #expect(many?.description.contains("32 have begun (…") == true)
    }

    @Test("A wait ends when its task is cancelled")
    func cancelledWait() async throws {
        let wait = Task { [clock] in try await clock.waitForSleepers(1) }
        wait.cancel()
        await #expect(throws: CancellationError.self) { try await wait.value }
    }
}
