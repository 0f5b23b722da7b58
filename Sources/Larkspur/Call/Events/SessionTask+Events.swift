import Synchronization

extension SessionTask {
    /// Adds an observer of the later events of this call. The observers of the session manager get the events, too.
    ///
    ///     let user = try await manager.get("users/1").observe { print($0) }.value(as: User.self)
    /// - Parameters:
    ///   - kinds: The kinds of events. Default: all.
    ///   - observer: Called with each event, on the manager's `completionQueue`, in the order of the events and before
    ///     the handlers of the call.
    /// - Returns: The task.
    @discardableResult
    public func observe(
        _ kinds: Set<CallEvent.Kind> = Set(CallEvent.Kind.allCases),
        _ observer: @escaping @Sendable (CallEvent) -> Void
    ) -> Self {
        add(ObserverEntry(ClosureObserver(kinds: kinds, body: observer)))
        return self
    }

    /// Returns a sequence of the later events of this call, which ends after `completed`. When the consumer stops, the
    /// observer of the sequence is removed from the call.
    ///
    /// If the consumer is slower than the call, the oldest events beyond the limit are dropped. A task that has ended
    /// has no more events.
    /// - Parameters:
    ///   - kinds: The kinds of events. Default: all.
    ///   - limit: The maximum number of events that are buffered for the consumer. Default: 1,000.
    public func callEvents(
        _ kinds: Set<CallEvent.Kind> = Set(CallEvent.Kind.allCases),
        limit: Int = 1000
    ) -> AsyncStream<CallEvent> {
        let (stream, observer) = StreamObserver.make(kinds, limit: limit, endsWithCall: true)
        // The sequence of a task that has ended would wait for ever.
        if !add(ObserverEntry(observer)) { observer.end() }
        return stream
    }

    /// Adds an observer.
    /// - Returns: False if the task has ended, so that there are no more events.
    @discardableResult
    private func add(_ entry: ObserverEntry) -> Bool {
        storage.withLock { storage in
            guard !storage.handlers.hasEnded else { return false }
            if let observation = storage.observation {
                observation.add(entry)
            } else {
                storage.observation = CallObservation([entry], on: environment.settings.completionQueue)
                isObserved.store(true, ordering: .relaxed)
            }
            return true
        }
    }

    /// The observers of the call; nil if there are none.
    final var observation: CallObservation? {
        isObserved.load(ordering: .relaxed) ? storage.withLock { $0.observation } : nil
    }

    /// Posts an event, if the call is observed.
    final func note(_ kind: CallEvent.Kind, _ detail: @autoclosure () -> CallEvent.Detail) {
        observation?.post(kind, of: self, detail())
    }

    /// Posts the events at the end of an attempt.
    final func noteAttemptEnd(_ result: TransferResult) {
        observation?.postAttemptEnd(result, of: self)
    }

    /// Queues the notification of a transition, if it has one, and posts its event. Called with the lock of the state
    /// held. So the notifications and the events are in the order of the transitions.
    final func announce(_ kind: CallEvent.Kind, to observation: CallObservation?) {
        let notification: TaskNotification? =
            switch kind {
            case .resumed: .didResume
            case .suspended: .didSuspend
            default: nil
            }
        if let notification, environment.settings.interest.includes(notification) {
            environment.settings.completionQueue.async { [self] in post(notification) }
        }
        observation?.post(kind, of: self, .none)
    }
}

extension CallObservation {
    /// Posts the event of an interceptor's action.
    func post(_ note: CallNote, of task: SessionTask?) {
        switch note {
        case .retry(let delay, let reason):
            post(.retryScheduled, of: task, .retry(delay: delay, reason: reason))
        case .coalesced:
            post(.coalesced, of: task, .retry(delay: nil, reason: "an equal request is under way"))
        case .limit(let limit, let reason): post(.limitReached, of: task, .limit(limit, reason: reason))
        case .sharedStore(let reason): post(.sharedStoreFailed, of: task, .retry(delay: nil, reason: reason))
        }
    }
}

extension CallEvent.Challenge {
    init(_ challenge: URLAuthenticationChallenge) {
        let space = challenge.protectionSpace
        authenticationMethod = space.authenticationMethod
        host = space.host
        realm = space.realm
        previousFailureCount = challenge.previousFailureCount
    }
}
