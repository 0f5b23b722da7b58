import LarkspurTesting
import LarkspurTransport
import Synchronization

@testable import Larkspur

/// A run of a sequence of operations, by several threads at once, and the comparison of what came of it with the model.
final class ModelRun: Sendable {
    /// The transport of the runs.
    enum Backing: String, CaseIterable, Sendable {
        case curl, stub
    }

    /// The end of a run, after its operations.
    enum Ending: CaseIterable, Sendable {
        case release, cancel, finish, reset
    }

    /// A call of the run.
    struct Record {
        let kind: ModelOperation.Kind
        var task: SessionTask?
        var life: [CallLife.Event] = []
        var facts: CallLife.Facts
        /// The number of closures for resume data that have not been called, or −1 for each that was called twice.
        var missingResumeData = 0
    }

    struct State {
        var manager: SessionManager?
        var socket: [Int: WebSocketTask] = [:]
        var records: [Int: Record] = [:]
        var resumeData: [Int: Data] = [:]
        var references: [WeakObject] = []
        /// The awaits and loops that have not ended, by their descriptions.
        var waits: [String: Int] = [:]
        /// Those that end with the manager.
        var lateWaits: [String: Int] = [:]
        /// The tasks that only a cancellation ends.
        var loops: [Task<Void, Never>] = []
        var isInvalidated = false
        /// The orders that are given from within the program's closures, until they are given.
        var orders: [Int: [ModelOperation.Occasion: [ModelOperation.Order]]] = [:]
        var violations: [String] = []
    }

    let operations: [ModelOperation]
    let server: ModelServer
    let backing: Backing
    let name: String
    let state = Mutex(State())
    /// The gate of the interceptors that delay.
    let delay = LoopbackServer.Gate()
    let group = DispatchGroup()
    /// The store of the rate limits, of which half of the steps fail.
    let store = InMemorySharedStore()
    private let isObserved: Bool
    private let isNotified: Bool
    private let ending: Ending
    private let folder: URL
    /// The time after which a wait is a failure.
    private let limit: Duration

    private static let counter = Atomic(0)

    init(
        _ operations: [ModelOperation],
        seed: UInt64,
        on server: ModelServer,
        _ backing: Backing,
        _ folder: URL,
        limit: Duration
    ) {
        self.operations = operations
        self.server = server
        self.backing = backing
        self.folder = folder
        self.limit = limit
        name = "run\(Self.counter.add(1, ordering: .relaxed).newValue)"
        var random = SeededGenerator(seed: ~seed)
        isObserved = Int.random(in: 0..<3, using: &random) > 0
        isNotified = Bool.random(using: &random)
        ending = Ending.allCases.randomElement(using: &random) ?? .release
        store.fault = Self.fault(seed: seed, until: delay)
        for case .give(let call, let order, let occasion) in operations.map(\.action) {
            state.withLock { $0.orders[call, default: [:]][occasion, default: []].append(order) }
        }
    }

    private static func fault(
        seed: UInt64,
        until gate: LoopbackServer.Gate
    ) -> @Sendable (InMemorySharedStore.Step) -> InMemorySharedStore.Fault? {
        let random = Mutex(SeededGenerator(seed: seed))
        return { _ in
            switch random.withLock({ Int.random(in: 0..<10, using: &$0) }) {
            case 0: .failed(ModelFailure())
            case 1: .lost(ModelFailure())
            case 2: .held(until: gate)
            case 3: .held(until: gate, ignoringCancellation: true)
            // Before or after the limit's timeout.
            case 4: .delayed(random.withLock { .microseconds(Int.random(in: 0...4000, using: &$0)) })
            default: nil
            }
        }
    }

    /// Performs the run, and returns what the model does not allow.
    func violations() async -> [String] {
        begin()
        let observer = NotificationLog(self, isNotified)
        await perform()
        await settle()
        await end()
        withExtendedLifetime(observer) {}
        return state.withLock { state in
            for (call, record) in state.records.sorted(by: { $0.key < $1.key }) where record.kind != .events {
                if record.missingResumeData != 0 { state.violations.append("Resume data of \(call) came not once") }
                let violations = CallLife.violations(of: record.life, record.facts)
                if violations.isEmpty { continue }
                state.violations.append("Call \(call), \(record.kind): \(violations), life: \(record.life)")
            }
            return state.violations
        }
    }

    /// The waits that have not ended, for a run that hangs.
    var description: String {
        state.withLock { state in
            let calls = state.records.sorted { $0.key < $1.key }.map { call, record in
                "\(call) \(record.kind) \(record.task.map { "\($0.state)" } ?? "released"): \(record.life)"
            }
            return "waits \(state.waits) \(state.lateWaits), calls \(calls)"
        }
    }

