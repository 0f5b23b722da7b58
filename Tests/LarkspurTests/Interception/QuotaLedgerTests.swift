import HTTPSyntax
import Testing

@testable import Larkspur

@Suite("The ledger of a server's limits")
struct QuotaLedgerTests {
    private func limit(_ remaining: Int, _ seconds: Int, name: String = "") -> AnnouncedRateLimit {
        AnnouncedRateLimit(name: name, remaining: remaining, reset: .seconds(seconds))
    }

    /// The number of requests that may be sent at once; at most 100.
    private func count(_ ledger: QuotaLedger, at seconds: Int) -> Int {
        var ledger = ledger
        for count in 0..<100 {
            guard ledger.obstacle(at: .seconds(seconds)) == nil else { return count }
            _ = ledger.begin(at: .seconds(seconds))
        }
        return 100
    }

    @Test("Without an announcement, all requests are sent, and nothing is stored")
    func unknown() {
        var ledger = QuotaLedger()
        #expect(count(ledger, at: 0) == 100)
        let ticket = ledger.begin(at: .zero)
        #expect(!ledger.isEmpty)
        ledger.end(ticket, [], isAnswer: true, at: .zero)
        #expect(ledger.isEmpty)
    }

    @Test("The requests in flight are subtracted from what a response announces, until they have ended")
    func inFlight() {
        var ledger = QuotaLedger()
        let tickets = (0..<4).map { _ in ledger.begin(at: .zero) }
        // The server may have counted the other three before or after this one.
        ledger.end(tickets[1], [limit(10, 60)], isAnswer: true, at: .zero)
        #expect(count(ledger, at: 0) == 7)
        ledger.end(tickets[0], [limit(9, 60)], isAnswer: true, at: .zero)
        ledger.end(tickets[3], [limit(8, 60)], isAnswer: true, at: .zero)
        #expect(count(ledger, at: 0) == 7)
        ledger.end(tickets[2], [limit(11, 60)], isAnswer: true, at: .zero)
        #expect(count(ledger, at: 0) == 8)
    }

    @Test("A request without a response may have been counted last")
    func lost() {
        var ledger = QuotaLedger()
        let tickets = (0..<3).map { _ in ledger.begin(at: .zero) }
        ledger.end(tickets[0], [limit(10, 60)], isAnswer: true, at: .zero)
        ledger.end(tickets[1], [], isAnswer: false, at: .zero)
        ledger.end(tickets[2], [limit(9, 60)], isAnswer: true, at: .zero)
        #expect(count(ledger, at: 0) == 8)
        // The next request is sent after the end of the lost one.
        ledger.end(ledger.begin(at: .zero), [limit(7, 60)], isAnswer: true, at: .zero)
        #expect(count(ledger, at: 0) == 7)
    }

    @Test("A newer response replaces an older one, because other clients may share the quota")
    func otherClients() {
        var ledger = QuotaLedger()
        let slow = ledger.begin(at: .zero)
        ledger.end(ledger.begin(at: .zero), [limit(50, 60)], isAnswer: true, at: .zero)
        #expect(count(ledger, at: 0) == 49)
        ledger.end(ledger.begin(at: .zero), [limit(5, 60)], isAnswer: true, at: .zero)
        #expect(count(ledger, at: 0) == 4)
        // The server has counted it before the other two.
        ledger.end(slow, [limit(51, 60)], isAnswer: true, at: .zero)
        #expect(count(ledger, at: 0) == 5)
        ledger.end(ledger.begin(at: .zero), [limit(3, 60)], isAnswer: true, at: .zero)
        #expect(count(ledger, at: 0) == 3)
    }

