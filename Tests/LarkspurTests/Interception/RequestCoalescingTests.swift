import LarkspurTesting
import Testing

@testable import Larkspur

@Suite("Requests that share attempts", .timeLimit(.minutes(5)))
struct RequestCoalescingTests {
    let server: LoopbackServer
    private let gate = LoopbackServer.Gate()
    private let coalescing = RequestCoalescing()

    init() throws {
        server = try LoopbackServer()
        server.route("/x", .text("held").held(until: gate))
    }

    private func makeManager(_ transport: TestTransport) -> SessionManager {
        let configuration = URLSessionConfiguration.testing
        configuration.httpMaximumConnectionsPerHost = 10
        let manager = transport.makeManager(for: server, configuration: configuration)
        manager.interceptors.call = [coalescing]
        return manager
    }

    @Test(
        "Equal requests under way share one attempt, and a later request gets another attempt",
        arguments: TestTransport.allCases
    )
    func shared(_ transport: TestTransport) async throws {
        let manager = makeManager(transport)

        let calls = (0..<50).map { _ in Task { await manager.get("x").response(as: StringResponseSerializer()) } }
        try await eventually(49) { coalescing.waiterCount }
        gate.open()
        for call in calls { #expect(await call.value.value == "held") }
        #expect(server.requests.count == 1)

        #expect(try await manager.get("x").string == "held")
        #expect(server.requests.count == 2)
    }

    @Test(
        "Requests whose fields look the same, but have different bytes, share no attempt",
        arguments: TestTransport.allCases
    )
    func equivalentFields(_ transport: TestTransport) async throws {
        let manager = makeManager(transport)
        let names = ["Jos\u{E9}", "Jose\u{301}"]

        let calls = names.map { name in Task { await manager.get("x", headers: ["X-User": name]).response() } }
        try await eventually(2) { server.requests.count }
        gate.open()
        for call in calls { _ = await call.value }

        let sent = server.requests.compactMap { $0.headers["X-User"] }.map { Array($0.utf8) }
        #expect(Set(sent) == Set(names.map { Array($0.utf8) }))
    }

    @Test(
        "After a request with an equivalent field, a request is sent with the bytes of its own field",
        arguments: TestTransport.allCases
    )
    func fieldsInSequence(_ transport: TestTransport) async throws {
        gate.open()
        let manager = transport.makeManager(for: server)
        let names = ["Jos\u{E9}", "Jose\u{301}", "Jos\u{E9}", "\u{212A}", "K"]

        for name in names { _ = try await manager.get("x", headers: ["X-User": name]).data }

        #expect(
            server.requests.compactMap { $0.headers["X-User"] }.map { Array($0.utf8) } == names.map { Array($0.utf8) }
        )
    }

    @Test("Requests that differ, have content, or belong to downloads and streams share no attempt")
    func different() async throws {
        let manager = makeManager(.curl)
        let first = Task { await manager.get("x").response() }
        try await eventually(1) { server.requests.count }

        let others: [Task<Void, any Error>] = [
            Task { _ = await manager.get("x", parameters: ["a": 1]).response() },
            Task { _ = await manager.get("x", headers: ["A": "1"]).response() },
            Task { _ = await manager.post("x").response() },
            Task { _ = await manager.request(.get, "x", body: .json([1])).response() },
            Task { _ = await manager.download("x").response() },
            Task { for try await _ in manager.get("x").chunks {} },
        ]
        try await eventually(7) { server.requests.count }
        gate.open()

        _ = await first.value
        for other in others { try await other.value }
        #expect(server.requests.count == 7)
    }

