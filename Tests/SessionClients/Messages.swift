#if canImport(FoundationNetworking)
public import Foundation
public import FoundationNetworking

/// The forms of URLSession's methods for WebSocket messages.
public enum MessageCall: String, CaseIterable, Sendable {
    case methods, handlers

    /// Sends a message.
    public func send(_ message: URLSessionWebSocketTask.Message, on task: URLSessionWebSocketTask) async throws {
        switch self {
        case .methods: try await task.send(message)
        case .handlers:
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                task.send(message) { error in
                    continuation.resume(with: error.map { .failure($0) } ?? .success(()))
                }
            }
        }
    }

    /// Receives a message.
    public func receive(on task: URLSessionWebSocketTask) async throws -> URLSessionWebSocketTask.Message {
        switch self {
        case .methods: try await task.receive()
        case .handlers:
            try await withCheckedThrowingContinuation { continuation in
                task.receive { continuation.resume(with: $0) }
            }
        }
    }

    /// Sends a ping, and waits for its pong.
    public func ping(on task: URLSessionWebSocketTask) async throws {
        switch self {
        case .methods: try await task.sendPing()
        case .handlers:
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                task.sendPing { error in
                    continuation.resume(with: error.map { .failure($0) } ?? .success(()))
                }
            }
        }
    }
}

/// A client in the shape of those of real-time services: it opens a WebSocket in a session, receives in a loop of
/// handlers, and sends JSON.
public final class RealtimeClient: Sendable {
    private let task: URLSessionWebSocketTask
    /// The texts of the messages. Ends when the connection has ended.
    public let texts: AsyncStream<String>

    /// Creates a client, and opens its connection.
    public init(url: URL, session: URLSession, protocols: [String] = []) {
        let task = session.webSocketTask(with: url, protocols: protocols)
        let (texts, continuation) = AsyncStream.makeStream(of: String.self)
        self.task = task
        self.texts = texts
        task.maximumMessageSize = 1 << 22
        task.resume()
        Self.receive(on: task, continuation)
    }

    private static func receive(on task: URLSessionWebSocketTask, _ texts: AsyncStream<String>.Continuation) {
        task.receive { result in
            switch result {
            case .success(.string(let text)): texts.yield(text)
            case .success(.data(let data)): texts.yield(String(decoding: data, as: UTF8.self))
            case .success: break
            case .failure: return texts.finish()
            }
            receive(on: task, texts)
        }
    }

    /// Sends a value as text.
    public func send(_ value: some Encodable & Sendable) async throws {
        try await task.send(.string(String(decoding: JSONEncoder().encode(value), as: UTF8.self)))
    }

    /// Closes the connection.
    public func close() { task.cancel(with: .normalClosure, reason: nil) }
}
#endif
