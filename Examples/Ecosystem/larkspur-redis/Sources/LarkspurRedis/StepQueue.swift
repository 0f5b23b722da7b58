/// The steps of a store that wait for a connection or for their replies, and the state of the connection.
///
/// The methods are the events. The caller performs what they return: it sends commands, and ends steps with errors.
/// Times are from one clock.
struct StepQueue {
    typealias ID = UInt64

    /// A step that ends without a reply.
    struct Failure: Equatable {
        enum Reason: Equatable { case timedOut, cancelled, lost, unreachable }

        let id: ID
        let reason: Reason
        let mayHaveBeenPerformed: Bool
    }

    private struct Step {
        var wasSent = false
        var wasRepeated = false
    }

    private enum Phase: Equatable {
        case closed
        /// After a failure, no connection is tried until a time.
        case paused(until: Duration)
        case connecting
        case open
    }

    /// The maximum number of steps that are sent before their replies have arrived.
    static let window = 1000
    static let firstPause = Duration.milliseconds(50)
    static let longestPause = Duration.seconds(1)
    /// The time after the reply of a replica in which another one means that the server stays a replica.
    static let replicaTime = Duration.seconds(10)

    private let limit: Duration
    private var phase = Phase.closed
    private var failureCount = 0
    /// The number of replies of replicas in succession, each soon after the one before, and the time of the last.
    private var replicas: (count: Int, last: Duration)?
    /// The steps that have not ended.
    private var steps: [ID: Step] = [:]
    /// The steps in the order of their deadlines. Some have ended.
    private var deadlines = Line<(id: ID, time: Duration)>()
    /// The steps that are not sent yet. Some have ended.
    private var waiting = Line<ID>()
    /// The steps that are sent, in the order of their replies. Some have ended.
    private var sent = Line<ID>()
    /// The time of the last reply, or of the first step that was sent after all replies had arrived.
    private var lastProgress = Duration.zero

    /// - Parameter limit: The time that a step has.
    init(limit: Duration) { self.limit = limit }

    var isOpen: Bool { phase == .open }

    /// Whether a connection is needed, and none is being made.
    var needsConnection: Bool { phase == .closed && !steps.isEmpty }

    /// The time from which the next connection is tried after a failure; nil without a failure.
    var pauseEnd: Duration? { if case .paused(let end) = phase { end } else { nil } }

    /// Adds a step.
    /// - Parameters:
    ///   - id: The step, with a higher number than those before.
    ///   - hasLimit: Whether the step ends when its time is over. Default: true.
    /// - Returns: A failure, if no connection is tried at the moment.
    mutating func add(_ id: ID, hasLimit: Bool = true, at now: Duration) -> Failure? {
        if case .paused(let end) = phase {
            guard now >= end else { return Failure(id: id, reason: .unreachable, mayHaveBeenPerformed: false) }
            phase = .closed
        }
        steps[id] = Step()
        if hasLimit { deadlines.append((id, now + limit)) }
        waiting.append(id)
        return nil
    }

    /// Ends a step whose caller was cancelled; nil if it has ended already.
    mutating func cancel(_ id: ID) -> Failure? {
        guard steps[id] != nil else { return nil }
        defer { steps[id] = nil }
        return failure(of: id, .cancelled)
    }

    /// Ends a step whose reply has arrived.
    /// - Returns: Whether the step was sent twice; nil if it has ended already.
    mutating func end(_ id: ID) -> Bool? { steps.removeValue(forKey: id)?.wasRepeated }

    mutating func connectionStarted() { phase = .connecting }

    mutating func connectionOpened() {
        phase = .open
        failureCount = 0
    }

    /// Ends all steps after a failed attempt to connect.
    mutating func connectionFailed(at now: Duration) -> [Failure] {
        failureCount += 1
        return pause(at: now, after: failureCount)
    }