    @Test("After the reset, one request is sent as a trial, and its response says what is allowed")
    func trial() {
        var ledger = QuotaLedger()
        ledger.end(ledger.begin(at: .zero), [limit(0, 60)], isAnswer: true, at: .seconds(1))
        #expect(ledger.obstacle(at: .seconds(60)) == .init(name: "", time: .seconds(61)))
        #expect(ledger.certainObstacle(at: .seconds(60)) == .init(name: "", time: .seconds(61)))
        #expect(count(ledger, at: 61) == 1)

        let lost = ledger.begin(at: .seconds(61))
        #expect(ledger.obstacle(at: .seconds(62)) == .init(name: "", time: .seconds(71)))
        #expect(ledger.certainObstacle(at: .seconds(62)) == nil)
        ledger.end(lost, [], isAnswer: false, at: .seconds(62))
        #expect(count(ledger, at: 62) == 1)

        let endless = ledger.begin(at: .seconds(62))
        #expect(count(ledger, at: 71) == 0 && count(ledger, at: 72) == 1)
        let second = ledger.begin(at: .seconds(72))
        ledger.end(second, [limit(9, 60)], isAnswer: true, at: .seconds(72))
        #expect(count(ledger, at: 72) == 8)
        ledger.end(endless, [limit(9, 60)], isAnswer: true, at: .seconds(72))
        #expect(count(ledger, at: 72) == 9)
    }

    @Test("If the response to a trial does not mention the limit, it no longer exists")
    func withdrawn() {
        var ledger = QuotaLedger()
        ledger.end(ledger.begin(at: .zero), [limit(0, 60)], isAnswer: true, at: .zero)
        ledger.end(ledger.begin(at: .seconds(60)), [], isAnswer: false, at: .seconds(60))
        #expect(ledger.entries.count == 1)
        ledger.end(ledger.begin(at: .seconds(60)), [], isAnswer: true, at: .seconds(60))
        #expect(ledger.isEmpty && count(ledger, at: 60) == 100)
    }

    @Test("What is left of the old quota may be used after the reset without a trial")
    func leftover() {
        var ledger = QuotaLedger()
        ledger.end(ledger.begin(at: .zero), [limit(3, 60)], isAnswer: true, at: .zero)
        #expect(count(ledger, at: 59) == 3 && count(ledger, at: 60) == 4)
    }

    @Test("Late responses from before the reset change nothing")
    func lateResponse() {
        var ledger = QuotaLedger()
        let slow = ledger.begin(at: .zero)
        let first = ledger.begin(at: .seconds(59))
        ledger.end(first, [limit(0, 1)], isAnswer: true, at: .seconds(59))
        let trial = ledger.begin(at: .seconds(60))
        ledger.end(trial, [limit(9, 60)], isAnswer: true, at: .seconds(61))
        ledger.end(slow, [limit(1, 2)], isAnswer: true, at: .seconds(62))
        #expect(count(ledger, at: 62) == 9)
        #expect(ledger.entries.first?.reset == .seconds(121))
    }

    @Test("All limits must allow a request, and the one that lasts longest is named")
    func severalLimits() {
        var ledger = QuotaLedger()
        let limits = [limit(1, 10, name: "burst"), limit(3, 3600, name: "daily")]
        ledger.end(ledger.begin(at: .zero), limits, isAnswer: true, at: .zero)
        #expect(count(ledger, at: 0) == 1)
        let more = [limit(0, 10, name: "burst"), limit(0, 3600, name: "daily")]
        ledger.end(ledger.begin(at: .zero), more, isAnswer: true, at: .zero)
        #expect(ledger.certainObstacle(at: .zero) == .init(name: "daily", time: .seconds(3600)))
        #expect(ledger.obstacle(at: .seconds(10)) == .init(name: "daily", time: .seconds(3600)))
    }

    @Test("A request takes nothing from a limit that its response does not mention among others")
    func otherLimit() {
        var ledger = QuotaLedger()
        ledger.end(ledger.begin(at: .zero), [limit(2, 60, name: "search")], isAnswer: true, at: .zero)
        for index in 0..<20 {
            let core = [limit(500 - index, 60, name: "core")]
            ledger.end(ledger.begin(at: .zero), core, isAnswer: true, at: .zero)
        }
        #expect(count(ledger, at: 0) == 2)
    }

