import LarkspurTestSupport
import LarkspurTesting
import TestSupport
import Testing

@testable import Larkspur

@Suite("Events of calls", .timeLimit(.minutes(5)))
struct CallEventTests {
    let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
        server.route("/user", .json(#"{"name": "Ada"}"#))
        server.route("/moved", .redirect(to: "/user"))
    }

    /// The kinds without those of which there may be several or, on one transport, none.
    private static let steps: Set<CallEvent.Kind> = [
        .created, .resumed, .attemptStarted, .responseReceived, .attemptEnded, .completed,
    ]

    @Test("The kind of an event is printed as its name")
    func kindNames() {
        let names = """
            created resumed suspended cancelled attemptStarted waitingForConnection redirected challenged \
            interimResponse responseReceived contentSent contentReceived transactionEnded attemptEnded retryScheduled \
            coalesced completed \
            webSocketOpened webSocketSent webSocketReceived webSocketClosed limitReached sharedStoreFailed
            """
        #expect(CallEvent.Kind.allCases.map { "\($0)" }.joined(separator: " ") == names)
    }

    @Test(
        "The events of a call arrive in order, at observers of the manager and of the call",
        arguments: TestTransport.allCases
    )
    func order(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let all = Recorder<CallEvent>()
        let own = Recorder<CallEvent>()
        manager.observe(Self.steps) { all.record($0) }

        let task = manager.get("user").observe(Self.steps) { own.record($0) }
        _ = try await task.data

        let events = all.values
        #expect(
            events.map(\.kind)
                == [.created, .resumed, .attemptStarted, .responseReceived, .attemptEnded, .completed]
        )
        #expect(own.values.map(\.kind) == Array(events.map(\.kind).dropFirst()))
        #expect(Set((events + own.values).map(\.callID)).count == 1)
        #expect(events.allSatisfy { $0.task === task })
        #expect(events.map(\.attempt) == [0, 0, 1, 1, 1, 1])
        #expect(events[0].request?.url == server.url("/user"))
        #expect(events[2].request?.url == server.url("/user"))
        #expect(events[3].httpResponse?.statusCode == 200)
        #expect(events[5].completion?.data == Data(#"{"name": "Ada"}"#.utf8))
        #expect(events[5].error == nil)
        #expect(zip(events, events.dropFirst()).allSatisfy { $0.instant <= $1.instant })
    }

