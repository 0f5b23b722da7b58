import LarkspurTesting
import LarkspurTransport
import Synchronization

@testable import Larkspur

/// The operations, as the program's calls. Called on the threads of a run.
extension ModelRun {
    func perform(_ operation: ModelOperation) {
        switch operation.action {
        case .create(let call, let kind, let behaviour): create(call, kind, behaviour)
        case .resume(let call): task(call)?.resume()
        case .suspend(let call): task(call)?.suspend()
        case .cancel(let call): cancel(call)
        case .cancelKeepingData(let call): cancelKeepingData(call)
        case .handle(let call, let onOwnQueue): addHandler(call, queue: onOwnQueue ? Self.handlerQueue : nil)
        case .await(let call, let isCancelled): awaitResponse(call, isCancelled: isCancelled)
        case .iterate(let call, let chunks): iterate(call, chunks: chunks)
        case .open(let call, let reads): open(call, reads: reads)
        case .observe(let call): observe(call)
        case .progress(let call): changeProgress(call, pauses: operation.pauses)
        case .read(let call): read(call)
        case .release(let call): server.gate(key(call)).open()
        case .drop(let call): drop(call)
        case .give: break
        case .observeAll, .ignoreAll, .intercept, .stopIntercepting, .change, .invalidate, .dropManager:
            perform(operation.action)
        }
    }

    private static let handlerQueue = DispatchQueue(label: "larkspur.test.handlers")
    private static let otherQueue = DispatchQueue(label: "larkspur.test.other-completion")

    private func perform(_ action: ModelOperation.Action) {
        guard let manager = state.withLock({ $0.manager }) else { return }
        switch action {
        case .observeAll:
            manager.observers.append(IdleObserver())
            let events = manager.callEvents()
            wait("events of all calls", in: \.lateWaits) { for await _ in events {} }
        case .ignoreAll: manager.observers.removeAll { $0 is IdleObserver }
        case .intercept(let interceptor, let perAttempt):
            let interceptor = makeInterceptor(interceptor)
            if perAttempt {
                manager.interceptors.attempt.append(interceptor)
            } else {
                manager.interceptors.call = [interceptor]
            }
        case .stopIntercepting: manager.interceptors = RequestInterceptors()
        case .change(let number): change(manager, number)
        case .invalidate(let cancels, let resets):
            manager.invalidate(cancelingTasks: cancels, resettingSession: resets)
        // The last reference is released outside the lock.
        case .dropManager: _ = state.withLock { $0.manager.take() }
        default: break
        }
    }

    private func change(_ manager: SessionManager, _ number: Int) {
        switch number {
        case 0: manager.headers["X-Number"] = "\(manager.headers.count)"
        case 1: manager.requestSettings.timeoutInterval = 170
        case 2: manager.jsonDecoder = JSONDecoder()
        case 3: manager.completionQueue = Self.otherQueue
        case 4: manager.timeouts = Timeouts(total: .seconds(600))
        default: manager.hooks.didReceiveData = { _, _ in }
        }
    }

    private func makeInterceptor(_ interceptor: ModelOperation.Interceptor) -> any RequestInterceptor {
        switch interceptor {
        case .retrying: RetryPolicy(maximumAttempts: 3, baseDelay: .microseconds(100))
        case .delaying:
            ClosureInterceptor { [delay] request, _, next in
                await delay.wait()
                return try await next(request)
            }
        case .failing: ClosureInterceptor { _, _, _ in throw ModelFailure() }
        case .substituting:
            ClosureInterceptor { request, _, _ in
                let response = request.url.flatMap {
                    HTTPURLResponse(url: $0, statusCode: 200, httpVersion: nil, headerFields: nil)
                }
                return InterceptedResponse(request: request, response: response, data: Data("{}".utf8))
            }
        case .sharing: makeRateLimit(share: 0.5)
        case .refusing: makeRateLimit(share: 0)
        }
    }

    /// Returns a rate limit that hardly delays, but whose store fails at random, and is tried again soon.
    private func makeRateLimit(share: Double) -> any RequestInterceptor {
        var rules = SharedRateRules(
            count: 20_000,
            period: .seconds(1),
            burst: 4,
            share: share,
            timeout: .milliseconds(2)
        )
        rules.pause = .milliseconds(1)
        return SharedRateLimit(rules, store: store, key: "model")
    }

    // MARK: Creating

