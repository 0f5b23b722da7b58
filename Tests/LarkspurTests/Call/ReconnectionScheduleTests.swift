import Testing

@testable import Larkspur

@Suite("Delays before the reconnections of an event stream")
struct ReconnectionScheduleTests {
    private func delays(
        _ rules: Reconnection,
        retry: Duration? = nil,
        random: Double = 0,
        count: Int
    ) -> [Duration?] {
        var schedule = ReconnectionSchedule(rules, method: "GET")
        return (0..<count).map { _ in schedule.delay(after: nil, retry: retry, random: random) }
    }

    @Test("Delays begin with 3 seconds and double up to a minute while nothing arrives")
    func growth() {
        #expect(delays(.automatic, count: 7) == [3, 6, 12, 24, 48, 60, 60].map(Duration.seconds))
        #expect(delays(.automatic, count: 200).last == .seconds(60))
    }

    @Test("Content resets the delays")
    func content() {
        var schedule = ReconnectionSchedule(.automatic, method: "GET")
        for _ in 0..<3 { _ = schedule.delay(after: nil, retry: nil) }
        schedule.noteContent()
        #expect(schedule.delay(after: nil, retry: nil, random: 0) == .seconds(3))
    }

    @Test("The server's delay replaces the first delay, within the limits")
    func retry() {
        #expect(delays(.automatic, retry: .seconds(10), count: 4) == [10, 20, 40, 60].map(Duration.seconds))
        #expect(delays(.automatic, retry: .zero, count: 2) == [100, 200].map(Duration.milliseconds))
        #expect(delays(.automatic, retry: .milliseconds(Int64.max), count: 2) == [.seconds(60), .seconds(60)])
        var rules = Reconnection.automatic
        rules.minimumDelay = .seconds(-1)
        #expect(delays(rules, retry: .zero, count: 2) == [.zero, .zero])
        rules.maximumDelay = .seconds(Int64.max)
        #expect(delays(rules, retry: .milliseconds(Int64.max), random: 1, count: 100).last != nil)
    }

    @Test("A random addition of up to a quarter lengthens each delay")
    func jitter() {
        #expect(delays(.automatic, random: 1, count: 6).last == .seconds(75))
        #expect(delays(.automatic, random: 0.5, count: 1) == [.seconds(3.375)])
        var schedule = ReconnectionSchedule(.automatic, method: "GET")
        var drawn: Set<Duration> = []
        for _ in 0..<20 {
            schedule.noteContent()
            if let delay = schedule.delay(after: nil, retry: nil) { drawn.insert(delay) }
        }
        #expect(drawn.count > 1 && drawn.allSatisfy { $0 >= .seconds(3) && $0 <= .seconds(3.75) })
        var rules = Reconnection.automatic
        for jitter in [0, -1, .nan] {
            rules.jitter = jitter
            #expect(delays(rules, random: 1, count: 1) == [.seconds(3)])
        }
        rules.jitter = 9
        #expect(delays(rules, random: 1, count: 1) == [.seconds(6)])
    }

    @Test(
        "Only connection failures lead to a reconnection",
        arguments: [
            (.connectionLost, true), (.timedOut, true), (.cannotConnectToHost, true), (.cannotFindHost, true),
            (.cancelled, false), (.sessionInvalidated, false), (.invalidURL, false), (.certificateExpired, false),
            (.certificateHostMismatch, false), (.secureConnectionFailed, false), (.unacceptableStatusCode, false),
            (.unacceptableContentType, false), (.contentTooLarge, false), (.malformedResponse, false),
        ] as [(LarkspurError.Code, Bool)]
    )
    func failures(_ code: LarkspurError.Code, _ isFollowed: Bool) {
        var schedule = ReconnectionSchedule(.always, method: "GET")
        #expect((schedule.delay(after: LarkspurError(code, ""), retry: nil) != nil) == isFollowed)
    }

    @Test("By default only GET requests are sent again")
    func methods() {
        func isFollowed(_ rules: Reconnection, _ method: String) -> Bool {
            var schedule = ReconnectionSchedule(rules, method: method)
            return schedule.delay(after: nil, retry: nil) != nil
        }
        #expect(isFollowed(.automatic, "GET") && !isFollowed(.automatic, "POST") && !isFollowed(.automatic, "get"))
        #expect(isFollowed(.always, "GET") && isFollowed(.always, "POST"))
        #expect(!isFollowed(.never, "GET") && !isFollowed(.never, "POST"))
    }

    @Test("The number of consecutive connections without content is limited")
    func maximumAttempts() {
        var rules = Reconnection.automatic
        rules.maximumAttempts = 2
        var schedule = ReconnectionSchedule(rules, method: "GET")
        #expect(schedule.delay(after: nil, retry: nil) != nil && schedule.exhaustion == nil)
        schedule.noteContent()
        #expect(schedule.delay(after: nil, retry: nil) != nil && schedule.exhaustion == nil)
        #expect(schedule.delay(after: nil, retry: nil) == nil && schedule.exhaustion?.code == .connectionLost)
    }
}
