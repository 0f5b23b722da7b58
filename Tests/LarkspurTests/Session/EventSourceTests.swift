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

    func manager(_ transport: TestTransport) -> SessionManager {
        let manager = transport.makeManager(for: server)
        manager.clock = clock
        return manager
    }

    /// Returns a response with events, which ends after other steps.
    func response(
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

    func error(of events: EventSource) async -> LarkspurError? {
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

        #expect(events == [ServerSentEvent(data: "a"), ServerSentEvent(type: "b", data: "é", id: "1")])
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
}

extension LoopbackServer.Response {
    fileprivate func withStatus(_ status: Int) -> Self {
        var response = self
        response.status = status
        return response
    }
}
