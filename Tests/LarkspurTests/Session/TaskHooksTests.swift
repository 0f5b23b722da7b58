import LarkspurTesting
import Testing

@testable import Larkspur

@Suite("Hooks of one task", .timeLimit(.minutes(5)))
struct TaskHooksTests {
    private struct Answer: Decodable, Sendable {}

    let server: LoopbackServer

    init() throws { server = try LoopbackServer() }

    @Test(
        "A redirect of a call is decided by the call's hook, and a redirect of other calls by the manager's",
        arguments: TestTransport.allCases
    )
    func redirect(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let asked = Recorder<String>()
        manager.hooks.willPerformHTTPRedirection = { _, _, request in
            asked.record("manager")
            return request
        }
        var hooks = SessionHooks()
        hooks.willPerformHTTPRedirection = { _, _, _ in
            asked.record("task")
            return nil
        }
        let statuses = Recorder<Int?>()

        manager.get(
            "redirect/1",
            options: CallOptions(hooks: hooks),
            success: { _, _ in },
            failure: { statuses.record($1.statusCode) }
        )
        try await manager.finishAll()
        #expect(try await manager.call(.get, "redirect/1").error == nil)

        #expect(statuses.values == [302])
        #expect(asked.values == ["task", "manager"])
    }

    @Test("The task's hook replaces the manager's hook for challenges", arguments: TestTransport.allCases)
    func challenge(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        manager.hooks.challengeDisposition = { _, _ in .cancel }
        let statuses = Recorder<Int?>()

        let task = manager.dataTask(with: URLRequest(url: server.url("/basic-auth/ada/secret"))) {
            statuses.record($0.statusCode)
        }
        task.hooks.challengeDisposition = { _, _ in
            .useCredential(URLCredential(user: "ada", password: "secret", persistence: .none))
        }
        task.resume()

        #expect(try await statuses.first() == 200)
        #expect(try await manager.call(.get, "basic-auth/ada/secret").error?.code == .cancelled)
    }

    @Test("For a hook that the task does not have, the manager's hook is called", arguments: TestTransport.allCases)
    func fallback(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let calls = Recorder<String>()
        manager.hooks.responseDisposition = { _, _ in
            calls.record("manager: response")
            return .allow
        }
        manager.hooks.didComplete = { _, _ in calls.record("manager: end") }
        var hooks = SessionHooks()
        hooks.didComplete = { _, _ in calls.record("task: end") }

        manager.get("get", options: CallOptions(hooks: hooks)) { _, _ in }

        #expect(try await calls.wait(for: 2) == ["manager: response", "task: end"])
    }

    @Test(
        "A hook that accepts a response after its transfer has failed gets the received content, then the error",
        arguments: [TestTransport.curl, .delegate]
    )
    func lateDisposition(_ transport: TestTransport) async throws {
        server.route(
            "/cut",
            .raw([.text("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n"), .bytes(Data(count: 600_000))])
        )
        let manager = transport.makeManager(for: server)
        let gate = LoopbackServer.Gate()
        let asked = Recorder<Void>()
        let sizes = Recorder<Int>()
        let errors = Recorder<LarkspurError?>()
        var hooks = SessionHooks()
        hooks.responseDisposition = { _, _ in
            asked.record(())
            gate.wait()
            return .allow
        }
        let options = CallOptions(hooks: hooks, validation: .anything)

        manager.dataTask(with: URLRequest(url: server.url("/cut")), options: options)
            .responseStream { _, data in
                sizes.record(data.count)
            } completionHandler: { result in
                errors.record(result.error)
            }
        try await asked.wait()
        try await server.waitForOpenConnections(0)
        // By the end of another request the session has seen the end of the first one.
        _ = try await manager.get("get").data
        #expect(errors.values.isEmpty)
        gate.open()

        #expect(try await errors.first()?.code == .connectionLost)
        #expect(sizes.values.reduce(0, +) == 600_000)
    }

