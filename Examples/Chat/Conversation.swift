import Larkspur

/// A conversation with a language model, which may call tools.
struct Conversation {
    let manager: SessionManager
    let model: String
    let tools: [Tool]
    /// A closure that gets each part of an answer when it arrives.
    let output: (String) -> Void
    private(set) var messages: [Message] = []

    private static let maximumRequests = 8

    /// - Parameters:
    ///   - manager: A session manager whose base URL is the address of the API.
    ///   - model: The name of the model.
    ///   - tools: The tools that the model may call. Default: none.
    ///   - output: A closure that gets each part of an answer when it arrives.
    init(manager: SessionManager, model: String, tools: [Tool] = [], output: @escaping (String) -> Void) {
        self.manager = manager
        self.model = model
        self.tools = tools
        self.output = output
    }

    /// Asks a question. Calls the tools that the model requests, and returns the answer that follows the last call.
    /// - Throws: `LarkspurError` if a request fails; ``ChatError`` if an answer is incomplete, or the model does not
    ///   stop calling tools.
    @discardableResult
    mutating func ask(_ question: String) async throws -> Answer {
        messages.append(Message(role: "user", content: question))
        for _ in 0..<Self.maximumRequests {
            let answer = try await receive()
            messages.append(answer.message)
            guard answer.callsTools else { return answer }
            for call in answer.toolCalls {
                let result = result(of: call)
                output("[\(call.function.name)\(call.function.arguments): \(result)]\n")
                messages.append(Message(role: "tool", content: result, toolCallID: call.id))
            }
        }
        throw ChatError("The model still calls tools after \(Self.maximumRequests) requests.")
    }

    /// Sends the messages, and receives the answer.
    private func receive() async throws -> Answer {
        let request = CompletionRequest(
            model: model,
            messages: messages,
            tools: tools.isEmpty ? nil : tools.map(\.declaration)
        )
        // A retry policy sends a POST again only if it has this field.
        let fields: HTTPHeaders = ["Idempotency-Key": UUID().uuidString]
        let events = manager.post("chat/completions", body: .json(request), headers: fields).events
        var answer = Answer()
        for try await chunk in events.decoded(as: Chunk.self, until: "[DONE]") {
            output(try answer.add(chunk))
        }
        // A stream may end without an error before the answer is complete.
        guard answer.finishReason != nil else { throw ChatError("The stream has ended before the answer.") }
        if answer.isCutOff { output(" [cut off at the limit of its length]") }
        return answer
    }

    /// Returns the result of a tool. The model gets errors as text, because it can correct its call.
    private func result(of call: ToolCall) -> String {
        guard let tool = tools.first(where: { $0.name == call.function.name }) else {
            return "There is no tool with this name."
        }
        let text = call.function.arguments.isEmpty ? "{}" : call.function.arguments
        guard let arguments = try? JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)) else {
            return "The arguments are not JSON."
        }
        return tool.run(arguments)
    }
}
