#if canImport(FoundationNetworking)
import Foundation
import LarkspurTesting
import LarkspurTransport
import Synchronization

@testable import Larkspur

/// One call of a crossing: makes it in its way, and carries out the order when its place is reached.
final class CrossingCall: Sendable {
    private struct State {
        var task: SessionTask?
        var socket: WebSocketTask?
        var hasActed = false
        /// Whether the order waits for the task.
        var isPending = false
        var startedWrites = 0
    }

    let number: Int
    private let run: CrossingRun
    private let state = Mutex(State())

    private var crossing: Crossing { run.crossing }
    private var manager: SessionManager { run.manager }

    init(_ number: Int, of run: CrossingRun) {
        self.number = number
        self.run = run
    }

    // MARK: The order

    /// Carries out the order, if this is its place, once.
    func reach(_ place: Crossing.Place, of task: SessionTask? = nil) {
        guard let order = crossing.order, order.place == place else { return }
        let (isFirst, known, socket) = state.withLock { state in
            defer { state.hasActed = true }
            return (!state.hasActed, task ?? state.task, state.socket)
        }
        guard isFirst else { return }
        if known == nil, socket == nil { return state.withLock { $0.isPending = true } }
        act(order.action, known, socket)
    }

    private func act(_ action: Crossing.Action, _ task: SessionTask?, _ socket: WebSocketTask?) {
        switch action {
        case .cancel:
            task?.cancel()
            socket?.cancel()
        case .suspend:
            task?.suspend()
            DispatchQueue.global().async { task?.resume() }
        case .resume: task?.resume()
        case .invalidate: manager.invalidate(cancelingTasks: true, resettingSession: true)
        case .expire: run.clock.advance(by: .seconds(100))
        // The closures of the places do these.
        case .finish, .decideLate: break
        }
    }

    private func keep(_ task: SessionTask) {
        let isPending = state.withLock { state in
            state.task = task
            defer { state.isPending = false }
            return state.isPending
        }
        if isPending, let order = crossing.order { act(order.action, task, nil) }
    }

    /// Releases the task, without the lock. The closures of its body and its hooks own this call, and it owns them.
    func releaseTask() {
        let (task, socket) = state.withLock { (exchange(&$0.task, with: nil), exchange(&$0.socket, with: nil)) }
        withExtendedLifetime((task, socket)) {}
    }

    private func makeOptions() -> CallOptions {
        var options = CallOptions()
        if crossing.order?.action == .expire { options.timeouts = Timeouts(total: .seconds(50)) }
        if crossing.surroundings == .limits {
            options.timeouts = Timeouts(
                total: .seconds(50),
                response: .seconds(40),
                idle: .seconds(40),
                attempt: .seconds(40)
            )
        }
        if crossing.response == .challenge {
            options.credential = URLCredential(user: "ada", password: "secret", persistence: .forSession)
        }
        if crossing.surroundings == .standard {
            let retry = RetryPolicy(maximumAttempts: 2, baseDelay: .microseconds(1))
            options.interceptors = .standard(total: .seconds(50), retry: retry, attempt: .seconds(40))
        }
        if let interceptor = makeInterceptor() { options.interceptors.call.append(interceptor) }
        switch crossing.order?.place {
        case .interceptorBefore, .interceptorAfter:
            options.interceptors.attempt.append(
                .custom { [self] request, _, next in
                    reach(.interceptorBefore)
                    let response = try await next(request)
                    reach(.interceptorAfter)
                    return response
                }
            )
        case .hook:
            var hooks = SessionHooks()
            hooks.responseDisposition = { [self] _, _ in
                if crossing.order?.action == .decideLate { waitUntilAnswered() }
                reach(.hook)
                return .allow
            }
            hooks.didWriteData = { [self] _, _, _, _ in reach(.hook) }
            options.hooks = hooks
        case .uploadProgress: options.uploadProgress = { [self] _ in reach(.uploadProgress) }
        case .downloadProgress: options.downloadProgress = { [self] _ in reach(.downloadProgress) }
        default: break
        }
        return options
    }

    /// Waits until the server has sent all, and the session has seen the end of that.
    private func waitUntilAnswered() {
        if crossing.connection != .http2 { run.record.answered(number).wait(timeout: .seconds(2)) }
        // The loop has looked at its sockets when a later request has ended.
        let hasEnded = DispatchSemaphore(value: 0)
        Task { [run] in
            _ = await run.violationOfNext()
            hasEnded.signal()
        }
        _ = hasEnded.wait(timeout: .now() + 5)
    }

