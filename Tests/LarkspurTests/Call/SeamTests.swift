import LarkspurTestSupport
import LarkspurTesting
import Synchronization
import Testing

@testable import Larkspur

/// The events of calls and their order, whether the engine calls the delegate object of a task or a session's delegate
/// finds it.
@Suite("The interface to a session", .timeLimit(.minutes(5)))
struct SeamTests {
    let server: LoopbackServer

    init() throws { server = try LoopbackServer() }

    /// One call and what becomes of it.
    private struct Scenario: Sendable, CustomStringConvertible {
        let description: String
        /// What is expected, one word an event.
        let events: String
        /// Sets the hooks that decide.
        var hooks: @Sendable (inout SessionHooks) -> Void = { _ in }
        /// Makes the call, and reports its end.
        let call: @Sendable (SessionManager, @escaping @Sendable (String) -> Void) -> SessionTask
    }

    private static func end(_ task: SessionTask?, _ error: LarkspurError?) -> String {
        error?.label ?? "\(task?.statusCode ?? 0)"
    }

    private static func get(_ path: String)
        -> @Sendable (SessionManager, @escaping @Sendable (String) -> Void)
        -> SessionTask
    {
        { manager, log in
            manager.get(path, as: DataResponseSerializer()) { task, _ in
                log(end(task, nil))
            } failure: { task, error in
                log(end(task, error))
            }
        }
    }

    private static let scenarios: [Scenario] = [
        Scenario(description: "A GET", events: "resume head data metrics complete 200 completed", call: get("get")),
        Scenario(
            description: "A response without content",
            events: "resume head metrics complete 204 completed",
            call: get("status/204")
        ),
        Scenario(
            description: "An unacceptable status",
            events: "resume head metrics complete unacceptable-status-code completed",
            call: get("status/500")
        ),
        Scenario(
            description: "Two redirects",
            events: "resume redirect redirect head data metrics complete 200 completed",
            hooks: { $0.willPerformHTTPRedirection = { _, _, request in request } },
            call: get("redirect/2")
        ),
        Scenario(
            description: "A redirect that is refused",
            events: "resume redirect head metrics complete unacceptable-status-code completed",
            hooks: { $0.willPerformHTTPRedirection = { _, _, _ in nil } },
            call: get("redirect/1")
        ),
        Scenario(
            description: "A challenge",
            events: "resume challenge head data metrics complete 200 completed",
            hooks: {
                $0.challengeDisposition = { _, _ in
                    .useCredential(URLCredential(user: "u", password: "p", persistence: .none))
                }
            },
            call: get("basic-auth/u/p")
        ),
        Scenario(
            description: "A challenge that is failed",
            events: "resume challenge metrics complete cancelled completed",
            hooks: { $0.challengeDisposition = { _, _ in .fail(CocoaError(.userCancelled)) } },
            call: get("basic-auth/u/p")
        ),
        Scenario(
            description: "A response that is cancelled at its head",
            events: "resume head metrics complete cancelled completed",
            hooks: { $0.responseDisposition = { _, _ in .cancel } },
            call: get("bytes/100000")
        ),
        Scenario(
            description: "A response that becomes a download",
            events: "resume head metrics complete became-download completed",
            hooks: { $0.responseDisposition = { _, _ in .download } },
            call: get("bytes/1000")
        ),
        Scenario(
            description: "An upload of a stream",
            events: "resume stream sent head data metrics complete 200 completed",
            hooks: { $0.needNewBodyStream = { _ in InputStream(data: Data("abc".utf8)) } },
            call: { manager, log in
                manager.upload("post", from: .stream(length: 3) { InputStream(data: Data("abc".utf8)) }) { task, _ in
                    log(end(task, nil))
                } failure: { task, error in
                    log(end(task, error))
                }
            }
        ),
        Scenario(
            description: "A download",
            events: "resume wrote place metrics complete 200 completed",
            call: { manager, log in
                manager.download("bytes/1000") { response in
                    log(response.error?.label ?? "\(response.statusCode ?? 0)")
                }
            }
        ),
        Scenario(
            description: "A server that is not there",
            events: "resume metrics complete cannot-connect-to-host completed",
            call: get("http://127.0.0.1:1/")
        ),
        Scenario(
            description: "A call that is cancelled before it begins",
            events: "metrics complete cancelled completed",
            call: { manager, log in
                let request = URLRequest(url: manager.baseURL ?? URL(fileURLWithPath: "/"))
                let task = manager.dataTask(with: request) { log(end(nil, $0.error)) }
                task.cancel()
                return task
            }
        ),
    ]

