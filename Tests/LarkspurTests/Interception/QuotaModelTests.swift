import HTTPSyntax
import TestSupport
import Testing

@testable import Larkspur

/// Random sequences of requests to a model of a server with limits, with one client that is alone.
///
/// The responses overtake each other, and some are lost. The client is a ``QuotaLane``, and reads the fields that the
/// server sends.
@Suite("A model of a server with limits", .timeLimit(.minutes(5)))
struct QuotaModelTests {
    @Test("No request beyond what the server has announced is sent, and none waits forever", .seeded)
    func randomSequences() {
        for number in 0..<150 {
            var generator = SeededGenerator(number)
            let losses: Double = [0, 0, 0.1, 0.4].randomElement(using: &generator) ?? 0
            var model = QuotaModel(generator, policyCount: Int.random(in: 1...2, using: &generator), losses: losses)
            model.run(
                calls: Int.random(in: 1...300, using: &generator),
                within: Int.random(in: 1...200_000, using: &generator)
            )
            #expect(model.waiting == 0 && model.finished == model.calls, "\(number): \(model.summary)")
            // A trial whose response is lost may have taken the only request that the server allowed.
            #expect(model.refused <= model.lostTrials, "\(number): \(model.summary)")
        }
    }

    @Test("If there are enough requests, at least 90 % of the quota is used", .seeded, arguments: [false, true])
    func use(isSliding: Bool) {
        for number in 0..<20 {
            var generator = SeededGenerator(number)
            var policy = QuotaModel.Policy.random(&generator)
            (policy.isSliding, policy.window) = (isSliding, Int.random(in: 60_000...120_000, using: &generator))
            var model = QuotaModel(generator, policies: [policy], losses: 0)
            // Enough for twenty windows. The first request tells the client of the limit.
            model.run(calls: policy.quota * 20, within: 1, afterFirst: 5000)
            let windows = (model.now - model.start) / policy.window + 1
            #expect(Double(model.counted) >= 0.9 * Double(policy.quota * windows), "\(number): \(model.summary)")
            #expect(model.refused == 0, "\(number): \(model.summary)")
        }
    }
}

/// A server with limits, its client, and the messages between them. All times are in milliseconds.
struct QuotaModel {
    struct Policy {
        var name: String
        var quota: Int
        var window: Int
        /// Whether a request is counted until the window after it has passed, and not until the end of a fixed window.
        var isSliding: Bool
        /// The times at which requests were counted.
        var times: [Int] = []

        static func random(_ generator: inout SeededGenerator, name: String = "a") -> Policy {
            Policy(
                name: name,
                quota: Int.random(in: 1...40, using: &generator),
                window: Int.random(in: 2000...60_000, using: &generator),
                isSliding: Bool.random(using: &generator)
            )
        }

        mutating func forget(before now: Int) {
            let start = isSliding ? now - window + 1 : now / window * window
            times.removeAll { $0 < start }
        }

        var remaining: Int { quota - times.count }

        /// The time at which more requests are allowed.
        func reset(at now: Int) -> Int {
            isSliding ? (times.first ?? now) + window : (now / window + 1) * window
        }
    }

    /// The fields with which the server announces its limits.
    enum Form: CaseIterable {
        case draft, draft07, separate, epoch, milliseconds, delay
    }

    private enum Event {
        case arrival(Int)
        case counting(Request)
        case response(Request, limits: [AnnouncedRateLimit], status: Int)
        case loss(Request)
    }

    private struct Request {
        var id: Int
        var ticket: QuotaLedger.Ticket
        /// Whether the client knew no limit when it sent the request.
        var isUninformed: Bool
        /// Whether the request was the first one after a reset.
        var isTrial: Bool
    }

    private var generator: SeededGenerator
    private var policies: [Policy]
    private let form: Form
    private let losses: Double
    /// The longest time of a message.
    private let latency: Int
    private var lane = QuotaLane<Int>()
    /// The events to come, the last one first.
    private var events: [(time: Int, event: Event)] = []
    /// The time at which the client looks at its lane without an event.
    private var wakeTime: Int?

    private(set) var start = 1_795_867_200_000
    private(set) var now: Int
    private(set) var calls = 0
    private(set) var finished = 0
    /// The requests that the server has counted, and those that it has refused although the client knew its limits.
    private(set) var counted = 0
    private(set) var refused = 0
    private(set) var lostTrials = 0

    var waiting: Int { lane.count }

    var summary: String {
        let policies = policies.map { "\($0.quota) per \($0.window)\($0.isSliding ? ", sliding" : "")" }
        return """
            \(form), losses \(losses), latency \(latency), \(policies): calls \(calls), finished \(finished), \
            counted \(counted), refused \(refused), lost trials \(lostTrials), waiting \(waiting), time \(now - start)
            """
    }

    init(_ generator: SeededGenerator, policies: [Policy], losses: Double) {
        self.generator = generator
        self.policies = policies
        self.losses = losses
        // The other forms announce one limit.
        form = policies.count > 1 ? .draft : Form.allCases.randomElement(using: &self.generator) ?? .draft
        latency = [1, 50, 900].randomElement(using: &self.generator) ?? 1
        start += Int.random(in: 0..<100_000, using: &self.generator)
        now = start
    }

