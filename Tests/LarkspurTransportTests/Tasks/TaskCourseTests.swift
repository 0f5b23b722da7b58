#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
import Testing

@testable import LarkspurTransport

@Suite("TaskCourse")
struct TaskCourseTests {
    private let now = LoopTime.now

    private func resumed(at time: LoopTime? = nil) -> TaskCourse {
        var course = TaskCourse()
        _ = course.resume(at: time ?? now)
        return course
    }

    @Test("A task is new until it is resumed or cancelled")
    func untouched() {
        var course = TaskCourse()
        #expect(course.isUntouched && !course.isStarted)
        _ = course.suspend()
        #expect(course.isUntouched)
        _ = course.cancel(with: URLError(.cancelled), isResumable: false)
        #expect(!course.isUntouched && !course.isStarted)
        #expect(!resumed().isUntouched && resumed().isStarted)
    }

    @Test("Controls have no effect on a task that was cancelled or has ended", arguments: [true, false])
    func noControl(isCancelled: Bool) {
        var course = resumed()
        if isCancelled {
            _ = course.cancel(with: URLError(.cancelled), isResumable: false)
        } else {
            _ = course.end(with: nil, heedsCancellation: true)
        }
        let state = course.state
        let change = course.suspend()
        #expect(change == nil)
        let isCancelledAgain = course.cancel(with: URLError(.timedOut), isResumable: false)
        #expect(!isCancelledAgain)
        #expect(course.state == state)
        #expect(course.begin(at: now) == .never)
    }

    @Test("A task begins once, and not while it is suspended")
    func beginning() {
        var course = resumed()
        _ = course.suspend()
        #expect(course.begin(at: now) == .later(Dormancy(timerStart: now, beginning: nil)))
        #expect(!course.hasBegun)
        _ = course.resume()
        #expect(course.begin(at: now) == .now)
        #expect(course.hasBegun)
        #expect(course.begin(at: now) == .never)
    }

    @Test("A task waits for its earliest begin date, and its time is measured from that date")
    func beginDate() {
        var course = resumed()
        course.earliestBeginDate = Date(timeIntervalSinceNow: 100)
        guard case .later(let dormancy) = course.begin(at: now) else {
            Issue.record("It begins.")
            return
        }
        #expect(dormancy.beginning.map { $0 > now.adding(90) } == true)
        #expect(dormancy.timerStart > now.adding(90))
        course.earliestBeginDate = Date(timeIntervalSinceNow: -100)
        #expect(course.begin(at: now) == .now)
    }

    @Test("The time of a task is measured from its first resumption")
    func timerStart() {
        var course = resumed(at: now.subtracting(50))
        _ = course.suspend()
        _ = course.resume(at: now)
        #expect(course.timerStart(at: now) == now.subtracting(50))
        #expect(TaskCourse().timerStart(at: now) == now)
    }

    @Test(
        "A cancellation is the error of a task without one, unless it leaves resume data or comes too late",
        arguments: [
            (nil, true, false, .cancelled), (nil, false, false, nil), (nil, true, true, nil),
            (.timedOut, true, false, .timedOut), (.timedOut, true, true, .timedOut),
        ] as [(URLError.Code?, Bool, Bool, URLError.Code?)]
    )
    func end(outcome: URLError.Code?, heedsCancellation: Bool, isResumable: Bool, error: URLError.Code?) {
        var course = resumed()
        let isCancelled = course.cancel(with: URLError(.cancelled), isResumable: isResumable)
        #expect(isCancelled)
        #expect(course.isAbandoned == !isResumable)
        let ended = course.end(with: outcome.map { URLError($0) }, heedsCancellation: heedsCancellation)
        #expect((ended as? URLError)?.code == error)
        #expect(course.state == .completed && course.isCancelled && course.isAbandoned)
    }
}
#endif
