extension SessionManager {
    /// The observers of the calls and WebSockets that are created afterwards. Each event goes to the observers of its
    /// kind, in the order of this array. Default: none, which costs nothing.
    ///
    ///     manager.observers = [ConsoleLogger()]
    ///
    /// If several threads change the observers in place, no change is lost. A sequence of ``callEvents(_:limit:)`` ends
    /// when its observer is removed.
    public var observers: [any CallObserver] {
        get { observing.value.observers }
        set { observing.value.observers = newValue }
        _modify { yield &observing.value.observers }
    }

    /// Adds an observer of the calls and WebSockets that are created afterwards.
    /// - Parameters:
    ///   - kinds: The kinds of events. Default: all.
    ///   - observer: Called with each event, on ``completionQueue``. The events of a call come in the order in which
    ///     they happened, and before its handlers run.
    public func observe(
        _ kinds: Set<CallEvent.Kind> = Set(CallEvent.Kind.allCases),
        _ observer: @escaping @Sendable (CallEvent) -> Void
    ) {
        observers.append(ClosureObserver(kinds: kinds, body: observer))
    }

    /// Returns a sequence of the events of the calls and WebSockets that are created afterwards. The sequence adds an
    /// observer to ``observers``. Copies of the manager do not have this observer.
    ///
    /// The sequence ends when the session manager is released or the observer is removed. When the consumer stops, the
    /// observer is removed, also from calls under way. If the consumer is slower than the calls, the oldest events
    /// beyond the limit are dropped.
    /// - Parameters:
    ///   - kinds: The kinds of events. Default: all.
    ///   - limit: The maximum number of events that are buffered for the consumer. Default: 1,000.
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
    /// The observers of the entries, without the kinds of events that each observer gets.
    fileprivate var observers: [any CallObserver] {
        get { self?.entries.map(\.observer) ?? [] }
        set { self = newValue.isEmpty ? nil : ObserverList(newValue) }
    }
}
