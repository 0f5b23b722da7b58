internal import HTTPSyntax

/// The requests of one partition and the limits that its server has announced, as a value. It decides whether another
/// request may be sent.
///
/// The server does not say which requests it had counted when it wrote a response. All requests that had not ended when
/// request i was sent may be counted after i. Let E be the number of requests that had ended at that moment, and r the
/// number that the response to i says to be left. Then the server allows r + E + 1 requests in all, counted since the
/// beginning of the ledger: the ended ones, i, and r others. This number is the *allowance*. It is never too high, and
/// too low by at most the number of requests that were in flight.
///
/// - A response that ended before i was sent is older, and no longer counts: other clients may share the quota. All
///   other responses are true at the same time, and the highest allowance and the latest reset of them count.
/// - If no request is in flight, and the last one that was sent has a response, the number is exact. The requests that
///   had ended before that one was sent were counted before it. So the request that the server counted last is among
///   the others, and its r is not below the lowest of them.
/// - After the reset, one request more is sent, as a trial. Its response says what the server allows now. The full
///   quota is not assumed, because many servers, such as those with a sliding window, give it back in small parts. (The
///   draft says in section 3: the client "MUST NOT assume" it.)
///
/// A request that ends without a response counts as ended. The server may have counted it, or never will.
struct QuotaLedger: Sendable {
    /// A request in flight.
    struct Ticket: Equatable, Sendable {
        /// The position among the events, which are the beginnings and ends of requests.
        fileprivate let number: Int
        /// The number of requests that had ended before.
        fileprivate let endedBefore: Int
        fileprivate let time: Duration
    }

    /// The limit because of which no request may be sent, and the time at which this may change without an event.
    struct Obstacle: Equatable, Sendable {
        var name: String
        var time: Duration
    }

    /// A limit with the time of its reset.
    struct Entry: Sendable {
        fileprivate(set) var limit: AnnouncedRateLimit
        fileprivate var allowances = RecentMaximum<Int>()
        fileprivate var resets = RecentMaximum<Duration>()
        /// The number of requests that have taken nothing from the limit, and so raise the allowance.
        fileprivate var credit = 0
        fileprivate var trial: Trial?
        fileprivate var last = LastResponses()

        /// The number of requests, since the beginning of the ledger, that may be sent.
        var allowance: Int { (allowances.value ?? 0) + credit }
        /// The time at which the server allows more requests.
        var reset: Duration { resets.value ?? .zero }
    }

    /// The highest value of the responses that count.
    fileprivate struct RecentMaximum<Value: Comparable & Sendable>: Sendable {
        /// The values that are higher than all later ones, with the positions of the ends of their requests.
        private var items: [(value: Value, end: Int)] = []

        var value: Value? { items.first?.value }

        /// Adds the value of a response, and removes those that ended before its request began.
        mutating func add(_ value: Value, end: Int, begin: Int) {
            items.removeFirst(items.prefix { $0.end < begin }.count)
            while let last = items.last, last.value <= value { items.removeLast() }
            items.append((value, end))
        }
    }

    /// A request that was sent after the reset, before it is known what the server allows.
    fileprivate struct Trial {
        var number: Int
        /// The time at which another trial is sent, because the first one may be a stream without an end.
        var end: Duration
    }

    /// The responses to the requests that ended after the last request was sent. The times of their resets are known
    /// up to a second and the time of the transfer. If such a time is certainly earlier than another one, the response
    /// is older, and does not count.
    fileprivate struct LastResponses {
        /// The position of the beginning of the last request.
        var begin = -1
        var count = 0
        /// Whether the last request that was sent has a response.
        var isComplete = false
        var lowest: Int?
        var earliestReset = Duration.zero
        var latestReset = Duration.zero

        mutating func note(_ remaining: Int, _ earliest: Duration, _ latest: Duration) {
            guard let lowest, earliest <= latestReset else {
                (self.lowest, earliestReset, latestReset) = (remaining, earliest, latest)
                return
            }
            guard latest >= earliestReset else { return }
            self.lowest = min(lowest, remaining)
            earliestReset = max(earliestReset, earliest)
            latestReset = max(latestReset, latest)
        }
    }

    /// The time after which another trial is sent, if there is no response to the first one.
    static let trialTime = Duration.seconds(10)
    /// The most limits of a partition. The one with the earliest reset is removed first.
    static let maximumEntries = 32

    private(set) var entries: [Entry] = []
    private var sent = 0
    private var ended = 0
    private var events = 0
    private var lastBegin = -1
    private var endedSinceLastBegin = 0

    var inFlight: Int { sent - ended }
    /// Whether the ledger is in its initial state, apart from its counts.
    var isEmpty: Bool { inFlight == 0 && entries.isEmpty }

    /// The number of requests that an entry still allows until its reset.
    func remaining(of entry: Entry) -> Int { max(0, entry.allowance - sent) }

    /// Whether a request in flight was sent as a trial.
    func isTrial(_ ticket: Ticket) -> Bool { entries.contains { $0.trial?.number == ticket.number } }

    // MARK: Decisions