    private func create(_ call: Int, _ kind: ModelOperation.Kind, _ behaviour: ModelOperation.Behaviour) {
        guard let manager = state.withLock({ $0.manager }) else { return }
        let path = "\(behaviour.rawValue)/\(key(call))"
        var facts = facts(of: call, kind, behaviour)
        if kind == .task || kind == .closures { facts.handlers = [.content] }
        let record = Record(kind: kind, facts: facts)
        state.withLock { $0.records[call] = record }
        switch kind {
        case .closures:
            let task = manager.get(path, as: DataResponseSerializer()) { [self] _, _ in
                handled(call, 0, nil)
            } failure: { [self] _, error in
                handled(call, 0, error)
            }
            keep(task, call)
        case .task:
            guard let request = try? manager.makeRequest(.get, path) else { return }
            let task = manager.dataTask(with: request, as: DataResponseSerializer()) { [self] in
                handled(call, 0, $0.error)
            }
            keep(task, call)
        case .chain: keep(addOrders(to: manager.get(path), call), call)
        case .awaited:
            keep(manager.get(path), call)
            awaitResponse(call, isCancelled: false)
        case .upload:
            keep(addOrders(to: manager.upload(path, from: .data(Data(count: 70_000))), call), call)
        case .produced:
            // Only the engine sends produced content.
            guard backing == .curl else { return }
            let body = RequestBody.writer(isRepeatable: true) { [weak self] in
                try await $0.write(Data(count: 30_000))
                self?.occur(.writer, in: call)
            }
            keep(addOrders(to: manager.put(path, body: body), call), call)
        case .download: keep(addOrders(to: manager.download(path), call), call)
        case .continuation:
            let data = state.withLock { state in
                state.resumeData.keys.min().flatMap { state.resumeData.removeValue(forKey: $0) }
            }
            keep(manager.download(path, resumeData: data), call)
        case .events: listen(call, manager)
        case .webSocket: openSocket(call, manager)
        }
    }

    private func keep(_ task: SessionTask, _ call: Int) {
        state.withLock { state in
            state.records[call]?.task = task
            state.references.append(WeakObject(task))
        }
    }

    private func listen(_ call: Int, _ manager: SessionManager) {
        var rules = Reconnection.automatic
        (rules.initialDelay, rules.minimumDelay) = (.microseconds(100), .zero)
        let events = manager.events("events/\(key(call))", reconnection: rules)
        let loop = wait("loop over the events of \(call)") {
            do { for try await _ in events {} } catch {}
        }
        state.withLock { $0.loops.append(loop) }
    }

    private func openSocket(_ call: Int, _ manager: SessionManager) {
        guard backing == .curl else { return }
        let socket = manager.webSocket("websocket/echo")
        state.withLock { $0.socket[call] = socket }
        wait("messages of the WebSocket \(call)") {
            do {
                try await socket.open()
                try await socket.send("Hello")
                for try await _ in socket.messages { try await socket.close() }
            } catch {}
        }
    }

    // MARK: One call

    private func task(_ call: Int) -> SessionTask? { state.withLock { $0.records[call]?.task } }

    private func cancel(_ call: Int) {
        task(call)?.cancel()
        state.withLock { $0.socket[call] }?.cancel()
    }

    private func cancelKeepingData(_ call: Int) {
        guard let task = task(call) as? DownloadTask else { return cancel(call) }
        cancelKeepingData(task, call)
    }

    func cancelKeepingData(_ task: SessionTask, _ call: Int) {
        guard let task = task as? DownloadTask else { return task.cancel() }
        state.withLock { $0.records[call]?.missingResumeData += 1 }
        task.cancel { [self] data in
            state.withLock { state in
                state.records[call]?.missingResumeData -= 1
                state.resumeData[call] = data
            }
            occur(.resumeData, in: call)
        }
    }

    private func drop(_ call: Int) {
        // The last references are released outside the lock.
        _ = state.withLock { ($0.records[call]?.task.take(), $0.socket.removeValue(forKey: call)) }
    }

    /// Adds a handler to the record.
    private func newHandler(_ call: Int, _ kind: CallLife.Facts.Handler) -> Int {
        state.withLock { state in
            guard var record = state.records[call] else { return 0 }
            let isRefused = kind == .content && (record.kind == .task || record.kind == .closures)
            record.facts.handlers.append(isRefused ? .refused : kind)
            state.records[call] = record
            return record.facts.handlers.count - 1
        }
    }

