import LarkspurTesting
import Testing

@testable import Larkspur

@Suite("Timeouts of calls", .timeLimit(.minutes(5)))
struct CallTimeoutTests {
    let server: LoopbackServer
    let clock = TestClock()
    let gate = LoopbackServer.Gate()

    init() throws {
        server = try LoopbackServer()
        server.route("/held", .text("late").held(until: gate))
        server.route("/slow", .stream([.bytes(Data("a".utf8)), .wait(gate)], framing: .chunked))
        server.route("/text", .text("text"))
    }

    private func manager(_ transport: TestTransport) -> SessionManager {
        let manager = transport.makeManager(for: server)
        manager.clock = clock
        return manager
    }

    @Test(
        "A call that takes too long ends by its own total limit or by the manager's",
        arguments: TestTransport.allCases
    )
    func total(_ transport: TestTransport) async throws {
        let manager = manager(transport)
        manager.timeouts.total = .seconds(9)

        async let own = manager.get("held").timeout(total: .seconds(5)).response()
        async let general = manager.get("slow").response()
        let closure = Recorder<LarkspurError>()
        manager.get("held") { _, _ in
        } failure: {
            closure.record($1)
        }
        try await clock.waitForSleeps(3)
        clock.advance(by: .seconds(5))
        #expect(await own.error?.code == .timedOut)
        clock.advance(by: .seconds(4))

        #expect(await general.error?.message == "The call took longer than 9.0 seconds in all.")
        #expect(try await closure.first().code == .timedOut)
        gate.open()
        try await manager.finishAll()
        #expect(manager.tasks.isEmpty)
    }

    @Test("Only the time until the response counts for the limit of the first byte", arguments: TestTransport.allCases)
    func responseTimeout(_ transport: TestTransport) async throws {
        let manager = manager(transport)
        let arrived = Recorder<Void>()

        async let held = manager.get("held").timeout(response: .seconds(1)).response()
        async let slow = manager.get("slow").timeout(response: .seconds(1))
            .onHTTPResponse { _ in
                arrived.record(())
                return .allow
            }
            .response()
        try await clock.waitForSleeps(2)
        try await arrived.first()
        clock.advance(by: .seconds(1))

        #expect(await held.error?.code == .timedOut)
        gate.open()
        #expect(await slow.value == Data("a".utf8))
    }

    @Test("The idle limit of a call becomes the timeout of its request", arguments: TestTransport.allCases)
    func idle(_ transport: TestTransport) async throws {
        let task = manager(transport).get("text").timeout(idle: .seconds(7))
        #expect(await task.response().error == nil)
        #expect(task.urlSessionTask?.originalRequest?.timeoutInterval == 7)
    }

    #if canImport(FoundationNetworking)
    @Test(
        "A call without a connection in time ends, whether the server or its handshake is silent",
        arguments: [(true, "http"), (false, "https")]
    )
    func connect(isFull: Bool, scheme: String) async throws {
        let silent = try SilentServer(isFull: isFull)
        let manager = SessionManager(transport: .curl)
        manager.timeouts.connect = .seconds(9)

        let response = await manager.get(try silent.url(scheme: scheme).absoluteString)
            .timeout(connect: .milliseconds(100))
            .response()
        #expect(response.error?.code == .timedOut)
        let message = response.error?.message ?? ""
        #expect(message.contains("No connection to the server ") && message.contains(" was made within 0.1 seconds"))
    }

    @Test("The limit for a connection does not apply to the time after it")
    func connected() async throws {
        let manager = manager(.curl)
        let response = await manager.get("delay/0.3").timeout(connect: .milliseconds(100)).response()
        #expect(response.error == nil)
    }

    @Test("A call that waits too long for a connection to its host ends")
    func queue() async throws {
        let configuration = URLSessionConfiguration.testing
        configuration.httpMaximumConnectionsPerHost = 1
        let manager = SessionManager(baseURL: server.baseURL, configuration: configuration, transport: .curl)
        manager.clock = clock
        manager.timeouts.connectionWait = .seconds(5)

        async let first = manager.get("held").response()
        try await server.waitForRequests(1)
        async let second = manager.get("text").response()
        try await clock.waitForSleeps(2)
        clock.advance(by: .seconds(5))
        // If the call has reached the session, the reason follows.
        let message = try #require(await second.error?.message)
        #expect(message.hasPrefix("The call waited longer than 5.0 seconds for a connection"))
        gate.open()
        #expect(await first.error == nil)
        #expect(server.requests(to: "/text").isEmpty)
    }

    @Test("A response from the cache does not wait for a connection")
    func queueOfCached() async throws {
        let configuration = URLSessionConfiguration.testing
        configuration.urlCache = HTTPCache(memoryCapacity: 512 << 20)
        configuration.requestCachePolicy = .useProtocolCachePolicy
        let manager = SessionManager(baseURL: server.baseURL, configuration: configuration, transport: .curl)
        manager.clock = clock
        server.route("/large", .data(Data(count: 4 << 20)).adding("Cache-Control", "max-age=600"))
        #expect(await manager.get("large").response().error == nil)

        var chunks = manager.get("large").timeout(connectionWait: .seconds(5)).chunks.makeAsyncIterator()
        var count = try await chunks.next()?.count ?? 0
        try await clock.waitForSleeps(1)
        clock.advance(by: .seconds(5))
        while let chunk = try await chunks.next() { count += chunk.count }
        #expect(count == 4 << 20 && server.requests.count == 1)
    }