    // MARK: Beginning

    private func begin() {
        let configuration = URLSessionConfiguration.testing
        var options = CurlURLSession.Options()
        options.partialDownloadFolder = folder
        let manager = SessionManager(
            baseURL: backing == .curl ? server.server.baseURL : URL(string: "http://stub.test"),
            configuration: configuration,
            transport: backing == .curl ? .curl(options) : server.stub,
            responseSerializer: DataResponseSerializer(),
            completionGroup: group
        )
        manager.reportsUnhandledFailures = false
        manager.interest = NotificationInterest()
        manager.interest.postsAll = isNotified
        if isObserved { manager.observe { [weak self] in self?.note($0) } }
        addOrders(to: manager)
        state.withLock { state in
            state.references.append(WeakObject(manager))
            state.manager = manager
        }
    }

    // MARK: Performing

    private func perform() async {
        let ends = Recorder<Void>()
        for thread in 0..<ModelOperation.threadCount {
            let own = operations.filter { $0.thread == thread }
            DispatchQueue.global().async { [self] in
                for operation in own {
                    // The orders from within closures have no time of their own.
                    if case .give = operation.action { continue }
                    for _ in 0..<operation.pauses { sched_yield() }
                    perform(operation)
                }
                ends.record(())
            }
        }
        _ = try? await ends.wait(for: ModelOperation.threadCount)
    }

    /// Waits for a condition that no event reports.
    private func wait(for event: String, _ condition: () -> Bool) async {
        let deadline = ContinuousClock.now + limit
        while !condition() {
            guard ContinuousClock.now < deadline else { return fail("After \(limit) \(event): \(description)") }
            try? await Task.sleep(for: .microseconds(200))
        }
    }

    func fail(_ violation: String) { state.withLock { $0.violations.append(violation) } }

    // MARK: Settling

    /// Brings every call to its end.
    private func settle() async {
        delay.open()
        let (manager, loops, sockets, references) = state.withLock {
            ($0.manager, $0.loops, Array($0.socket.values), $0.references)
        }
        for loop in loops { loop.cancel() }
        for socket in sockets { socket.cancel() }
        for key in operations.compactMap(\.call) { server.gate(self.key(key)).open() }
        // Some tasks are known to the session alone.
        let tasks = references.compactMap { $0.object as? SessionTask } + (manager?.tasks ?? [])
        for task in tasks {
            if task.state == .initialized, task.plan.chain == nil { task.resume() }
            if task.plan.urlRequest?.url?.path.hasPrefix("/never") == true { cancelAtLast(task) }
        }
        // A closure may still suspend a task, once for each of its orders.
        await leave(group) { for task in tasks where task.state == .suspended { task.resume() } }
    }

    private func cancelAtLast(_ task: SessionTask) {
        change(task.plan.urlRequest) { $0.facts.mayBeCancelled = true }
        task.cancel()
    }

    private func leave(_ group: DispatchGroup, _ body: () -> Void = {}) async {
        let left = Recorder<Void>()
        group.notify(queue: .global()) { left.record(()) }
        await wait(for: "the completion group has not been left") {
            body()
            return !left.values.isEmpty
        }
    }

    // MARK: Ending

    private func end() async {
        await wait(for: "some awaits have not been resumed") { state.withLock { $0.waits.isEmpty } }
        if let manager = state.withLock({ $0.manager }) { await end(manager) }
        // Objects that a task of a queue retains are released when the queues are empty.
        let references = state.withLock { state in
            state.manager = nil
            state.socket = [:]
            for call in state.records.keys { state.records[call]?.task = nil }
            state.loops = []
            return state.references
        }
        await leave(group)
        await wait(for: "objects are alive") { references.allSatisfy { $0.object == nil } }
        await wait(for: "some loops over all events have not ended") { state.withLock { $0.lateWaits.isEmpty } }
        guard backing == .curl else { return }
        await wait(for: "connections are open") { server.server.openConnectionCount == 0 }
    }

    private func end(_ manager: SessionManager) async {
        await wait(for: "the manager has tasks: \(manager.tasks.map(\.state))") {
            manager.tasks.allSatisfy { $0.state == .initialized }
        }
        manager.interceptors = RequestInterceptors()
        switch ending {
        case .release: return
        case .cancel: manager.invalidate(cancelingTasks: true)
        case .finish: manager.invalidate(cancelingTasks: false)
        case .reset: manager.invalidate(cancelingTasks: true, resettingSession: true)
        }
        let code = await manager.get("prompt/\(name)-last").response().error?.code
        let expected = ending == .reset ? nil : LarkspurError.Code.sessionInvalidated
        if code != expected { fail("The call after the end has \(code?.label ?? "success") after \(ending)") }
        await wait(for: "the manager has tasks after its end") { manager.tasks.isEmpty }
    }

