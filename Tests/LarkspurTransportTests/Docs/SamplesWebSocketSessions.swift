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

    func request(_ session: CurlURLSession) async throws {
        // sample: WebSocket with a request
        var request = URLRequest(url: url)
        request.setValue("https://chat.example.com", forHTTPHeaderField: "Origin")
        request.timeoutInterval = 10
        let socket = session.webSocket(with: request)
        try await socket.open()
        // end
        try await socket.close()
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
