import LarkspurTesting
import Synchronization
import Testing

@testable import Larkspur

/// Closures of callers', each of which uses the session manager and its task: on its own thread, and on another one for
/// which it waits. A lock that is held meanwhile ends the process or hangs the test.
@Suite("Closures that call back", .timeLimit(.minutes(5)))
struct ReentranceTests {
    let server: LoopbackServer

    init() throws { server = try LoopbackServer() }

    /// Uses everything that a manager and a task have, but for what ends them.
    final class Poke: Sendable {
        private let manager = Mutex<SessionManager?>(nil)
        private let isStarted = Atomic(false)
        private let isDone = Atomic(false)

        func attach(_ manager: SessionManager) { self.manager.withLock { $0 = manager } }

        /// Whether it was called, and got through.
        var hasRun: Bool { isDone.load(ordering: .sequentiallyConsistent) }

        func callAsFunction(_ task: SessionTask? = nil) {
            guard let manager = manager.withLock({ $0 }) else { return }
            // Once: what it does calls hooks itself.
            guard !isStarted.exchange(true, ordering: .sequentiallyConsistent) else { return }
            use(manager, task)
            let done = DispatchSemaphore(value: 0)
            Thread.detachNewThread { [self] in
                use(manager, task)
                done.signal()
            }
            done.wait()
            isDone.store(true, ordering: .sequentiallyConsistent)
        }

        private func use(_ manager: SessionManager, _ task: SessionTask?) {
            _ = manager.tasks
            _ = manager.session.configuration
            let hooks = manager.hooks
            manager.hooks = hooks
            manager.maximumContentSize = manager.maximumContentSize
            let group = manager.completionGroup
            manager.completionGroup = group
            for task in manager.tasks + (task.map { [$0] } ?? []) {
                task.priority = task.priority
                _ = (task.state, task.error, task.timeline, task.response, task.urlSessionTask)
                _ = (task.uploadProgress.fractionCompleted, task.downloadProgress.fractionCompleted)
                task.taskDescription = "\(task)"
            }
            let other = manager.request(.get, "http://127.0.0.1:1/") { _, _ in
            }
            other.cancel()
        }
    }

    enum Kind: String, CaseIterable, Sendable {
        case redirect, challenge, response, data, file, sent, wrote, metrics, complete, invalid
        case becameDownload, bodyStream, upload, download, content, destination, success, serializer, form
    }

    /// A manager of which one kind of closure calls back.
    private func makeManager(_ kind: Kind, _ poke: Poke, _ transport: TestTransport) -> SessionManager {
        let manager = transport.makeManager(for: server)
        poke.attach(manager)
        var hooks = manager.hooks
        switch kind {
        case .redirect:
            hooks.willPerformHTTPRedirection = { task, _, request in
                poke(task)
                return request
            }
        case .challenge:
            hooks.challengeDisposition = { task, _ in
                poke(task)
                return .useCredential(URLCredential(user: "user", password: "password", persistence: .none))
            }
        case .response:
            hooks.responseDisposition = { task, _ in
                poke(task)
                return .allow
            }
        case .becameDownload:
            hooks.responseDisposition = { _, _ in .download }
            hooks.didBecomeDownload = { _, download in poke(download) }
        case .data: hooks.didReceiveData = { task, _ in poke(task) }
        case .file:
            hooks.downloadDestination = { task, _, _ in
                poke(task)
                return nil
            }
        case .sent: hooks.didSendBodyData = { task, _, _, _ in poke(task) }
        case .wrote: hooks.didWriteData = { task, _, _, _ in poke(task) }
        case .metrics: hooks.didCollectMetrics = { task, _ in poke(task) }
        case .complete: hooks.didComplete = { task, _ in poke(task) }
        case .invalid: hooks.didBecomeInvalid = { _ in poke() }
        case .bodyStream:
            hooks.needNewBodyStream = { task in
                poke(task)
                return InputStream(data: Data("stream".utf8))
            }
        case .upload, .download, .content, .destination, .success, .serializer, .form: break
        }
        manager.hooks = hooks
        return manager
    }

    /// Makes the request in which the closure is called.
    private func send(_ kind: Kind, _ poke: Poke, with manager: SessionManager) {
        func request(_ path: String, _ method: HTTPMethod = .get) -> URLRequest {
            var request = URLRequest(url: server.url(path))
            request.httpMethod = method.rawValue
            return request
        }
        let progress: SessionManager.ProgressHandler = { _ in poke() }
        switch kind {
        case .redirect: manager.dataTask(with: request("/redirect/1")) { _ in }.resume()
        case .challenge: manager.dataTask(with: request("/basic-auth/user/password")) { _ in }.resume()
        case .file, .wrote: manager.downloadTask(with: request("/bytes/100")) { _ in }.resume()
        case .download:
            manager.downloadTask(with: request("/bytes/100"), options: CallOptions(downloadProgress: progress)) { _ in }
                .resume()
        case .destination:
            manager.downloadTask(
                with: request("/bytes/100"),
                to: DownloadDestination { _, _ in
                    poke()
                    return nil
                }
            ) { _ in }.resume()
        case .sent: manager.uploadTask(with: request("/post", .post), from: .data(Data(count: 100))) { _ in }.resume()
        case .upload:
            manager.uploadTask(
                with: request("/post", .post),
                from: .data(Data(count: 100)),
                options: CallOptions(uploadProgress: progress)
            ) { _ in }
            .resume()
        case .bodyStream: manager.uploadTask(with: request("/post", .post)) { _ in }.resume()
        case .content:
            manager.dataTask(with: request("/bytes/100")).responseStream(onContent: { task, _ in poke(task) }) { _ in }
                .resume()
        case .serializer:
            manager.dataTask(with: request("/get"), as: Serializer(poke: poke)) { _ in }.resume()
        case .form:
            manager.request(
                .post,
                "post",
                body: .multipart { form in
                    poke()
                    form.append(text: "value", name: "name")
                }
            ) { _, _ in
            }
        case .success: manager.dataTask(with: request("/get")) { _ in poke() }.resume()
        case .response, .becameDownload, .data, .metrics, .complete, .invalid:
            manager.dataTask(with: request("/get")) { _ in }.resume()
        }
    }

