import LarkspurTesting
import Testing

@testable import Larkspur

@Suite("Hooks", .timeLimit(.minutes(5)))
struct SessionHooksTests {
    let server: LoopbackServer

    init() throws { server = try LoopbackServer() }

    private func record(_ manager: SessionManager) -> Recorder<String> {
        let calls = Recorder<String>()
        manager.hooks.didSendBodyData = { _, _, _, _ in calls.record("sent") }
        manager.hooks.responseDisposition = { _, _ in
            calls.record("response")
            return .allow
        }
        manager.hooks.didReceiveData = { _, _ in calls.record("data") }
        manager.hooks.didWriteData = { _, _, _, _ in calls.record("wrote") }
        manager.hooks.downloadDestination = { _, _, _ in
            calls.record("file")
            return nil
        }
        manager.hooks.didCollectMetrics = { _, _ in calls.record("metrics") }
        manager.hooks.didComplete = { _, _ in calls.record("complete") }
        manager.hooks.didBecomeDownload = { _, _ in calls.record("download") }
        return calls
    }

    @Test(
        "An upload calls the hooks for sending, the response and the end, in order",
        arguments: TestTransport.allCases
    )
    func upload(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let calls = record(manager)

        let call = try await manager.call(.post, "post", parameters: ["a": "b"])
        try await manager.finishAll()
        try await calls.wait { $0.last == "complete" }

        #expect(call.error == nil)
        let order = ["sent", "response", "data", "metrics", "complete"]
        #expect(
            order.compactMap { calls.values.firstIndex(of: $0) }.sorted()
                == order.compactMap { calls.values.firstIndex(of: $0) }
        )
        #expect(Set(calls.values) == Set(order))
        #expect(calls.values.suffix(2) == ["metrics", "complete"])
    }

    @Test(
        "A loop calls the hooks for the response, the data and the end, in order",
        arguments: TestTransport.allCases
    )
    func sequence(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let calls = record(manager)

        for try await _ in manager.get("bytes/1000").chunks {}
        try await calls.wait { $0.last == "complete" }

        let order = calls.values.reduce(into: [String]()) { if $0.last != $1 { $0.append($1) } }
        #expect(order == ["response", "data", "metrics", "complete"])
    }

    @Test("A download calls the hooks for writing, the file and the end", arguments: TestTransport.allCases)
    func download(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let calls = record(manager)

        manager.downloadTask(with: URLRequest(url: server.url("/bytes/1000"))) { _ in }.resume()
        try await manager.finishAll()
        try await calls.wait { Set($0).count >= 4 }

        #expect(Set(calls.values) == ["wrote", "file", "metrics", "complete"])
    }

    @Test(
        "Metrics arrive once for each task, with its stages, and with its requests if the transport has them",
        arguments: TestTransport.allCases
    )
    func metrics(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let metrics = Recorder<(ObjectIdentifier, Timeline)>()
        manager.hooks.didCollectMetrics = { metrics.record((ObjectIdentifier($0), $1)) }

        let call = try await manager.call(.get, "redirect/1")
        let (task, timeline) = try await metrics.first()

        #expect(task == call.task.map(ObjectIdentifier.init))
        #expect(timeline.resumed != nil && timeline.responseReceived != nil && timeline.completed != nil)
        #expect(timeline.transactions.map { $0.response?.statusCode } == (transport != .foundation ? [302, 200] : []))
        try await manager.finishAll()
        #expect(metrics.values.count == 1)
        let response = await manager.get("get").response()
        #expect(response.metrics?.response?.statusCode == (transport != .foundation ? 200 : nil))
    }

    @Test("A failed task has metrics", arguments: TestTransport.allCases)
    func metricsOfFailure(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let calls = record(manager)
        server.stop()

        #expect(try await manager.call(.get, "get").error != nil)

        #expect(try await calls.wait(for: 2) == ["metrics", "complete"])
    }

    @Test(
        "If a hook is replaced during a task, only the new hook is called",
        arguments: TestTransport.allCases
    )
    func replaced(_ transport: TestTransport) async throws {
        let gate = LoopbackServer.Gate()
        server.route("/halves", .stream([.bytes(Data("one".utf8)), .wait(gate), .bytes(Data("two".utf8))]))
        let manager = transport.makeManager(for: server)
        let first = Recorder<Data>()
        let second = Recorder<Data>()
        manager.hooks.didReceiveData = { first.record($1) }

        manager.dataTask(with: URLRequest(url: server.url("/halves")), as: .data) { _ in }.resume()
        try await first.wait()
        manager.hooks.didReceiveData = { second.record($1) }
        gate.open()
        try await manager.finishAll()
        try await second.wait()

        #expect(first.values == [Data("one".utf8)])
        #expect(second.values == [Data("two".utf8)])
    }

    @Test("Many threads may replace hooks while tasks run", arguments: TestTransport.allCases)
    func concurrently(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let completions = Recorder<Int>()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask {
                    manager.hooks = SessionHooks()
                    manager.hooks.didComplete = { _, _ in completions.record(number) }
                    manager.dataTask(with: URLRequest(url: server.url("/get"))) { _ in }.resume()
                }
            }
        }
        try await manager.finishAll()
        #expect(completions.values.count <= 20)
        #expect(manager.tasks.isEmpty)
    }

    @Test("A released hook may release objects that use the session manager")
    func released() {
        let manager = TestTransport.curl.makeManager(for: server)
        let ends = Recorder<String>()
        func farewell(_ name: String) -> Farewell {
            Farewell { [weak manager] in
                manager?.hooks.didComplete = nil
                manager?.requestSettings.timeoutInterval = 1
                manager?.responseSerializer.acceptableStatusCodes = nil
                ends.record(name)
            }
        }
        manager.hooks.didReceiveData = { [farewell = farewell("hook")] _, _ in withExtendedLifetime(farewell) {} }
        manager.requestSettings.customQuery = { [farewell = farewell("query")] _, _ in
            withExtendedLifetime(farewell) { "" }
        }
        manager.responseSerializer = AnyResponseSerializer(FarewellSerializer(farewell: farewell("serializer")))

        manager.hooks = SessionHooks()
        manager.requestSettings = RequestSettings()
        manager.responseSerializer = .data

        #expect(ends.values == ["hook", "query", "serializer"])
    }

    private struct FarewellSerializer: ResponseSerializer {
        let farewell: Farewell
        var validation = ResponseValidation()

        func serialize(_ data: Data, response: URLResponse?) -> sending Int { data.count }
    }

    @Test("A printed response to a challenge does not contain the credential")
    func printedAnswers() {
        let credential = URLCredential(user: "ada", password: "hunter2", persistence: .none)
        let answers: [ChallengeDisposition] = [
            .useCredential(credential), .performDefaultHandling, .rejectProtectionSpace, .cancel,
            .fail(LarkspurError(.timedOut, "It is late.")),
        ]

        #expect(
            answers.map(\.description) == [
                "use a credential", "perform default handling", "reject the protection space", "cancel",
                "fail: It is late.",
            ]
        )
        var dumped = ""
        dump(answers, to: &dumped)
        #expect(!dumped.contains("hunter2") && dumped.contains("use a credential"))
    }

    @Test("A hook is called when a session becomes invalid", arguments: TestTransport.allCases)
    func invalid(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let errors = Recorder<Bool>()
        manager.hooks.didBecomeInvalid = { errors.record($0 == nil) }
        _ = manager.session

        manager.invalidate(cancelingTasks: true)

        #expect(try await errors.first())
    }
}
