/// An observer of the events of calls.
///
///     struct Failures: CallObserver {
///         let kinds: Set<CallEvent.Kind> = [.completed]
///
///         func observe(_ event: CallEvent) {
///             if let error = event.error { print(event.callID, error) }
///         }
///     }
///     manager.observers.append(Failures())
///
/// An observer cannot change a call. For changes there are interceptors and hooks.
public protocol CallObserver: Sendable {
    /// The kinds of events that the observer gets. Fewer kinds cost less. The property is read when the observer is
    /// set. Default: all.
    var kinds: Set<CallEvent.Kind> { get }

    /// Receives an event, on the completion queue of the session manager.
    ///
    /// The events of one call come one after the other and in order. The events of different calls come at the same
    /// time if the completion queue is concurrent. While an observer works, the handlers of its call wait. With a
    /// serial queue, the handlers of all calls wait.
    func observe(_ event: CallEvent)
}

extension CallObserver {
    /// All kinds.
    public var kinds: Set<CallEvent.Kind> { Set(CallEvent.Kind.allCases) }
}

/// An observer that is a closure.
struct ClosureObserver: CallObserver {
    let kinds: Set<CallEvent.Kind>
    let body: @Sendable (CallEvent) -> Void

    func observe(_ event: CallEvent) { body(event) }
}

/// An observer, and the kinds of its events as bits.
struct ObserverEntry: Sendable {
    let observer: any CallObserver
    let kinds: UInt32
    /// The observer, if it fills a sequence.
    let stream: StreamObserver?

    init(_ observer: any CallObserver) {
        self.observer = observer
        stream = observer as? StreamObserver
        kinds = observer.kinds.reduce(0) { $0 | $1.bit }
    }

    /// Whether the observer is a sequence that has ended, so that it needs no more events.
    var hasEnded: Bool { stream?.hasEnded ?? false }
}

/// The observers of all calls of a session manager. The list is an object, so that a call only copies a reference.
final class ObserverList: Sendable {
    let entries: [ObserverEntry]

    init(_ observers: [any CallObserver]) { entries = observers.map(ObserverEntry.init) }

    /// The closure that ends sequences. It ends the sequences whose observers are in the first list and not in the
    /// second.
    static let endSequences: @Sendable (ObserverList?, ObserverList?) -> Void = { previous, new in
        for stream in (previous?.entries ?? []).compactMap(\.stream)
        where new?.entries.contains(where: { $0.stream === stream }) != true {
            stream.end()
        }
    }
}
