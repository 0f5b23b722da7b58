#if canImport(FoundationNetworking)
import LarkspurTransport

/// The samples of `Docs/WebSockets.md` that do with LarkspurTransport alone, each between two markers; what they print
/// is noted.
struct WebSocketSessionSamples: Sendable {
    let url: URL
    let output = PrintedLines()

    private func print(_ item: Any) { output.add("\(item)") }

    func socket() async throws {
        // sample: WebSocket of a session
        let session = CurlURLSession(configuration: .default)
        let socket = session.webSocket(with: url)
        try await socket.open()
        try await socket.send("Hello")
        print(try await socket.receive())
        try await socket.close()
        // end
    }

    func task() async throws {
        // sample: WebSocket task of URLSession
        let session: URLSession = CurlURLSession(configuration: .default)
        let task = session.webSocketTask(with: url)
        task.resume()
        try await task.send(.string("Hello"))
        if case .string(let text) = try await task.receive() { print(text) }
        task.cancel(with: .normalClosure, reason: nil)
        // end
    }
}
#endif
