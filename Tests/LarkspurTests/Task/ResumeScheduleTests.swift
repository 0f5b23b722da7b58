import Testing

@testable import Larkspur

@Suite("The schedule of resumed downloads")
struct ResumeScheduleTests {
    @Test("Pauses double up to half a minute while nothing comes, as often as is allowed")
    func pauses() {
        var schedule = ResumeSchedule(limit: 10)
        let pauses = (0..<11).map { _ in schedule.next(received: 5) }
        #expect(pauses == [0.25, 0.5, 1, 2, 4, 8, 16, 30, 30, 30, nil])
    }

    @Test("Something that has come makes the next pause the shortest again")
    func progress() {
        var schedule = ResumeSchedule(limit: 6)
        let pauses = [0, 0, 0, 1, 1, 2, 3].map { schedule.next(received: $0) }
        #expect(pauses == [0.25, 0.5, 1, 0.25, 0.5, 0.25, nil])
    }

    @Test("There are none where none are allowed", arguments: [0, -1])
    func none(_ limit: Int) {
        var schedule = ResumeSchedule(limit: limit)
        #expect(schedule.next(received: 0) == nil)
    }
}
