import TestSupport
import Testing

@testable import Larkspur

@Suite("The course of a call")
struct CallCourseTests {
    /// A state, and what a call in that state still takes.
    struct Row: Sendable {
        let state: SessionTask.State
        let takesFailure: Bool
        let takesCancellation: Bool
        let takesSuspension: Bool
    }

    static let table: [Row] = [
        Row(state: .initialized, takesFailure: true, takesCancellation: true, takesSuspension: true),
        Row(state: .running, takesFailure: true, takesCancellation: true, takesSuspension: true),
        Row(state: .suspended, takesFailure: true, takesCancellation: true, takesSuspension: false),
        Row(state: .canceling, takesFailure: false, takesCancellation: false, takesSuspension: true),
        Row(state: .completed, takesFailure: false, takesCancellation: true, takesSuspension: true),
    ]

    private static func course(_ state: SessionTask.State) -> CallCourse {
        var course = CallCourse()
        if state != .initialized { _ = course.handle { $0.resume() } }
        switch state {
        case .initialized, .running: break
        case .suspended: _ = course.handle { $0.suspend() }
        case .canceling: _ = course.handle { $0.cancel() }
        case .completed: _ = course.end()
        }
        return course
    }

    @Test("A handler or a failure is stored only if the state of the call allows it", arguments: table)
    func late(_ row: Row) {
        var course = Self.course(row.state)
        let owner = ObjectIdentifier(CallHandler(queue: nil))

        #expect(course.state == row.state)
        let takesCancellation = course.store {}
        #expect(takesCancellation == row.takesCancellation)
        let takesSuspension = course.store(suspensionHandler: {}, of: owner)
        #expect(takesSuspension == row.takesSuspension)
        let removesHandler = course.store(suspensionHandler: nil, of: owner)
        #expect(removesHandler)
        let failures = ["1", "2"].map { course.fail(with: LarkspurError(.timedOut, $0)) }
        #expect(failures == [row.takesFailure, false])
        #expect(course.failure?.error.message == (row.takesFailure ? "1" : nil))
    }

    @Test("Interceptors are told of the first suspension, and of the cancellation")
    func actions() {
        var course = Self.course(.running)
        let calls = Recorder<String>()
        let owner = CallHandler(queue: nil)
        let other = CallHandler(queue: nil)
        _ = course.store { calls.record("cancelled") }
        _ = course.store(suspensionHandler: { calls.record("suspended") }, of: ObjectIdentifier(owner))
        _ = course.store(suspensionHandler: { calls.record("removed") }, of: ObjectIdentifier(other))
        _ = course.store(suspensionHandler: nil, of: ObjectIdentifier(other))

        for _ in 0..<2 {
            for action in course.handle({ $0.suspend() }).1 { action() }
            for action in course.handle({ $0.resume() }).1 { action() }
        }
        #expect(calls.values == ["suspended"])

        for _ in 0..<2 { for action in course.handle({ $0.cancel() }).1 { action() } }
        #expect(calls.values == ["suspended", "cancelled"])
    }

    @Test("A call ends once, and releases its interceptors")
    func end() {
        var course = Self.course(.running)
        _ = course.store {}

        let ends = [course.end(), course.end()]
        #expect(ends.map { $0?.state } == [.running, nil])
        let (_, actions) = course.handle { $0.cancel() }
        #expect(actions.isEmpty)
    }
}
