/// The calls of one partition that wait until their server allows them, and the ledger of its limits, as a value.
struct QuotaLane<Waiter> {
    /// The reason why a call stops waiting without being sent.
    struct Refusal: Equatable, Sendable {
        /// The limit, with the time until it lasts; nil if no limit holds back the call at the moment.
        var obstacle: QuotaLedger.Obstacle?
        /// Whether the call has waited for the longest time already. Otherwise it would have to.
        var hasWaited: Bool
    }

    enum Outcome {
        case send(QuotaLedger.Ticket)
        case refuse(Refusal)
    }

    private struct Deadline {
        var id: Int
        var time: Duration
    }

    var ledger = QuotaLedger()
    private var line = WaitingLine<Waiter>()
    /// The times after which the calls no longer wait, in the order of their arrival, which is also the order of the
    /// times. Those of calls that have left stay for a while.
    private var deadlines: ArraySlice<Deadline> = []

    /// The number of calls that wait.
    var count: Int { line.count }
    /// Whether the lane need not be stored.
    var isEmpty: Bool { line.isEmpty && ledger.isEmpty }
    /// Whether there are neither calls that wait nor requests in flight.
    var isIdle: Bool { line.isEmpty && ledger.inFlight == 0 }

    /// Returns the ticket of a call that may be sent immediately; nil if it has to wait.
    mutating func enter(at now: Duration) -> QuotaLedger.Ticket? {
        line.isEmpty && ledger.obstacle(at: now) == nil ? ledger.begin(at: now) : nil
    }

    /// Adds a call that waits. `settle` must follow.
    mutating func add(_ waiter: Waiter, _ id: Int, priority: Int, deadline: Duration) {
        line.add(waiter, id, priority: priority)
        deadlines.append(Deadline(id: id, time: deadline))
    }

    /// Removes and returns a call that was cancelled; nil if it no longer waits.
    mutating func remove(_ id: Int) -> Waiter? { line.remove(id) }

    /// Removes and returns the calls that no longer wait: those whose turn has come, those that have waited for the
    /// longest time, and those that would have to wait longer.
    mutating func settle(at now: Duration) -> [(Waiter, Outcome)] {
        var outcomes: [(Waiter, Outcome)] = []
        while !line.isEmpty, ledger.obstacle(at: now) == nil, let waiter = line.popFirst() {
            outcomes.append((waiter, .send(ledger.begin(at: now))))
        }
        let obstacle = line.isEmpty ? nil : ledger.certainObstacle(at: now)
        while let first = firstDeadline {
            let refusal: Refusal
            if first.time <= now {
                refusal = Refusal(obstacle: ledger.obstacle(at: now), hasWaited: true)
            } else if let obstacle, first.time < obstacle.time {
                refusal = Refusal(obstacle: obstacle, hasWaited: false)
            } else {
                break
            }
            if let waiter = line.remove(first.id) { outcomes.append((waiter, .refuse(refusal))) }
        }
        return outcomes
    }

    /// The time at which `settle` must be called again, unless an event comes first; nil if no call waits.
    func nextTime(at now: Duration) -> Duration? {
        guard let deadline = deadlines.first(where: { line.contains($0.id) })?.time else { return nil }
        return ledger.obstacle(at: now).map { min($0.time, deadline) } ?? deadline
    }

    /// Removes and returns all calls that wait.
    mutating func removeAll() -> [Waiter] {
        deadlines = []
        var waiters: [Waiter] = []
        while let waiter = line.popFirst() { waiters.append(waiter) }
        return waiters
    }

    /// The earliest deadline of a call that waits.
    private var firstDeadline: Deadline? {
        mutating get {
            deadlines = deadlines.drop { !line.contains($0.id) }
            return deadlines.first
        }
    }
}

/// A table with one lane for each partition. If there are more lanes than its capacity, the idle ones that changed
/// longest ago are removed.
struct QuotaTable<Key: Hashable, Waiter> {
    private var entries: [Key: (lane: QuotaLane<Waiter>, lastUse: Int)] = [:]
    private var useCount = 0
    private let capacity: Int
    /// The number of lanes at which idle ones are removed. It is above the capacity while too few are idle.
    private var limit: Int

    init(capacity: Int = 1000) {
        self.capacity = max(2, capacity)
        limit = self.capacity
    }

    var count: Int { entries.count }
    /// The number of calls that wait.
    var waiterCount: Int { entries.values.reduce(0) { $0 + $1.lane.count } }
    /// The number of requests in flight.
    var inFlightCount: Int { entries.values.reduce(0) { $0 + $1.lane.ledger.inFlight } }

    /// The ledger of a partition; nil if there is none.
    func ledger(of key: Key) -> QuotaLedger? { entries[key]?.lane.ledger }

    /// Changes the lane of a partition, which is stored unless it is empty.
    mutating func change<Result>(_ key: Key, _ body: (inout QuotaLane<Waiter>) -> Result) -> Result {
        // Removed from the dictionary during the change, so that the waiting line is not copied.
        var lane = entries.removeValue(forKey: key)?.lane ?? QuotaLane()
        let result = body(&lane)
        guard !lane.isEmpty else { return result }
        useCount += 1
        entries[key] = (lane, useCount)
        if entries.count > limit { removeIdle() }
        return result
    }

    private mutating func removeIdle() {
        // Removes about half of the lanes at once, so that sorting is rare.
        let idle = entries.filter { $0.value.lane.isIdle }.sorted { $0.value.lastUse < $1.value.lastUse }
        for (key, _) in idle.prefix(entries.count - capacity / 2) { entries[key] = nil }
        limit = max(capacity, entries.count * 2)
    }
}