    @Test("Every kind of call accepts hooks", arguments: TestTransport.allCases)
    func everyCall(_ transport: TestTransport) async throws {
        server.route("/x", .json("{}"))
        let manager = transport.makeManager(for: server)
        manager.hooks.didComplete = { _, _ in Issue.record("The manager's hook is called.") }
        let content = RequestBody.data(Data("x".utf8))
        let ends = Recorder<ObjectIdentifier>()
        var hooks = SessionHooks()
        hooks.didComplete = { task, _ in ends.record(ObjectIdentifier(task)) }

        var tasks: [SessionTask] = []
        tasks.append(manager.get("x", options: CallOptions(hooks: hooks)) { _, _ in })
        tasks.append(manager.get("x", options: CallOptions(hooks: hooks), as: Answer.self) { _, _ in })
        tasks.append(manager.head("x", options: CallOptions(hooks: hooks)) { _ in })
        tasks.append(manager.delete("x", options: CallOptions(hooks: hooks)) { _, _ in })
        tasks.append(manager.delete("x", options: CallOptions(hooks: hooks), as: Answer.self) { _, _ in })
        tasks.append(manager.post("x", options: CallOptions(hooks: hooks)) { _, _ in })
        tasks.append(manager.post("x", options: CallOptions(hooks: hooks), as: Answer.self) { _, _ in })
        tasks.append(manager.put("x", options: CallOptions(hooks: hooks)) { _, _ in })
        tasks.append(manager.put("x", options: CallOptions(hooks: hooks), as: Answer.self) { _, _ in })
        tasks.append(manager.patch("x", options: CallOptions(hooks: hooks)) { _, _ in })
        tasks.append(manager.patch("x", options: CallOptions(hooks: hooks), as: Answer.self) { _, _ in })
        tasks.append(manager.request(.get, "x", options: CallOptions(hooks: hooks)) { _, _ in })
        tasks.append(
            manager.request(.get, "x", options: CallOptions(hooks: hooks), as: Answer.self) { _, _ in }
        )
        tasks.append(
            manager.request(
                .post,
                "x",
                body: .multipart { $0.append(text: "a", name: "b") },
                options: CallOptions(hooks: hooks),
                success: { _, _ in }
            )
        )
        tasks.append(
            manager.post(
                "x",
                body: .multipart { $0.append(text: "a", name: "b") },
                options: CallOptions(hooks: hooks),
                success: { _, _ in }
            )
        )
        tasks.append(
            manager.post(
                "x",
                body: .multipart { $0.append(text: "a", name: "b") },
                options: CallOptions(hooks: hooks),
                as: Answer.self,
                success: { _, _ in }
            )
        )
        tasks.append(manager.upload("x", from: content, options: CallOptions(hooks: hooks)) { _, _ in })
        tasks.append(
            manager.upload("x", from: content, options: CallOptions(hooks: hooks), as: Answer.self) { _, _ in
            }
        )
        tasks.append(
            manager.get("x", options: CallOptions(hooks: hooks)).responseStream(
                onContent: { _, _ in },
                completionHandler: { _ in }
            )
        )
        tasks.append(manager.download("x", options: CallOptions(hooks: hooks)) { _ in })

        #expect(try await Set(ends.wait(for: tasks.count)) == Set(tasks.map(ObjectIdentifier.init)))
        try await manager.finishAll()
    }

    @Test(
        "A task can have its own observing hooks and its own destination of a download",
        arguments: TestTransport.allCases
    )
    func download(_ transport: TestTransport) async throws {
        let folder = TemporaryFolder()
        let place = folder.url.appendingPathComponent("mine")
        let manager = transport.makeManager(for: server)
        manager.hooks.downloadDestination = { _, _, _ in folder.url.appendingPathComponent("managers") }
        let written = Recorder<Int64>()
        let files = Recorder<URL?>()

        let task = manager.downloadTask(with: URLRequest(url: server.url("/bytes/1000"))) { files.record($0.fileURL) }
        task.hooks.downloadDestination = { _, _, _ in place }
        task.hooks.didWriteData = { _, _, total, _ in written.record(total) }
        task.resume()

        #expect(try await files.first() == place)
        try await written.wait { $0.last == 1000 }
        withExtendedLifetime(folder) {}
    }

    @Test("A response that the task's hook rejects for the cache is not stored")
    func caching() async throws {
        server.route("/x", .json("[1]").adding("Cache-Control", "max-age=60"), .json("[2]"))
        let configuration = URLSessionConfiguration.testing
        configuration.urlCache = HTTPCache()
        let manager = TestTransport.curl.makeManager(for: server, configuration: configuration)
        var hooks = SessionHooks()
        hooks.willCacheResponse = { _, _ in nil }

        manager.get("x", options: CallOptions(hooks: hooks)) { _, _ in }
        try await manager.finishAll()
        _ = try await manager.call(.get, "x")

        #expect(server.requests(to: "/x").count == 2)
    }

    @Test("A download that was a data task has the hooks of the data task")
    func becomingDownload() async throws {
        let manager = TestTransport.curl.makeManager(for: server)
        let calls = Recorder<String>()
        manager.hooks.downloadDestination = { _, _, _ in
            calls.record("manager")
            return nil
        }
        var hooks = SessionHooks()
        hooks.responseDisposition = { _, _ in .download }
        hooks.downloadDestination = { _, _, _ in
            calls.record("task")
            return nil
        }

        manager.get("bytes/10", options: CallOptions(hooks: hooks)) { _, _ in }
        try await manager.finishAll()

        #expect(calls.values == ["task"])
    }

    @Test(
        "Hooks may be changed while a task runs, and are released at its end",
        arguments: TestTransport.allCases
    )
    func released(_ transport: TestTransport) async throws {
        let gate = LoopbackServer.Gate()
        server.route("/held", .json("[]").held(until: gate))
        let manager = transport.makeManager(for: server)
        let ends = Recorder<String>()
        let completions = Recorder<String>()

        let task = manager.dataTask(with: URLRequest(url: server.url("/held"))) { _ in }
        task.hooks.didComplete = { _, _ in completions.record("first") }
        task.resume()
        try await server.waitForRequests(1)
        task.hooks.didComplete = { [farewell = Farewell { ends.record("hook") }, task] _, _ in
            withExtendedLifetime((farewell, task)) { completions.record("second") }
        }
        gate.open()

        #expect(try await ends.first() == "hook")
        #expect(completions.values == ["second"])
        #expect(task.hooks.didComplete == nil)
    }
}