    private func makeInterceptor() -> (any RequestInterceptor)? {
        switch crossing.surroundings {
        case .nothing, .cache, .executor, .limits, .standard: return nil
        case .retry: return RetryPolicy(maximumAttempts: 2, baseDelay: .microseconds(1))
        case .circuitBreaker: return CircuitBreaker(Circuit.Rules(opening: .consecutive(1_000), openTime: .seconds(30)))
        case .rateLimit: return RateLimit(100_000, burst: 1_000)
        case .serverLimits: return ServerRateLimits()
        case .concurrencyLimit: return ConcurrencyLimit(32)
        case .coalescing: return RequestCoalescing()
        case .compression: return RequestCompression()
        case .traceContext: return TraceContext()
        case .authentication:
            guard let url = try? run.url(of: number) else { return nil }
            return .authentication("token", authenticator: CrossingToken(), for: url)
        }
    }

    // MARK: Bodies

    private func makeBody() throws -> RequestBody? {
        let content = run.record.contents[number]
        switch crossing.body {
        case .nothing: return nil
        case .data: return .data(content.bytes)
        case .file:
            let file = run.folder.appendingPathComponent("content-\(run.marker(number))")
            try content.bytes.write(to: file)
            return .file(file)
        case .stream: return .stream { InputStream(data: content.bytes) }
        case .form:
            let form = try CrossingContent.form(content.chunks.reduce(into: Data()) { $0 += $1 })
            return .multipart { $0 = form }
        case .sequence: return .sequence(Self.sequence(of: content.chunks))
        case .repeatableSequence: return .sequence(making: { Self.sequence(of: content.chunks) })
        case .writer, .repeatableWriter:
            return .writer(isRepeatable: crossing.body == .repeatableWriter) { [self] in try await write(content, $0) }
        case .trailers:
            return .writer(trailers: ["X-Sum"], isRepeatable: true) { [self] writer in
                try await write(content, writer)
                try await writer.finish(trailers: ["X-Sum": "1"])
            }
        case .writers:
            return .writer { [self] in try await writeAtOnce(content, $0) }
        }
    }

    private static func sequence(of parts: [Data]) -> AsyncStream<Data> {
        AsyncStream { continuation in
            for part in parts { continuation.yield(part) }
            continuation.finish()
        }
    }

    private func write(_ content: CrossingContent, _ writer: BodyWriter) async throws {
        run.begin("writer of call \(number)")
        defer { run.end("writer of call \(number)") }
        for (index, part) in content.chunks.enumerated() {
            try await writer.write(part)
            if index == 0 { reach(.writer) }
            if index == 0, content.mayEndEarly {
                try await finish(writer)
                return
            }
        }
        if content.chunks.isEmpty { reach(.writer) }
    }

