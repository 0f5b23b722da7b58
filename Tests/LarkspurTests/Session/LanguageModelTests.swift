import LarkspurTesting
import Testing

@testable import Chat
@testable import Larkspur

/// The conversations of the example, with the streams that servers of language models send.
@Suite("Streams of language models", .timeLimit(.minutes(5)))
struct LanguageModelTests {
    private static let adding = Tool(
        name: "add",
        description: "Adds two numbers.",
        parameters: ["type": "object"],
        run: { "\(($0["a"].int ?? 0) + ($0["b"].int ?? 0))" }
    )

    /// Returns the error of a conversation, and the text that it has shown before.
    private func failure(
        of model: LanguageModelServer,
        _ manager: SessionManager
    ) async -> (shown: String, error: (any Error)?) {
        let shown = Recorder<String>()
        var conversation = Conversation(manager: manager, model: "test-1", tools: [Self.adding], output: shown.record)
        do {
            try await conversation.ask("Why?")
            return (shown.values.joined(), nil)
        } catch {
            return (shown.values.joined(), error)
        }
    }

    @Test(
        "An answer arrives whole, wherever the network splits its bytes",
        arguments: TestTransport.allCases,
        [1, 2, 3, 7, 64, nil]
    )
    func splits(_ transport: TestTransport, _ chunkLength: Int?) async throws {
        for (lineBreak, comment) in [("\n", nil), ("\r\n", "ping"), ("\r", "OPENROUTER PROCESSING: data: x")] {
            var stream = CompletionStream.text("Größe ", "🌼🏽", " – “ok”\n\n", "data: 1")
            stream.lineBreak = lineBreak
            stream.comment = comment
            stream.chunkLength = chunkLength
            let model = try LanguageModelServer(stream.response)
            let shown = Recorder<String>()
            var conversation = Conversation(
                manager: model.makeManager(transport),
                model: "test-1",
                output: shown.record
            )

            let answer = try await conversation.ask("Why?")

            #expect(answer.text == "Größe 🌼🏽 – “ok”\n\ndata: 1" && answer.finishReason == "stop")
            #expect(shown.values.joined() == answer.text)
            let question = try #require(try model.questions.first)
            #expect(question["model"] == "test-1" && question["stream"] == true && question["tools"] == .null)
            #expect(question["messages"] == [["role": "user", "content": "Why?"]])
            #expect(model.server.requests.first?.headers["Accept"] == "text/event-stream")
        }
    }

    @Test("Chunks without text, and those of other choices, add nothing", arguments: TestTransport.allCases)
    func chunksWithoutText(_ transport: TestTransport) async throws {
        let filters: JSONValue = ["choices": [], "prompt_filter_results": [["prompt_index": 0]]]
        let chunks = [
            filters, CompletionStream.chunk(["role": "assistant", "content": nil, "refusal": nil]),
            CompletionStream.chunk(["content": "first"]), CompletionStream.chunk(["content": "other"], index: 1),
            CompletionStream.chunk([:]), CompletionStream.chunk(["reasoning_content": "because"]),
            CompletionStream.chunk(nil), CompletionStream.chunk(["content": nil], finishReason: "length", index: 1),
            CompletionStream.chunk(["content": " part"]), CompletionStream.chunk([:], finishReason: "stop"),
            CompletionStream.usage,
        ]
        let model = try LanguageModelServer(CompletionStream(chunks).response)
        var conversation = Conversation(manager: model.makeManager(transport), model: "test-1", output: { _ in })

        let answer = try await conversation.ask("Why?")

        #expect(answer.text == "first part" && answer.finishReason == "stop" && answer.toolCalls.isEmpty)
    }

