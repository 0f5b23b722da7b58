@testable import Larkspur

/// The life of a call: the events that may follow in each of its states, and the outcomes of its handlers.
///
/// It is written from the documentation of `SessionTask`, and shares no code with the state machine of Larkspur.
struct CallLife {
    /// The result of a call, as a handler gets it: the code of the error, or nil after success.
    struct Outcome: Hashable, Sendable, CustomStringConvertible {
        let code: LarkspurError.Code?

        static let success = Self(code: nil)
        static let cancelled = Self(code: .cancelled)

        var description: String { code?.label ?? "success" }
    }

    /// An event of a call, as an observer, a notification or a handler tells it.
    enum Event: Hashable, Sendable {
        case created, resumed, suspended, cancelled, attemptStarted, attemptEnded
        case completed(Outcome)
        case notifiedResumption, notifiedSuspension
        case notifiedCompletion(Outcome)
        /// A handler has run. Handlers are numbered in the order in which they were added.
        case handled(Int, Outcome)
    }

    /// The facts about a call that decide which lives are allowed. Where the order of threads decides, they allow more.
    struct Facts: Sendable {
        /// The kinds of handlers.
        enum Handler: Sendable {
            /// The handler gets the outcome of the call.
            case content
            /// The call takes no handlers beside the one that it was made with, so the handler is refused.
            case refused
            /// The handler is a consumer of the content, which stops at will.
            case consumer
        }

        var isObserved = true
        var isNotified = true
        /// The outcomes that the server leads to.
        var serverOutcomes: Set<Outcome> = [.success]
        /// Whether the server may break the exchange, which leads to one of many errors.
        var mayBreak = false
        /// Whether something may cancel the call.
        var mayBeCancelled = false
        /// Whether the session may be invalid when the call needs it.
        var mayBeInvalidated = false
        /// Whether an interceptor may fail.
        var mayBeIntercepted = false
        /// Whether the content may go to a sequence, so that handlers get none.
        var mayBeStreamed = false
        /// Whether the task may be released before it was started.
        var mayNeverStart = false
        /// Whether the program may release the task before it was started, so that its handler never runs.
        var mayBeReleased = false
        var handlers: [Handler] = []
    }

    private enum State { case new, created, running, suspended, cancelled, completed }

    private let facts: Facts
    private var state = State.new
    private var hasRun = false
    private var wasCancelled = false
    private var isInAttempt = false
    private var outcome: Outcome?
    private var notified = State.created
    private var notifiedOutcome: Outcome?
    private var changes: (seen: [Bool], notified: [Bool]) = ([], [])
    private var outcomes: [Int: Outcome] = [:]
    private(set) var violations: [String] = []

    /// Returns the ways in which a life is not allowed.
    static func violations(of life: [Event], _ facts: Facts) -> [String] {
        var model = Self(facts)
        for event in life { model.note(event) }
        model.end()
        return model.violations
    }

    private init(_ facts: Facts) { self.facts = facts }

    // MARK: Events

    private mutating func note(_ event: Event) {
        switch event {
        case .created: enter(.created, from: [.new], event)
        case .resumed:
            enter(.running, from: [.created, .suspended], event)
            changes.seen.append(true)
            hasRun = true
        case .suspended:
            enter(.suspended, from: [.running], event)
            changes.seen.append(false)
        case .cancelled:
            enter(.cancelled, from: [.created, .running, .suspended], event)
            wasCancelled = true
        case .attemptStarted:
            require(hasRun && state != .completed && !isInAttempt, event)
            isInAttempt = true
        case .attemptEnded:
            require(isInAttempt, event)
            isInAttempt = false
        case .completed(let outcome):
            enter(.completed, from: [.created, .running, .suspended, .cancelled], event)
            self.outcome = outcome
            check(outcome)
        case .notifiedResumption:
            require(notified == .created || notified == .suspended, event)
            notified = .running
            changes.notified.append(true)
        case .notifiedSuspension:
            require(notified == .running, event)
            notified = .suspended
            changes.notified.append(false)
        case .notifiedCompletion(let outcome):
            require(notified != .completed && (!facts.isObserved || state == .completed), event)
            notified = .completed
            notifiedOutcome = outcome
            check(outcome)
        case .handled(let number, let outcome): noteHandler(number, outcome, event)
        }
    }

    private mutating func noteHandler(_ number: Int, _ outcome: Outcome, _ event: Event) {
        guard facts.handlers.indices.contains(number) else { return violations.append("\(event) has no handler") }
        require(outcomes.updateValue(outcome, forKey: number) == nil, event)
        switch facts.handlers[number] {
        case .content:
            if facts.isObserved { require(state == .completed, event) }
            if !(facts.mayBeStreamed && outcome.code == .unsupported) { check(outcome) }
        case .refused: require(outcome.code == .unsupported, event)
        // It stops before the end if it wants, and only one consumer gets the content.
        case .consumer: if outcome.code != .unsupported, outcome != .success { check(outcome) }
        }
    }

    private mutating func enter(_ next: State, from states: Set<State>, _ event: Event) {
        require(states.contains(state), event)
        state = next
    }

    private mutating func require(_ isAllowed: Bool, _ event: Event) {
        if !isAllowed { violations.append("\(event) in the state \(state), notified \(notified)") }
    }

    // MARK: Outcomes

    /// Checks an outcome of the call alone.
    private mutating func check(_ outcome: Outcome) {
        let isAllowed =
            switch outcome.code {
            case nil: facts.serverOutcomes.contains(.success) && !wasCancelled
            case .cancelled?: facts.mayBeCancelled
            case .sessionInvalidated?: facts.mayBeInvalidated
            case .interceptionFailed?: facts.mayBeIntercepted
            case .unsupported?: false
            case _?: facts.serverOutcomes.contains(outcome) || facts.mayBreak
            }
        if !isAllowed { violations.append("The outcome \(outcome) is not allowed in the state \(state)") }
    }

    private mutating func end() {
        // A handler that is refused, or a consumer, runs without the call.
        let hasNoOutcome = outcomes.allSatisfy { number, outcome in
            facts.handlers[number] == .refused || facts.handlers[number] == .consumer && outcome.code == .unsupported
        }
        let hasCompleted = facts.isObserved ? outcome != nil : facts.isNotified ? notifiedOutcome != nil : true
        if !hasCompleted,
            !(facts.mayNeverStart && [.new, .created].contains(state) && changes.notified.isEmpty && hasNoOutcome)
        {
            violations.append("The call has not completed")
        }
        if facts.isObserved, outcome != nil, !hasRun, !wasCancelled, outcome == .success {
            violations.append("The call has succeeded without being resumed")
        }
        if facts.isObserved, facts.isNotified {
            if changes.seen != changes.notified { violations.append("The events and the notifications differ") }
            if outcome != notifiedOutcome { violations.append("The event and the notification have other outcomes") }
        }
        let isReleased = facts.mayBeReleased && !hasRun && !wasCancelled && outcome == nil && notifiedOutcome == nil
        for number in facts.handlers.indices where outcomes[number] == nil && !isReleased {
            violations.append("The handler \(number) has not run")
        }
        let completion = outcome ?? notifiedOutcome
        let content = facts.handlers.indices.filter { facts.handlers[$0] == .content }
            .compactMap { outcomes[$0] }.filter { !(facts.mayBeStreamed && $0.code == .unsupported) }
        if Set(content + [completion].compactMap(\.self)).count > 1 {
            violations.append(
                "The handlers have different outcomes: \(content), call: \(completion?.description ?? "")"
            )
        }
    }
}