    private struct Serializer: ResponseSerializer {
        let poke: Poke
        var validation = ResponseValidation()

        func serialize(_ data: Data, response: URLResponse?) throws -> sending Int {
            poke()
            return data.count
        }
    }

    @Test("Each closure may use the session manager and its task", arguments: Kind.allCases, TestTransport.allCases)
    func closures(kind: Kind, transport: TestTransport) async throws {
        // FoundationNetworking makes no download of a data task, and asks for streams on the queue that its tasks wait
        // for.
        if transport == .foundation, kind == .becameDownload || kind == .bodyStream { return }
        let poke = Poke()
        let manager = makeManager(kind, poke, transport)
        send(kind, poke, with: manager)
        try await manager.finishAll()
        manager.invalidate(cancelingTasks: false)
        try await eventually { poke.hasRun }
    }

    @Test(
        "The closure that creates the session may use the manager, but requests of its own fail",
        arguments: [true, false]
    )
    func factory(isSecure: Bool) async throws {
        let poke = Poke()
        let calls = Recorder<LarkspurError?>()
        let owner = Mutex<SessionManager?>(nil)
        let factory: Transport.SessionFactory = { configuration, delegate, queue in
            poke()
            let task = owner.withLock { $0 }?.dataTask(with: URLRequest(url: URL(filePath: "/"))) {
                calls.record($0.error)
            }
            task?.resume()
            return StubURLSession(configuration: configuration, delegate: delegate, delegateQueue: queue) { _ in
                .json("{}")
            }
        }
        let manager = SessionManager(
            transport: isSecure ? .custom(enforcingSecurityPolicy: { factory($1, $2, $3) }) : .custom(factory)
        )
        owner.withLock { $0 = manager }
        poke.attach(manager)
        let call = try await manager.call(.get, "http://stub.test/")
        #expect(call.isSuccess)
        #expect(poke.hasRun)
        // The closure is called twice, as its first call waits for a thread that needs a session too.
        #expect(try await calls.wait(for: 2).first??.code == .transportUnavailable)
    }

    @Test("Threads that create their first tasks at once get one session, and a surplus session ends silently")
    func manyFirstTasks() async throws {
        let made = Recorder<URLSession>()
        let manager = SessionManager(
            transport: .custom { configuration, delegate, queue in
                let session = StubURLSession(configuration: configuration, delegate: delegate, delegateQueue: queue) {
                    _ in .json("{}")
                }
                made.record(session)
                return session
            }
        )
        let invalidations = Recorder<Void>()
        manager.hooks.didBecomeInvalid = { _ in invalidations.record(()) }
        let sessions = await withTaskGroup(of: ObjectIdentifier.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    _ = try? await manager.call(.get, "http://stub.test/")
                    return ObjectIdentifier(manager.session)
                }
            }
            return await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(sessions.count == 1)
        manager.invalidate(cancelingTasks: false)
        try await invalidations.wait()
        try await eventually {
            made.values.allSatisfy { ($0 as? StubURLSession)?.openTaskCount == 0 && $0.delegate == nil }
        }
        #expect(invalidations.values.count == 1)
    }

    @Test("A task follows the last command to its Progress")
    func progress() async throws {
        let manager = SessionManager.stubbed { _ in .hang }
        let task = manager.dataTask(with: URLRequest(url: try #require(URL(string: "http://stub.test/")))) { _ in }
        task.resume()
        let progress = task.downloadProgress
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<50 {
                        progress.pause()
                        progress.resume()
                    }
                }
            }
        }
        progress.pause()
        try await eventually(.suspended) { task.state }
        progress.resume()
        try await eventually(.running) { task.state }
        task.cancel()
        try await manager.finishAll()
    }

    @Test("The Progress of a task is not added to the current Progress")
    func parentless() throws {
        let parent = Progress(totalUnitCount: 10)
        let manager = SessionManager.stubbed()
        let task = manager.dataTask(with: URLRequest(url: try #require(URL(string: "http://stub.test/")))) { _ in }
        parent.becomeCurrent(withPendingUnitCount: 5)
        _ = task.downloadProgress
        parent.resignCurrent()
        // A child that had been added would wait for the task.
        #expect(parent.completedUnitCount == 5)
        task.cancel()
    }
}
