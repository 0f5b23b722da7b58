#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
import LarkspurTesting
import LarkspurTransport
import SessionClients
import Testing
import TestSupport

@Suite("URLSession's WebSocket tasks in the engine's session", .timeLimit(.minutes(5)))
struct CurlWebSocketTaskTests {
    private typealias Message = URLSessionWebSocketTask.Message

    private let server: LoopbackServer
    private let log = WebSocketLog()

    init() throws { server = try LoopbackServer() }

    private func makeSession() -> CurlURLSession {
        CurlURLSession(configuration: .testing, delegate: log, delegateQueue: nil)
    }

    private func url(_ path: String) throws -> URL {
        var components = URLComponents(url: server.url(path), resolvingAgainstBaseURL: false)
        components?.scheme = "ws"
        return try #require(components?.url)
    }

    private func code(_ body: () async throws -> Void) async -> URLError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? URLError)?.code
        }
    }

    @Test("Messages are echoed in code that imports the module")
    func imported() async throws {
        let session = makeSession()
        let task = try session.webSocketTask(with: url("/websocket/echo"))
        #expect(task.maximumMessageSize == 1 << 20)
        task.resume()
        try await task.send(.string("grüße"))
        #expect(try await task.receive().text == "grüße")
        let sent = Recorder<URLError.Code?>()
        for number in 1...100 {
            task.send(.data(Data("\(number)".utf8))) { sent.record(($0 as? URLError)?.code) }
        }
        let received = Recorder<String?>()
        for _ in 1...100 { task.receive { received.record(try? $0.get().text) } }
        #expect(try await received.wait(for: 100) == (1...100).map { "\($0)" })
        #expect(try await sent.wait(for: 100).allSatisfy { $0 == nil })
        try await task.sendPing()
        #expect(task.state == .running && task.closeCode == .invalid && task.closeReason == nil)
        task.cancel(with: .goingAway, reason: Data("bye".utf8))
        #expect(await code { _ = try await task.receive() } == .networkConnectionLost)
        try await eventually(.completed) { task.state }
        #expect(task.closeCode == .goingAway && task.error == nil)
        session.finishTasksAndInvalidate()
    }

    @Test("Messages are echoed in code that was compiled without the module", arguments: MessageCall.allCases)
    func handed(_ call: MessageCall) async throws {
        let session: URLSession = makeSession()
        let task = try session.webSocketTask(with: URLRequest(url: url("/websocket/echo")))
        task.resume()
        for message in [Message.string(""), .string("text"), .data(Data([0, 255])), .data(Data(count: 100_000))] {
            try await call.send(message, on: task)
            #expect(try await call.receive(on: task) == message)
        }
        try await call.ping(on: task)
        task.cancel()
        #expect(await code { _ = try await call.receive(on: task) } == .cancelled)
        #expect(await code { try await call.send(.string("late"), on: task) } == .cancelled)
        #expect(await code { try await call.ping(on: task) } == .cancelled)
        session.finishTasksAndInvalidate()
    }

    @Test("A client of a real-time service works with the session")
    func client() async throws {
        let session = makeSession()
        let client = try RealtimeClient(url: url("/websocket/echo"), session: session)
        for number in 1...3 { try await client.send(["number": number]) }
        var texts: [String] = []
        for await text in client.texts {
            texts.append(text)
            if texts.count == 3 { client.close() }
        }
        #expect(texts == (1...3).map { #"{"number":\#($0)}"# })
        session.finishTasksAndInvalidate()
    }

    @Test("The delegate gets the opening with its subprotocol, the server's close, and the end")
    func delegate() async throws {
        server.webSocket("/chat", protocols: ["chat.v2"]) { socket in
            try socket.send("welcome")
            try socket.close(code: 1011, reason: "because")
        }
        let session = makeSession()
        let task = try session.webSocketTask(with: url("/chat"), protocols: ["chat.v1", "chat.v2"])
        #expect(task.originalRequest?.value(forHTTPHeaderField: "Sec-WebSocket-Protocol") == "chat.v1, chat.v2")
        #expect(try task.currentRequest?.url == url("/chat"))
        task.resume()
        #expect(try await task.receive().text == "welcome")
        #expect(await code { _ = try await task.receive() } == .networkConnectionLost)
        #expect(
            try await log.events.wait(for: 3) == [
                "open chat.v2", "close \(URLSessionWebSocketTask.CloseCode.internalServerError) because",
                "complete nil",
            ]
        )
        #expect(task.closeCode == .internalServerError && task.closeReason == Data("because".utf8))
        #expect((task.response as? HTTPURLResponse)?.statusCode == 101)
        session.finishTasksAndInvalidate()
    }

    @Test("A task's own delegate replaces that of the session")
    func ownDelegate() async throws {
        let session = makeSession()
        let task = try session.webSocketTask(with: url("/websocket/close/1000"))
        let own = WebSocketLog()
        task.delegate = own
        task.resume()
        try await own.events.wait(for: 3)
        #expect(log.events.values.isEmpty)
        session.finishTasksAndInvalidate()
    }

    @Test("A close code that the enumeration does not have is reported as unsupportedData")
    func unknownCode() async throws {
        let session = makeSession()
        let task = try session.webSocketTask(with: url("/websocket/close/4000"))
        task.resume()
        try await log.events.wait(for: 3)
        #expect(task.closeCode == .unsupportedData)
        session.finishTasksAndInvalidate()
    }

    @Test("Calls before resume() wait until the task is resumed")
    func early() async throws {
        let session = makeSession()
        let task = try session.webSocketTask(with: url("/websocket/echo"))
        let texts = Recorder<String?>()
        task.receive { texts.record(try? $0.get().text) }
        task.send(.string("early")) { _ in }
        // A later call on the same queue of the task has been performed after them.
        let pongs = Recorder<Bool>()
        task.sendPing { pongs.record($0 == nil) }
        #expect(task.state == .suspended && texts.values.isEmpty && pongs.values.isEmpty)
        #expect(server.requests(to: "/websocket/echo").isEmpty)
        task.resume()
        #expect(try await texts.wait() == ["early"])
        #expect(try await pongs.wait() == [true])
        session.invalidateAndCancel()
    }

    @Test("A message above the limit ends the task with an error")
    func limit() async throws {
        let session = makeSession()
        let task = try session.webSocketTask(with: url("/websocket/echo"))
        task.maximumMessageSize = 10
        task.resume()
        try await task.send(.string("0123456789"))
        #expect(try await task.receive().text == "0123456789")
        try await task.send(.string("0123456789A"))
        #expect(await code { _ = try await task.receive() } == .networkConnectionLost)
        try await eventually(.completed) { task.state }
        #expect((task.error as? URLError)?.code == .networkConnectionLost)
        session.finishTasksAndInvalidate()
    }

    @Test("A refused handshake is the error badServerResponse, with the response")
    func refused() async throws {
        let session = makeSession()
        let task = try session.webSocketTask(with: url(LoopbackServer.WebSocketFault.refusal.path))
        task.resume()
        #expect(await code { _ = try await task.receive() } == .badServerResponse)
        #expect(await code { try await task.send(.string("a")) } == .badServerResponse)
        #expect(await code { try await task.sendPing() } == .badServerResponse)
        #expect(try await log.events.wait(for: 1) == ["complete \(URLError.Code.badServerResponse.rawValue)"])
        #expect((task.response as? HTTPURLResponse)?.statusCode == 403)
        #expect((task.error as? URLError)?.code == .badServerResponse)
        session.finishTasksAndInvalidate()
    }

    @Test("A lost connection is the error of all calls and of the task")
    func lost() async throws {
        server.webSocket("/lost") { socket in socket.ending = .disconnect }
        let session = makeSession()
        let task = try session.webSocketTask(with: url("/lost"))
        task.resume()
        #expect(await code { _ = try await task.receive() } == .networkConnectionLost)
        try await log.events.wait(for: 2)
        #expect(log.events.values == ["open nil", "complete \(URLError.Code.networkConnectionLost.rawValue)"])
        session.finishTasksAndInvalidate()
    }

    @Test("A task that is cancelled before it is resumed ends as cancelled, and so do its calls")
    func cancelled() async throws {
        let session = makeSession()
        let task = try session.webSocketTask(with: url("/websocket/echo"))
        task.cancel(with: .normalClosure, reason: nil)
        #expect(try await log.events.wait() == ["complete \(URLError.Code.cancelled.rawValue)"])
        try await eventually(.completed) { task.state }
        #expect(await code { _ = try await task.receive() } == .cancelled)
        session.finishTasksAndInvalidate()
    }

    @Test("Tasks are released with their session, whether they were resumed or not")
    func released() async throws {
        weak var released: URLSession?
        weak var releasedTask: URLSessionTask?
        do {
            let session = makeSession()
            let task = try session.webSocketTask(with: url("/websocket/echo"))
            (released, releasedTask) = (session, task)
            task.resume()
            try await task.send(.string("a"))
            _ = try await task.receive()
            _ = try session.webSocketTask(with: url("/websocket/echo"))
            task.cancel(with: .normalClosure, reason: nil)
            session.finishTasksAndInvalidate()
            try await log.events.wait(for: 3)
        }
        try await eventually { released == nil && releasedTask == nil }
    }

    @Test("Tasks of an invalid session and for URLs with another scheme fail")
    func defects() async throws {
        let session = makeSession()
        let foreign = session.webSocketTask(with: try #require(URL(string: "ftp://127.0.0.1/")))
        foreign.resume()
        #expect(await code { _ = try await foreign.receive() } == .unsupportedURL)
        session.invalidateAndCancel()
        let task = try session.webSocketTask(with: url("/websocket/echo"))
        task.resume()
        #expect(await code { _ = try await task.receive() } == .cancelled)
        try await eventually(.completed) { task.state }
        #expect((task.error as? URLError)?.code == .cancelled)
    }
}

/// A delegate that records the events of WebSocket tasks as text.
private final class WebSocketLog: NSObject, URLSessionWebSocketDelegate {
    let events = Recorder<String>()

    func urlSession(
        _ session: URLSession,
        webSocketTask: URLSessionWebSocketTask,
        didOpenWithProtocol protocol: String?
    ) {
        events.record("open \(`protocol` ?? "nil")")
    }

    func urlSession(
        _ session: URLSession,
        webSocketTask: URLSessionWebSocketTask,
        didCloseWith closeCode: URLSessionWebSocketTask.CloseCode,
        reason: Data?
    ) {
        events.record("close \(closeCode) \(String(decoding: reason ?? Data(), as: UTF8.self))")
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        events.record("complete \((error as? URLError).map { "\($0.code.rawValue)" } ?? "nil")")
    }
}

extension URLSessionWebSocketTask.Message {
    fileprivate var text: String {
        switch self {
        case .string(let text): text
        case .data(let data): String(decoding: data, as: UTF8.self)
        @unknown default: ""
        }
    }

    fileprivate static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.string(let left), .string(let right)): left == right
        case (.data(let left), .data(let right)): left == right
        default: false
        }
    }
}
#endif