    /// Writes by a Swift task for each three of the parts. If the content may end early, another one ends it while
    /// the others wait for room.
    private func writeAtOnce(_ content: CrossingContent, _ writer: BodyWriter) async throws {
        run.begin("writers of call \(number)")
        defer { run.end("writers of call \(number)") }
        if content.chunks.isEmpty { reach(.writer) }
        // Tasks that outlive the closure of the body have to continue too, so that each is counted.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for first in 0..<min(3, content.chunks.count) {
                group.addTask { [self] in
                    for index in stride(from: first, to: content.chunks.count, by: 3) {
                        state.withLock { $0.startedWrites += 1 }
                        do throws(LarkspurError) {
                            try await writer.write(content.chunks[index])
                        } catch {
                            // The code of writing after the end, which another task has set.
                            if content.mayEndEarly, error.code == .unsupported { return }
                            throw error
                        }
                        reach(.writer)
                    }
                }
            }
            if content.mayEndEarly, !content.chunks.isEmpty {
                group.addTask { [self] in
                    while state.withLock({ $0.startedWrites }) < min(3, content.chunks.count) { await Task.yield() }
                    for _ in 0..<100 { await Task.yield() }
                    try await finish(writer)
                }
            }
            try await group.waitForAll()
        }
    }

    private func finish(_ writer: BodyWriter) async throws {
        defer { run.record.finished(number).open() }
        try await writer.finish()
    }

    // MARK: Ways

    /// Makes the call, and waits for its end.
    func ending() async -> CrossingEnding {
        do {
            let url = try run.url(of: number)
            guard crossing.surroundings == .executor, let executor = manager.executor else { return await ending(url) }
            return await Task(executorPreference: executor) { await self.ending(url) }.value
        } catch {
            return .failure(label: "another error", message: "\(error)")
        }
    }

    private func ending(_ url: URL) async -> CrossingEnding {
        let method: HTTPMethod = crossing.body == .nothing ? .get : crossing.method == .put ? .put : .post
        let options = makeOptions()
        let received = Mutex(0)
        do {
            let body = try makeBody()
            switch crossing.way {
            case .closures:
                return await withCheckedContinuation { continuation in
                    let task = manager.request(method, url, body: body, options: options, as: .data) { task, content in
                        guard self.run.isFirstEnd(self.number) else { return }
                        continuation.resume(returning: .success(task.httpResponse, content))
                    } failure: { _, error in
                        guard self.run.isFirstEnd(self.number) else { return }
                        continuation.resume(returning: .failure(error))
                    }
                    keep(task)
                }
            case .chain:
                return await withCheckedContinuation { continuation in
                    let task = manager.request(method, url, body: body, options: options)
                    keep(task)
                    task.response(as: .data) { response in
                        guard self.run.isFirstEnd(self.number) else { return }
                        continuation.resume(returning: CrossingEnding(response))
                    }
                }
            case .awaited:
                let task = manager.request(method, url, body: body, options: options)
                keep(task)
                return CrossingEnding(await task.response(as: .data))
            case .sequence:
                let task = manager.request(method, url, body: body, options: options)
                keep(task)
                var content = Data()
                for try await chunk in task.chunks {
                    content += chunk
                    received.withLock { $0 += chunk.count }
                }
                return .success(task.httpResponse, content)
            case .opened:
                let task = manager.request(method, url, body: body, options: options)
                keep(task)
                let (head, chunks) = try await task.open()
                var content = Data()
                for try await chunk in chunks {
                    content += chunk
                    received.withLock { $0 += chunk.count }
                }
                return .success(head, content)
            case .scoped:
                let task = manager.request(method, url, body: body, options: options)
                keep(task)
                return try await task.open { head, chunks in
                    var content = Data()
                    for try await chunk in chunks {
                        content += chunk
                        received.withLock { $0 += chunk.count }
                    }
                    return .success(head, content)
                }
            case .download:
                let file = run.folder.appendingPathComponent("download-\(run.marker(number))")
                let task = manager.download(url, method: method, options: options, to: .file(file))
                keep(task)
                let response = await task.response()
                response.error?.resumeData.map(CurlURLSession.discardResumeData)
                let content = try Data(contentsOf: try response.result.get())
                return .success(response.response as? HTTPURLResponse, content)
            case .webSocket: return try await speak(url)
            }
        } catch let error as LarkspurError {
            return .failure(error, received: received.withLock { $0 })
        } catch {
            return .failure(label: "another error", message: "\(error)")
        }
    }

    /// Sends a message over a WebSocket, and waits for the same message and the close.
    private func speak(_ url: URL) async throws -> CrossingEnding {
        let socket = manager.webSocket(url)
        let isPending = state.withLock { state in
            state.socket = socket
            return state.isPending
        }
        if isPending { socket.cancel() }
        do {
            try await socket.open()
            let text = CrossingRecord.response(to: run.marker(number))
            try await socket.send(text)
            var received: [WebSocketTask.Message] = []
            for try await message in socket.messages {
                received.append(message)
                try await socket.close()
            }
            guard received == [.text(text)] else { return .failure(label: "messages", message: "\(received)") }
            return .success(status: 200, content: Data(text.utf8), isWhole: true)
        } catch let error as URLError {
            let label = [.cancelled: "cancelled", .networkConnectionLost: "connection-lost"][error.code]
            return .failure(label: label ?? "\(error.code)", message: "\(error)")
        }
    }
}

extension CrossingEnding {
    fileprivate init(_ response: DataResponse<Data>) {
        switch response.result {
        case .success(let content): self = .success(response.response as? HTTPURLResponse, content)
        case .failure(let error): self = .failure(error)
        }
    }

    fileprivate static func success(_ head: HTTPURLResponse?, _ content: Data) -> Self {
        let isWhole = head?.value(forHTTPHeaderField: "x-exact").map { $0 == "1" }
        return .success(status: head?.statusCode ?? 0, content: content, isWhole: isWhole)
    }

    fileprivate static func failure(_ error: LarkspurError, received: Int = 0) -> Self {
        .failure(label: error.label, message: "\(error)", received: received)
    }
}

/// A token that never expires.
private struct CrossingToken: RequestAuthenticator {
    func apply(_ credential: String, to request: inout URLRequest) {
        request.setValue("Bearer \(credential)", forHTTPHeaderField: "Authorization")
    }

    func refresh(_ credential: String, after refusal: InterceptedResponse?) async throws -> String { credential }
}
#endif
