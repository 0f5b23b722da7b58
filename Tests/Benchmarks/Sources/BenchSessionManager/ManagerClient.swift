internal import Larkspur
internal import Measuring
internal import Synchronization

/// A `SessionManager` whose calls have closures.
struct ManagerClient: CallbackClient {
    private let options: Options
    private let manager: SessionManager

    init(_ options: Options) {
        self.options = options
        manager = .measured(options)
    }

    func makeRequest(_ target: Target) -> Target { target.relative(to: options) }

    func perform(_ target: Target, completion: @escaping Completion) {
        let url = target.url
        switch options.workload {
        case _ where target.staysOpen: openStream(url, completion)
        case _ where options.client.hasSuffix("-object"):
            manager.get(url) { _, object in
                completion(object == nil ? "no content" : nil)
            } failure: { _, error in
                completion("\(error)")
            }
        case .value:
            manager.get(url, as: Item.self) { _, item in
                completion(item.name.isEmpty ? "no name" : nil)
            } failure: { _, error in
                completion("\(error)")
            }
        case .items:
            manager.get(url, as: [Item].self) { _, items in
                completion(items.isEmpty ? "no items" : nil)
            } failure: { _, error in
                completion("\(error)")
            }
        case .post:
            manager.upload(url, from: .data(Message.exampleJSON), headers: .json, as: .data) { _, data in
                completion(data.isEmpty ? "no content" : nil)
            } failure: { _, error in
                completion("\(error)")
            }
        case .encodedPost:
            manager.post(url, body: .json(Message.example), as: .data) { _, data in
                completion(data.isEmpty ? "no content" : nil)
            } failure: { _, error in
                completion("\(error)")
            }
        default:
            manager.get(url, as: .data) { _, data in
                completion(target.failure(status: 200, contentLength: data.count))
            } failure: { _, error in
                completion("\(error)")
            }
        }
    }

    private func openStream(_ url: String, _ completion: @escaping Completion) {
        let opened = Mutex<Completion?>(completion)
        manager.get(url).responseStream { _, _ in
            let completion = opened.withLock { $0.take() }
            completion?(nil)
        } completionHandler: { response in
            end("\(url) has ended: \(response.result)")
        }
    }

    func invalidate() async { manager.invalidate(cancelingTasks: false) }
}

/// A `SessionManager` whose calls are awaited.
struct AwaitingManagerClient: PageClient {
    private let options: Options
    private let manager: SessionManager
    /// The executor of the tasks that await; nil for the global one.
    let executor: (any TaskExecutor)?

    init(_ options: Options) {
        self.options = options
        manager = .measured(options)
        executor = options.client.contains("-executor") ? manager.executor : nil
    }

    func makeRequest(_ target: Target) -> Target { target.relative(to: options) }

    func perform(_ target: Target) async throws -> String? {
        let url = target.url
        if target.staysOpen { return await openStream(url) }
        return switch options.workload {
        case .value: try await manager.get(url).value(as: Item.self).name.isEmpty ? "no name" : nil
        case .items: try await manager.get(url).value(as: [Item].self).isEmpty ? "no items" : nil
        case .post:
            try await manager.upload(url, from: .data(Message.exampleJSON), headers: .json).data.isEmpty
                ? "no content" : nil
        case .encodedPost:
            try await manager.post(url, body: .json(Message.example)).data.isEmpty ? "no content" : nil
        case .discard, .slow: try await discard(target)
        case _ where options.workload.uploadsSequence: try await uploadSequence(target)
        default: target.failure(status: 200, contentLength: try await manager.get(url).data.count)
        }
    }

    func links(at url: String) async throws -> [String] {
        try await manager.get(url).data.withUnsafeBytes(Page.links(in:))
    }

    private func discard(_ target: Target) async throws -> String? {
        let (head, content) = try await manager.get(target.url).open()
        var length = 0
        for try await chunk in content {
            let before = length
            length += chunk.count
            let count = options.workload == .slow ? SlowConsumer.sleeps(from: before, to: length) : 0
            if count > 0 { try await Task.sleep(for: .milliseconds(count * SlowConsumer.sleepMilliseconds)) }
        }
        return target.failure(status: head.statusCode, contentLength: length)
    }

    private func uploadSequence(_ target: Target) async throws -> String? {
        let chunks = ChunkSequence(length: target.uploadLength, options.workload) { Data(count: $0) }
        let (head, content) = try await manager.put(target.url, body: .sequence(chunks)).open()
        return target.failure(status: head.statusCode, contentLength: try await content.collect(upTo: 1 << 10).count)
    }

    /// Leaves the events of a stream to a task that waits for more of them.
    private func openStream(_ url: String) async -> String? {
        await withCheckedContinuation { continuation in
            Task {
                var opened: CheckedContinuation<String?, Never>? = continuation
                do {
                    for try await _ in manager.events(url) { opened.take()?.resume(returning: nil) }
                    end("\(url) has ended.")
                } catch {
                    end("\(url): \(error)")
                }
            }
        }
    }

    func invalidate() async { manager.invalidate(cancelingTasks: false) }
}

/// An interceptor that does nothing.
private struct Passage: RequestInterceptor {
    func intercept(
        _ request: URLRequest,
        context: RequestContext,
        next: RequestContext.Next
    ) async throws -> InterceptedResponse {
        try await next(request)
    }
}

extension HTTPHeaders {
    fileprivate static let json: HTTPHeaders = ["Content-Type": "application/json"]
}

extension Target {
    /// The same target, with a path that is relative to the manager's base URL.
    fileprivate func relative(to options: Options) -> Target {
        let (origin, path) = parts
        guard origin == options.target.parts.origin else { return self }
        var target = self
        target.url = String(path.dropFirst())
        return target
    }
}

extension SessionManager {
    /// A session manager with a base URL and its default settings, but for the number of connections.
    fileprivate static func measured(_ options: Options) -> SessionManager {
        let configuration = URLSessionConfiguration.default
        if options.client.contains("-uncached") { configuration.urlCache = nil }
        configuration.httpMaximumConnectionsPerHost = options.connections
        // Longer than any measurement takes.
        if options.idleStreams > 0 { configuration.timeoutIntervalForRequest = 3600 }
        let manager = SessionManager(baseURL: options.target.parts.origin, configuration: configuration)
        if options.client.contains("-intercepted") { manager.interceptors.call = [Passage()] }
        // It drops what succeeds.
        if options.client.contains("-logged") { manager.observers = [ConsoleLogger(level: .failures)] }
        if options.client.contains("-observed") { manager.observe { _ in } }
        return manager
    }
}