    /// Has each hook and each notification say what happens.
    private func observe(_ manager: SessionManager, _ scenario: Scenario, _ log: @escaping @Sendable (String) -> Void) {
        var hooks = SessionHooks()
        scenario.hooks(&hooks)
        let decided = hooks
        if let decide = decided.willPerformHTTPRedirection {
            hooks.willPerformHTTPRedirection = { task, response, request in
                log("redirect")
                return decide(task, response, request)
            }
        }
        if let decide = decided.challengeDisposition {
            hooks.challengeDisposition = { task, challenge in
                log("challenge")
                return decide(task, challenge)
            }
        }
        if let make = decided.needNewBodyStream {
            hooks.needNewBodyStream = { task in
                log("stream")
                return make(task)
            }
        }
        hooks.responseDisposition = { task, response in
            log("head")
            return decided.responseDisposition?(task, response) ?? .allow
        }
        hooks.didReceiveData = { _, _ in log("data") }
        hooks.didSendBodyData = { _, _, _, _ in log("sent") }
        hooks.didWriteData = { _, _, _, _ in log("wrote") }
        hooks.downloadDestination = { _, _, _ in
            log("place")
            return nil
        }
        hooks.didCollectMetrics = { _, _ in log("metrics") }
        hooks.didComplete = { _, _ in log("complete") }
        manager.hooks = hooks
    }

    /// The hooks that decide, one after the other on the hook queue. The others are told, and no order binds them to
    /// the end, which comes on the completion queue.
    private static let decisions: Set<String> = ["redirect", "challenge", "stream", "head"]
    private static let others: Set<String> = ["metrics", "complete", "sent", "wrote", "place", "data"]

    @Test("Each event arrives once and in order", arguments: [TestTransport.curl, .delegate], scenarios)
    private func events(_ transport: TestTransport, _ scenario: Scenario) async throws {
        let manager = transport.makeManager(for: server)
        let events = Recorder<String>()
        observe(manager, scenario) { events.record($0) }
        let tokens = [
            (SessionTask.didResumeNotification, "resume"), (SessionTask.didCompleteNotification, "completed"),
        ]
        .map { name, word in
            NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { notification in
                guard notification.sessionTask is DataTask || notification.sessionTask is DownloadTask,
                    notification.sessionTask?.environment.settings.completionGroup === manager.completionGroup
                else { return }
                events.record(word)
            }
        }
        defer { for token in tokens { NotificationCenter.default.removeObserver(token) } }

        let task = scenario.call(manager) { events.record($0) }
        try await manager.finishAll()
        // The hooks that are told of the end.
        await withCheckedContinuation { done in manager.sessions.hooks.queue.async { done.resume() } }
        await withCheckedContinuation { done in manager.completionQueue.async { done.resume() } }

        let expected = scenario.events.split(separator: " ").map(String.init)
        var seen = events.values
        if scenario.description.contains("becomes a download") {
            // The download has events of its own.
            seen.removeAll { ["wrote", "place"].contains($0) }
            seen = expected.filter(seen.contains)
        }
        #expect(seen.sorted() == expected.sorted(), "\(seen)")
        let isDecision = { (word: String) in Self.decisions.contains(word) }
        #expect(seen.filter(isDecision) == expected.filter(isDecision))
        let isOfTheEnd = { (word: String) in !isDecision(word) && !Self.others.contains(word) }
        #expect(seen.filter(isOfTheEnd) == expected.filter(isOfTheEnd))
        #expect(task.state == .completed)
        #expect(manager.tasks.isEmpty)
    }

