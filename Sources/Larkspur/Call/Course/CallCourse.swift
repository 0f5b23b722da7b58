/// The course of a call from its creation to its end: its state, and the work that a change of the state affects.
struct CallCourse {
    typealias Transition = TaskStateMachine.Transition
    typealias Action = @Sendable () -> Void

    var machine = TaskStateMachine()
    /// The error that ends the task before its transfer has ended; nil if there is none.
    private(set) var failure: StoredError?
    private var timers: CallTimers?
    /// The closure that cancels the work of interceptors.
    private var cancelWork: Action?
    /// The closures that interceptors have set, by their owners. They are called when the task is suspended.
    private var suspensionHandlers: [ObjectIdentifier: Action] = [:]

    var state: SessionTask.State { machine.state }

    /// Whether the task runs or is suspended: it has neither ended nor been cancelled.
    var isActive: Bool { state == .running || state == .suspended }

    /// Handles an order.
    /// - Returns: The transition, and the closures that are called after it.
    mutating func handle(_ order: (inout TaskStateMachine) -> Transition?) -> (Transition?, [Action]) {
        let transition = order(&machine)
        switch transition {
        case .cancelled: return (transition, cancelWork.take().map { [$0] } ?? [])
        case .suspended where !suspensionHandlers.isEmpty:
            return (transition, Array(exchange(&suspensionHandlers, with: [:]).values))
        default: return (transition, [])
        }
    }

    /// Records the error with which the task ends. Returns false if the task has ended or was cancelled, or has an
    /// error already.
    mutating func fail(with error: LarkspurError) -> Bool {
        guard failure == nil, state != .canceling, state != .completed else { return false }
        failure = StoredError(error)
        return true
    }

    /// Stores the closure that cancels the work of interceptors. Returns false if the task has been cancelled.
    mutating func store(_ cancelWork: @escaping Action) -> Bool {
        guard state != .canceling else { return false }
        self.cancelWork = cancelWork
        return true
    }

    /// Stores the timers of the call. Returns false if the call has ended.
    mutating func store(_ timers: CallTimers) -> Bool {
        guard state != .completed else { return false }
        self.timers = timers
        return true
    }

    /// Stores the closure that is called when the task is suspended, or removes it. If the task is suspended already,
    /// returns false, and the caller has to call the closure.
    mutating func store(suspensionHandler handler: Action?, of owner: ObjectIdentifier) -> Bool {
        let isStored = handler == nil || state != .suspended
        suspensionHandlers[owner] = isStored ? handler : nil
        return isStored
    }

    /// Ends the call.
    /// - Returns: The previous state, and the timers, which have to be cancelled; nil if the call had ended before.
    mutating func end() -> (state: SessionTask.State, timers: CallTimers?)? {
        let previous = state
        guard machine.end() != nil else { return nil }
        cancelWork = nil
        return (previous, timers.take())
    }
}