    @Test("Observers get the end of a call before its handlers do", arguments: TestTransport.allCases)
    func endBeforeHandlers(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let steps = Recorder<String>()
        manager.observe([.completed]) { steps.record("observed \($0.error?.code.label ?? "success")") }

        manager.get("user") { _, _ in steps.record("success") }
        manager.get("nothing") { _, _ in
        } failure: { _, _ in
            steps.record("failure")
        }

        let seen = try await steps.wait(for: 4)
        #expect(try #require(seen.firstIndex(of: "observed success")) < #require(seen.firstIndex(of: "success")))
        #expect(
            try #require(seen.firstIndex(of: "observed unacceptable-status-code")) < #require(
                seen.firstIndex(of: "failure")
            )
        )
    }

    @Test("Observers and the task have the end before a handler that is added after the serialization")
    func endBeforeLateHandler() async throws {
        // Large content is serialized on the processing queue.
        server.route("/long", .text(String(repeating: "x", count: 5000), status: 404))
        let manager = TestTransport.curl.makeManager(for: server)
        let completion = manager.completionQueue
        let own = DispatchQueue(label: "larkspur.test.handlers")
        let steps = Recorder<String>()
        let call = manager.get("long").observe([.completed]) { _ in steps.record("completed") }

        completion.suspend()
        call.resume()
        try await eventually(true) { call.timeline.serialized != nil }
        call.response(as: DataResponseSerializer(), queue: own) { [weak call] _ in
            steps.record("handled \(call?.error?.code.label ?? "")")
        }
        // A handler that is called at once has run now.
        call.environment.processing.queue.sync(flags: .barrier) {}
        own.sync {}
        completion.resume()

        #expect(try await steps.wait(for: 2) == ["completed", "handled unacceptable-status-code"])
    }

    @Test("Redirects that are followed or refused are events", arguments: TestTransport.allCases)
    func redirects(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let events = Recorder<CallEvent>()
        manager.observe([.redirected]) { events.record($0) }

        _ = try await manager.get("moved").data
        _ = await manager.get("moved").redirect { _, _, _ in nil }.response()

        #expect(events.values.map(\.request?.url) == [server.url("/user"), nil])
        #expect(events.values.map(\.httpResponse?.statusCode) == [302, 302])
    }

    @Test("Each redirect is a transaction with its phases")
    func transactions() async throws {
        let manager = TestTransport.curl.makeManager(for: server)
        let events = Recorder<CallEvent>()
        manager.observe([.transactionEnded]) { events.record($0) }

        _ = try await manager.get("moved").data

        let transactions = events.values.compactMap(\.transaction)
        #expect(transactions.map(\.response?.statusCode) == [302, 200])
        #expect(transactions.map(\.isReusedConnection) == [false, true])
        #expect(transactions.allSatisfy { $0.source == .network && $0.responseStart != nil })
    }

    @Test("Attempts are numbered, and a retry has its reason", arguments: TestTransport.allCases)
    func retries(_ transport: TestTransport) async throws {
        server.route("/busy", .status(503), .json("{}"))
        let manager = transport.makeManager(for: server)
        manager.interceptors.call = [.retry(baseDelay: .zero)]
        let events = Recorder<CallEvent>()
        manager.observe([.attemptStarted, .attemptEnded, .retryScheduled, .completed]) { events.record($0) }

        _ = try await manager.get("busy").data

        #expect(
            events.values.map { "\($0.kind) \($0.attempt)" } == [
                "attemptStarted 1", "attemptEnded 1", "retryScheduled 1", "attemptStarted 2", "attemptEnded 2",
                "completed 2",
            ]
        )
        let retry = try #require(events.values.first { $0.kind == .retryScheduled })
        #expect(retry.reason == "status 503")
        #expect(retry.delay != nil)
    }

    @Test("An attempt that the session refuses neither starts nor ends", arguments: TestTransport.allCases)
    func refusedAttempt(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        manager.interceptors.call = [
            ClosureInterceptor { [weak manager] request, _, next in
                _ = try await next(request)
                manager?.invalidate(cancelingTasks: false)
                return try await next(request)
            }
        ]
        let kinds = Recorder<CallEvent.Kind>()

        let response = await manager.get("user").observe(Self.steps) { kinds.record($0.kind) }.response()

        #expect(response.error?.code == .sessionInvalidated)
        #expect(kinds.values == [.resumed, .attemptStarted, .responseReceived, .attemptEnded, .completed])
    }

    @Test("A request for credentials is an event", arguments: TestTransport.allCases)
    func challenges(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let events = Recorder<CallEvent>()
        manager.observe([.challenged]) { events.record($0) }

        _ = try await manager.get("basic-auth/ada/secret").authenticate(username: "ada", password: "secret").data

        let challenge = try #require(events.values.first?.challenge)
        #expect(challenge.authenticationMethod == NSURLAuthenticationMethodHTTPBasic)
        #expect(challenge.host == "127.0.0.1")
        #expect(challenge.previousFailureCount == 0)
    }

    @Test("The numbers of bytes sent and received add up", arguments: TestTransport.allCases)
    func bytes(_ transport: TestTransport) async throws {
        server.route("/large", .stream(Array(repeating: .bytes(Data(count: 10_000)), count: 5)))
        let manager = transport.makeManager(for: server)
        let events = Recorder<CallEvent>()
        manager.observe([.contentSent, .contentReceived]) { events.record($0) }

        _ = try await manager.upload("large", from: .data(Data(count: 30_000))).data

        let sent = events.values.filter { $0.kind == .contentSent }
        let received = events.values.filter { $0.kind == .contentReceived }
        #expect(sent.compactMap(\.byteCount).reduce(0, +) == 30_000)
        #expect(sent.last?.totalByteCount == 30_000)
        #expect(received.compactMap(\.byteCount).reduce(0, +) == 50_000)
        #expect(received.last?.totalByteCount == 50_000)
    }

    @Test("A call that is suspended and cancelled has one end", arguments: TestTransport.allCases)
    func cancellation(_ transport: TestTransport) async throws {
        server.route("/silent", .fault(.noResponse))
        let manager = transport.makeManager(for: server)
        let events = Recorder<CallEvent>()
        manager.observe([.resumed, .suspended, .cancelled, .completed]) { events.record($0) }

        let task = manager.get("silent") { _, _ in }
        try await server.waitForRequests(1, to: "/silent")
        task.suspend()
        task.resume()
        task.cancel()
        task.cancel()

        let seen = try await events.wait(for: 5)
        try await manager.finishAll()
        #expect(seen.map(\.kind) == [.resumed, .suspended, .resumed, .cancelled, .completed])
        #expect(seen.last?.error?.code == .cancelled)
        #expect(events.values.count == 5)
    }

    @Test("A call that could not be created has events of its creation and its end", arguments: TestTransport.allCases)
    func unmade(_ transport: TestTransport) async throws {
        let manager = transport.makeManager()
        let events = Recorder<CallEvent>()
        manager.observe { events.record($0) }

        _ = await manager.get("http://exa mple.com/%").response()

        #expect(events.values.map(\.kind) == [.created, .resumed, .completed])
        #expect(events.values.last?.error?.code == .invalidURL)
    }

    @Test("Calls that share an attempt have an event for this")
    func coalescing() async throws {
        let gate = LoopbackServer.Gate()
        server.route("/shared", .json("{}").held(until: gate))
        let manager = TestTransport.curl.makeManager(for: server)
        manager.interceptors.call = [.coalescing()]
        let events = Recorder<CallEvent>()
        manager.observe([.coalesced, .attemptStarted]) { event in
            events.record(event)
            if event.kind == .coalesced { gate.open() }
        }

        async let first = manager.get("shared").data
        async let second = manager.get("shared").data
        _ = try await (first, second)

        #expect(events.values.count { $0.kind == .coalesced } == 1)
        #expect(events.values.count { $0.kind == .attemptStarted } == 1)
    }

    @Test("For a slow observer, the events of many chunks become one event")
    func mergedChunks() {
        let identity = CallIdentity()
        let first = CallEvent(.contentReceived, of: nil, attempt: 1, .bytes(count: 3, total: 3), identity)
        let second = CallEvent(.contentReceived, of: nil, attempt: 1, .bytes(count: 4, total: 7), identity)
        let other = CallEvent(.contentReceived, of: nil, attempt: 2, .bytes(count: 4, total: 4), identity)

        #expect(first.merged(with: second)?.byteCount == 7)
        #expect(first.merged(with: second)?.totalByteCount == 7)
        #expect(first.merged(with: other) == nil)
    }

    @Test("A copy of a manager has the same observers")
    func copy() {
        let manager = TestTransport.curl.makeManager()
        manager.observe { _ in }
        #expect(manager.copy().observers.count == 1)
    }

    @Test("An observer may use the task and the manager", arguments: TestTransport.allCases)
    func reentrance(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let ends = Recorder<LarkspurError?>()
        manager.observe([.responseReceived, .completed]) { [weak manager] event in
            if event.kind == .responseReceived { event.task?.cancel() }
            manager?.observers = []
            if event.kind == .completed { ends.record(event.error) }
        }

        server.route("/endless", .fault(.slowBody))
        _ = await manager.get("endless").response()

        #expect(ends.values.map { $0?.code } == [.cancelled])
    }

    @Test("The description of an event contains no secret")
    func description() async throws {
        let manager = TestTransport.curl.makeManager(for: server)
        let lines = Recorder<String>()
        manager.observe { lines.record("\($0)") }

        _ = await manager.get("user", parameters: ["token": "canary"]).response()

        #expect(lines.values.contains { $0.contains("token=redacted") })
        #expect(!lines.values.contains { $0.contains("canary") })
    }

    @Test("The observers of a call and its interceptors have the same identifier for it")
    func identifiers() async throws {
        let manager = TestTransport.curl.makeManager(for: server)
        manager.interceptors.attempt = [.traceContext()]
        let events = Recorder<CallEvent>()
        manager.observe([.completed]) { events.record($0) }

        _ = try await manager.get("user").data

        let field = try #require(try await server.waitForRequests(1, to: "/user")[0].headers["traceparent"])
        let id = try #require(events.values.first?.callID)
        #expect(field.contains(id.uuidString.lowercased().replacing("-", with: "")))
    }
}