    // MARK: The task object

    @Test("Concurrent readers of the task object get the same object", arguments: [TestTransport.curl, .delegate])
    func sameObject(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        for _ in 0..<50 {
            let task = manager.get("get")
            let objects = Recorder<URLSessionTask>()
            task.response(as: .data) { _ in if let object = task.urlSessionTask { objects.record(object) } }
            DispatchQueue.concurrentPerform(iterations: 8) { _ in
                if let object = task.urlSessionTask { objects.record(object) }
            }
            try await manager.finishAll()
            #expect(Set(objects.values.map(ObjectIdentifier.init)).count == 1)
            #expect(objects.values.count == 9)
            #expect(objects.values.first?.taskIdentifier == task.taskIdentifier)
            #expect(objects.values.first === task.urlSessionTask)
        }
    }

    @Test("The task object has the properties of its task", arguments: [TestTransport.curl, .delegate])
    func facts(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let download = manager.download("bytes/10")
        let upload = manager.upload("post", from: .data(Data("a".utf8)))
        let data = manager.get("get")
        _ = await (download.response(), upload.response(), data.response())
        #expect(download.urlSessionTask is URLSessionDownloadTask)
        #expect(upload.urlSessionTask is URLSessionUploadTask)
        #expect(data.urlSessionTask is URLSessionDataTask)
        for task in [download, upload, data] {
            let object = try #require(task.urlSessionTask)
            #expect(object.state == .completed)
            #expect(object.taskIdentifier == task.taskIdentifier && task.taskIdentifier != 0)
            #expect(object.response === task.response && task.response != nil)
            #expect(object.originalRequest == task.originalRequest && task.originalRequest != nil)
            #expect(object.currentRequest == task.currentRequest)
        }
    }

    @Test("The session lists a task whose object was never read", arguments: [TestTransport.curl, .delegate])
    func allTasks(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let task = manager.dataTask(with: URLRequest(url: server.baseURL.appendingPathComponent("get"))) { _ in }
        let listed = Recorder<[URLSessionTask]>()
        manager.session.getAllTasks { listed.record($0) }
        #expect(try await listed.first().map(\.taskIdentifier) == [task.taskIdentifier])
        #expect(try await listed.first().first === task.urlSessionTask)
        task.cancel()
        try await manager.finishAll()
    }

    @Test("Cancelling the task object ends the task", arguments: [TestTransport.curl, .delegate])
    func cancelObject(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let errors = Recorder<LarkspurError?>()
        let task = manager.get("delay/60").response(as: .data) { errors.record($0.error) }
        try #require(task.urlSessionTask).cancel()
        #expect(try await errors.first()?.code == .cancelled)
        try await manager.finishAll()
        #expect(manager.tasks.isEmpty)
    }

    #if canImport(FoundationNetworking)
    @Test("A URLProtocol gets the task object of a call", arguments: [TestTransport.curl, .delegate])
    func protocolClass(_ transport: TestTransport) async throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [IdentifierProtocol.self]
        let manager = transport.makeManager(configuration: configuration)
        let task = manager.get("http://identifier.test/")
        #expect(try await task.string == "\(task.taskIdentifier)")
    }

    /// Answers with the identifier of the task object.
    private final class IdentifierProtocol: URLProtocol {
        override class func canInit(with task: URLSessionTask) -> Bool { true }
        override class func canInit(with request: URLRequest) -> Bool { true }
        override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

        override func startLoading() {
            guard let url = request.url,
                let response = HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: nil)
            else { return }
            client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
            client?.urlProtocol(self, didLoad: Data("\(task?.taskIdentifier ?? 0)".utf8))
            client?.urlProtocolDidFinishLoading(self)
        }

        override func stopLoading() {}
    }
    #endif
}
