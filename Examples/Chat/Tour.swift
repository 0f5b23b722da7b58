import Larkspur
import LarkspurTesting

/// A demonstration of events and of a conversation, with an embedded server.
struct Tour {
    private static let key = "key-of-the-tour"

    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
        server.route("/updates") { Self.updates(after: $0.headers["Last-Event-ID"]) }
        server.route("/v1/chat/completions", method: "POST") { try Self.completion(for: $0) }
    }

    /// Runs the demonstration, and returns the exit status.
    func run() async throws -> Int32 {
        defer { server.stop() }
        print("== Events; the server ends each connection after two of them")
        let ids = try await Chat.follow("updates", with: SessionManager(baseURL: server.baseURL))
        print("\(server.requests(to: "/updates").count) connections, and no event twice or never.")

        print("\n== A conversation; the model calls a tool of this program")
        var conversation = Conversation(
            manager: Chat.manager(baseURL: "\(server.baseURL)/v1", key: Self.key),
            model: "tour",
            tools: [.localTime],
            output: Chat.show
        )
        let answer = try await conversation.ask("What time is it in Oslo?")
        print()
        let roles = conversation.messages.map(\.role)
        let isAnswered = roles == ["user", "assistant", "tool", "assistant"] && answer.finishReason == "stop"
        return isAnswered && ids == ["1", "2", "3", "4"] ? 0 : 1
    }

    /// Returns the next two events; 204 if there are no more.
    private static func updates(after lastID: String?) -> LoopbackServer.Response {
        let last = lastID.flatMap { Int($0) } ?? 0
        guard last < 4 else { return .status(204) }
        let events = (last + 1...last + 2).map { "id: \($0)\nevent: update\ndata: number \($0)\n\n" }
        return stream(["retry: 300\n\n"] + events)
    }

    /// Returns the answer to the last message: a call of the tool, or a text with the result of the tool.
    private static func completion(for request: LoopbackServer.Request) throws -> LoopbackServer.Response {
        guard request.headers["Authorization"] == "Bearer \(key)" else {
            return .json(#"{"error": {"message": "Incorrect API key", "type": "invalid_request_error"}}"#, status: 401)
        }
        let last = try request.json(as: JSONValue.self)["messages"].array?.last ?? .null
        if last["role"].string == "tool" {
            let words = "In Oslo it is \(last["content"].string ?? "unknown").".split(separator: " ")
            let deltas = words.map { ["content": .string("\($0) ")] as JSONValue }
            return completion([["role": "assistant", "content": ""]] + deltas, finishReason: "stop")
        }
        let call: JSONValue = [
            "index": 0, "id": "call_1", "type": "function", "function": ["name": "local_time", "arguments": ""],
        ]
        let fragments = [#"{"zo"#, #"ne": "Europe"#, #"/Oslo"}"#].map { fragment in
            ["tool_calls": [["index": 0, "function": ["arguments": .string(fragment)]]]] as JSONValue
        }
        let first: JSONValue = ["role": "assistant", "content": nil, "tool_calls": [call]]
        return completion([first] + fragments, finishReason: "tool_calls")
    }

    private static func completion(_ deltas: [JSONValue], finishReason: String) -> LoopbackServer.Response {
        let choices =
            deltas.map { ["index": 0, "delta": $0, "finish_reason": nil] as JSONValue }
            + [["index": 0, "delta": [:], "finish_reason": .string(finishReason)]]
        let chunks = choices.map { choice in
            ["id": "chatcmpl-1", "object": "chat.completion.chunk", "model": "tour", "choices": [choice]] as JSONValue
        }
        return stream(chunks.map { "data: \($0)\n\n" } + ["data: [DONE]\n\n"])
    }

    /// Returns a response whose events are sent one after the other, with short pauses.
    private static func stream(_ events: [String]) -> LoopbackServer.Response {
        .stream(
            events.flatMap { [.text($0), .pause(.milliseconds(30))] },
            contentType: "text/event-stream",
            framing: .chunked
        )
    }
}
