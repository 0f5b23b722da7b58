#if canImport(FoundationNetworking)
/// The state of a stub task, as `URLSessionTask` defines it.
struct StubCourse {
    var state = URLSessionTask.State.suspended
    private var hasBegun = false

    /// Whether the task has neither ended nor been cancelled.
    var isOpen: Bool { state == .running || state == .suspended }

    /// Resumes the task.
    /// - Returns: Whether this call begins the task; nil if the task was not suspended.
    mutating func resume() -> Bool? {
        guard state == .suspended else { return nil }
        state = .running
        return !exchange(&hasBegun, with: true)
    }

    mutating func suspend() { if state == .running { state = .suspended } }

    /// Cancels the task. Returns false if the task has ended or was already cancelled.
    mutating func cancel() -> Bool {
        guard isOpen else { return false }
        state = .canceling
        hasBegun = true
        return true
    }
}

extension StubTaskCore {
    /// A step of a reply.
    enum Step: Sendable {
        case pause(Duration)
        case gate(LoopbackServer.Gate)
        case sentBody(Int64)
        case challenge(@Sendable (URLSession, (any URLSessionTaskDelegate)?, URLSessionTask) -> Void)
        case response(status: Int, headers: [String: String])
        case chunk(Data)
        case end((any Error)?)
    }
}

/// The steps of a reply that were not delivered yet.
struct StubReplySteps {
    var steps: ArraySlice<StubTaskCore.Step> = []
    /// Whether a step is being delivered.
    var isDelivering = false
    /// The number of requests that were followed by another request.
    var hop = 0
    /// The current step's wait.
    var wait: Task<Void, Never>?
    /// The closure to call if the source need not continue.
    var abandonment: (@Sendable () -> Void)?

    /// Begins to deliver the next step. Returns false if there is none, or if a step is already being delivered.
    mutating func beginDelivery() -> Bool {
        guard !isDelivering, !steps.isEmpty else { return false }
        isDelivering = true
        return true
    }

    /// Replaces the steps that were not delivered yet.
    /// - Returns: The closure that informs the source.
    mutating func replace(with steps: ArraySlice<StubTaskCore.Step>) -> (@Sendable () -> Void)? {
        self.steps = steps
        return abandonment.take()
    }
}

/// The request, response, content and error of a stub task so far.
struct StubTaskRecord {
    var currentRequest: URLRequest
    var received: Int64 = 0
    /// The content of a download, or the content for a completion handler.
    var collected = Data()
    var response: URLResponse?
    var error: (any Error)?
}
#endif