    /// Prepares the steps for the next connection, after a server has refused to write because it is a replica. If this
    /// has happened shortly before, ends all steps.
    mutating func replicaReplied(at now: Duration) -> [Failure] {
        let failures = connectionLost()
        let earlier = replicas.map { now - $0.last < Self.replicaTime ? $0.count : 0 } ?? 0
        replicas = (earlier + 1, now)
        return earlier == 0 ? failures : failures + pause(at: now, after: earlier)
    }

    private mutating func pause(at now: Duration, after count: Int) -> [Failure] {
        let pause = min(Self.firstPause * (1 << min(count - 1, 10)), Self.longestPause)
        phase = .paused(until: now + pause)
        let failures = steps.keys.sorted().map { failure(of: $0, .unreachable) }
        steps = [:]
        waiting = Line()
        return failures
    }

    /// Prepares the steps whose replies have not arrived for the next connection, or ends them if they were sent twice.
    mutating func connectionLost() -> [Failure] {
        phase = .closed
        var failures: [Failure] = []
        var repeated: [ID] = []
        while let id = sent.popFirst() {
            guard let step = steps[id] else { continue }
            if !step.wasRepeated {
                steps[id]?.wasRepeated = true
                repeated.append(id)
            } else {
                failures.append(failure(of: id, .lost))
                steps[id] = nil
            }
        }
        waiting.prepend(repeated)
        return failures
    }

    /// Returns the next step to send; nil if there is none, or if many replies are outstanding.
    mutating func nextToSend(at now: Duration) -> ID? {
        guard isOpen, sent.count < Self.window else { return nil }
        while let id = waiting.popFirst() {
            guard steps[id] != nil else { continue }
            steps[id]?.wasSent = true
            if sent.isEmpty { lastProgress = now }
            sent.append(id)
            return id
        }
        return nil
    }

    /// Returns the step of the next reply, which may have ended; nil if no reply is outstanding.
    mutating func replyArrived(at now: Duration) -> ID? {
        lastProgress = now
        return sent.popFirst()
    }

    /// Sends a step again before all others, after a reply that says that it was not performed.
    mutating func sendAgain(_ id: ID) {
        if steps[id]?.wasRepeated == false { steps[id]?.wasSent = false }
        waiting.prepend([id])
    }

    /// Ends the steps whose time is over.
    mutating func expire(at now: Duration) -> [Failure] {
        var failures: [Failure] = []
        while let next = deadlines.first, next.time <= now || steps[next.id] == nil {
            _ = deadlines.popFirst()
            guard steps[next.id] != nil else { continue }
            failures.append(failure(of: next.id, .timedOut))
            steps[next.id] = nil
        }
        return failures
    }

    /// Whether replies are outstanding and none has arrived for the time of a step. A server that is only slow is not
    /// silent.
    func isSilent(at now: Duration) -> Bool { isOpen && !sent.isEmpty && now >= lastProgress + limit }

    /// The time of the next call of ``expire(at:)`` and ``isSilent(at:)``; nil if there is nothing to wait for.
    var nextTime: Duration? {
        let silence = isOpen && !sent.isEmpty ? lastProgress + limit : nil
        let deadline = steps.isEmpty ? nil : deadlines.first?.time
        return [deadline, silence].compactMap { $0 }.min()
    }

    private func failure(of id: ID, _ reason: Failure.Reason) -> Failure {
        let step = steps[id]
        return Failure(
            id: id,
            reason: reason,
            mayHaveBeenPerformed: step?.wasSent == true || step?.wasRepeated == true
        )
    }
}

/// A queue whose first element is removed in constant time.
struct Line<Element> {
    private var elements: [Element] = []
    private var head = 0

    var isEmpty: Bool { head == elements.count }
    var count: Int { elements.count - head }
    var first: Element? { isEmpty ? nil : elements[head] }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func prepend(_ new: [Element]) {
        elements.replaceSubrange(..<head, with: new)
        head = 0
    }

    mutating func popFirst() -> Element? {
        guard let first else { return nil }
        head += 1
        if head == elements.count {
            elements.removeAll(keepingCapacity: true)
            head = 0
        } else if head > 64, head > elements.count / 2 {
            elements.removeFirst(head)
            head = 0
        }
        return first
    }
}
