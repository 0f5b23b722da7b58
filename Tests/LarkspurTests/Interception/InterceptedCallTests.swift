import LarkspurTesting
import Synchronization
import Testing

@testable import Larkspur

@Suite("Calls with interceptors", .timeLimit(.minutes(5)))
struct InterceptedCallTests {
    struct Foreign: Error {}

    let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
        server.route("/x", .text("first"), .text("second"))
    }

    /// An interceptor that sends each request twice.
    private let twice = ClosureInterceptor { request, _, next in
        _ = try await next(request)
        return try await next(request)
    }

    private func recording(_ name: String, _ events: Recorder<String>) -> ClosureInterceptor {
        ClosureInterceptor { request, _, next in
            events.record(name)
            defer { events.record("end of \(name)") }
            return try await next(request)
        }
    }

    @Test(
        "Call interceptors run around attempt interceptors; of each kind, the manager's run around the call's",
        arguments: TestTransport.allCases
    )
    func order(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let events = Recorder<String>()
        manager.interceptors.call = [recording("manager", events)]
        manager.interceptors.attempt = [recording("manager's attempt", events)]

        let text = try await manager.get("x").intercept(with: recording("call", events), twice)
            .interceptAttempts(with: recording("attempt", events)).string

        let attempt = ["manager's attempt", "attempt", "end of attempt", "end of manager's attempt"]
        #expect(events.values == ["manager", "call"] + attempt + attempt + ["end of call", "end of manager"])
        #expect(text == "second")
    }

    @Test("A changed request is sent, and a changed response is parsed", arguments: TestTransport.allCases)
    func changes(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        manager.interceptors.call = [
            ClosureInterceptor { request, _, next in
                var request = request
                request.setValue("1", forHTTPHeaderField: "X-Mine")
                var response = try await next(request)
                response.data += Data("!".utf8)
                return response
            }
        ]

        let response = await manager.get("x").response(as: StringResponseSerializer())

        #expect(response.value == "first!" && response.request?.value(forHTTPHeaderField: "X-Mine") == "1")
        #expect(server.requests.map { $0.headers["X-Mine"] } == ["1"])
    }

    @Test("Interceptors that are closures are written with a leading dot", arguments: TestTransport.allCases)
    func closures(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)

        let text = try await manager.get("x")
            .intercept(
                with: .adapting { $0.setValue("1", forHTTPHeaderField: "X-Mine") },
                .custom { request, _, next in
                    _ = try await next(request)
                    return try await next(request)
                }
            )
            .string

        #expect(text == "second" && server.requests.map { $0.headers["X-Mine"] } == ["1", "1"])
    }

    @Test("A response that replaces a request is validated and parsed", arguments: TestTransport.allCases)
    func replacedResponse(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let own = try httpResponse(203, "application/json")
        let refusal = try httpResponse(404, nil)
        let answer = ClosureInterceptor { request, _, _ in
            InterceptedResponse(request: request, response: own, data: Data("[7]".utf8))
        }

        let value = try await manager.get("x").intercept(with: answer).value(as: [Int].self)
        let refused = await manager.get("x")
            .intercept(with: .custom { request, _, _ in InterceptedResponse(request: request, response: refusal) })
            .response()

        #expect(value == [7] && refused.error?.statusCode == 404)
        try await manager.finishAll()
        #expect(server.requests.isEmpty && manager.tasks.isEmpty)
    }

    @Test(
        "An unknown error of an interceptor becomes interceptionFailed, and known errors stay",
        arguments: TestTransport.allCases
    )
    func errors(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        func error(_ thrown: any Error, afterAttempt: Bool) async -> LarkspurError? {
            await manager.get("x")
                .intercept(
                    with: ClosureInterceptor { request, _, next in
                        if afterAttempt { _ = try await next(request) }
                        throw thrown
                    }
                )
                .response().error
        }

        for isAfter in [false, true] {
            let foreign = await error(Foreign(), afterAttempt: isAfter)
            #expect(foreign?.code == .interceptionFailed && foreign?.underlyingError is Foreign)
            #expect(foreign?.request?.url == server.url("/x") && foreign?.statusCode == (isAfter ? 200 : nil))
            #expect(await error(LarkspurError(.emptyResponse, "Own."), afterAttempt: isAfter)?.message == "Own.")
            #expect(await error(CancellationError(), afterAttempt: isAfter)?.code == .cancelled)
        }
        #expect(server.requests.count == 3)
    }

    @Test("An error of an inner interceptor is thrown to the outer one", arguments: TestTransport.allCases)
    func innerError(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let events = Recorder<String>()
        let outer = ClosureInterceptor { request, _, next in
            do {
                return try await next(request)
            } catch {
                events.record("\(type(of: error))")
                throw error
            }
        }

        let response = await manager.get("x")
            .intercept(with: outer, ClosureInterceptor { _, _, _ in throw Foreign() }, recording("inner", events))
            .response()

        #expect(response.error?.code == .interceptionFailed && response.error?.underlyingError is Foreign)
        #expect(events.values == ["Foreign"] && server.requests.isEmpty)
    }

    @Test("Two consecutive attempts are one task, which ends once", arguments: TestTransport.allCases)
    func sequential(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let completions = Recorder<Bool>()
        let attempts = Recorder<Int>()
        manager.hooks.didComplete = { _, error in completions.record(error == nil) }
        let values = Recorder<String?>()

        let task = manager.get("x").intercept(
            with: ClosureInterceptor { request, context, next in
                _ = try await next(request)
                attempts.record(context.attempts)
                defer { attempts.record(context.attempts) }
                return try await next(request)
            }
        )
        let notifications = NotificationRecorder(task)
        task.response(as: .string) { values.record($0.value) }
        try await manager.finishAll()

        #expect(values.values == ["second"] && attempts.values == [1, 2])
        #expect(notifications.names == [SessionTask.didResumeNotification, SessionTask.didCompleteNotification])
        // The queue of the hooks is another one than that of the handlers.
        #expect(try await completions.wait() == [true])
        #expect(server.requests.count == 2 && manager.tasks.isEmpty && task.state == .completed)
        if transport != .foundation { #expect(task.timeline.transactions.count == 2) }
    }

    @Test("Two concurrent attempts are an error", arguments: TestTransport.allCases)
    func concurrent(_ transport: TestTransport) async throws {
        let gate = LoopbackServer.Gate()
        server.route("/held", .text("held").held(until: gate))
        let manager = transport.makeManager(for: server)
        let codes = Recorder<LarkspurError.Code?>()
        let server = server

        let text = try await manager.get("held")
            .intercept(
                with: ClosureInterceptor { request, _, next in
                    // The closure does not outlive the group.
                    try await withoutActuallyEscaping(next) { next in
                        try await withThrowingTaskGroup(of: InterceptedResponse.self) { group in
                            group.addTask { try await next(request) }
                            try await eventually(1) { server.requests.count }
                            do {
                                _ = try await next(request)
                            } catch {
                                codes.record((error as? LarkspurError)?.code)
                            }
                            gate.open()
                            return try await group.next() ?? InterceptedResponse(request: nil, response: nil)
                        }
                    }
                }
            )
            .string

        #expect(text == "held" && codes.values == [.unsupported] && server.requests.count == 1)
    }

    @Test(
        "A download has the file of the last attempt, and the other files are removed",
        arguments: TestTransport.allCases
    )
    func download(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let folder = TemporaryFolder()
        let files = Mutex<[URL]>([])
        let collecting = ClosureInterceptor { request, _, next in
            let response = try await next(request)
            files.withLock { $0 += response.file.map { [$0] } ?? [] }
            return response
        }

        let file = try await manager.download("x", to: .folder(folder.url)).intercept(with: twice)
            .interceptAttempts(with: collecting).file

        #expect(try String(contentsOf: file, encoding: .utf8) == "second")
        try await manager.finishAll()
        let places = files.withLock { $0 }
        #expect(Set(places).count == 2)
        #expect(places.allSatisfy { !FileManager.default.fileExists(atPath: $0.path) })
    }

    @Test("A download that an interceptor fails leaves no file", arguments: TestTransport.allCases)
    func failedDownload(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let files = Mutex<[URL]>([])

        let response = await manager.download("x")
            .intercept(
                with: ClosureInterceptor { request, _, next in
                    let response = try await next(request)
                    files.withLock { $0 += response.file.map { [$0] } ?? [] }
                    throw Foreign()
                }
            )
            .response()

        #expect(response.error?.code == .interceptionFailed)
        try await manager.finishAll()
        let places = files.withLock { $0 }
        #expect(places.count == 1 && places.allSatisfy { !FileManager.default.fileExists(atPath: $0.path) })
    }

    @Test("A response without a file is an error of a download", arguments: TestTransport.allCases)
    func downloadWithoutFile(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let own = try httpResponse()

        let response = await manager.download("x")
            .intercept(with: .custom { request, _, _ in InterceptedResponse(request: request, response: own) })
            .response()

        #expect(response.error?.code == .emptyResponse && response.fileURL == nil)
        #expect(server.requests.isEmpty)
    }

    @Test(
        "An upload of data, a file or a repeatable stream is sent again",
        arguments: TestTransport.allCases
    )
    func uploads(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let bytes = Data("content".utf8)
        let folder = TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let file = try folder.file("a.txt", bytes)
        let contents: [RequestBody] = [
            .data(bytes), .file(file), .stream(length: 7, contentType: "a/b") { InputStream(data: bytes) },
        ]
        let canRepeat = Recorder<Bool>()
        let twice = ClosureInterceptor { request, context, next in
            canRepeat.record(context.canRepeatBody)
            _ = try await next(request)
            return try await next(request)
        }

        for content in contents {
            let response = await manager.upload("x", from: content, method: .put).intercept(with: twice).response()
            #expect(response.error == nil)
        }

        #expect(canRepeat.values == [true, true, true])
        #expect(server.requests.map(\.text) == Array(repeating: "content", count: 6))
        var request = URLRequest(url: server.url("/x"))
        request.httpMethod = "PUT"
        request.httpBodyStream = InputStream(data: bytes)
        manager.interceptors.call = [
            ClosureInterceptor { request, context, next in
                canRepeat.record(context.canRepeatBody)
                return try await next(request)
            }
        ]
        _ = await manager.dataTask(with: request).response()
        #expect(canRepeat.values.last == false && server.requests.last?.text == "content")
    }

    @Test("A stream delivers the content of the last attempt, and reports this", arguments: TestTransport.allCases)
    func stream(_ transport: TestTransport) async throws {
        server.route("/y", .text("busy", status: 503), .text("content"))
        let manager = transport.makeManager(for: server)
        let delivered = Recorder<Bool>()

        var content = Data()
        let task = manager.get("y").intercept(
            with: ClosureInterceptor { request, context, next in
                _ = try await next(request)
                delivered.record(context.hasDeliveredContent)
                defer { delivered.record(context.hasDeliveredContent) }
                return try await next(request)
            }
        )
        for try await part in task.chunks { content += part }

        #expect(content == Data("content".utf8) && delivered.values == [false, true])
    }

    @Test(
        "With interceptors, handlers and loops of a task with a completion handler end with an error",
        arguments: [false, true]
    )
    func noHandlers(isIntercepted: Bool) async throws {
        let manager = TestTransport.curl.makeManager(for: server)
        if isIntercepted { manager.interceptors.call = [.retry()] }
        let ends = Recorder<Void>()
        let data = manager.dataTask(with: URLRequest(url: server.url("/get"))) { _ in ends.record(()) }
        let file = manager.downloadTask(with: URLRequest(url: server.url("/get"))) { _ in ends.record(()) }
        #expect(await data.response().error?.code == .unsupported)
        #expect(await file.response().error?.code == .unsupported)
        let error = await #expect(throws: LarkspurError.self) { for try await _ in data.chunks {} }
        #expect(error?.code == .unsupported)
        data.resume()
        file.resume()
        try await ends.wait(for: 2)
    }

    @Test("A loop gets the content of a response that an interceptor has created", arguments: [7, 17 << 20])
    func substitute(size: Int) async throws {
        let manager = TestTransport.curl.makeManager(for: server)
        manager.interceptors.call = [
            .custom { request, _, _ in
                InterceptedResponse(
                    request: request,
                    response: request.url.flatMap {
                        HTTPURLResponse(url: $0, statusCode: 200, httpVersion: nil, headerFields: nil)
                    },
                    data: Data(count: size)
                )
            }
        ]
        var count = 0
        for try await chunk in manager.get("x").chunks { count += chunk.count }
        #expect(count == size && server.requests.isEmpty)
    }

    @Test("If a redirect is refused, interceptors get its response", arguments: TestTransport.allCases)
    func refusedRedirect(_ transport: TestTransport) async throws {
        server.route("/moved", .redirect(to: "/x"))
        let manager = transport.makeManager(for: server)
        let statuses = Recorder<Int?>()

        let response = await manager.download("moved").validate(statusCode: [200, 302])
            .redirect { _, _, _ in nil }
            .intercept(
                with: ClosureInterceptor { request, _, next in
                    let response = try await next(request)
                    statuses.record(response.statusCode)
                    return response
                }
            )
            .response()

        #expect(statuses.values == [302] && response.statusCode == 302 && response.error?.code != .cancelled)
    }
}