    @Test("Calls of tools arrive in fragments, and their results go back", arguments: TestTransport.allCases)
    func tools(_ transport: TestTransport) async throws {
        func part(_ part: JSONValue) -> JSONValue { CompletionStream.chunk(["tool_calls": [part]]) }
        let calls = CompletionStream([
            CompletionStream.chunk(["role": "assistant", "content": nil]),
            part(["index": 0, "id": "a1", "type": "function", "function": ["name": "add", "arguments": ""]]),
            part(["index": 0, "function": ["arguments": #"{"a": 1"#]]),
            part(["index": 1, "id": "b2", "type": "function", "function": ["name": "fly", "arguments": "{}"]]),
            part(["index": 0, "function": ["arguments": #"9, "b": 2}"#]]),
            part(["index": 7, "id": "c3", "type": "function", "function": ["name": "add", "arguments": #"{"a":"#]]),
            CompletionStream.chunk([:], finishReason: "tool_calls"),
        ])
        let model = try LanguageModelServer(calls.response, CompletionStream.text("21").response)
        let shown = Recorder<String>()
        var conversation = Conversation(
            manager: model.makeManager(transport),
            model: "test-1",
            tools: [Self.adding],
            output: shown.record
        )

        let answer = try await conversation.ask("19 + 2?")

        #expect(answer.text == "21" && conversation.messages.last == Message(role: "assistant", content: "21"))
        let questions = try model.questions
        let declaration: JSONValue = [
            "type": "function",
            "function": [
                "name": "add", "description": "Adds two numbers.", "parameters": ["type": "object"],
            ],
        ]
        #expect(questions.count == 2 && questions.allSatisfy { $0["tools"] == [declaration] })
        let functions: [JSONValue] = [
            ["name": "add", "arguments": #"{"a": 19, "b": 2}"#], ["name": "fly", "arguments": "{}"],
            ["name": "add", "arguments": #"{"a":"#],
        ]
        let messages: JSONValue = [
            ["role": "user", "content": "19 + 2?"],
            [
                "role": "assistant",
                "tool_calls": .array(
                    zip(["a1", "b2", "c3"], functions).map { ["id": .string($0), "type": "function", "function": $1] }
                ),
            ],
            ["role": "tool", "content": "21", "tool_call_id": "a1"],
            ["role": "tool", "content": "There is no tool with this name.", "tool_call_id": "b2"],
            ["role": "tool", "content": "The arguments are not JSON.", "tool_call_id": "c3"],
        ]
        #expect(questions.last?["messages"] == messages)
    }

    @Test("Calls of tools without numbers are told apart by their IDs")
    func toolsWithoutNumbers() throws {
        func part(_ part: String) throws -> Chunk {
            let text = #"{"choices": [{"index": 0, "delta": {"tool_calls": [\#(part)]}}]}"#
            return try JSONDecoder().decode(Chunk.self, from: Data(text.utf8))
        }
        var answer = Answer()

        _ = try answer.add(part(#"{"function": {"arguments": "a part of no call"}}"#))
        _ = try answer.add(part(#"{"id": "1", "function": {"name": "add", "arguments": "{"}}"#))
        _ = try answer.add(part(#"{"function": {"arguments": "}"}}"#))
        _ = try answer.add(part(#"{"id": "2", "function": {"name": "sub"}}"#))

        #expect(answer.toolCalls.map(\.id) == ["1", "2"])
        #expect(answer.toolCalls.map(\.function.name) == ["add", "sub"])
        #expect(answer.toolCalls.map(\.function.arguments) == ["{}", ""])
    }

    @Test("An answer that is cut off calls no tools, and a model that only calls tools is an error")
    func limits() async throws {
        let call: JSONValue = ["index": 0, "id": "a", "function": ["name": "add", "arguments": "{}"]]
        func calls(_ reason: JSONValue) -> CompletionStream {
            CompletionStream([
                CompletionStream.chunk(["tool_calls": [call]]), CompletionStream.chunk([:], finishReason: reason),
            ])
        }
        let short = try LanguageModelServer(calls("length").response)
        let endless = try LanguageModelServer(calls("tool_calls").response)

        let cut = await failure(of: short, short.makeManager(.curl))
        let loop = await failure(of: endless, endless.makeManager(.curl))

        #expect(cut.error == nil && cut.shown == " [cut off at the limit of its length]")
        #expect("\(try #require(loop.error))" == "The model still calls tools after 8 requests.")
        #expect(endless.server.requests.count == 8)
    }

    @Test(
        "The end of a stream without the last event is an error only if its connection is lost",
        arguments: TestTransport.allCases,
        CompletionStream.End.allCases
    )
    func ends(_ transport: TestTransport, _ end: CompletionStream.End) async throws {
        var stream = CompletionStream.text("ok")
        stream.end = end
        let model = try LanguageModelServer(stream.response)
        let content: JSONValue = ["model": "x", "messages": [["role": "user", "content": "?"]], "stream": true]
        let events = model.makeManager(transport).post("chat/completions", body: .json(content)).events
        var chunks = 0
        var error: LarkspurError?

        do throws(LarkspurError) {
            for try await chunk in events.decoded(as: JSONValue.self, until: "[DONE]") {
                #expect(chunk["object"] == "chat.completion.chunk")
                chunks += 1
            }
        } catch let thrown {
            error = thrown
        }

        #expect(chunks == 3)
        #expect(error?.code == (end == .lost ? .connectionLost : nil))
    }

    @Test("A stream that ends before its answer is an error of the conversation", arguments: TestTransport.allCases)
    func incomplete(_ transport: TestTransport) async throws {
        for end in [CompletionStream.End.done, .silent] {
            let stream = CompletionStream([CompletionStream.chunk(["content": "It "])], end: end)
            let model = try LanguageModelServer(stream.response)

            let (shown, error) = await failure(of: model, model.makeManager(transport))

            #expect(shown == "It " && (error as? ChatError)?.description == "The stream has ended before the answer.")
        }
    }

    @Test("A refusal has the status, the message and the fields of the server", arguments: TestTransport.allCases)
    func refusals(_ transport: TestTransport) async throws {
        let busy = LanguageModelServer.refusal(429, "Rate limit reached", type: "requests", code: "rate_limit_exceeded")
        let model = try LanguageModelServer(busy.adding("Retry-After", "20"))

        let unknown = await failure(of: model, model.makeManager(transport, key: "sk-other")).error as? LarkspurError
        let limited = await failure(of: model, model.makeManager(transport)).error as? LarkspurError

        #expect(unknown?.statusCode == 401 && unknown?.code == .unacceptableStatusCode)
        #expect(unknown?.message.hasPrefix("Request failed: Unauthorized (401): Incorrect API key provided.") == true)
        #expect("\(try #require(unknown))".contains("sk-other") == false)
        #expect(limited?.message == "Request failed: Too Many Requests (429): Rate limit reached")
        let response = limited?.response as? HTTPURLResponse
        #expect(response?.value(forHTTPHeaderField: "Retry-After") == "20")
        let content = try JSONDecoder().decode(JSONValue.self, from: try #require(limited?.responseData))
        #expect(content["error"]["code"] == "rate_limit_exceeded")
    }

    @Test("A retry policy waits as long as a busy server says", arguments: TestTransport.allCases)
    func retries(_ transport: TestTransport) async throws {
        let busy = LanguageModelServer.refusal(429, "Rate limit reached", type: "requests")
        let model = try LanguageModelServer(
            busy.adding("Retry-After", "20"),
            CompletionStream.text("ok").response
        )
        let manager = model.makeManager(transport)
        let clock = InstantClock()
        manager.clock = clock
        manager.interceptors.call = [.retry()]

        let (shown, error) = await failure(of: model, manager)

        #expect(shown == "ok" && error == nil)
        let keys = model.server.requests.compactMap { $0.headers["Idempotency-Key"] }
        #expect(keys.count == 2 && Set(keys).count == 1)
        #expect(clock.sleeps.contains { $0 >= .seconds(20) && $0 < .seconds(21) })
    }

    @Test("An error in the stream comes after the text before it", arguments: TestTransport.allCases)
    func errorsInTheStream(_ transport: TestTransport) async throws {
        let failure = LanguageModelServer.failure("The server is overloaded", type: "server_error", code: 503)
        let text = "data: \(CompletionStream.chunk(["content": "It "]))\n\n"
        for event in ["data: \(failure)\n\n", "event: error\ndata: \(failure)\n\ndata: [DONE]\n\n"] {
            let model = try LanguageModelServer(.data(Data((text + event).utf8), contentType: "text/event-stream"))

            let (shown, error) = await self.failure(of: model, model.makeManager(transport))

            #expect(shown == "It ")
            #expect("\(try #require(error))" == "The server has stopped the answer: The server is overloaded")
        }
    }

    @Test("An event that is not JSON is an error", arguments: TestTransport.allCases)
    func malformed(_ transport: TestTransport) async throws {
        var stream = CompletionStream.text("It ")
        stream.events.append(#"{"choices": [{"index""#)
        let model = try LanguageModelServer(stream.response)

        let (shown, error) = await failure(of: model, model.makeManager(transport))

        #expect(shown == "It " && (error as? LarkspurError)?.code == .responseSerializationFailed)
    }

    @Test("A cancellation ends the answer, and closes the connection", arguments: TestTransport.allCases)
    func cancellation(_ transport: TestTransport) async throws {
        let gate = LoopbackServer.Gate()
        let model = try LanguageModelServer(CompletionStream.text("It ").response(waitingFor: gate))
        let shown = Recorder<String>()
        let manager = model.makeManager(transport)
        let work = Task {
            var conversation = Conversation(manager: manager, model: "test-1", output: shown.record)
            try await conversation.ask("Why?")
        }

        try await shown.wait { $0.contains("It ") }
        work.cancel()

        let error = await #expect(throws: LarkspurError.self) { try await work.value }
        #expect(error?.code == .cancelled)
        try await model.server.waitForOpenConnections(0)
        #expect(!gate.isOpen)
    }
}
