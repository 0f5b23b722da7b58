import Testing

@testable import Larkspur

@Suite("Task state machine")
struct TaskStateMachineTests {
    enum Event: CaseIterable, Sendable {
        case resume
        case suspend
        case cancel
        case complete

        func apply(to machine: inout TaskStateMachine) -> TaskStateMachine.Transition? {
            switch self {
            case .resume: machine.resume()
            case .suspend: machine.suspend()
            case .cancel: machine.cancel()
            case .complete: machine.end()
            }
        }
    }

    struct Row: Sendable {
        let path: [Event]
        let event: Event
        let transition: TaskStateMachine.Transition?
        let state: SessionTask.State
    }

    /// Every state, reached by `path`, times every event.
    static let table: [Row] = [
        Row(path: [], event: .resume, transition: .started, state: .running),
        Row(path: [], event: .suspend, transition: nil, state: .initialized),
        Row(path: [], event: .cancel, transition: .cancelled(hadStarted: false), state: .canceling),
        Row(path: [], event: .complete, transition: .completed, state: .completed),
        Row(path: [.resume], event: .resume, transition: nil, state: .running),
        Row(path: [.resume], event: .suspend, transition: .suspended, state: .suspended),
        Row(path: [.resume], event: .cancel, transition: .cancelled(hadStarted: true), state: .canceling),
        Row(path: [.resume], event: .complete, transition: .completed, state: .completed),
        Row(path: [.resume, .suspend], event: .resume, transition: .resumed, state: .running),
        Row(path: [.resume, .suspend], event: .suspend, transition: nil, state: .suspended),
        Row(path: [.resume, .suspend], event: .cancel, transition: .cancelled(hadStarted: true), state: .canceling),
        Row(path: [.resume, .suspend], event: .complete, transition: .completed, state: .completed),
        Row(path: [.cancel], event: .resume, transition: nil, state: .canceling),
        Row(path: [.cancel], event: .suspend, transition: nil, state: .canceling),
        Row(path: [.cancel], event: .cancel, transition: nil, state: .canceling),
        Row(path: [.cancel], event: .complete, transition: .completed, state: .completed),
        Row(path: [.complete], event: .resume, transition: nil, state: .completed),
        Row(path: [.complete], event: .suspend, transition: nil, state: .completed),
        Row(path: [.complete], event: .cancel, transition: nil, state: .completed),
        Row(path: [.complete], event: .complete, transition: nil, state: .completed),
    ]

    @Test("Every event in every state has its transition", arguments: table)
    func transition(_ row: Row) {
        var machine = TaskStateMachine()
        for event in row.path { _ = event.apply(to: &machine) }

        #expect(row.event.apply(to: &machine) == row.transition)
        #expect(machine.state == row.state)
    }

    @Test("In every sequence of six events, resumes and suspends alternate, and no event follows the completion")
    func sequences() {
        func visit(_ machine: TaskStateMachine, _ past: [TaskStateMachine.Transition], depth: Int) {
            check(past)
            guard depth > 0 else { return }
            for event in Event.allCases {
                var next = machine
                let transition = event.apply(to: &next)
                if transition == nil { #expect(next == machine) }
                visit(next, past + [transition].compactMap(\.self), depth: depth - 1)
            }
        }
        visit(TaskStateMachine(), [], depth: 6)
    }

    private func check(_ transitions: [TaskStateMachine.Transition]) {
        if let end = transitions.firstIndex(of: .completed) { #expect(end == transitions.count - 1) }
        #expect(transitions.count { $0 == .started } <= 1)
        #expect(transitions.count { if case .cancelled = $0 { true } else { false } } <= 1)
        let running = transitions.filter { $0 == .started || $0 == .resumed || $0 == .suspended }
        for (index, transition) in running.enumerated() {
            #expect((transition == .suspended) == (index % 2 == 1))
        }
    }
}
