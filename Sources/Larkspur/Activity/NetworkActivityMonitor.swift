import Synchronization

/// Tells whether the program uses the network, for whoever shows it to a person: a ``Spinner``, a light, an indicator.
///
/// It hears of all tasks by their notifications. What is over before the activation delay is never shown, and what
/// begins within the completion delay after the end of something else does not make it flicker.
///
///     let spinner = Spinner(label: "Loading")
///     NetworkActivityMonitor.shared.setActivityHandler { $0 ? spinner.start() : spinner.stop() }
///     NetworkActivityMonitor.shared.isEnabled = true
///
/// The rules are those of AFNetworking's `AFNetworkActivityIndicatorManager`.
public final class NetworkActivityMonitor: Sendable {
    private struct Storage {
        var state = ActivityState()
        var activity: ObservedValue<Bool>
        var activationDelay: Duration
        var completionDelay: Duration
        var timer: Task<Void, Never>?
        /// Counts the delays, so that one which is over late is ignored.
        var generation = 0
    }

    // Safe: tokens are only handed back to the notification center.
    private struct Tokens: @unchecked Sendable {
        var values: [any NSObjectProtocol] = []
    }

    /// A monitor of all tasks that the whole program can use. It is not enabled until it is told to be.
    public static let shared = NetworkActivityMonitor()

    private let clock: any Clock<Duration>
    private let isIncluded: @Sendable (SessionTask) -> Bool
    private let storage: Mutex<Storage>
    private let tokens = Mutex(Tokens())

    /// Makes a monitor, which is not enabled yet.
    /// - Parameters:
    ///   - activationDelay: How long something has to be under way before it counts. Default: 1 s.
    ///   - completionDelay: How long nothing has to be under way before it counts. Default: 170 ms.
    ///   - clock: What the delays are measured by. Default: the continuous clock.
    ///   - isIncluded: Which tasks count; it is asked when a task is resumed, on any thread. Default: all.
    public init(
        activationDelay: Duration = .seconds(1),
        completionDelay: Duration = .milliseconds(170),
        clock: any Clock<Duration> = ContinuousClock(),
        where isIncluded: @escaping @Sendable (SessionTask) -> Bool = { _ in true }
    ) {
        self.clock = clock
        self.isIncluded = isIncluded
        storage = Mutex(
            Storage(
                activity: ObservedValue(false, queue: Platform.makeCompletionQueue()),
                activationDelay: activationDelay,
                completionDelay: completionDelay
            )
        )
        let names: [(Notification.Name, Bool)] = [
            (SessionTask.didResumeNotification, true), (SessionTask.didSuspendNotification, false),
            (SessionTask.didCompleteNotification, false),
        ]
        let values = names.map { name, isRunning in
            NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) {
                [weak self] notification in
                if let task = notification.sessionTask { self?.note(task, isRunning: isRunning) }
            }
        }
        tokens.withLock { $0.values = values }
    }

    deinit {
        for token in tokens.withLock({ $0.values }) { NotificationCenter.default.removeObserver(token) }
        let (timer, streams) = storage.withLock { ($0.timer, $0.activity.takeStreams()) }
        timer?.cancel()
        for stream in streams { stream.finish() }
    }

    // MARK: Configuring

    /// Whether it tells of activity. While it does not, nothing is active; what is under way is counted all the same.
    /// Default: false.
    public var isEnabled: Bool {
        get { storage.withLock { $0.state.isEnabled } }
        set { change { $0.setEnabled(newValue) } }
    }

    /// How long something has to be under way before it counts; what is set counts from the next time on.
    public var activationDelay: Duration {
        get { storage.withLock { $0.activationDelay } }
        set { storage.withLock { $0.activationDelay = newValue } }
    }

    /// How long nothing has to be under way before it counts; what is set counts from the next time on.
    public var completionDelay: Duration {
        get { storage.withLock { $0.completionDelay } }
        set { storage.withLock { $0.completionDelay = newValue } }
    }

    // MARK: What goes on

    /// Whether the network is in use, as far as that is to be shown.
    public var isActive: Bool { storage.withLock { $0.activity.value } }

    /// Counts something under way that is no task of Larkspur's; ``decrementActivityCount()`` ends it.
    public func incrementActivityCount() { change { $0.increment() } }

    /// Ends something that ``incrementActivityCount()`` began; without effect if nothing was.
    public func decrementActivityCount() { change { $0.decrement() } }

    /// Sets the closure that is called when ``isActive`` has changed, in the order of the changes.
    /// - Parameters:
    ///   - queue: Where it is called. Default: where it was before, at first the main queue on Apple platforms,
    ///     elsewhere a serial queue of the monitor's.
    ///   - handler: The closure; nil for none.
    public func setActivityHandler(queue: DispatchQueue? = nil, _ handler: (@Sendable (Bool) -> Void)?) {
        _ = storage.withLock { $0.activity.setHandler(on: queue, handler) }
    }

    /// ``isActive`` as it is now, and then every change. Each access makes a stream of its own, which ends with the
    /// monitor. A consumer that is more than 100 changes behind misses the oldest.
    public var activityUpdates: AsyncStream<Bool> {
        AsyncStream(bufferingPolicy: .bufferingNewest(ObservedValue<Bool>.streamCapacity)) { continuation in
            let stream = storage.withLock { $0.activity.add(continuation) }
            continuation.onTermination = { [weak self] _ in self?.storage.withLock { $0.activity.remove(stream) } }
        }
    }

    // MARK: Tasks and delays

    private func note(_ task: SessionTask, isRunning: Bool) {
        // One that was counted is over, whatever the filter says by then.
        guard !isRunning || isIncluded(task) else { return }
        change { state in
            // On a concurrent queue its end may come first; then it would count forever.
            state.setRunning(isRunning && !task.hasEnded, task: ObjectIdentifier(task))
        }
    }

    private func change(_ event: (inout ActivityState) -> ActivityState.Order?) {
        let previous = storage.withLock { storage in
            let order = event(&storage.state)
            let previous = order == nil ? nil : takeTimer(&storage)
            switch order {
            case .startActivationDelay: wait(storage.activationDelay, &storage)
            case .startCompletionDelay: wait(storage.completionDelay, &storage)
            case .cancelDelay, nil: break
            }
            storage.activity.set(storage.state.isActive)
            return previous
        }
        // Outside the lock, as a clock of the caller's hears of it.
        previous?.cancel()
    }

    private func wait(_ delay: Duration, _ storage: inout Storage) {
        guard delay > .zero else { return storage.state.delayEnded() }
        let generation = storage.generation
        storage.timer = Task { [weak self, clock] in
            guard (try? await clock.sleep(for: delay)) != nil else { return }
            self?.delayEnded(generation)
        }
    }

    /// The delay that is running, if there is one, which is to be cancelled.
    private func takeTimer(_ storage: inout Storage) -> Task<Void, Never>? {
        storage.generation += 1
        return storage.timer.take()
    }

    private func delayEnded(_ generation: Int) {
        storage.withLock { storage in
            guard storage.generation == generation else { return }
            storage.timer = nil
            storage.state.delayEnded()
            storage.activity.set(storage.state.isActive)
        }
    }
}
