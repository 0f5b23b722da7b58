import Larkspur
package import LarkspurTesting

/// A fake of a server of the Model Context Protocol with its streamable HTTP transport (revision 2025-06-18).
///
/// It has one tool, `add`. Requests need both media types in `Accept`. After the first message they need the session,
/// and the version of the protocol.
package struct MCPServer: Sendable {
    /// The form of the responses to requests of JSON-RPC.
    package enum Form: Sendable, CaseIterable {
        /// A JSON document.
        case document
        /// Events: a notification, a request of the server, and the response.
        case events
        /// Events that begin with an event without data, from which a client can resume the stream.
        case resumableEvents
    }

    package static let session = "1868a90c-8e2f"
    private static let version = "2025-06-18"

    package let server: LoopbackServer

    package init(_ form: Form) throws {
        server = try LoopbackServer()
        server.route("/mcp", method: "POST") { try Self.response(to: $0, form) }
    }

    private static func response(to request: LoopbackServer.Request, _ form: Form) throws -> LoopbackServer.Response {
        let accepted = request.headers["Accept"] ?? ""
        guard accepted.contains("application/json"), accepted.contains("text/event-stream") else { return .status(406) }
        let message = try request.json(as: JSONValue.self)
        guard message["jsonrpc"].string == "2.0", let method = message["method"].string else { return .status(400) }
        if method != "initialize" {
            guard request.headers["MCP-Protocol-Version"] == version else { return .status(400) }
            guard let session = request.headers["Mcp-Session-Id"] else { return .status(400) }
            guard session == Self.session else { return .json(#"{"message": "The session is over."}"#, status: 404) }
        }
        guard message["id"] != .null else { return .status(202) }
        var reply = reply(to: message)
        reply["jsonrpc"] = "2.0"
        reply["id"] = message["id"]
        let response = response(with: reply, form)
        return method == "initialize" ? response.adding("Mcp-Session-Id", session) : response
    }

    /// Returns the result, or the error, of a request.
    private static func reply(to message: JSONValue) -> JSONValue {
        switch message["method"].string {
        case "initialize":
            [
                "result": [
                    "protocolVersion": .string(version), "capabilities": ["tools": [:]],
                    "serverInfo": ["name": "test", "version": "1.0.0"],
                ]
            ]
        case "tools/call":
            tool(message["params"])
        default:
            ["error": ["code": -32601, "message": "Method not found"]]
        }
    }

    private static func tool(_ parameters: JSONValue) -> JSONValue {
        let numbers = parameters["arguments"]
        guard parameters["name"].string == "add", let a = numbers["a"].int, let b = numbers["b"].int else {
            return ["error": ["code": -32602, "message": "Unknown tool"]]
        }
        return ["result": ["content": [["type": "text", "text": .string("\(a + b)")]], "isError": false]]
    }

    private static func response(with reply: JSONValue, _ form: Form) -> LoopbackServer.Response {
        guard form != .document else { return .json("\(reply)") }
        let notification: JSONValue = [
            "jsonrpc": "2.0", "method": "notifications/message", "params": ["level": "info", "data": "working"],
        ]
        // Requests of the server have identifiers of their own, so that this one may be the client's, too.
        let request: JSONValue = ["jsonrpc": "2.0", "id": reply["id"], "method": "ping"]
        var events = [notification, request, reply].map { "event: message\ndata: \($0)\n\n" }
        if form == .resumableEvents { events.insert("id: 7/0\nretry: 3000\ndata:\n\n", at: 0) }
        return .stream(
            events.map(LoopbackServer.Response.Step.text),
            contentType: "text/event-stream",
            framing: .chunked
        )
    }
}
