import LarkspurTesting
import Testing

@testable import Larkspur

/// Runs the samples of `Docs/StreamsAndEvents.md`.
@Suite("Samples about streams and events", .timeLimit(.minutes(5)))
struct StreamSamplesTests {
    let server: LoopbackServer
    let folder = TemporaryFolder()
    let samples: StreamSamples

    init() throws {
        server = try LoopbackServer()
        server.route("/disk.iso", .data(Data([1, 2, 3])))
        server.route("/log", .text("start\nerror: one\nerror: two\n"))
        samples = StreamSamples(
            manager: TestTransport.allCases[0].makeManager(for: server),
            file: try folder.file("disk.iso")
        )
    }

    private func events(_ text: String) -> LoopbackServer.Response {
        .data(Data(text.utf8), contentType: "text/event-stream")
    }

    @Test func content() async throws {
        server.route("/measurements", .text(#"{"sensor": "a", "value": 1.5}"# + "\n" + #"{"sensor": "b", "value": 2}"#))
        try await samples.chunks()
        try await samples.lines()
        try await samples.values()
        #expect(try Data(contentsOf: samples.file) == Data([1, 2, 3]))
        #expect(samples.output.values == ["error: one", "error: two", "a 1.5", "b 2.0"])
    }

    @Test("The sample receives the head before the content")
    func head() async throws {
        try await samples.opening()
        #expect(samples.output.values == ["200 3", "3"])
    }

    @Test func serverSentEvents() async throws {
        let updates = events("retry: 100\nevent: added\ndata: x\n\nid: 8\nevent: removed\ndata: y\n\ndata: z\n\n")
        server.route("/updates", updates, .status(204), updates, .status(204))
        try await samples.events()
        try await samples.rules(lastID: "7")
        #expect(samples.output.values == ["added x", "removed y", "7 x", "8 y", "8 z"])
        #expect(server.requests.map { $0.headers["Last-Event-ID"] } == [nil, "8", "7", "8"])
    }

    @Test("The answer of a language model is printed as it arrives")
    func languageModel() async throws {
        let model = try LanguageModelServer(CompletionStream.text("Air ", "scatters.").response)

        try await samples.languageModel(model.url, LanguageModelServer.key)

        #expect(samples.output.values == ["", "Air ", "scatters.", ""])
        #expect(try model.questions.first?["messages"][0]["content"] == "Why is the sky blue?")
    }

    @Test(
        "A client of MCP reads responses as a document and as events, and keeps its session",
        arguments: TestTransport.allCases,
        MCPServer.Form.allCases
    )
    func modelContextProtocol(_ transport: TestTransport, _ form: MCPServer.Form) async throws {
        let mcp = try MCPServer(form)
        var client = MCPClient(manager: transport.makeManager(for: mcp.server))
        let parameters: JSONValue = ["protocolVersion": "2025-06-18", "capabilities": [:], "clientInfo": ["name": "a"]]

        let initialized = try await client.send(
            ["jsonrpc": "2.0", "id": 1, "method": "initialize", "params": parameters]
        )
        let notified = try await client.send(["jsonrpc": "2.0", "method": "notifications/initialized"])
        let sum = try await client.send([
            "jsonrpc": "2.0", "id": "two", "method": "tools/call",
            "params": ["name": "add", "arguments": ["a": 19, "b": 2]],
        ])
        let unknown = try await client.send(["jsonrpc": "2.0", "id": 3, "method": "resources/list"])

        #expect(initialized?["result"]["serverInfo"]["name"] == "test" && notified == nil)
        #expect(sum?["id"] == "two" && sum?["result"]["content"][0]["text"] == "21")
        #expect(unknown?["error"]["code"] == -32601)
        let sessions = mcp.server.requests.map { $0.headers["Mcp-Session-Id"] }
        #expect(sessions == [nil] + Array(repeating: MCPServer.session, count: 3))
    }

    @Test("A client of MCP reports a refused request, and returns nil after a stream without the response")
    func modelContextProtocolErrors() async throws {
        var client = MCPClient(manager: TestTransport.allCases[0].makeManager(for: server))
        let message: JSONValue = ["jsonrpc": "2.0", "id": 1, "method": "tools/list"]
        server.route(
            "/mcp",
            .json(#"{"message": "The session is over."}"#, status: 404),
            events("data: {\"jsonrpc\": \"2.0\", \"id\": 2, \"result\": {}}\n\n")
        )

        let refused = await #expect(throws: LarkspurError.self) { try await client.send(message) }
        let reply = try await client.send(message)

        #expect(refused?.statusCode == 404 && refused?.message.contains("The session is over") == true)
        #expect(reply == nil)
    }

    @Test func changes() async throws {
        server.route(
            "/changes",
            .text(#"{"name": "tea", "version": "8"}"# + "\n" + #"{"name": "milk", "version": "9"}"# + "\n"),
            .status(410)
        )
        samples.manager.clock = InstantClock()
        await #expect(throws: LarkspurError.self) { try await samples.changes(since: "7") }
        #expect(samples.output.values == ["tea 8", "milk 9"])
        #expect(server.requests.map(\.target) == ["/changes?since=7", "/changes?since=9"])
    }
}
