#if canImport(FoundationNetworking)
import LarkspurTesting
import Synchronization
import TestSupport

@testable import LarkspurTransport

/// A run of a sequence of operations on a session, by several threads at once.
final class SessionModelRun: Sendable {
    struct Record {
        let facts: TaskLife.Facts
        let kind: SessionOperation.Kind
        var task: URLSessionTask?
        /// Whether the program has had the task, and the delegate or its handler is called.
        var isKnown = false
        var life: [TaskLife.Event] = []
    }

    struct State {
        var session: CurlURLSession?
        var records: [Int: Record] = [:]
        var references: [WeakTask] = []
        /// The closures and awaits that have not been called, by their descriptions.
        var waits: [String: Int] = [:]
        var loops: [Task<Void, Never>] = []
        var invalidations = 0
        /// The orders that are given from within closures and methods of the delegate, until they are given.
        var orders: [SessionOperation.Occasion: [(number: Int, order: SessionOperation.Order)]] = [:]
        var violations: [String] = []
    }

    let operations: [SessionOperation]
    let server: SessionModelServer
    let gate = LoopbackServer.Gate()
    let name: String
    let state = Mutex(State())
    let folder: DownloadFolder
    private let limit: Duration
    private static let counter = Atomic(0)

    init(_ operations: [SessionOperation], on server: SessionModelServer, _ folder: DownloadFolder, limit: Duration) {
        self.operations = operations
        self.server = server
        self.folder = folder
        self.limit = limit
        name = "run\(Self.counter.add(1, ordering: .relaxed).newValue)"
        for case .give(let number, let order, let occasion) in operations.map(\.action) {
            state.withLock { $0.orders[occasion, default: []].append((number, order)) }
        }
    }

    /// Performs the run, and returns what the model does not allow.
    func violations() async -> [String] {
        server.setGate(gate, of: name)
        let delegate = ModelDelegate(self)
        state.withLock {
            $0.session = CurlURLSession(
                configuration: .testing,
                delegate: delegate,
                delegateQueue: nil,
                options: folder.options
            )
        }
        await perform()
        await end()
        return state.withLock { state in
            if state.invalidations != 1 { state.violations.append("\(state.invalidations) invalidations") }
            for (number, record) in state.records.sorted(by: { $0.key < $1.key }) where record.isKnown {
                let violations = TaskLife.violations(of: record.life, record.facts)
                if !violations.isEmpty { state.violations.append("Task \(number), \(record.kind): \(violations)") }
            }
            return state.violations
        }
    }

    /// The waits that have not ended, for a run that hangs.
    var description: String {
        state.withLock { state in
            let tasks = state.records.sorted { $0.key < $1.key }.map { number, record in
                "\(number) \(record.kind) \(record.task?.state.rawValue ?? -1): \(record.life)"
            }
            return "waits \(state.waits), tasks \(tasks)"
        }
    }

    private func perform() async {
        let ends = Recorder<Void>()
        for thread in 0..<SessionOperation.threadCount {
            let own = operations.filter { $0.thread == thread }
            DispatchQueue.global().async { [self] in
                for operation in own {
                    for _ in 0..<operation.pauses { sched_yield() }
                    perform(operation.action)
                }
                ends.record(())
            }
        }
        _ = try? await ends.wait(for: SessionOperation.threadCount)
    }

    private func end() async {
        gate.open()
        for loop in state.withLock({ $0.loops }) { loop.cancel() }
        for task in state.withLock({ $0.references }).compactMap(\.task)
        where task.originalRequest?.url?.path.hasPrefix("/never") == true { task.cancel() }
        await wait(for: "waits have not ended") { state.withLock { $0.waits.isEmpty } }
        await wait(for: "tasks have not ended") {
            state.withLock { state in state.records.values.allSatisfy { $0.task == nil || $0.task?.state == .completed }
            }
        }
        if let session = state.withLock({ $0.session.take() }) {
            // A task that was dropped may wait for ever.
            session.invalidateAndCancel()
            await wait(for: "the session has tasks") { session.core.tasks.isEmpty }
        }
        await wait(for: "the session is not invalid") { state.withLock { $0.invalidations > 0 } }
        await wait(for: "connections are open") { server.server.openConnectionCount == 0 }
        let references = state.withLock { state in
            state.loops = []
            for number in state.records.keys { state.records[number]?.task = nil }
            return state.references
        }
        await wait(for: "tasks are alive") { references.allSatisfy { $0.task == nil } }
    }