    @Test("A limit that leaves nothing is certain while requests are in flight, and another one is not")
    func certainty() {
        var ledger = QuotaLedger()
        let stream = ledger.begin(at: .zero)
        ledger.end(ledger.begin(at: .zero), [limit(1, 60)], isAnswer: true, at: .zero)
        #expect(count(ledger, at: 0) == 0 && ledger.certainObstacle(at: .zero) == nil)
        ledger.end(stream, [], isAnswer: false, at: .zero)
        #expect(count(ledger, at: 0) == 0 && ledger.certainObstacle(at: .zero) != nil)

        var other = QuotaLedger()
        _ = other.begin(at: .zero)
        other.end(other.begin(at: .zero), [limit(0, 60)], isAnswer: true, at: .zero)
        #expect(other.certainObstacle(at: .zero) != nil)
    }

    @Test("The number of limits of a partition is limited")
    func manyLimits() {
        var ledger = QuotaLedger()
        for index in 0..<100 {
            let limit = limit(100_000, 1000 + index, name: "\(index)")
            ledger.end(ledger.begin(at: .zero), [limit], isAnswer: true, at: .zero)
        }
        #expect(ledger.entries.count == QuotaLedger.maximumEntries)
        #expect(ledger.entries.contains { $0.limit.name == "99" } && !ledger.entries.contains { $0.limit.name == "0" })
    }

    // MARK: Lanes

    @Test("Calls are refused if they would wait too long, and after they have waited")
    func lane() throws {
        var lane = QuotaLane<String>()
        func add(_ name: String, _ id: Int, priority: Int = 0, deadline: Int) {
            lane.add(name, id, priority: priority, deadline: .seconds(deadline))
        }
        func settle(at seconds: Int) -> [String] { outcomes(lane.settle(at: .seconds(seconds))) }
        func nextTime(at seconds: Int) -> Duration? { lane.nextTime(at: .seconds(seconds)) }

        let ticket = lane.enter(at: .zero)
        lane.ledger.end(try #require(ticket), [limit(0, 90)], isAnswer: true, at: .zero)
        let second = lane.enter(at: .zero)
        #expect(second == nil)
        add("early", 1, deadline: 60)
        #expect(settle(at: 0) == ["early: until 90"] && nextTime(at: 0) == nil)

        add("a", 2, deadline: 92)
        add("b", 3, priority: 1, deadline: 93)
        add("c", 4, deadline: 94)
        #expect(settle(at: 40) == [] && nextTime(at: 40) == .seconds(90))
        #expect(settle(at: 90) == ["b: sent"] && nextTime(at: 90) == .seconds(92))
        #expect(settle(at: 92) == ["a: waited"] && nextTime(at: 92) == .seconds(94))
        let last = lane.remove(4)
        #expect(last == "c" && nextTime(at: 92) == nil && lane.count == 0)
        #expect(!lane.isEmpty && !lane.isIdle)
    }

    private func outcomes(_ outcomes: [(String, QuotaLane<String>.Outcome)]) -> [String] {
        outcomes.map { name, outcome in
            switch outcome {
            case .send: "\(name): sent"
            case .refuse(let refusal) where refusal.hasWaited: "\(name): waited"
            case .refuse(let refusal): "\(name): until \(refusal.obstacle?.time.components.seconds ?? -1)"
            }
        }
    }

    @Test("The number of partitions is limited, and those in use are kept")
    func table() {
        var table = QuotaTable<Int, String>(capacity: 10)
        _ = table.change(-1) { $0.enter(at: .zero) }
        for index in 0..<1000 {
            table.change(index) { lane in
                guard let ticket = lane.enter(at: .zero) else { return }
                lane.ledger.end(ticket, [limit(1, 60)], isAnswer: true, at: .zero)
            }
            #expect(table.count <= 10)
        }
        #expect(table.ledger(of: -1)?.inFlight == 1 && table.ledger(of: 999) != nil && table.ledger(of: 0) == nil)
        table.change(2000) { _ in }
        #expect(table.ledger(of: 2000) == nil)
        for index in 0..<50 { table.change(index) { _ = $0.enter(at: .zero) } }
        #expect((0..<50).allSatisfy { table.ledger(of: $0)?.inFlight == 1 })
    }
}
