import LarkspurTesting
import Testing

@testable import Larkspur

@Suite("Server-sent events", .timeLimit(.minutes(5)))
struct EventSourceTests {
    struct Question: Codable, Sendable {
        var text = "why"
    }

    let server: LoopbackServer
    let clock = TestClock()

    init() throws { server = try LoopbackServer() }

    private func manager(_ transport: TestTransport) -> SessionManager {
        let manager = transport.makeManager(for: server)
        manager.clock = clock
        return manager
    }

    /// Returns a response with events, which ends after other steps.
    private func response(
        _ text: String,
        _ steps: LoopbackServer.Response.Step...,
        contentType: String = "text/event-stream"
    ) -> LoopbackServer.Response {
        .stream([.text(text)] + steps, contentType: contentType, framing: .chunked)
    }

    /// Moves the clock past each delay, while a body runs.
    private func passingDelays<T: Sendable>(_ body: @Sendable @escaping () async throws -> T) async throws -> T {
        let mover = Task {
            for count in 1... {
                try await clock.waitForSleeps(count)
                clock.advance(by: .seconds(100))
            }
        }
        defer { mover.cancel() }
        return try await body()
    }

    private func error(of events: EventSource) async -> LarkspurError? {
        do throws(LarkspurError) {
            for try await _ in events {}
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "Events arrive, and their connection is requested as the standard requires",
        arguments: TestTransport.allCases
    )
    func events(_ transport: TestTransport) async throws {
        let manager = manager(transport)
        let gate = LoopbackServer.Gate()
        server.route(
            "/updates",
            response("data: a\n\n", .text("event: b\nid: 1\nda"), .text("ta: é\r\n\r\n"), .wait(gate))
        )
        var events: [ServerSentEvent] = []

        for try await event in manager.events("updates", parameters: ["q": "1"]) {
            events.append(event)
            if events.count == 2 { break }
        }

        #expect(events == [ServerSentEvent(data: "a"), ServerSentEvent(event: "b", data: "é", id: "1")])
        // Leaving the loop has cancelled the connection.
        try await manager.finishAll()
        gate.open()
        let request = try #require(server.requests.first)
        #expect(request.headers["Accept"] == "text/event-stream" && request.headers["Cache-Control"] == "no-store")
        #expect(request.headers["Last-Event-ID"] == nil && request.target == "/updates?q=1")
        #expect(clock.sleeps.isEmpty)
    }

    @Test(
        "After a connection ends, another one is requested with the ID of the last event",
        arguments: TestTransport.allCases
    )
    func reconnection(_ transport: TestTransport) async throws {
        let manager = manager(transport)
        server.route(
            "/updates",
            response("retry: 1000\ndata: a\nid: é 日本\n\nid: lost\ndata: incomplete\n"),
            response("data: b\n\n"),
            response("data: c\nid\n\n"),
            .status(204)
        )

        let events = try await passingDelays {
            var events: [ServerSentEvent] = []
            for try await event in manager.events("updates") { events.append(event) }
            return events
        }

        #expect(events == [.init(data: "a", id: "é 日本"), .init(data: "b", id: "é 日本"), .init(data: "c")])
        #expect(server.requests.map { $0.headers["Last-Event-ID"] } == [nil, "é 日本", "é 日本", nil])
        #expect(clock.sleeps.count == 3)
        #expect(clock.sleeps.allSatisfy { $0 >= .seconds(1) && $0 <= .seconds(1.25) })
        try await manager.finishAll()
        #expect(manager.tasks.isEmpty)
    }

    @Test("After a connection is lost, another one is requested", arguments: TestTransport.allCases)
    func lost(_ transport: TestTransport) async throws {
        let manager = manager(transport)
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 1000\r\n\r\n"
        server.route(
            "/updates",
            .raw([.text(head + "id: 7\ndata: a\n\ndata: b\n")]),
            .raw([]),
            response("data: c\n\n"),
            .status(204)
        )

        let events = try await passingDelays {
            var events: [String] = []
            for try await event in manager.events("updates") { events.append(event.data) }
            return events
        }

        #expect(events == ["a", "c"])
        #expect(server.requests.last?.headers["Last-Event-ID"] == "7")
        let delays = clock.sleeps
        #expect(delays.count >= 3 && delays[0] >= .seconds(3) && delays[0] <= .seconds(3.75))
        // Nothing came of the second connection.
        #expect(delays[1] >= .seconds(6) && delays[1] <= .seconds(7.5))
    }

    @Test("An unreachable server gets as many requests as the rules allow", arguments: TestTransport.allCases)
    func unreachable(_ transport: TestTransport) async throws {
        let manager = manager(transport)
        var rules = Reconnection.automatic
        rules.jitter = 0
        rules.maximumAttempts = 4
        // The port of a server that was stopped could be another test's by now.
        let events = manager.events("http://127.0.0.1:1/updates", reconnection: rules)

        let error = try await passingDelays { await self.error(of: events) }

        #expect(error?.code == .cannotConnectToHost && error?.request != nil)
        #expect(clock.sleeps == [.seconds(3), .seconds(6), .seconds(12)])
    }

    @Test("A response without an event stream ends the sequence", arguments: TestTransport.allCases)
    func otherResponses(_ transport: TestTransport) async throws {
        let manager = manager(transport)
        let gate = LoopbackServer.Gate()
        server.route("/none", .status(204))
        server.route("/refused", .text("why", status: 503))
        server.route("/created", response("data: a\n\n").withStatus(201))
        server.route("/text", .text("data: a\n\n"))
        server.route("/empty", .data(Data(), contentType: "text/plain"))
        server.route("/endless", response("data: a\n\n", .wait(gate), contentType: "text/plain"))
        server.route(
            "/parameters",
            response("data: a\n\n", contentType: "Text/Event-Stream; charset=utf-8"),
            .status(204)
        )

        let none = await error(of: manager.events("none"))
        let refused = await error(of: manager.events("refused"))
        let created = await error(of: manager.events("created"))
        let text = await error(of: manager.events("text"))
        let empty = await error(of: manager.events("empty"))
        let endless = await error(of: manager.events("endless"))
        gate.open()
        #expect(clock.sleeps.isEmpty && server.requests.count == 6)
        let parameters = try await passingDelays { await self.error(of: manager.events("parameters")) }

        #expect(none == nil && parameters == nil)
        #expect(refused?.code == .unacceptableStatusCode && refused?.statusCode == 503)
        #expect(refused?.responseData == Data("why".utf8))
        #expect(created?.code == .unacceptableStatusCode)
        #expect(text?.code == .unacceptableContentType && text?.responseData == Data("data: a\n\n".utf8))
        #expect(empty?.code == .unacceptableContentType && empty?.statusCode == 200)
        #expect(endless?.code == .unacceptableContentType && endless?.statusCode == 200)
        try await manager.finishAll()
    }

    @Test(
        "A request with content is sent once, or repeatedly if the caller requests it",
        arguments: TestTransport.allCases
    )
    func posting(_ transport: TestTransport) async throws {
        let manager = manager(transport)
        server.route("/chat", response("data: a\n\n"), response("data: b\n\n"), .status(204))

        var events = 0
        for try await _ in manager.events("chat", method: .post, body: .json(Question())) { events += 1 }
        #expect(events == 1 && server.requests.count == 1 && clock.sleeps.isEmpty)

        let again = try await passingDelays {
            var events: [String] = []
            let source = manager.events("chat", method: .post, body: .json(Question()), reconnection: .always)
            for try await event in source { events.append(event.data) }
            return events
        }
        #expect(again == ["b"] && server.requests.map(\.text) == Array(repeating: #"{"text":"why"}"#, count: 3))
    }

    @Test("The events of a call can be read once, from one connection", arguments: TestTransport.allCases)
    func call(_ transport: TestTransport) async throws {
        let manager = manager(transport)
        server.route("/chat", response("data: {}\n\ndata: [DONE]\n\n"), .text("no key", status: 401))
        let task = manager.post("chat", body: .json(Question()), headers: ["Accept": "text/event-stream, */*"])
        var events: [String] = []

        for try await event in task.events { events.append(event.data) }
        let again = await error(of: task.events)
        let refused = await error(of: manager.post("chat", body: .json(Question())).events)

        #expect(events == ["{}", "[DONE]"] && again?.code == .unsupported)
        #expect(refused?.statusCode == 401 && refused?.responseData == Data("no key".utf8))
        #expect(server.requests.map { $0.headers["Accept"] } == ["text/event-stream, */*", "text/event-stream"])
        #expect(server.requests.allSatisfy { $0.headers["Cache-Control"] == "no-store" && $0.method == "POST" })
        #expect(clock.sleeps.isEmpty)
    }

    @Test("The acceptable responses of a call replace those of event streams", arguments: TestTransport.allCases)
    func rules(_ transport: TestTransport) async throws {
        let manager = manager(transport)
        server.route("/chat", response("data: a\n\n", contentType: "application/octet-stream").withStatus(201))
        var events = 0

        for try await _ in manager.post("chat").validate(statusCode: [201]).validate(contentType: ["*/*"]).events {
            events += 1
        }

        #expect(events == 1)
    }

    @Test("Fields of a call replace those of event streams, and may have the ID of an earlier stream")
    func fields() async throws {
        let manager = manager(.curl)
        manager.headers["Accept"] = "application/json"
        server.route("/updates", response("data: a\n\n"), .status(204), .status(204))

        for try await event in manager.events("updates", headers: ["Last-Event-ID": "41"]) {
            #expect(event.id == "41")
            break
        }
        for try await _ in manager.events("updates", headers: ["Accept": "text/*", "Cache-Control": "no-cache"]) {}

        #expect(server.requests.map { $0.headers["Accept"] } == ["text/event-stream", "text/*"])
        #expect(server.requests.map { $0.headers["Cache-Control"] } == ["no-store", "no-cache"])
        #expect(server.requests.map { $0.headers["Last-Event-ID"] } == ["41", nil])
    }

    @Test("Cancelling the surrounding task ends the loop, even during a delay", arguments: TestTransport.allCases)
    func cancellation(_ transport: TestTransport) async throws {
        let manager = manager(transport)
        let gate = LoopbackServer.Gate()
        server.route("/held", response("data: a\n\n", .wait(gate)))
        server.route("/ended", response("data: a\n\n"))
        let arrived = Recorder<ServerSentEvent>()
        func follow(_ url: String) -> Task<LarkspurError?, Never> {
            Task {
                do throws(LarkspurError) {
                    for try await event in manager.events(url) { arrived.record(event) }
                    return nil
                } catch {
                    return error
                }
            }
        }

        let held = follow("held")
        try await arrived.wait()
        held.cancel()
        #expect(await held.value?.code == .cancelled)
        gate.open()

        let ended = follow("ended")
        try await clock.waitForSleeps()
        ended.cancel()
        #expect(await ended.value?.code == .cancelled)
        let before = follow("ended")
        before.cancel()
        _ = await before.value
        try await manager.finishAll()
        #expect(manager.tasks.isEmpty)
    }

    @Test("A task that was cancelled before the loop sends nothing")
    func cancelledBefore() async throws {
        let manager = manager(.curl)
        let gate = LoopbackServer.Gate()
        let work = Task {
            await gate.wait()
            return await error(of: manager.events("updates"))
        }
        work.cancel()
        gate.open()

        #expect(await work.value?.code == .cancelled)
        #expect(server.requests.isEmpty)
    }

    @Test("After an error or the end, the iterator returns nil")
    func ended() async throws {
        let manager = manager(.curl)
        server.route("/text", .text("x"))
        server.route("/none", .status(204))

        var iterator = manager.events("text").makeAsyncIterator()
        await #expect(throws: LarkspurError.self) { try await iterator.next() }
        #expect(try await iterator.next() == nil)
        iterator = manager.events("none").makeAsyncIterator()
        #expect(try await iterator.next() == nil)
        #expect(try await iterator.next() == nil)
        #expect(server.requests.count == 2)
    }

    @Test("A second iteration begins a new stream")
    func twice() async throws {
        let manager = manager(.curl)
        server.route("/updates", response("data: a\nid: 1\n\n"))
        let events = manager.events("updates")
        for _ in 0..<2 {
            for try await _ in events { break }
        }
        #expect(server.requests.map { $0.headers["Last-Event-ID"] } == [nil, nil])
    }

    @Test("A request that cannot be built ends the sequence")
    func unsent() async throws {
        let manager = manager(.curl)
        #expect(await error(of: manager.events("http://[")).map(\.code) == .invalidURL)
        manager.invalidate(cancellingTasks: true)
        #expect(await error(of: manager.events("updates")).map(\.code) == .sessionInvalidated)
        #expect(clock.sleeps.isEmpty)
    }

    @Test("The timeout of an event stream overrides the manager's timeouts", arguments: TestTransport.allCases)
    func timeout(_ transport: TestTransport) async throws {
        let manager = manager(transport)
        manager.requestSettings.timeoutInterval = 10
        manager.timeouts.idle = .seconds(20)
        let gate = LoopbackServer.Gate()
        server.route("/held", response("data: a\n\n", .wait(gate)))
        var timeouts: [TimeInterval?] = []

        for try await _ in manager.events("held") {
            timeouts.append(manager.tasks.first?.urlSessionTask?.originalRequest?.timeoutInterval)
            break
        }
        try await manager.finishAll()
        let task = manager.get("held")
        for try await _ in task.events(timeout: .seconds(1_000_000)) {
            timeouts.append(task.urlSessionTask?.originalRequest?.timeoutInterval)
            break
        }
        let silent = await error(of: manager.get("held").events(timeout: .milliseconds(500)))
        gate.open()

        #expect(timeouts == [300, 1e6] && silent?.code == .timedOut)
        #expect(task.urlSessionTask?.originalRequest?.cachePolicy == .reloadIgnoringLocalCacheData)
        try await manager.finishAll()
    }

    @Test("The total limit of a call ends an event stream, and the manager's limit does not")
    func totalTimeout() async throws {
        let manager = manager(.curl)
        manager.timeouts = Timeouts(total: .seconds(1), firstByte: .seconds(1))
        let gate = LoopbackServer.Gate()
        server.route("/held", response("data: a\n\n", .wait(gate), .text("data: b\n\n")))
        var events: [String] = []

        for try await event in manager.get("held").events {
            events.append(event.data)
            try await clock.waitForSleeps()
            clock.advance(by: .seconds(100))
            gate.open()
        }
        server.route("/silent", response("data: a\n\n", .wait(LoopbackServer.Gate())))
        let limited = manager.get("silent").timeout(total: .seconds(1)).events
        let work = Task { await error(of: limited) }
        try await server.waitForRequests(2)
        clock.advance(by: .seconds(100))
        try await eventually { manager.tasks.isEmpty }

        #expect(events == ["a", "b"])
        #expect(await work.value?.code == .timedOut)
    }

    @Test("A deadline around a loop over events ends the loop")
    func deadline() async throws {
        let manager = manager(.curl)
        server.route("/updates", response("data: a\n\n"))

        let work = Task {
            await withDeadline(.seconds(50), clock: clock) { await error(of: manager.events("updates")) }
        }
        try await eventually { clock.sleeps.contains { $0 >= .seconds(3) && $0 < .seconds(4) } }
        clock.advance(by: .seconds(100))

        #expect(await work.value?.code == .timedOut)
        #expect(server.requests.count == 1)
    }

    @Test("Without a timeout, a silent connection is not lost", arguments: TestTransport.allCases)
    func noTimeout(_ transport: TestTransport) async throws {
        let manager = manager(transport)
        let gate = LoopbackServer.Gate()
        server.route("/held", response("data: a\n\n", .wait(gate), .text("data: b\n\n")))
        var events = 0
        for try await _ in manager.get("held").events(timeout: nil) {
            events += 1
            gate.open()
        }
        #expect(events == 2)
    }

    @Test("An event without an end is an error", arguments: TestTransport.allCases)
    func tooLarge(_ transport: TestTransport) async throws {
        let manager = manager(transport)
        server.route(
            "/updates",
            .stream(
                [.text("data: "), .repeated([.bytes(Data(repeating: 0x78, count: 1 << 16))])],
                contentType: "text/event-stream",
                framing: .chunked
            )
        )

        let error = await error(of: manager.events("updates"))

        #expect(error?.code == .contentTooLarge && error?.statusCode == 200 && error?.request != nil)
        try await manager.finishAll()
        #expect(clock.sleeps.isEmpty)
    }

    @Test("The server waits while a consumer pauses, and no event is lost", arguments: TestTransport.allCases)
    func backPressure(_ transport: TestTransport) async throws {
        let manager = manager(transport)
        // .foundation cannot make the server wait: what it buffers has to stay below 16 MiB.
        let padding = String(repeating: "x", count: transport != .foundation ? 4000 : 400)
        let count = 10_000
        let steps = (0..<count).map { LoopbackServer.Response.Step.text("id: \($0)\ndata: \(padding)\n\n") }
        server.route("/much", .stream(steps, contentType: "text/event-stream", framing: .chunked))
        let task = manager.get("much")
        var (next, consumed, most): (Int, Int64, Int64) = (0, 0, 0)

        for try await event in task.events {
            #expect(event.id == String(next) && event.data.utf8.count == padding.utf8.count)
            next += 1
            consumed += Int64(event.data.utf8.count + event.id.utf8.count + 12)
            if next % 2500 == 100 {
                let consumed = consumed
                try await eventually { task.downloadProgress.completedUnitCount - consumed > 1 << 19 }
            }
            if next % 100 == 0 { await Task.yield() }
            most = max(most, task.downloadProgress.completedUnitCount - consumed)
        }

        #expect(next == count)
        if transport != .foundation { #expect(most > 0 && most < 4 << 20, "\(most) bytes were buffered") }
        try await manager.finishAll()
    }
}

extension LoopbackServer.Response {
    fileprivate func withStatus(_ status: Int) -> Self {
        var response = self
        response.status = status
        return response
    }
}