    private func wait(for description: String, _ condition: () -> Bool) async {
        let deadline = ContinuousClock.now + limit
        while !condition() {
            // A closure may still suspend a task, once for each of its orders.
            for task in state.withLock({ $0.references }).compactMap(\.task) where task.state == .suspended {
                task.resume()
            }
            guard ContinuousClock.now < deadline else {
                return state.withLock { $0.violations.append("After \(limit) \(description)") }
            }
            try? await Task.sleep(for: .microseconds(200))
        }
    }

    // MARK: Operations

    private func task(_ number: Int) -> URLSessionTask? { state.withLock { $0.records[number]?.task } }

    private func perform(_ action: SessionOperation.Action) {
        switch action {
        case .create(let number, let kind, let behaviour): create(number, kind, behaviour)
        case .resume(let number): task(number)?.resume()
        case .suspend(let number): task(number)?.suspend()
        case .cancel(let number): task(number)?.cancel()
        case .cancelKeepingData(let number):
            guard let download = task(number) as? URLSessionDownloadTask else { return }
            let end = begin("resume data of \(number)")
            download.cancel { [self] data in
                data.map(CurlURLSession.discardResumeData)
                occur(.resumeData, of: number)
                end()
            }
        case .give: break
        case .prioritize(let number): task(number)?.priority = 0.8
        case .setDelegate(let number):
            if let task = task(number), task.state == .suspended { task.delegate = ModelDelegate(self) }
        case .read(let number):
            guard let task = task(number) else { return }
            _ = "\(task.state) \(task.countOfBytesReceived) \(task.progress.fractionCompleted) \(task.response as Any)"
        case .release: gate.open()
        case .drop(let number): drop(number)
        case .getTasks, .reset, .flush, .finish, .invalidate, .dropSession: performOnSession(action)
        }
    }

    /// Releases the program's reference to a task that runs. A task that waits for `resume()` would wait for ever.
    private func drop(_ number: Int) {
        guard let task = task(number), task.state != .suspended else { return }
        _ = state.withLock { $0.records[number]?.task.take() }
    }

    private func performOnSession(_ action: SessionOperation.Action) {
        guard let session = state.withLock({ $0.session }) else { return }
        switch action {
        case .getTasks:
            let (all, sorted) = (begin("all tasks"), begin("sorted tasks"))
            session.getAllTasks { [self] _ in
                occur(.getTasks, of: nil)
                all()
            }
            session.getTasksWithCompletionHandler { _, _, _ in sorted() }
        case .reset:
            let end = begin("reset")
            session.reset { [self] in
                occur(.reset, of: nil)
                end()
            }
        case .flush:
            let end = begin("flush")
            session.flush { [self] in
                occur(.flush, of: nil)
                end()
            }
        case .finish: session.finishTasksAndInvalidate()
        case .invalidate: session.invalidateAndCancel()
        default:
            // The last reference is released outside the lock.
            _ = state.withLock { $0.session.take() }
            session.finishTasksAndInvalidate()
        }
    }

    private func create(_ number: Int, _ kind: SessionOperation.Kind, _ behaviour: SessionOperation.Behaviour) {
        guard let session = state.withLock({ $0.session }) else { return }
        let key = behaviour == .held ? name : "\(name)-\(number)"
        var request = URLRequest(url: server.server.url("/\(behaviour.rawValue)/\(key)"))
        request.setValue("\(number)", forHTTPHeaderField: "X-Task")
        let facts = facts(of: number, kind, behaviour)
        state.withLock { $0.records[number] = Record(facts: facts, kind: kind) }
        let handle: @Sendable ((any Error)?) -> Void = { [self] error in
            note(.handled(TaskLife.Outcome(error)), of: number)
            occur(.handled, of: number)
        }
        let body = Data(count: 70_000)
        let task: URLSessionTask
        switch kind {
        case .data: task = session.dataTask(with: request)
        case .download: task = session.downloadTask(with: request)
        case .upload: task = session.uploadTask(with: request, from: body)
        case .handledData: task = session.dataTask(with: request) { _, _, error in handle(error) }
        case .handledDownload: task = session.downloadTask(with: request) { _, _, error in handle(error) }
        case .handledUpload: task = session.uploadTask(with: request, from: body) { _, _, error in handle(error) }
        case .awaited, .cancelledAwait, .bytes: return start(kind, request, session)
        }
        state.withLock { state in
            state.records[number]?.task = task
            state.records[number]?.isKnown = true
            state.references.append(WeakTask(task))
        }
    }

