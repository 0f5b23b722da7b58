#if canImport(FoundationNetworking)
import Testing

@testable import LarkspurTransport

@Suite("Resuming and suspending in TaskCourse")
struct TaskCourseChangeTests {
    enum Call: Sendable {
        case resume, suspend, pause, unpause
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let calls: [Call]
        /// One letter a call: r for resumed, s for suspended, - for nothing.
        let changes: String

        init(_ description: String, _ calls: [Call], _ changes: String) {
            testDescription = description
            self.calls = calls
            self.changes = changes
        }
    }

    @Test(
        "Suspensions nest, and a paused progress counts as one suspension",
        arguments: [
            Row("a new task is suspended once", [.resume], "r"),
            Row("nested before the start", [.suspend, .suspend, .resume, .resume, .resume], "----r"),
            Row("not saved up", [.resume, .resume, .resume, .suspend, .resume], "r--sr"),
            Row("nested while it runs", [.resume, .suspend, .suspend, .resume, .resume], "rs--r"),
            Row("a progress counts once", [.resume, .pause, .pause, .unpause, .unpause], "rs-r-"),
            Row("a progress beside the task", [.resume, .suspend, .pause, .resume, .unpause], "rs--r"),
            Row("a progress that comes too late", [.resume, .suspend, .unpause], "rs-"),
            Row("a progress starts a task", [.unpause, .unpause], "r-"),
            Row("paused before the start", [.pause, .resume, .unpause], "--r"),
        ]
    )
    func changes(row: Row) {
        var course = TaskCourse()
        let changes = row.calls.map { call in
            let change =
                switch call {
                case .resume: course.resume()
                case .suspend: course.suspend()
                case .pause: course.follow(isPaused: true)
                case .unpause: course.follow(isPaused: false)
                }
            return change.map { $0 == .resumed ? "r" : "s" } ?? "-"
        }
        #expect(changes.joined() == row.changes)
    }
}
#endif