    init(_ generator: SeededGenerator, policyCount: Int, losses: Double) {
        var generator = generator
        let policies = (0..<policyCount).map { Policy.random(&generator, name: ["burst", "daily"][$0]) }
        self.init(generator, policies: policies, losses: losses)
    }

    /// Lets calls arrive at random times, and runs until all have finished, or nothing more happens.
    /// - Parameter pause: The time between the first call and all others. Default: zero.
    mutating func run(calls: Int, within time: Int, afterFirst pause: Int = 0) {
        self.calls = calls
        for id in 0..<calls {
            schedule(.arrival(id), after: Int.random(in: 0..<time, using: &generator) + (id == 0 ? 0 : pause))
        }
        while true {
            if let wakeTime, wakeTime <= events.last?.time ?? .max {
                now = max(now, wakeTime)
            } else if let (time, event) = events.popLast() {
                now = time
                handle(event)
            } else {
                return
            }
            settle()
        }
    }

    // MARK: The client

    private var clientTime: Duration { .milliseconds(now - start) }

    private mutating func handle(_ event: Event) {
        switch event {
        case .arrival(let id):
            let isUninformed = lane.ledger.entries.isEmpty
            if let ticket = lane.enter(at: clientTime) {
                send(id, ticket, isUninformed)
            } else {
                lane.add(id, id, priority: 0, deadline: .seconds(1_000_000_000))
            }
        case .counting(let request): count(request)
        case .response(let request, let limits, let status):
            finished += 1
            lane.ledger.end(request.ticket, limits, isAnswer: status < 429, at: clientTime)
        case .loss(let request):
            finished += 1
            lane.ledger.end(request.ticket, [], isAnswer: false, at: clientTime)
        }
    }

    private mutating func settle() {
        let isUninformed = lane.ledger.entries.isEmpty
        for case (let id, .send(let ticket)) in lane.settle(at: clientTime) { send(id, ticket, isUninformed) }
        wakeTime = lane.nextTime(at: clientTime).map { start + Int(($0 / .milliseconds(1)).rounded(.up)) }
    }

    private mutating func send(_ id: Int, _ ticket: QuotaLedger.Ticket, _ isUninformed: Bool) {
        let isTrial = lane.ledger.isTrial(ticket)
        let request = Request(id: id, ticket: ticket, isUninformed: isUninformed, isTrial: isTrial)
        // A lost request has been counted or not.
        if Double.random(in: 0..<1, using: &generator) < losses / 2 {
            schedule(.loss(request), after: delay())
        } else {
            schedule(.counting(request), after: delay())
        }
    }

    // MARK: The server

    private mutating func count(_ request: Request) {
        for index in policies.indices { policies[index].forget(before: now) }
        let isAllowed = policies.allSatisfy { $0.remaining > 0 }
        if isAllowed {
            counted += 1
            for index in policies.indices { policies[index].times.append(now) }
        } else if !request.isUninformed {
            refused += 1
        }
        if Double.random(in: 0..<1, using: &generator) < losses / 2 {
            if request.isTrial { lostTrials += 1 }
            schedule(.loss(request), after: delay())
            return
        }
        let fields = makeFields()
        let status = isAllowed ? 200 : 429
        let limits = RateLimitFields.limits(status: status, now: .distantPast) { fields[$0] }
        schedule(.response(request, limits: limits, status: status), after: delay())
    }

    private func makeFields() -> [String: String] {
        let policy = policies[0]
        let milliseconds = policy.reset(at: now) - now
        let seconds = (milliseconds + 999) / 1000
        let remaining = "\(policy.remaining)"
        switch form {
        case .draft:
            let items = policies.map { "\"\($0.name)\";r=\($0.remaining);t=\(($0.reset(at: now) - now + 999) / 1000)" }
            return ["RateLimit": items.joined(separator: ", ")]
        case .draft07: return ["RateLimit": "limit=\(policy.quota), remaining=\(remaining), reset=\(seconds)"]
        case .separate:
            return ["RateLimit-Remaining": remaining, "RateLimit-Reset": "\(seconds)"]
        case .epoch:
            let date = HTTPDate.string(from: Date(timeIntervalSince1970: Double(now / 1000)))
            return [
                "X-RateLimit-Remaining": remaining, "X-RateLimit-Reset": "\((now + milliseconds + 999) / 1000)",
                "Date": date,
            ]
        case .milliseconds:
            let date = HTTPDate.string(from: Date(timeIntervalSince1970: Double(now / 1000)))
            return ["X-RateLimit-Remaining": remaining, "X-RateLimit-Reset": "\(now + milliseconds)", "Date": date]
        case .delay:
            return [
                "X-RateLimit-Remaining": remaining,
                "X-RateLimit-Reset-After": "\(milliseconds / 1000).\(String(milliseconds % 1000 + 1000).dropFirst())",
            ]
        }
    }

    // MARK: Time

    private mutating func delay() -> Int { Int.random(in: 1...latency, using: &generator) }

    private mutating func schedule(_ event: Event, after delay: Int) {
        let time = now + delay
        var (low, high) = (0, events.count)
        while low < high {
            let middle = (low + high) / 2
            if events[middle].time > time { low = middle + 1 } else { high = middle }
        }
        events.insert((time, event), at: low)
    }
}
