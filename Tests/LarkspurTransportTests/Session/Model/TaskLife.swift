/// The life of a `URLSessionTask`: the calls of its delegate or handler that may follow each other.
///
/// It is written from the documentation of `URLSession`, and shares no code with the engine.
struct TaskLife {
    /// The end of a task.
    enum Outcome: Hashable, Sendable {
        case success, cancelled, failure
    }

    /// A call of the delegate about the task, or of the task's handler.
    enum Event: Hashable, Sendable {
        case response, data, file, metrics
        case completed(Outcome)
        case handled(Outcome)
    }

    /// The facts about a task that decide which lives are allowed. Where the order of threads decides, they allow more.
    struct Facts: Sendable {
        var hasHandler: Bool
        var isDownload: Bool
        /// Whether the server lets the exchange end well, and whether it may break it.
        var mayFail = false
        var mayBeCancelled = false
        /// Whether the session may have released its delegate before the task was created.
        var mayBeUntold = false
    }

    private(set) var violations: [String] = []
    private let facts: Facts
    private var seen: [Event] = []
    private var hasEnded = false

    static func violations(of life: [Event], _ facts: Facts) -> [String] {
        var model = Self(facts)
        for event in life { model.note(event) }
        if !model.hasEnded, !(facts.mayBeUntold && life.isEmpty) { model.violations.append("The task has not ended") }
        return model.violations
    }

    private init(_ facts: Facts) { self.facts = facts }

    private mutating func note(_ event: Event) {
        require(!hasEnded, event)
        switch event {
        case .response: require(!facts.hasHandler && !facts.isDownload && seen.isEmpty, event)
        case .data: require(!facts.isDownload && seen.contains(.response) && !seen.contains(.metrics), event)
        case .file: require(facts.isDownload && !seen.contains(.file), event)
        case .metrics: require(!seen.contains(.metrics), event)
        case .completed(let outcome): end(outcome, event, isHandler: false)
        case .handled(let outcome): end(outcome, event, isHandler: true)
        }
        seen.append(event)
    }

    private mutating func end(_ outcome: Outcome, _ event: Event, isHandler: Bool) {
        require(isHandler == facts.hasHandler, event)
        switch outcome {
        case .success: require(!facts.mayFail && (isHandler || facts.isDownload == seen.contains(.file)), event)
        case .cancelled: require(facts.mayBeCancelled, event)
        case .failure: require(facts.mayFail, event)
        }
        if outcome != .success { require(!seen.contains(.file), event) }
        hasEnded = true
    }

    private mutating func require(_ isAllowed: Bool, _ event: Event) {
        if !isAllowed { violations.append("\(event) after \(seen)") }
    }
}
