package import Larkspur
package import LarkspurTesting
import Synchronization
import TestSupport

/// A fake of a server of language models: the API for chat completions of OpenAI, which many servers have.
///
/// A request needs the key, a model, messages and `"stream": true`. Otherwise the response is an error, like those of
/// such servers.
package final class LanguageModelServer: Sendable {
    package static let key = "sk-test"

    package let server: LoopbackServer
    private let responses: Mutex<[LoopbackServer.Response]>

    /// - Parameter responses: The responses to valid requests, in order. The last one is repeated.
    package init(_ responses: LoopbackServer.Response...) throws {
        server = try LoopbackServer()
        self.responses = Mutex(responses)
        server.route("/v1/chat/completions", method: "POST") { [weak self] request in
            Self.refusal(of: request) ?? self?.next() ?? .status(500)
        }
    }

    /// The base URL of the API.
    package var url: String { "\(server.baseURL)/v1" }

    /// Makes a manager for the API.
    package func makeManager(_ transport: TestTransport, key: String = key) -> SessionManager {
        let manager = SessionManager(baseURL: url, configuration: .testing, transport: transport.transport)
        manager.requestSettings.setAuthorization(bearerToken: key)
        return manager
    }

    /// The contents of the requests.
    package var questions: [JSONValue] { get throws { try server.requests.map { try $0.json(as: JSONValue.self) } } }

    /// Returns an error as such servers send it in place of a stream.
    package static func refusal(_ status: Int, _ message: String, type: String, code: JSONValue = nil)
        -> LoopbackServer.Response
    {
        .json("\(failure(message, type: type, code: code))", status: status)
    }

    /// Returns the content of an error, which may also be the data of an event.
    package static func failure(_ message: String, type: String, code: JSONValue = nil) -> JSONValue {
        ["error": ["message": .string(message), "type": .string(type), "param": nil, "code": code]]
    }

    private func next() -> LoopbackServer.Response? {
        responses.withLock { $0.count > 1 ? $0.removeFirst() : $0.first }
    }

    /// Returns the error of a request; nil if it is valid.
    private static func refusal(of request: LoopbackServer.Request) -> LoopbackServer.Response? {
        guard request.headers["Authorization"] == "Bearer \(key)" else {
            let message = "Incorrect API key provided. You can find your API key in your settings."
            return refusal(401, message, type: "invalid_request_error", code: "invalid_api_key")
        }
        let content = try? request.json(as: JSONValue.self)
        let messages = content?["messages"].array ?? []
        let isValid =
            request.headers["Content-Type"] == "application/json" && content?["model"].string != nil
            && content?["stream"].bool == true && !messages.isEmpty && messages.allSatisfy(isMessage)
        return isValid ? nil : refusal(400, "The request is not a chat completion.", type: "invalid_request_error")
    }

    private static func isMessage(_ message: JSONValue) -> Bool {
        switch message["role"].string {
        case "system", "user": message["content"].string != nil
        case "assistant": message["content"].string != nil || message["tool_calls"].array?.isEmpty == false
        case "tool": message["content"].string != nil && message["tool_call_id"].string != nil
        default: false
        }
    }
}

/// The stream of a chat completion, in the forms that servers send.
package struct CompletionStream: Sendable {
    /// The end of a stream.
    package enum End: Sendable, CaseIterable {
        /// `data: [DONE]`, a blank line, and the end of the response.
        case done
        /// `data: [DONE]` without a blank line.
        case doneWithoutBlankLine
        /// The end of the response alone.
        case silent
        /// A connection that is lost before the end of the response.
        case lost
    }

    /// The data of the events.
    package var events: [String]
    package var end: End
    package var lineBreak = "\n"
    /// A comment before each event; nil for none.
    package var comment: String?
    /// The number of bytes in each chunk of the response; nil for one event in each chunk.
    package var chunkLength: Int?

    /// - Parameters:
    ///   - chunks: The chunks of the answer.
    ///   - end: The end of the stream. Default: ``End/done``.
    package init(_ chunks: [JSONValue], end: End = .done) {
        events = chunks.map { "\($0)" }
        self.end = end
    }

    /// Returns the stream of a text: the role, the parts of the text, and the end of the answer.
    package static func text(_ parts: String..., finishReason: JSONValue = "stop") -> Self {
        Self(
            [chunk(["role": "assistant", "content": ""])] + parts.map { chunk(["content": .string($0)]) }
                + [chunk([:], finishReason: finishReason)]
        )
    }

    /// Returns a chunk with one choice.
    package static func chunk(
        _ delta: JSONValue,
        finishReason: JSONValue = nil,
        index: JSONValue = 0
    ) -> JSONValue {
        [
            "id": "chatcmpl-9", "object": "chat.completion.chunk", "created": 1_750_000_000, "model": "test-1",
            "choices": [["index": index, "delta": delta, "logprobs": nil, "finish_reason": finishReason]],
        ]
    }

    /// The last chunk of a stream whose request has `"stream_options": {"include_usage": true}`.
    package static let usage: JSONValue = [
        "id": "chatcmpl-9", "object": "chat.completion.chunk", "created": 1_750_000_000, "model": "test-1",
        "choices": [], "usage": ["prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12],
    ]

    /// The response that sends the stream.
    package var response: LoopbackServer.Response { .streaming(texts, end: end, chunkLength: chunkLength) }

    /// The response, which waits for a gate before its last event.
    package func response(waitingFor gate: LoopbackServer.Gate) -> LoopbackServer.Response {
        var response = response
        response.body.insert(.wait(gate), at: response.body.count - 1)
        return response
    }

    /// The texts of the events, with line breaks.
    private var texts: [String] {
        let comment = comment.map { ": \($0)\(lineBreak)\(lineBreak)" } ?? ""
        let texts = events.map { "\(comment)data: \($0)\(lineBreak)\(lineBreak)" }
        return switch end {
        case .done: texts + ["data: [DONE]\(lineBreak)\(lineBreak)"]
        case .doneWithoutBlankLine: texts + ["data: [DONE]"]
        case .silent, .lost: texts
        }
    }
}

extension LoopbackServer.Response {
    fileprivate static func streaming(_ texts: [String], end: CompletionStream.End, chunkLength: Int?) -> Self {
        let bytes = Data(texts.joined().utf8)
        let chunks =
            chunkLength.map { length in
                stride(from: 0, to: bytes.count, by: length).map { bytes[$0..<min($0 + length, bytes.count)] }
            } ?? texts.map { Data($0.utf8) }
        var response = stream(chunks.map(Step.bytes), contentType: "text/event-stream; charset=utf-8")
        guard end == .lost else {
            response.framing = .chunked
            return response
        }
        // The length promises another byte.
        response.headers["Content-Length"] = "\(bytes.count + 1)"
        response.ending = .close
        return response
    }
}
