import Synchronization
import Testing

@testable import Larkspur

@Suite("Commands to the transfers of a call")
struct CallAttemptTests {
    /// A transfer that does nothing.
    private struct IdleTransfer: Transfer {
        var identifier = 1

        var urlSessionTask: URLSessionTask? { nil }
        var originalRequest: URLRequest? { nil }
        var currentRequest: URLRequest? { nil }
        var response: URLResponse? { nil }
        var trailers: [String: String]? { nil }
        var metrics: [TransactionMetrics] { [] }
        var currentResumeData: Data? { nil }
        var waitsForConnection: Bool { false }
        var connectionWait: ConnectionWait? { nil }

        func perform(_ control: TaskControl) {}
        func setPriority(_ priority: Float) {}
    }

    enum Event: Sendable {
        /// The task enters a state.
        case enter(SessionTask.State)
        case keepResumeData
        /// The events of one attempt and the next.
        case cancelAttempt
        case cancelAttemptKeepingResumeData
        case beginCancelled
        case endAttempt
        case beginAttempt
    }

    struct Row: Sendable {
        let events: [Event]
        let orders: [TaskControl]
    }

    static let table: [Row] = [
        Row(events: [], orders: []),
        Row(events: [.enter(.running)], orders: [.start]),
        Row(events: [.enter(.running), .enter(.suspended)], orders: [.start, .suspend]),
        Row(events: [.enter(.running), .enter(.suspended), .enter(.running)], orders: [.start, .suspend, .resume]),
        Row(events: [.enter(.suspended), .enter(.running)], orders: [.start]),
        Row(events: [.enter(.canceling)], orders: [.cancel]),
        Row(events: [.enter(.running), .enter(.canceling), .enter(.canceling)], orders: [.start, .cancel]),
        Row(
            events: [.enter(.running), .keepResumeData, .enter(.canceling), .enter(.canceling)],
            orders: [.start, .cancelKeepingResumeData]
        ),
        Row(events: [.enter(.completed)], orders: []),
        Row(events: [.enter(.running), .enter(.completed)], orders: [.start]),
        // The task goes on when its attempt is cancelled.
        Row(events: [.enter(.running), .cancelAttempt, .enter(.suspended)], orders: [.start, .cancel]),
        Row(events: [.enter(.running), .cancelAttempt, .enter(.canceling)], orders: [.start, .cancel]),
        Row(
            events: [.enter(.running), .cancelAttemptKeepingResumeData, .enter(.canceling)],
            orders: [.start, .cancelKeepingResumeData]
        ),
        // An attempt that is cancelled from the beginning is not started.
        Row(events: [.enter(.running), .endAttempt, .beginCancelled], orders: [.start, .cancel]),
        // Between two attempts no order is given.
        Row(events: [.enter(.running), .endAttempt, .enter(.suspended)], orders: [.start]),
        Row(events: [.enter(.running), .endAttempt, .beginAttempt], orders: [.start, .start]),
        Row(
            events: [.enter(.running), .cancelAttempt, .endAttempt, .beginAttempt],
            orders: [.start, .cancel, .start]
        ),
        Row(
            events: [.enter(.running), .endAttempt, .enter(.suspended), .beginAttempt, .enter(.running)],
            orders: [.start, .start]
        ),
        Row(events: [.enter(.running), .endAttempt, .enter(.canceling), .beginAttempt], orders: [.start, .cancel]),
    ]

    @Test("A new transfer gets the commands that bring it to the state of the task", arguments: table)
    func orders(_ row: Row) {
        var attempt = CallAttempt()
        var state = SessionTask.State.initialized
        let priority = attempt.attach(IdleTransfer())
        #expect(priority == URLSessionTask.defaultPriority)

        var orders: [TaskControl] = []
        for event in row.events {
            switch event {
            case .enter(let next): state = next
            case .keepResumeData: attempt.keepsResumeData = true
            case .cancelAttempt: attempt.cancel(keepingResumeData: false)
            case .cancelAttemptKeepingResumeData: attempt.cancel(keepingResumeData: true)
            case .beginCancelled: attempt.begin(isCancelled: true)
            case .endAttempt: attempt.end(leaving: Data([1]))
            case .beginAttempt: attempt.begin(isCancelled: false)
            }
            var isFirst = true
            while case .order(_, let control) = attempt.nextStep(towards: state, isFirst: isFirst) {
                orders.append(control)
                isFirst = false
            }
        }

        #expect(orders == row.orders)
    }

    @Test("Without a transfer no command is given, and resume data stays until the next attempt begins")
    func resumeData() {
        var attempt = CallAttempt()
        guard case .rest = attempt.nextStep(towards: .running, isFirst: true) else {
            Issue.record("An order without a transfer")
            return
        }

        attempt.end(leaving: Data([1]))
        #expect(attempt.resumeData == Data([1]))

        attempt.begin(isCancelled: false)
        #expect(attempt.resumeData == nil)
    }

    @Test("If another thread is giving commands, a thread leaves its own command to that thread")
    func oneThreadAtATime() {
        var attempt = CallAttempt()
        _ = attempt.attach(IdleTransfer())
        let steps = [(SessionTask.State.running, true), (.suspended, true), (.suspended, false), (.suspended, false)]

        let orders = steps.map { state, isFirst in attempt.nextStep(towards: state, isFirst: isFirst).control }
        #expect(orders == [.start, nil, .suspend, nil])
    }

    @Test("A task that takes over a transfer waits until the other task has given its last command")
    func succession() {
        var attempt = CallAttempt()
        var successor = CallAttempt()
        let turns = Atomic(0)
        _ = attempt.attach(IdleTransfer(identifier: 1))
        _ = attempt.nextStep(towards: .running, isFirst: true)

        successor.takeOver(IdleTransfer(identifier: 2), from: attempt)
        attempt.leave(showing: IdleTransfer(identifier: 3)) { turns.add(1, ordering: .relaxed) }

        #expect(attempt.transfer?.identifier == 3)
        let early = successor.nextStep(towards: .suspended, isFirst: true)
        #expect(early.control == nil)
        guard case .rest(let takeTurn?) = attempt.nextStep(towards: .suspended, isFirst: false) else {
            Issue.record("The first task goes on with orders")
            return
        }
        takeTurn()
        #expect(turns.load(ordering: .relaxed) == 1)
        successor.takeTurn()
        let step = successor.nextStep(towards: .suspended, isFirst: true)
        #expect(step.control == .suspend)
    }
}

extension CallAttempt.Step {
    /// The order; nil if none is left.
    fileprivate var control: TaskControl? {
        if case .order(_, let control) = self { control } else { nil }
    }
}
