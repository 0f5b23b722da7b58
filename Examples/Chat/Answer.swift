/// An answer of a model, as the chunks of its stream add up to it.
struct Answer: Sendable {
    private(set) var text = ""
    private(set) var toolCalls: [ToolCall] = []
    /// The reason for the end of the answer; nil before its end.
    private(set) var finishReason: String?
    /// The numbers of the tool calls.
    private var indices: [Int] = []

    /// Whether the model waits for the results of tools.
    var callsTools: Bool { !toolCalls.isEmpty && finishReason != "length" }

    /// Whether the server has ended the answer at the limit of its length.
    var isCutOff: Bool { finishReason == "length" }

    /// The message that continues the conversation.
    var message: Message {
        Message(
            role: "assistant",
            content: text.isEmpty && !toolCalls.isEmpty ? nil : text,
            toolCalls: toolCalls.isEmpty ? nil : toolCalls
        )
    }

    /// Adds a chunk, and returns its text.
    /// - Throws: ``ChatError`` if the chunk is an error of the server.
    mutating func add(_ chunk: Chunk) throws -> String {
        if let error = chunk.error { throw ChatError("The server has stopped the answer: \(error.message)") }
        guard let choice = chunk.choices?.first(where: { $0.index == 0 }) else { return "" }
        for part in choice.delta?.toolCalls ?? [] { add(part) }
        finishReason = choice.finishReason ?? finishReason
        let content = choice.delta?.content ?? ""
        text += content
        return content
    }

    private mutating func add(_ part: Chunk.ToolCallPart) {
        // Without a number, a part with an ID begins a call, and any other part continues the last call.
        guard let index = part.index ?? (part.id != nil ? toolCalls.count : indices.last) else { return }
        if !indices.contains(index) {
            indices.append(index)
            toolCalls.append(ToolCall())
        }
        guard let position = indices.firstIndex(of: index) else { return }
        if let id = part.id, toolCalls[position].id.isEmpty { toolCalls[position].id = id }
        toolCalls[position].function.name += part.function?.name ?? ""
        toolCalls[position].function.arguments += part.function?.arguments ?? ""
    }
}

/// An error of a conversation that is not an error of the transfer.
struct ChatError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
