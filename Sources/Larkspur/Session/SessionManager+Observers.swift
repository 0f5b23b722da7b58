extension SessionManager {
    /// The observers of the calls and WebSockets that are made afterwards. Each event goes to all of them, in their
    /// order. Default: none, which costs nothing.
    ///
    ///     manager.observers = [ConsoleLogger()]
    ///
    /// Threads that change the value in place do so one after the other, so that no change is lost. A sequence of
    /// ``callEvents(_:limit:)`` ends when its observer is removed.
    public var observers: [any CallObserver] {
        get { observing.value.observers }
        set { observing.value.observers = newValue }
        _modify { yield &observing.value.observers }
    }

    /// Adds an observer of the calls and WebSockets that are made afterwards.
    /// - Parameters:
    ///   - kinds: The kinds of events. Default: all.
    ///   - observer: Called with each event, on ``completionQueue``; the events of a call come in their order, and
    ///     before its handlers.
    public func observe(
        _ kinds: Set<CallEvent.Kind> = Set(CallEvent.Kind.allCases),
        _ observer: @escaping @Sendable (CallEvent) -> Void
    ) {
        observers.append(ClosureObserver(kinds: kinds, body: observer))
    }

    /// Returns the events of the calls and WebSockets that are made afterwards, as a sequence. It ends when the session
    /// manager is released or the observer is removed. When its consumer stops, the observer is removed, also from
    /// calls under way. Copies of the manager do not have it.
    ///
    /// A consumer that is slower than the calls loses the oldest events beyond the limit.
    /// - Parameters:
    ///   - kinds: The kinds of events. Default: all.
    ///   - limit: The maximum number of events that wait for the consumer. Default: 1,000.
    public func callEvents(
        _ kinds: Set<CallEvent.Kind> = Set(CallEvent.Kind.allCases),
        limit: Int = 1000
    ) -> AsyncStream<CallEvent> {
        let (stream, observer) = StreamObserver.make(kinds, limit: limit) { [weak self] observer in
            self?.observers.removeAll { $0 as? StreamObserver === observer }
        }
        observers.append(observer)
        return stream
    }
}

extension ObserverList? {
    /// The observers themselves.
    fileprivate var observers: [any CallObserver] {
        get { self?.entries.map(\.observer) ?? [] }
        set { self = newValue.isEmpty ? nil : ObserverList(newValue) }
    }
}
