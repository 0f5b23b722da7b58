import Synchronization

/// A monitor of the program's network activity, for an indicator in the user interface such as a ``Spinner``.
///
/// It observes the notifications of all tasks. Activity that ends before the activation delay is never shown. If new
/// activity begins within the completion delay after the end of other activity, both are shown as one, so that the
/// indicator does not flicker.
///
///     let spinner = Spinner(label: "Loading")
///     NetworkActivityMonitor.shared.setActivityHandler { $0 ? spinner.start() : spinner.stop() }
///     NetworkActivityMonitor.shared.isEnabled = true
///
/// The rules are the same as in AFNetworking's `AFNetworkActivityIndicatorManager`.
public final class NetworkActivityMonitor: Sendable {
    private struct Storage {
        var state = ActivityState()
        var activity: ObservedValue<Bool>
        var activationDelay: Duration
        var completionDelay: Duration
        var timer: Task<Void, Never>?
        /// The number of delays so far. With it, the late end of an earlier delay is recognized and ignored.
        var generation = 0
    }

    // Safe: tokens are only passed back to the notification center.
    private struct Tokens: @unchecked Sendable {
        var values: [any NSObjectProtocol] = []
    }

    /// A shared monitor of all tasks. It is not enabled at first.
    public static let shared = NetworkActivityMonitor()

    private let clock: any Clock<Duration>
    private let isIncluded: @Sendable (SessionTask) -> Bool
    private let storage: Mutex<Storage>
    private let tokens = Mutex(Tokens())

    /// Creates a monitor, which is not enabled yet.
    /// - Parameters:
    ///   - activationDelay: The time for which activity must last before it is reported. Default: 1 s.
    ///   - completionDelay: The time for which inactivity must last before it is reported. Default: 170 ms.
    ///   - clock: The clock that measures the delays. Default: the continuous clock.
    ///   - isIncluded: A filter that returns true for the tasks that count. Called when a task is resumed, on any
    ///     thread. Default: all tasks count.
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

    /// Whether the monitor reports activity. If false, ``isActive`` is false, but activity is still counted. Default:
    /// false.
    public var isEnabled: Bool {
        get { storage.withLock { $0.state.isEnabled } }
        set { change { $0.setEnabled(newValue) } }
    }

    /// The time for which activity must last before it is reported. A new value applies from the next delay on.
    public var activationDelay: Duration {
        get { storage.withLock { $0.activationDelay } }
        set { storage.withLock { $0.activationDelay = newValue } }
    }

    /// The time for which inactivity must last before it is reported. A new value applies from the next delay on.
    public var completionDelay: Duration {
        get { storage.withLock { $0.completionDelay } }
        set { storage.withLock { $0.completionDelay = newValue } }
    }

    // MARK: Activity

    /// Whether the network is in use, after the activation and completion delays.
    public var isActive: Bool { storage.withLock { $0.activity.value } }

    /// Counts the start of an activity that is not a task of Larkspur. ``decrementActivityCount()`` counts its end.
    public func incrementActivityCount() { change { $0.increment() } }

    /// Counts the end of an activity that ``incrementActivityCount()`` counted. Has no effect if no such activity is
    /// left.
    public func decrementActivityCount() { change { $0.decrement() } }

    /// Sets the closure that is called after each change of ``isActive``, in the order of the changes.
    /// - Parameters:
    ///   - queue: The queue on which the closure is called. Default: the queue of the previous closure; at first the
    ///     main queue on Apple platforms, elsewhere a serial queue of the monitor.
    ///   - handler: The closure; nil for none.
    public func setActivityHandler(queue: DispatchQueue? = nil, _ handler: (@Sendable (Bool) -> Void)?) {
        _ = storage.withLock { $0.activity.setHandler(on: queue, handler) }
    }