    // MARK: Records

    func key(_ call: Int) -> String { "\(name)-\(call)" }

    /// Returns the number of the call that sends a request.
    func call(of request: URLRequest?) -> Int? {
        let parts = request?.url?.lastPathComponent.split(separator: "-") ?? []
        return parts.count == 2 && parts[0] == name ? Int(parts[1]) : nil
    }

    /// Changes the record of the call that sends a request.
    func change(_ request: URLRequest?, _ body: (inout Record) -> Void) {
        guard let call = call(of: request) else { return }
        state.withLock { state in
            if var record = state.records[call] {
                body(&record)
                state.records[call] = record
            }
        }
    }

    func note(_ event: CallLife.Event, of task: SessionTask) {
        change(task.plan.urlRequest) { $0.life.append(event) }
    }

    private func note(_ event: CallEvent) {
        guard let task = event.task else { return }
        defer { occur(.event(event.kind), task) }
        switch event.kind {
        case .created: note(.created, of: task)
        case .resumed: note(.resumed, of: task)
        case .suspended: note(.suspended, of: task)
        case .cancelled: note(.cancelled, of: task)
        case .attemptStarted: note(.attemptStarted, of: task)
        case .attemptEnded: note(.attemptEnded, of: task)
        case .completed: note(.completed(CallLife.Outcome(code: event.error?.code)), of: task)
        default: break
        }
    }

    /// The facts about a call that follow from the operations.
    func facts(of call: Int, _ kind: ModelOperation.Kind, _ behaviour: ModelOperation.Behaviour) -> CallLife.Facts {
        var facts = CallLife.Facts(isObserved: isObserved, isNotified: isNotified)
        switch behaviour {
        case .unavailable: facts.serverOutcomes = [CallLife.Outcome(code: .unacceptableStatusCode)]
        case .broken: (facts.serverOutcomes, facts.mayBreak) = ([], true)
        case .never: facts.serverOutcomes = []
        case .prompt, .large, .redirect, .heldHead, .heldContent: break
        }
        for operation in operations {
            switch operation.action {
            case .cancel(call), .cancelKeepingData(call), .progress(call), .await(call, isCancelled: true):
                facts.mayBeCancelled = true
            case .give(call, let order, _) where order.cancels: facts.mayBeCancelled = true
            case .iterate(call, _): (facts.mayBeCancelled, facts.mayBeStreamed) = (true, true)
            case .open(call, _):
                (facts.mayBeCancelled, facts.mayBeStreamed) = (true, true)
                // An opened response may have any status.
                if behaviour == .unavailable { facts.serverOutcomes.insert(.success) }
            case .drop(call): (facts.mayNeverStart, facts.mayBeReleased) = (true, kind == .task)
            case .invalidate(let cancels, _):
                facts.mayBeInvalidated = true
                if cancels { facts.mayBeCancelled = true }
            case .intercept(.failing, _): facts.mayBeIntercepted = true
            case .intercept(.refusing, _):
                facts.serverOutcomes.insert(CallLife.Outcome(code: .sharedStoreUnavailable))
            case .intercept(.substituting, _):
                // The response of an interceptor has no file.
                let isDownload = kind == .download || kind == .continuation
                facts.serverOutcomes.insert(isDownload ? CallLife.Outcome(code: .emptyResponse) : .success)
            default: break
            }
        }
        // It starts with its first handler, and may have none.
        if kind != .closures, kind != .awaited { facts.mayNeverStart = true }
        return facts
    }
}

/// The notifications about the tasks of a run.
private final class NotificationLog: Sendable {
    private struct Token: @unchecked Sendable {  // Safe: a token is only handed back to the notification center.
        let value: any NSObjectProtocol
    }

    private let tokens: [Token]

    init(_ run: ModelRun, _ isNotified: Bool) {
        let events: [(Notification.Name, @Sendable (Notification) -> CallLife.Event)] = [
            (TaskNotification.didResume.name, { _ in .notifiedResumption }),
            (TaskNotification.didSuspend.name, { _ in .notifiedSuspension }),
            (
                TaskNotification.didComplete.name,
                { .notifiedCompletion(CallLife.Outcome(code: $0.taskCompletion?.error?.code)) }
            ),
        ]
        tokens = (isNotified ? events : []).map { name, event in
            Token(
                value: NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { [weak run] in
                    guard let task = $0.sessionTask else { return }
                    run?.note(event($0), of: task)
                    run?.occur(.notification, task)
                }
            )
        }
    }

    deinit { for token in tokens { NotificationCenter.default.removeObserver(token.value) } }
}
