#if canImport(FoundationNetworking)
import LarkspurTesting
import Testing

@testable import Larkspur

/// Calls that wait because others have all connections of their host.
@Suite("Waits for a connection", .timeLimit(.minutes(5)))
struct ConnectionWaitTests {
    private let server: LoopbackServer
    private let gate = LoopbackServer.Gate()
    private let manager: SessionManager
    private let lines = Recorder<String>()

    init() throws {
        server = try LoopbackServer()
        let configuration = URLSessionConfiguration.testing
        configuration.httpMaximumConnectionsPerHost = 2
        manager = SessionManager(baseURL: server.baseURL, configuration: configuration, transport: .curl)
        manager.reportsUnhandledFailures = true
        manager.failureWriter = { [lines] in lines.record($0) }
        server.route("/held", .text("held").held(until: gate))
    }

    /// Makes calls that have both connections of the host.
    private func holdConnections() async throws -> [Task<String, any Error>] {
        let calls = (0..<2).map { number in
            Task { [manager] in
                try await manager.get("held", parameters: ["token": "secret", "number": number]).string
            }
        }
        try await server.waitForRequests(2)
        return calls
    }

    @Test("After a second, an event and a line in debug builds name the calls that occupy the connections")
    func report() async throws {
        let holders = try await holdConnections()
        let events = Recorder<CallEvent>()
        let waiting = (0..<3).map { _ in
            manager.get("get").observe([.waitingForConnection]) { events.record($0) }
        }
        let responses = waiting.map { call in Task { await call.response() } }
        try await events.wait(for: 3)
        gate.open()
        for event in events.values {
            #expect(event.kind == .waitingForConnection)
            #expect(event.connectionHolders?.map(\.url?.path) == ["/held", "/held"])
            let reason = try #require(event.reason)
            #expect(reason.hasPrefix("2 requests to its host are under way, as many as httpMaximumConnectionsPerHost"))
            #expect(reason.contains("GET \(server.url("/held"))?… since "))
            #expect(!reason.contains("secret"))
        }
        for response in responses {
            let value = await response.value
            #expect(value.statusCode == 200)
            #expect(value.timeline.transactions.last?.connectionWait != nil)
            #expect(value.timeline.connectionWait != nil)
        }
        for holder in holders { #expect(try await holder.value == "held") }
        // One line for the host, not one for each call.
        #expect(lines.values.count == 1)
        let line = try #require(lines.values.first)
        #expect(line.hasPrefix("Larkspur: \(server.url("/get")): it has waited "))
        #expect(!line.contains("secret"))
    }

    @Test("A call that did not wait has no event of a wait and no duration")
    func noWait() async throws {
        let events = Recorder<CallEvent>()
        let call = manager.get("get").observe([.waitingForConnection]) { events.record($0) }
        let response = await call.response()
        #expect(response.timeline.connectionWait == nil)
        #expect(events.values.isEmpty && lines.values.isEmpty)
    }

    @Test(
        "If a limit ends a wait, the error mentions the wait",
        arguments: ["total", "response", "connectionWait", "deadline"]
    )
    func limits(_ limit: String) async throws {
        let holders = try await holdConnections()
        let time = Duration.milliseconds(1500)
        let error: LarkspurError?
        switch limit {
        case "total": error = await manager.get("get").timeout(total: time).response().error
        case "response": error = await manager.get("get").timeout(response: time).response().error
        case "connectionWait": error = await manager.get("get").timeout(connectionWait: time).response().error
        default: error = await withTimeout(total: time) { await manager.get("get").response().error }
        }
        gate.open()
        #expect(error?.code == .timedOut)
        let message = try #require(error?.message)
        let beginning =
            limit == "connectionWait" ? "waited longer than 1.5 seconds for a connection, " : ": it has waited "
        #expect(message.contains(beginning) && message.contains("because 2 requests to its host are under way"))
        #expect(message.contains("GET \(server.url("/held"))?… since "))
        for holder in holders { _ = try await holder.value }
    }

    @Test("The log has the duration of a wait, and the report at its log level")
    func log() async throws {
        let logged = Recorder<String>()
        manager.observers = [ConsoleLogger(level: .attempts, usesColors: false, write: { logged.record($0) })]
        let holders = try await holdConnections()
        let response = Task { [manager] in await manager.get("get").response() }
        try await eventually { logged.values.contains { $0.contains("waits for a connection, because 2 requests") } }
        gate.open()
        #expect(await response.value.statusCode == 200)
        for holder in holders { _ = try await holder.value }
        let line = try #require(logged.values.first { $0.hasPrefix("GET \(server.url("/get")) → 200") })
        #expect(line.contains(", of which ") && line.contains(" waiting for a connection"))
    }
}
#endif