    @Test("Calls with their own credentials, hooks or interceptors share no attempt")
    func personal() async throws {
        let manager = makeManager(.curl)
        let calls = [
            Task { await manager.get("x").response() },
            Task { await manager.get("x").authenticate(username: "ada", password: "a").response() },
            Task { await manager.get("x").redirect { _, _, request in request }.response() },
            Task { await manager.get("x").intercept(with: .adapting { _ in }).response() },
        ]
        try await eventually(4) { server.requests.count }
        gate.open()
        for call in calls { #expect(await call.value.error == nil) }
    }

    @Test("Neither uploads nor calls of different managers share an attempt")
    func uploads() async throws {
        let manager = makeManager(.curl)
        manager.interceptors.call = [.coalescing(methods: [.get, .put])]
        let folder = TemporaryFolder()
        let files = try ["one", "two"].map { name in
            let file = folder.url.appendingPathComponent(name)
            try Data(name.utf8).write(to: file)
            return file
        }
        var calls = files.map { file in Task { await manager.upload("x", from: .file(file), method: .put).response() } }
        let copy = manager.copy()
        calls += [manager, copy].map { manager in Task { await manager.get("x").response() } }
        try await eventually(4) { server.requests.count }
        gate.open()
        for call in calls { #expect(await call.value.error == nil) }
        #expect(Set(server.requests.map(\.text)) == ["one", "two", ""])
    }

    @Test("If an interceptor is set twice, the call does not wait for itself")
    func twice() async throws {
        let manager = makeManager(.curl)
        manager.interceptors.attempt = [coalescing]
        gate.open()
        #expect(try await manager.get("x").string == "held")
    }

    @Test("A failed attempt fails all calls that share it")
    func failure() async throws {
        server.route("/fault", .fault(.closeBeforeHeader).held(until: gate))
        let manager = makeManager(.curl)
        let calls = (0..<3).map { _ in Task { await manager.get("fault").response() } }
        try await eventually(2) { coalescing.waiterCount }
        gate.open()
        for call in calls { #expect(await call.value.error?.code == .connectionLost) }
    }

    @Test(
        "A suspended leader does not delay the calls that share its attempt",
        arguments: TestTransport.allCases,
        [0, 1, 2]
    )
    func suspension(_ transport: TestTransport, _ count: Int) async throws {
        let manager = makeManager(transport)
        let leader = manager.get("x")
        let first = Task { await leader.response(as: StringResponseSerializer()) }
        try await eventually(1) { server.requests.count }
        func call() -> Task<DataResponse<String>, Never> {
            Task { await manager.get("x").response(as: StringResponseSerializer()) }
        }
        // Some wait before the suspension, one comes after it.
        var others = (0..<count).map { _ in call() }
        try await eventually(count) { coalescing.waiterCount }
        leader.suspend()
        others.append(call())
        try await eventually { server.requests.count == 2 && coalescing.waiterCount == count }

        gate.open()
        for other in others { #expect(await other.value.value == "held") }
        #expect(server.requests.count == 2 && leader.state == .suspended)
        leader.resume()
        #expect(await first.value.value == "held")
    }

    @Test("Neither suspended followers nor a leader that has resumed delay the other calls")
    func suspendedFollowers() async throws {
        let manager = makeManager(.curl)
        let tasks = (0..<4).map { _ in manager.get("x") }
        var calls: [Task<DataResponse<String>, Never>] = []
        for (index, task) in tasks.enumerated() {
            calls.append(Task { await task.response(as: StringResponseSerializer()) })
            try await eventually { server.requests.count == 1 && coalescing.waiterCount == index }
        }
        for task in tasks[1...2] { task.suspend() }
        tasks[0].suspend()
        tasks[0].resume()
        // The last call has an attempt, whichever of the others made one before it.
        try await eventually { tasks[3].urlSessionTask != nil || coalescing.waiterCount > 0 }
        gate.open()
        #expect(await calls[0].value.value == "held")
        #expect(await calls[3].value.value == "held")
        for task in tasks { task.resume() }
        for call in calls { #expect(await call.value.value == "held") }
    }

    @Test(
        "Cancelling one call does not cancel the calls that share its attempt",
        arguments: TestTransport.allCases,
        [0, 1]
    )
    func cancellation(_ transport: TestTransport, _ index: Int) async throws {
        let manager = makeManager(transport)
        // The first call has the attempt.
        var calls: [Task<DataResponse<String>, Never>] = []
        for count in 0..<3 {
            calls.append(Task { await manager.get("x").response(as: StringResponseSerializer()) })
            try await eventually { server.requests.count == 1 && coalescing.waiterCount == count }
        }

        calls[index].cancel()
        #expect(await calls[index].value.error?.code == .cancelled)
        gate.open()

        for call in calls[1...] where index != 1 { #expect(await call.value.value == "held") }
        #expect(await calls[2].value.value == "held")
        #expect(server.requests.count == (index == 0 ? 2 : 1))
    }
}