    private func handled(_ call: Int, _ number: Int, _ error: LarkspurError?) {
        state.withLock { $0.records[call]?.life.append(.handled(number, CallLife.Outcome(code: error?.code))) }
        occur(.handler, in: call)
    }

    private func addHandler(_ call: Int, queue: DispatchQueue?) {
        guard let task = task(call) else { return }
        let number = newHandler(call, .content)
        if let task = task as? DataTask {
            task.response(as: DataResponseSerializer(), queue: queue) { [self] in handled(call, number, $0.error) }
        } else if let task = task as? DownloadTask {
            task.response(queue: queue) { [self] in handled(call, number, $0.error) }
        }
    }

    private func awaitResponse(_ call: Int, isCancelled: Bool) {
        guard let task = task(call) else { return }
        let number = newHandler(call, .content)
        let wait = wait("response of \(call)") { [self] in
            if let task = task as? DataTask {
                await handled(call, number, task.response().error)
            } else if let task = task as? DownloadTask {
                let response = await task.response()
                if let file = response.fileURL { try? FileManager.default.removeItem(at: file) }
                handled(call, number, response.error)
            }
        }
        if isCancelled { wait.cancel() }
    }

    private func iterate(_ call: Int, chunks: Int) {
        guard let task = task(call) as? DataTask else { return }
        let number = newHandler(call, .consumer)
        wait("chunks of \(call)") { [self] in
            var rest = chunks
            var isLeft = false
            do throws(LarkspurError) {
                for try await _ in task.chunks {
                    occur(.chunk, task)
                    rest -= 1
                    isLeft = rest <= 0
                    if isLeft { break }
                }
                if !isLeft { noteWholeContent(of: call) }
                handled(call, number, nil)
            } catch {
                handled(call, number, error)
            }
        }
    }

    /// Records that a loop over the content has ended without an error. The response was acceptable and complete.
    private func noteWholeContent(of call: Int) {
        let maySucceed = state.withLock { $0.records[call]?.facts.serverOutcomes.contains(.success) }
        if maySucceed == false { fail("The content of \(call) has an end although the call cannot succeed") }
    }

    private func open(_ call: Int, reads: Bool) {
        guard let task = task(call) as? DataTask else { return }
        let number = newHandler(call, .consumer)
        wait("head of \(call)") { [self] in
            do throws(LarkspurError) {
                let (_, content) = try await task.open()
                if reads { _ = try await content.collect(upTo: 1 << 20) }
                handled(call, number, nil)
            } catch {
                handled(call, number, error)
            }
        }
    }

    private func observe(_ call: Int) {
        guard let task = task(call) else { return }
        task.observe { _ in }
        let events = task.callEvents()
        let loop = wait("events of \(call)") { for await _ in events {} }
        // A task that never starts has no end.
        state.withLock { $0.loops.append(loop) }
    }

    private func changeProgress(_ call: Int, pauses: Int) {
        guard let task = task(call) else { return }
        let progress = pauses % 2 == 0 ? task.downloadProgress : task.uploadProgress
        switch pauses % 3 {
        case 0: progress.cancel()
        case 1:
            progress.pause()
            progress.resume()
        default: _ = progress.fractionCompleted
        }
    }

    private func read(_ call: Int) {
        guard let task = task(call) else { return }
        _ = "\(task.state) \(task.timeline) \(task.cURLDescription()) \(task.statusCode ?? 0) \(task.priority)"
        task.priority = 0.7
        _ = (task as? DownloadTask)?.resumeData
        _ = state.withLock { $0.manager }?.description
    }

    /// Runs a wait in a Swift task, which the run expects to end.
    @discardableResult
    private func wait(
        _ description: String,
        in waits: any WritableKeyPath<State, [String: Int]> & Sendable = \.waits,
        _ body: @escaping @Sendable () async -> Void
    ) -> Task<Void, Never> {
        state.withLock { $0[keyPath: waits][description, default: 0] += 1 }
        return Task { [self] in
            await body()
            state.withLock { state in
                let count = state[keyPath: waits][description, default: 0] - 1
                state[keyPath: waits][description] = count == 0 ? nil : count
            }
        }
    }
}

/// An observer that does nothing.
private struct IdleObserver: CallObserver {
    func observe(_ event: CallEvent) {}
}

/// The error of an interceptor that fails.
struct ModelFailure: Error {}
