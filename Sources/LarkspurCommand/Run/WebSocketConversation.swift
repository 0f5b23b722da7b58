import Larkspur

#if canImport(FoundationNetworking)
/// A conversation over a WebSocket: it sends the lines of standard input, and prints the server's messages.
struct WebSocketConversation: Sendable {
    let manager: SessionManager
    let request: URLRequest
    let sink: Sink
    let input: LineReader?

    /// Runs until one side closes the connection. At the end of the input, this side closes it.
    /// - Throws: ``WebSocketError`` if the server closes the connection because of an error.
    func run() async throws {
        var headers = request.headers
        // The handshake sets its own value for this field.
        headers.remove("Accept-Encoding")
        let socket = manager.webSocket(request.url?.absoluteString ?? "", headers: headers)
        try await socket.open()
        let sender = Task {
            guard let input else { return }
            while let line = await input.next() {
                if let text = String(validating: line, as: UTF8.self) {
                    try await socket.send(text)
                } else {
                    try await socket.send(line)
                }
            }
            try await socket.close()
        }
        defer { sender.cancel() }
        do {
            for try await message in socket.messages { try print(message) }
        } catch let error as WebSocketError where error.kind == .ended {
            // This side has already closed the connection.
        }
    }

    private func print(_ message: WebSocketTask.Message) throws(Sink.Failure) {
        switch message {
        case .text(let text): try sink.write((sink.isTerminal ? TerminalText.printable(text) : text) + "\n")
        case .data(let data) where sink.isTerminal: try sink.write("(a binary message of \(data.count) bytes)\n")
        case .data(let data): try sink.write(data)
        }
    }
}
#else
/// A conversation over a WebSocket. Only the transport for Linux supports WebSockets.
struct WebSocketConversation: Sendable {
    let manager: SessionManager
    let request: URLRequest
    let sink: Sink
    let input: LineReader?

    func run() async throws { throw UsageError("WebSockets are available only on Linux.") }
}
#endif