    private func start(_ kind: SessionOperation.Kind, _ request: URLRequest, _ session: CurlURLSession) {
        let end = begin("\(kind) of \(request.url?.path ?? "")")
        let loop = Task {
            if kind == .bytes {
                do {
                    let (bytes, _) = try await session.bytes(for: request)
                    for try await _ in bytes { break }
                } catch {}
            } else {
                _ = try? await session.data(for: request)
            }
            end()
        }
        if kind == .cancelledAwait { loop.cancel() }
        state.withLock { $0.loops.append(loop) }
    }

    private func facts(
        of number: Int,
        _ kind: SessionOperation.Kind,
        _ behaviour: SessionOperation.Behaviour
    ) -> TaskLife.Facts {
        var facts = TaskLife.Facts(hasHandler: kind.hasHandler, isDownload: kind.isDownload)
        facts.mayFail = behaviour == .broken
        facts.mayBeCancelled =
            behaviour == .never
            || operations.contains { operation in
                switch operation.action {
                // A task that is created in an invalid session fails as if it was cancelled. The end of the run does
                // not wait for a task that was dropped.
                case .cancel(number), .cancelKeepingData(number), .drop(number), .invalidate, .finish, .dropSession:
                    true
                case .give(number, let order, _): order.cancels
                default: false
                }
            }
        facts.mayBeUntold =
            !kind.hasHandler
            && operations.contains { operation in
                switch operation.action {
                case .drop(number), .invalidate, .finish, .dropSession: true
                default: false
                }
            }
        return facts
    }

    /// Notes that a closure is to be called once, and returns the closure that notes the call.
    private func begin(_ description: String) -> @Sendable () -> Void {
        state.withLock { $0.waits[description, default: 0] += 1 }
        return { [self] in
            state.withLock { state in
                let count = state.waits[description, default: 0] - 1
                state.waits[description] = count == 0 ? nil : count
            }
        }
    }

    /// Gives the orders of an occasion, once: those to a task, or to all tasks if the occasion belongs to the session.
    func occur(_ occasion: SessionOperation.Occasion, of number: Int?) {
        let orders = state.withLock { state in
            let orders = state.orders[occasion, default: []].filter { number == nil || $0.number == number }
            state.orders[occasion]?.removeAll { number == nil || $0.number == number }
            return orders.compactMap { order in state.records[order.number]?.task.map { ($0, order.order) } }
        }
        for (task, order) in orders {
            switch order {
            case .cancel: task.cancel()
            case .cancelKeepingData:
                if let download = task as? URLSessionDownloadTask {
                    download.cancel { $0.map(CurlURLSession.discardResumeData) }
                } else {
                    task.cancel()
                }
            case .suspend: task.suspend()
            case .resume: task.resume()
            }
        }
    }

    func note(_ event: TaskLife.Event, of number: Int?) {
        guard let number else { return }
        state.withLock { $0.records[number]?.life.append(event) }
    }
}

/// A reference that does not retain its task.
struct WeakTask: Sendable {
    // Safe: only ever read.
    nonisolated(unsafe) private(set) weak var task: URLSessionTask?

    init(_ task: URLSessionTask) { self.task = task }
}

extension TaskLife.Outcome {
    init(_ error: (any Error)?) {
        switch error {
        case nil: self = .success
        case let error as URLError where error.code == .cancelled: self = .cancelled
        default: self = .failure
        }
    }
}
#endif
