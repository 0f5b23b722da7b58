import Larkspur

#if canImport(FoundationNetworking)
/// A conversation over a WebSocket: the lines of standard input are sent, and the messages of the server are printed.
struct WebSocketConversation: Sendable {
    let manager: SessionManager
    let request: URLRequest
    let sink: Sink
    let input: LineReader?

    /// Runs until one of the sides closes the connection. The end of the input closes it.
    /// - Throws: ``WebSocketError`` if the server closes it for another reason than the end of the conversation.
    func run() async throws {
        var headers = request.headers
        // The handshake has fields of its own for these.
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
            // This side has closed the connection.
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
/// A conversation over a WebSocket, which only the transport for Linux has.
struct WebSocketConversation: Sendable {
    let manager: SessionManager
    let request: URLRequest
    let sink: Sink
    let input: LineReader?

    func run() async throws { throw UsageError("WebSockets are available only on Linux.") }
}
#endif
