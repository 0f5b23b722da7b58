import TestSupport

@testable import Larkspur

/// Several processes with one rate limit, and the store that they share. Answers of the store take some time, and
/// timers are late. All times are in nanoseconds.
struct SharedRateModel {
    struct Failure: Error {}

    /// What the store does with a step.
    enum Answer: CaseIterable {
        case prompt
        /// The step has failed, before or after it was performed.
        case failed, lost
        /// There is no answer, or one after the limit.
        case none, late
        /// The delay cannot be right.
        case negative, huge
    }

    private enum Event {
        case arrival(process: Int, priority: Int)
        case cancellation(process: Int, id: Int)
        case request(process: Int, number: Int, SharedRateStep)
        case answer(process: Int, step: Int, Result<Duration, any Error>)
        case wake(process: Int, number: Int)
    }

    private struct Process {
        var lane: SharedRateLane<Int>
        /// The priorities of the attempts that wait.
        var waiting: [Int: Int] = [:]
        var wakeNumber = 0
        var outages = 0
        var reports = 0
    }

    private var generator: SeededGenerator
    private let rules: SharedRateRules
    private var processes: [Process]
    /// The time at which the bucket in the store is full.
    private var fullTime: Duration?
    /// The events to come, the last one first.
    private var events: [(time: Int, event: Event)] = []
    private var nextID = 0
    private var arrivals = 0

    /// The probability that the store does not answer promptly.
    var faults = 0.0
    /// The time that a message between the first process and the store takes in addition.
    var distance = 0
    /// The probability that an attempt is cancelled.
    var cancellations = 0.0
    /// Whether each attempt that begins is followed by another one, until the time `end`.
    var isSaturated = false
    /// The time after which nothing happens.
    var end = Int.max

    private(set) var now = 0
    /// The times at which tokens may be used, by the store's clock.
    private(set) var grants: [Int] = []
    /// The times at which attempts have begun.
    private(set) var begins: [Int] = []
    /// The number of attempts of each process that have begun.
    private(set) var counts: [Int]
    private(set) var refusals = 0
    private(set) var cancelled = 0
    private(set) var steps = 0
    private(set) var violations: [String] = []

    init(_ generator: SeededGenerator, _ rules: SharedRateRules, processes count: Int) {
        self.generator = generator
        self.rules = rules
        counts = Array(repeating: 0, count: count)
        processes = (0..<count).map { _ in Process(lane: SharedRateLane(rules, nil)) }
    }

    /// Adds an attempt.
    mutating func add(_ process: Int, after delay: Int, priority: Int = 0) {
        arrivals += 1
        schedule(.arrival(process: process, priority: priority), after: delay)
    }

    /// Runs until nothing more happens, and checks that each attempt has ended as it should.
    mutating func run() {
        var count = 0
        while let (time, event) = events.popLast(), time <= end {
            now = time
            handle(event)
            count += 1
            if count > 2_000_000 { return violations.append("There is no end") }
        }
        guard end == .max else { return }
        if begins.count + refusals + cancelled != arrivals {
            violations.append(
                "\(arrivals) attempts: \(begins.count) began, \(refusals) refused, \(cancelled) cancelled"
            )
        }
        for process in processes {
            if !process.lane.isIdle { violations.append("A lane is not idle at the end") }
            if process.reports > process.outages { violations.append("An outage was reported twice") }
        }
        if refusals > 0, rules.ownSchedule != nil { violations.append("An attempt was refused despite its share") }
    }

    /// The largest number of times in one second.
    static func most(_ times: [Int]) -> Int {
        let times = times.sorted()
        var (first, most) = (0, 0)
        for index in times.indices {
            while times[index] - times[first] >= 1_000_000_000 { first += 1 }
            most = max(most, index - first + 1)
        }
        return most
    }

    // MARK: The processes

