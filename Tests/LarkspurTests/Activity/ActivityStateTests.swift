import Testing

@testable import Larkspur
@testable import LarkspurActivity

@Suite("Activity state")
struct ActivityStateTests {
    private final class Task {}

    enum Event {
        case resume, end, increment, decrement, enable, disable, delayEnded
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let events: [Event]
        let stage: ActivityState.Stage
        /// What the last event asks for.
        var order: ActivityState.Order?

        var testDescription: String { "\(events)" }
    }

    static let cases = [
        Case(events: [], stage: .notActive),
        Case(events: [.resume], stage: .delayingStart, order: .startActivationDelay),
        Case(events: [.resume, .increment], stage: .delayingStart),
        // The delay runs to its end, and may find nothing, or something else.
        Case(events: [.resume, .end], stage: .delayingStart),
        Case(events: [.resume, .end, .delayEnded], stage: .notActive),
        Case(events: [.resume, .end, .increment], stage: .delayingStart),
        Case(events: [.resume, .end, .increment, .delayEnded], stage: .active),
        Case(events: [.resume, .delayEnded], stage: .active),
        Case(events: [.resume, .delayEnded, .increment], stage: .active),
        Case(events: [.resume, .delayEnded, .increment, .end], stage: .active),
        Case(events: [.resume, .delayEnded, .end], stage: .delayingEnd, order: .startCompletionDelay),
        Case(events: [.resume, .delayEnded, .end, .delayEnded], stage: .notActive),
        Case(events: [.resume, .delayEnded, .end, .increment], stage: .active, order: .cancelDelay),
        // A task counts once, and nothing counts less than nothing.
        Case(events: [.resume, .resume, .delayEnded, .end], stage: .delayingEnd, order: .startCompletionDelay),
        Case(events: [.end, .end, .resume], stage: .delayingStart, order: .startActivationDelay),
        Case(events: [.decrement, .decrement, .increment], stage: .delayingStart, order: .startActivationDelay),
        Case(
            events: [.increment, .increment, .delayEnded, .decrement, .decrement],
            stage: .delayingEnd,
            order: .startCompletionDelay
        ),
        // What is disabled is not active, and counts.
        Case(events: [.disable, .resume], stage: .notActive),
        Case(events: [.disable, .disable], stage: .notActive),
        Case(events: [.resume, .disable], stage: .notActive, order: .cancelDelay),
        Case(events: [.resume, .delayEnded, .disable], stage: .notActive, order: .cancelDelay),
        Case(events: [.disable, .resume, .enable], stage: .delayingStart, order: .startActivationDelay),
        Case(events: [.disable, .resume, .end, .enable], stage: .notActive),
        Case(events: [.delayEnded], stage: .notActive),
        Case(events: [.resume, .delayEnded, .delayEnded], stage: .active),
    ]

    @Test("Each event leads to its stage, and starts or stops the timer", arguments: cases)
    func events(_ test: Case) {
        var state = ActivityState(isEnabled: true)
        let task = Task()
        var order: ActivityState.Order?
        for event in test.events {
            switch event {
            case .resume: order = state.setRunning(true, task: ObjectIdentifier(task))
            case .end: order = state.setRunning(false, task: ObjectIdentifier(task))
            case .increment: order = state.increment()
            case .decrement: order = state.decrement()
            case .enable: order = state.setEnabled(true)
            case .disable: order = state.setEnabled(false)
            case .delayEnded:
                state.delayEnded()
                order = nil
            }
        }
        #expect(state.stage == test.stage)
        #expect(order == test.order)
        #expect(state.isActive == (test.stage == .active || test.stage == .delayingEnd))
    }

    @Test("The state begins disabled")
    func initial() {
        var state = ActivityState()
        #expect(!state.isEnabled)
        #expect(state.increment() == nil)
        #expect(state.isBusy && state.stage == .notActive)
    }
}
