import LarkspurTesting
import Testing

@testable import Larkspur

@Suite("Values of server-sent events", .timeLimit(.minutes(5)))
struct EventValuesTests {
    struct Delta: Codable, Sendable, Equatable {
        let newText: String
    }

    let server: LoopbackServer

    init() throws { server = try LoopbackServer() }

    private func manager(_ transport: TestTransport) -> SessionManager {
        let manager = transport.makeManager(for: server)
        manager.jsonDecoder.keyDecodingStrategy = .convertFromSnakeCase
        manager.clock = InstantClock()
        return manager
    }

    private func events(_ text: String, _ steps: LoopbackServer.Response.Step...) -> LoopbackServer.Response {
        .stream([.text(text)] + steps, contentType: "text/event-stream", framing: .chunked)
    }

    private func values(_ values: ContentElements<Delta>) async -> ([String], LarkspurError?) {
        var texts: [String] = []
        do throws(LarkspurError) {
            for try await value in values { texts.append(value.newText) }
            return (texts, nil)
        } catch {
            return (texts, error)
        }
    }

    @Test("At the sentinel, the values and their connection end", arguments: TestTransport.allCases)
    func sentinel(_ transport: TestTransport) async throws {
        let manager = manager(transport)
        let gate = LoopbackServer.Gate()
        server.route(
            "/chat",
            events("data: {\"new_text\": \"a\"}\n\nevent: x\ndata: {\"new_text\":\ndata: \"b\"}\n\n", .wait(gate))
        )
        server.route(
            "/done",
            events("data: {\"new_text\": \"a\"}\n\ndata: [DONE]\n\ndata: {\"new_text\": \"c\"}\n\n", .wait(gate))
        )

        let done = await values(manager.post("done").events.decoded(as: Delta.self, until: "[DONE]"))
        var iterator = manager.post("chat").events.decoded(as: Delta.self, until: "[DONE]").makeAsyncIterator()
        let first = try await iterator.next()
        let second = try await iterator.next()

        #expect(done.0 == ["a"] && done.1 == nil)
        #expect(first == Delta(newText: "a") && second == Delta(newText: "b"))
        gate.open()
        #expect(try await iterator.next() == nil)
        // The sentinel has cancelled its connection, which would otherwise still wait.
        try await manager.finishAll()
    }

    @Test("Data that cannot be decoded ends the values with an error", arguments: TestTransport.allCases)
    func malformed(_ transport: TestTransport) async throws {
        server.route("/chat", events("data: {\"new_text\": \"a\"}\n\ndata: {}\n\ndata: {\"new_text\": \"c\"}\n\n"))

        let (texts, error) = await values(manager(transport).post("chat").events.decoded(as: Delta.self))

        #expect(texts == ["a"] && error?.code == .responseSerializationFailed && error?.statusCode == 200)
        #expect(error?.request?.url?.path == "/chat")
    }

    @Test("A stream of values reconnects like a stream of events", arguments: TestTransport.allCases)
    func reconnection(_ transport: TestTransport) async throws {
        server.route(
            "/updates",
            events("id: 1\ndata: {\"new_text\": \"a\"}\n\n"),
            events("data: {\"new_text\": \"b\"}\n\n"),
            .status(204)
        )

        let (texts, error) = await values(manager(transport).events("updates").decoded(as: Delta.self))

        #expect(texts == ["a", "b"] && error == nil)
        #expect(server.requests.map { $0.headers["Last-Event-ID"] } == [nil, "1", "1"])
    }

    @Test("The content of an opened response can be read as the values of events", arguments: TestTransport.allCases)
    func opened(_ transport: TestTransport) async throws {
        server.route("/chat", events("data: {\"newText\": \"a\"}\n\ndata: end\n\n"))

        let texts = try await manager(transport).post("chat").open { head, content in
            #expect(head.mimeType == "text/event-stream")
            return await values(content.events.decoded(as: Delta.self, until: "end", decoder: JSONDecoder())).0
        }

        #expect(texts == ["a"])
    }
}