    private mutating func handle(_ event: Event) {
        switch event {
        case .arrival(let process, let priority):
            nextID += 1
            processes[process].lane.add(nextID, nextID, priority: priority)
            processes[process].waiting[nextID] = priority
            if Double.random(in: 0..<1, using: &generator) < cancellations {
                let delay = Int.random(in: 0..<2_000_000_000, using: &generator)
                schedule(.cancellation(process: process, id: nextID), after: delay)
            }
            advance(process)
        case .cancellation(let process, let id):
            guard processes[process].waiting.removeValue(forKey: id) != nil else { return }
            if processes[process].lane.remove(id) != id { violations.append("\(id) has left the line") }
            cancelled += 1
            advance(process)
        case .request(let process, let number, let step): answer(process, number, step)
        case .answer(let process, let step, let result):
            let hadOutage = processes[process].lane.outage != nil
            processes[process].lane.end(step: step, result, at: .nanoseconds(now))
            noteOutage(process, hadOutage)
            advance(process)
        case .wake(let process, let number):
            if processes[process].wakeNumber == number { advance(process) }
        }
    }

    private mutating func advance(_ index: Int) {
        let time = Duration.nanoseconds(now)
        let hadOutage = processes[index].lane.outage != nil
        nextID += 1
        let (outcomes, step) = processes[index].lane.advance(at: time, nextStep: nextID)
        for (id, outcome) in outcomes { end(id, outcome, of: index) }
        if let step {
            steps += 1
            schedule(.request(process: index, number: nextID, step), after: latency(of: index))
        }
        noteOutage(index, hadOutage)
        if processes[index].lane.isIdle {
            processes[index].lane = SharedRateLane(rules, processes[index].lane.record(at: time))
        }
        processes[index].wakeNumber += 1
        guard let next = processes[index].lane.nextTime(at: time) else { return }
        let delay = max(Int(((next - time) / .nanoseconds(1)).rounded(.up)), 0)
        // Timers are late, but never early.
        let lateness = Int.random(in: 0...2_000_000, using: &generator)
        schedule(.wake(process: index, number: processes[index].wakeNumber), after: delay + lateness)
    }

    private mutating func noteOutage(_ index: Int, _ hadOutage: Bool) {
        if !hadOutage, processes[index].lane.outage != nil { processes[index].outages += 1 }
    }

    private mutating func end(_ id: Int, _ outcome: SharedRateLane<Int>.Outcome, of index: Int) {
        let highest = processes[index].waiting.values.max()
        guard let priority = processes[index].waiting.removeValue(forKey: id) else {
            return violations.append("\(id) has ended twice")
        }
        switch outcome {
        case .begin(let failure):
            if failure != nil { processes[index].reports += 1 }
            if priority != highest { violations.append("\(id) has begun before one with a higher priority") }
            begins.append(now)
            counts[index] += 1
            if isSaturated { add(index, after: Int.random(in: 1_000_000...5_000_000, using: &generator)) }
        case .refuse(_, let reports):
            if reports { processes[index].reports += 1 }
            refusals += 1
        }
    }

    // MARK: The store

    private mutating func answer(_ process: Int, _ number: Int, _ step: SharedRateStep) {
        let isFaulty = Double.random(in: 0..<1, using: &generator) < faults
        let answer = isFaulty ? Answer.allCases.randomElement(using: &generator) ?? .prompt : .prompt
        var result: Result<Duration, any Error> = .failure(Failure())
        if answer != .failed {
            let time = Duration.nanoseconds(now)
            let bucket = step.bucket
            let earliest = time - bucket.tolerance
            let next = max(fullTime ?? earliest, earliest) + bucket.interval
            let delay = max(next - time - bucket.capacity, .zero)
            if delay <= step.limit {
                fullTime = next
                grants.append(now + Int((delay / .nanoseconds(1)).rounded(.up)))
            }
            result = .success(delay)
        }
        var extra = 0
        switch answer {
        case .prompt, .failed: break
        case .lost: result = .failure(Failure())
        case .none: return
        case .late: extra = Int.random(in: 400_000_000...3_000_000_000, using: &generator)
        case .negative: result = .success(.nanoseconds(-1))
        case .huge: result = .success(.seconds(Int64.max))
        }
        schedule(.answer(process: process, step: number, result), after: latency(of: process) + extra)
    }

    // MARK: Time

    private mutating func latency(of process: Int) -> Int {
        Int.random(in: 50_000...1_000_000, using: &generator) + (process == 0 ? distance : 0)
    }

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