    /// Returns the limit because of which no request may be sent at a time; nil if one may be sent. If there are
    /// several such limits, returns the one that lasts longest.
    func obstacle(at now: Duration) -> Obstacle? {
        entries.compactMap { entry -> Obstacle? in
            guard sent >= entry.allowance else { return nil }
            if now < entry.reset { return Obstacle(name: entry.limit.name, time: entry.reset) }
            guard let trial = entry.trial, now < trial.end else { return nil }
            return Obstacle(name: entry.limit.name, time: trial.end)
        }.max { $0.time < $1.time }
    }

    /// Returns the limit that certainly allows no request until its reset; nil if there is none, or if the requests in
    /// flight may change this.
    func certainObstacle(at now: Duration) -> Obstacle? {
        entries.compactMap { entry -> Obstacle? in
            guard sent >= entry.allowance, now < entry.reset, inFlight == 0 || entry.limit.remaining == 0 else {
                return nil
            }
            return Obstacle(name: entry.limit.name, time: entry.reset)
        }.max { $0.time < $1.time }
    }

    // MARK: Events

    /// Records that a request is sent.
    mutating func begin(at now: Duration) -> Ticket {
        events += 1
        for index in entries.indices where sent >= entries[index].allowance && now >= entries[index].reset {
            entries[index].trial = Trial(number: events, end: now + Self.trialTime)
        }
        sent += 1
        lastBegin = events
        endedSinceLastBegin = 0
        return Ticket(number: events, endedBefore: ended, time: now)
    }

    /// Records that a request has ended.
    /// - Parameters:
    ///   - ticket: The request.
    ///   - limits: The limits that its response announces; empty if there are none, or there is no response.
    ///   - isAnswer: Whether the response comes from a server that has accepted the request. If it does not mention a
    ///     limit, this limit does not apply.
    ///   - now: The current time.
    mutating func end(_ ticket: Ticket, _ limits: [AnnouncedRateLimit], isAnswer: Bool, at now: Duration) {
        events += 1
        ended += 1
        endedSinceLastBegin += 1
        var mentioned: Set<Int> = []
        for limit in limits {
            let index = entries.firstIndex { $0.limit.isSameLimit(as: limit) }
            mentioned.insert(index ?? entries.count)
            note(limit, at: index, of: ticket, now)
        }
        for index in entries.indices {
            if !mentioned.contains(index), !limits.isEmpty, isAnswer {
                // The limit does not apply to the request, so the request takes nothing from it.
                entries[index].credit += 1
                countResponse(at: index)
            }
            if inFlight == 0 { settle(at: index) }
        }
        for index in entries.indices.reversed() where entries[index].trial?.number == ticket.number {
            entries[index].trial = nil
            if isAnswer, !mentioned.contains(index) { entries.remove(at: index) }
        }
        while entries.count > Self.maximumEntries {
            guard let first = entries.indices.min(by: { entries[$0].reset < entries[$1].reset }) else { break }
            entries.remove(at: first)
        }
    }

    /// Records a limit that the response to a request announces.
    private mutating func note(
        _ limit: AnnouncedRateLimit,
        at index: Int?,
        of ticket: Ticket,
        _ now: Duration
    ) {
        if let index {
            var limit = limit
            limit.quota = limit.quota ?? entries[index].limit.quota
            limit.window = limit.window ?? entries[index].limit.window
            entries[index].limit = limit
        } else {
            entries.append(Entry(limit: limit))
        }
        let index = index ?? entries.count - 1
        let allowance = limit.remaining + ticket.endedBefore + 1
        let reset = now + limit.reset
        entries[index].allowances.add(allowance - entries[index].credit, end: events, begin: ticket.number)
        entries[index].resets.add(reset, end: events, begin: ticket.number)
        countResponse(at: index)
        if ticket.number == lastBegin { entries[index].last.isComplete = true }
        // The server has rounded the time up to seconds, at a moment between the beginning and the end of the request.
        entries[index].last.note(limit.remaining, ticket.time + limit.reset - .seconds(1), reset)
    }

    private mutating func countResponse(at index: Int) {
        if entries[index].last.begin != lastBegin { entries[index].last = LastResponses(begin: lastBegin) }
        entries[index].last.count += 1
    }

    /// Computes the exact allowance, while no request is in flight.
    private mutating func settle(at index: Int) {
        let last = entries[index].last
        guard last.begin == lastBegin, last.isComplete, let lowest = last.lowest else { return }
        // The server may have counted the requests without a response after all others.
        let missing = endedSinceLastBegin - last.count
        let exact = sent + max(0, lowest - missing)
        let allowance = missing == 0 ? exact : max(entries[index].allowance, exact)
        entries[index].allowances = RecentMaximum()
        entries[index].allowances.add(allowance - entries[index].credit, end: events, begin: events)
    }
}

extension AnnouncedRateLimit {
    /// Whether both are states of the same limit.
    fileprivate func isSameLimit(as other: AnnouncedRateLimit) -> Bool {
        name == other.name && partitionKey == other.partitionKey
    }
}
