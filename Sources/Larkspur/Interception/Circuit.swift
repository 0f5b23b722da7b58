/// The state of a circuit, as a value.
struct Circuit: Equatable, Sendable {
    /// The limits at which a circuit changes its state.
    struct Rules: Sendable {
        /// The failures that open a closed circuit.
        enum Opening: Sendable {
            /// A number of consecutive failures.
            case consecutive(Int)
            /// The proportion of failures in a period, if it has at least a number of outcomes.
            case proportion(Double, of: Int, in: Duration)
        }

        var opening: Opening
        var openTime: Duration
    }

    /// The outcome of a request.
    enum End: Sendable {
        case success, failure, neither
    }

    enum State: Equatable, Sendable {
        /// Requests are sent.
        case closed(Outcomes)
        /// No request is sent until the given time.
        case open(until: Duration)
        /// One request was sent as a trial, and no other request is sent until the given time.
        case halfOpen(until: Duration)
    }

    /// The outcomes on which the opening of a closed circuit depends.
    struct Outcomes: Equatable, Sendable {
        /// The consecutive failures.
        var failures = 0
        /// The outcomes of the last period; nil if they are not counted.
        var recent: RecentOutcomes?
    }

    private(set) var state = State.closed(Outcomes())
    /// The number of changes of the state. A change begins a new round. A request that began in an earlier round no
    /// longer changes the state.
    private var round = 0

    /// Returns the round of a request; nil if the request may not be sent.
    mutating func begin(at now: Duration, _ rules: Rules) -> Int? {
        switch state {
        case .closed: break
        case .open(let end), .halfOpen(let end):
            guard now >= end else { return nil }
            enter(.halfOpen(until: now + rules.openTime))
        }
        return round
    }

    /// Records the outcome of a request.
    mutating func end(_ end: End, of round: Int, at now: Duration, _ rules: Rules) {
        // The request began before the last change of the state, so its outcome does not affect the current state.
        guard round == self.round else { return }
        switch (state, end) {
        case (.closed(var outcomes), .failure), (.closed(var outcomes), .success):
            if outcomes.note(end, at: now, rules.opening) {
                enter(.open(until: now + rules.openTime))
            } else {
                state = .closed(outcomes)
            }
        case (.halfOpen, .failure): enter(.open(until: now + rules.openTime))
        // The outcome of the trial is unknown, so the next request is a trial, too.
        case (.halfOpen, .neither): enter(.open(until: now))
        case (.halfOpen, .success): enter(.closed(Outcomes()))
        case (.open, _), (.closed, .neither): break
        }
    }

    private mutating func enter(_ state: State) {
        self.state = state
        round += 1
    }
}

extension Circuit.Outcomes {
    /// Records an outcome, and returns whether the circuit opens.
    fileprivate mutating func note(_ end: Circuit.End, at now: Duration, _ opening: Circuit.Rules.Opening) -> Bool {
        switch opening {
        case .consecutive(let maximum):
            failures = end == .failure ? failures + 1 : 0
            return failures >= maximum
        case .proportion(let proportion, let minimum, let period):
            var recent = self.recent ?? RecentOutcomes(period: period)
            recent.note(isFailure: end == .failure, at: now)
            self.recent = recent
            return end == .failure && recent.count >= minimum
                && Double(recent.failures) >= Double(recent.count) * proportion
        }
    }
}

/// The numbers of outcomes in a period before now. The period is divided into ten parts. Its oldest part is dropped as
/// a whole.
struct RecentOutcomes: Equatable, Sendable {
    private struct Part: Equatable, Sendable {
        let number: Int64
        var count = 0
        var failures = 0
    }

    private let partLength: Duration
    private var parts: [Part] = []

    init(period: Duration) { partLength = max(period.bounded, .milliseconds(10)) / Self.maximumParts }

    /// The number of outcomes.
    var count: Int { parts.reduce(0) { $0 + $1.count } }
    /// The number of failures.
    var failures: Int { parts.reduce(0) { $0 + $1.failures } }

    mutating func note(isFailure: Bool, at now: Duration) {
        let number = Int64(now / partLength)
        parts.removeAll { $0.number <= number - Int64(Self.maximumParts) }
        if parts.last?.number != number { parts.append(Part(number: number)) }
        parts[parts.count - 1].count += 1
        if isFailure { parts[parts.count - 1].failures += 1 }
    }

    private static let maximumParts = 10
}