    @Test("A call that waits too long for its interceptors ends")
    func queueOfInterceptors() async throws {
        let manager = manager(.curl)
        manager.interceptors.call = [.concurrencyLimit(1)]
        async let first = manager.get("held").response()
        try await server.waitForRequests(1)
        async let second = manager.get("text").timeout(connectionWait: .seconds(5)).response()
        try await clock.waitForSleeps(1)
        clock.advance(by: .seconds(5))
        #expect(await second.error?.code == .timedOut)
        gate.open()
        #expect(await first.error == nil)
    }

    @Test(
        "Foundation's transport refuses limits that it cannot enforce",
        arguments: [Timeouts(connectionWait: .seconds(5)), Timeouts(connect: .seconds(5))]
    )
    func refusal(_ limits: Timeouts) async throws {
        let manager = manager(.foundation)
        manager.timeouts = limits
        let error = await manager.get("text").response().error
        #expect(error?.code == .unsupported)
        #expect(error?.message.contains("need the transport .curl") == true)
        #expect(server.requests(to: "/text").isEmpty)
        try await manager.finishAll()
    }
    #endif

    @Test("A call that ends in time releases its timer", arguments: TestTransport.allCases)
    func inTime(_ transport: TestTransport) async throws {
        let manager = manager(transport)
        #expect(await manager.get("text").timeout(total: .seconds(5)).response().error == nil)
        try await eventually(0) { clock.sleeperCount }
    }

    @Test("A limit counts from the start of the call, even if its timer starts late", arguments: TestTransport.allCases)
    func lateTimer(_ transport: TestTransport) async throws {
        let manager = manager(transport)
        let calls = (0..<20).map { _ in manager.get("held").timeout(total: .seconds(5)) }
        for call in calls { call.resume() }
        clock.advance(by: .seconds(5))
        for call in calls {
            // Some of the calls wait for a connection, which their message says too.
            let message = try #require(await call.response().error?.message)
            #expect(message.hasPrefix("The call took longer than 5.0 seconds in all"))
        }
        gate.open()
    }

    @Test("An error at a deadline has the whole limit, and withTimeout keeps the type of its closure's error")
    func wholeDeadline() async throws {
        let manager = manager(.curl)
        let work = Task { [clock] in
            await withTimeout(total: .seconds(3), clock: clock) {
                clock.advance(by: .milliseconds(1234))
                let under = await manager.get("held").response()
                let late = await manager.get("text").timeout(total: .seconds(1)).response()
                return [under.error?.message, late.error?.message]
            }
        }
        _ = try await eventually(1) { server.requests(to: "/held").count }
        clock.advance(by: .seconds(2))
        let texts = ["The deadline of 3.0 seconds was over before the call ended."]
        #expect(await work.value == texts + ["The deadline of 3.0 seconds was over before the call began."])

        let own = Task { [clock] in
            await withTimeout(total: .seconds(30), clock: clock) {
                await manager.get("held").timeout(total: .seconds(2)).response().error?.message
            }
        }
        _ = try await eventually(2) { server.requests(to: "/held").count }
        clock.advance(by: .seconds(2))
        #expect(await own.value == "The call took longer than 2.0 seconds in all.")
        gate.open()

        let typed: LarkspurError?
        do {
            _ = try await withTimeout(total: .seconds(3)) { () async throws(LarkspurError) in
                try await manager.get("status/404").string
            }
            typed = nil
        } catch {
            typed = error
        }
        #expect(typed?.statusCode == 404)
        #expect(await withTimeout(total: .seconds(3)) { 1 } == 1)
    }

    @Test("Calls within a closure have one common deadline, the earlier of two", arguments: TestTransport.allCases)
    func deadline(_ transport: TestTransport) async throws {
        let manager = manager(transport)
        let work = Task { [clock] in
            await withTimeout(total: .seconds(3), clock: clock) {
                await withTimeout(total: .seconds(10), clock: clock) {
                    let first = await manager.get("text").response()
                    let second = await manager.get("held").response()
                    let third = await manager.get("text").response()
                    return [first.error, second.error, third.error].map { $0?.code }
                }
            }
        }
        _ = try await eventually(1) { server.requests(to: "/held").count }
        clock.advance(by: .seconds(3))

        #expect(await work.value == [nil, .timedOut, .timedOut])
        #expect(server.requests(to: "/text").count == 1)
        #expect(await manager.get("text").response().error == nil)
        gate.open()
    }

    @Test("Limits apply to a download and to a sequence too", arguments: TestTransport.allCases)
    func others(_ transport: TestTransport) async throws {
        let manager = manager(transport)
        async let file = manager.download("held").timeout(total: .seconds(5)).response()
        async let chunks = Self.error(of: manager.get("slow").timeout(total: .seconds(5)).chunks)
        try await clock.waitForSleeps(2)
        clock.advance(by: .seconds(5))

        #expect(await file.error?.code == .timedOut)
        #expect(await chunks?.code == .timedOut)
        gate.open()
    }

    private static func error(of chunks: ContentChunks) async -> LarkspurError? {
        do throws(LarkspurError) {
            for try await _ in chunks {}
            return nil
        } catch {
            return error
        }
    }
}
