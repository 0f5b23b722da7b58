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
        try await samples.leaving()
        #expect(try Data(contentsOf: samples.file) == Data([1, 2, 3]))
        #expect(samples.output.values == ["error: one", "error: two", "a 1.5", "b 2.0", "start"])
    }

    @Test("The samples receive the head before the content")
    func heads() async throws {
        try await samples.opening()
        try await samples.scope()
        try await samples.headOfSequence()
        #expect(
            samples.output.values
                == ["200 3", "3", "start", "text/plain start", "text/plain error: one", "text/plain error: two"]
        )
    }

    @Test func serverSentEvents() async throws {
        let updates = events("retry: 100\nevent: added\ndata: x\n\nid: 8\nevent: removed\ndata: y\n\ndata: z\n\n")
        server.route("/updates", updates, .status(204), updates, .status(204))
        try await samples.events()
        try await samples.rules(lastID: "7")
        #expect(samples.output.values == ["added x", "removed y", "7 x", "8 y", "8 z"])
        #expect(server.requests.map { $0.headers["Last-Event-ID"] } == [nil, "8", "7", "8"])
    }

    @Test func languageModel() async throws {
        let stream = events(
            #"data: {"text": "It "}"# + "\n\n" + #"data: {"text": "scatters."}"# + "\n\ndata: [DONE]\n\n"
        )
        server.route("/chat", stream, .json(#"{"message": "The prompt is empty."}"#, status: 400))
        try await samples.chat()
        try await samples.errors()
        #expect(samples.output.values.first == "It scatters.")
        #expect(samples.output.values.last == "400 Request failed: Bad Request (400): The prompt is empty")
        #expect(server.requests.first?.text.contains("blue") == true)
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

    @Test func cancelling() async throws {
        server.route("/updates", events("data: x\n\n"))
        try await samples.cancelling()
        #expect(samples.manager.tasks.allSatisfy { $0.state != .running })
    }
}
