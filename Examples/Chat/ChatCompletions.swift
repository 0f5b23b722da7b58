import Larkspur

/// The content of a request for a chat completion.
struct CompletionRequest: Encodable, Sendable {
    var model: String
    var messages: [Message]
    /// The declarations of the tools that the model may call. Nil for none, because some servers refuse an empty list.
    var tools: [JSONValue]?
    var stream = true
}

/// A message of a conversation.
struct Message: Codable, Sendable, Equatable {
    /// The author: `system`, `user`, `assistant` or `tool`.
    var role: String
    var content: String?
    /// The calls that the model requests.
    var toolCalls: [ToolCall]?
    /// The ID of the call to which a message of a tool is the result.
    var toolCallID: String?

    enum CodingKeys: String, CodingKey {
        case role, content
        case toolCalls = "tool_calls"
        case toolCallID = "tool_call_id"
    }
}

/// A call of a tool that the model requests.
struct ToolCall: Codable, Sendable, Equatable {
    struct Function: Codable, Sendable, Equatable {
        var name = ""
        /// The arguments as the text of a JSON object.
        var arguments = ""
    }

    var id = ""
    var type = "function"
    var function = Function()
}

/// A chunk of the stream of an answer: the data of one event.
struct Chunk: Decodable, Sendable {
    struct Choice: Decodable, Sendable {
        /// The number of the answer, if a request asks for several answers.
        var index: Int
        var delta: Delta?
        /// The reason for the end of the answer, in its last chunk: `stop`, `tool_calls`, `length`.
        var finishReason: String?

        enum CodingKeys: String, CodingKey {
            case index, delta
            case finishReason = "finish_reason"
        }
    }

    struct Delta: Decodable, Sendable {
        var content: String?
        var toolCalls: [ToolCallPart]?

        enum CodingKeys: String, CodingKey {
            case content
            case toolCalls = "tool_calls"
        }
    }

    /// A part of a tool call. Its first part has the ID and the name; all parts have a fragment of the arguments.
    struct ToolCallPart: Decodable, Sendable {
        struct Function: Decodable, Sendable {
            var name: String?
            var arguments: String?
        }

        /// The number of the call. Some servers omit it.
        var index: Int?
        var id: String?
        var function: Function?
    }

    /// An error that the server reports after the stream has begun.
    struct Failure: Decodable, Sendable {
        var message: String
    }

    /// The answers. Empty in a chunk that only counts tokens, and nil in an error.
    var choices: [Choice]?
    var error: Failure?
}
