internal import Larkspur
internal import Measuring
internal import Synchronization

/// A `SessionManager` as it is without settings: the automatic transport, JSON responses.
struct ManagerClient: CallbackClient {
    private let workload: Options.Workload
    /// Whether content is sent and taken as it is, as ``AwaitingManagerClient`` does.
    private let isPlain: Bool
    private let manager: SessionManager

    init(_ options: Options) {
        workload = options.workload
        isPlain = options.client.contains("-data")
        manager = .measured(options)
    }

    func makeRequest(_ target: Target) -> Target { target }

    func perform(_ target: Target, completion: @escaping Completion) {
        let url = target.url
        switch workload {
        case _ where target.staysOpen: openStream(url, completion)
        case .json:
            manager.get(url, as: [Item].self) { _, items in
                completion(items.isEmpty ? "no items" : nil)
            } failure: { _, error in
                completion("\(error)")
            }
        case .post where isPlain:
            manager.upload(url, from: .data(Message.exampleData), headers: .json, as: .data) { _, data in
                completion(data.isEmpty ? "no content" : nil)
            } failure: { _, error in
                completion("\(error)")
            }
        case .post:
            manager.post(url, body: .json(Message.example)) { _, object in
                completion(object == nil ? "no content" : nil)
            } failure: { _, error in
                completion("\(error)")
            }
        case _ where isPlain:
            manager.get(url, as: .data) { _, data in
                completion(data.isEmpty ? "no content" : nil)
            } failure: { _, error in
                completion("\(error)")
            }
        default:
            manager.get(url) { _, object in
                completion(object == nil ? "no content" : nil)
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

    func invalidate() async { manager.invalidate(cancellingTasks: false) }
}

/// A `SessionManager` whose calls are awaited. It sends and takes content as it is.
struct AwaitingManagerClient: AsyncClient {
    private let workload: Options.Workload
    private let manager: SessionManager
    /// The executor of the tasks that await; nil for the global one.
    let executor: (any TaskExecutor)?

    init(_ options: Options) {
        workload = options.workload
        manager = .measured(options)
        executor = options.client.contains("-executor") ? manager.executor : nil
    }

    func makeRequest(_ target: Target) -> Target { target }

    func perform(_ target: Target) async throws -> String? {
        let url = target.url
        if target.staysOpen { return await openStream(url) }
        return switch workload {
        case .json: try await manager.get(url).value(as: [Item].self).isEmpty ? "no items" : nil
        case .post:
            try await manager.upload(url, from: .data(Message.exampleData), headers: .json).data.isEmpty
                ? "no content" : nil
        case .discard, .slow: try await discard(target)
        case .uploadSequence, .slowUploadSequence: try await uploadSequence(target)
        default: try await manager.get(url).data.isEmpty ? "no content" : nil
        }
    }

    private func discard(_ target: Target) async throws -> String? {
        let (head, content) = try await manager.get(target.url).open()
        var length = 0
        for try await chunk in content {
            let before = length
            length += chunk.count
            let count = workload == .slow ? SlowConsumer.sleeps(from: before, to: length) : 0
            if count > 0 { try await Task.sleep(for: .milliseconds(count * SlowConsumer.sleepMilliseconds)) }
        }
        return target.failure(status: head.statusCode, contentLength: length)
    }

    private func uploadSequence(_ target: Target) async throws -> String? {
        let chunks = ChunkSequence(length: target.uploadLength, pauses: workload == .slowUploadSequence) {
            Data(count: $0)
        }
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

    func invalidate() async { manager.invalidate(cancellingTasks: false) }
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

extension SessionManager {
    /// A session manager with its default settings, but for the cache and the number of connections.
    fileprivate static func measured(_ options: Options) -> SessionManager {
        let configuration = URLSessionConfiguration.default
        // The network is what is measured.
        configuration.urlCache = nil
        configuration.httpMaximumConnectionsPerHost = options.connections
        // Longer than any measurement takes.
        if options.idleStreams > 0 { configuration.timeoutIntervalForRequest = 3600 }
        let manager = SessionManager(configuration: configuration, requestSerializer: JSONRequestSerializer())
        if options.client.contains("-intercepted") { manager.interceptors.call = [Passage()] }
        // It drops what succeeds.
        if options.client.contains("-logged") { manager.observers = [ConsoleLogger(level: .failures)] }
        if options.client.contains("-observed") { manager.observe { _ in } }
        return manager
    }
}