    /// A stream of the current value of ``isActive`` and of every change. Each access creates a separate stream, which
    /// ends with the monitor. A consumer that is more than 100 changes behind loses the oldest changes.
    public var activityUpdates: AsyncStream<Bool> {
        AsyncStream(bufferingPolicy: .bufferingNewest(ObservedValue<Bool>.streamCapacity)) { continuation in
            let stream = storage.withLock { $0.activity.add(continuation) }
            continuation.onTermination = { [weak self] _ in self?.storage.withLock { $0.activity.remove(stream) } }
        }
    }

    // MARK: Tasks and delays

    private func note(_ task: SessionTask, isRunning: Bool) {
        // The end of a counted task is always counted, even if the filter no longer includes the task.
        guard !isRunning || isIncluded(task) else { return }
        change { state in
            // On a concurrent queue the notification of the end may come first. Without this check, the task would then
            // count forever.
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
        // Cancelled outside the lock, because a cancellation calls the caller's clock.
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

    /// Takes the running delay, if any, so that the caller can cancel it.
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

/// The state machine of the activity indicator. Requests that end soon are not shown, and the indicator does not
/// flicker between two requests. It is a value. Each event returns an order for the timer, and ``delayEnded()`` records
/// that the timer's delay has ended.
struct ActivityState: Equatable, Sendable {
    /// The stages of activity, in their order.
    enum Stage: Sendable, CaseIterable {
        /// There is no activity, or the monitor is not enabled.
        case notActive
        /// There is activity, but it may end soon. It is not shown yet.
        case delayingStart
        /// There is activity, and it is shown.
        case active
        /// There is no more activity, but new activity may begin soon. Activity is still shown.
        case delayingEnd
    }

    /// An order for the timer. There is only one timer.
    enum Order: Equatable, Sendable {
        case startActivationDelay
        case startCompletionDelay
        case cancelDelay
    }

    private(set) var stage = Stage.notActive
    private(set) var isEnabled: Bool
    private var tasks: Set<ObjectIdentifier> = []
    private var others = 0

    init(isEnabled: Bool = false) { self.isEnabled = isEnabled }

    /// Whether activity is shown.
    var isActive: Bool { stage == .active || stage == .delayingEnd }

    /// Whether there is activity.
    var isBusy: Bool { !tasks.isEmpty || others > 0 }

    /// Records that a task runs, or no longer runs. A task counts once, even if the event is repeated.
    mutating func setRunning(_ isRunning: Bool, task: ObjectIdentifier) -> Order? {
        if isRunning { tasks.insert(task) } else { tasks.remove(task) }
        return activityChanged()
    }

    /// Counts the start of an activity that is not a task.
    mutating func increment() -> Order? {
        // The count stays at its maximum, because an overflow would end the process.
        others = others == .max ? others : others + 1
        return activityChanged()
    }

    /// Counts the end of an activity that is not a task. The count never falls below zero.
    mutating func decrement() -> Order? {
        others = max(0, others - 1)
        return activityChanged()
    }

    mutating func setEnabled(_ isEnabled: Bool) -> Order? {
        guard isEnabled != self.isEnabled else { return nil }
        self.isEnabled = isEnabled
        if isEnabled { return activityChanged() }
        stage = .notActive
        return .cancelDelay
    }

    private mutating func activityChanged() -> Order? {
        guard isEnabled else { return nil }
        switch (stage, isBusy) {
        case (.notActive, true):
            stage = .delayingStart
            return .startActivationDelay
        case (.active, false):
            stage = .delayingEnd
            return .startCompletionDelay
        case (.delayingEnd, true):
            stage = .active
            return .cancelDelay
        default:
            // The activation delay always runs to its end, because many short requests, one after the other, count as
            // activity.
            return nil
        }
    }

    /// Records that the current delay has ended.
    mutating func delayEnded() {
        switch stage {
        case .delayingStart: stage = isBusy ? .active : .notActive
        case .delayingEnd: stage = .notActive
        case .notActive, .active: break
        }
    }
}
