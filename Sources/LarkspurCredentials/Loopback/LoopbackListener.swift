internal import HTTPSyntax
import Synchronization

/// A listener on 127.0.0.1 that waits for one request of a browser (RFC 8252, section 7.3).
///
/// A thread serves all connections at a time, because browsers open connections on which they send nothing. The
/// descriptors are closed when the request has arrived, when the Swift task is cancelled, or with the last reference.
final class LoopbackListener: Sendable {
    /// The port on 127.0.0.1.
    let port: UInt16
    private let sockets: Mutex<Sockets?>

    private struct Sockets {
        let listener: LoopbackSystem.Descriptor
        /// The end of a pipe whose other end wakes the thread.
        let alarm: LoopbackSystem.Descriptor
        let waker: LoopbackSystem.Descriptor

        func close() {
            for descriptor in [listener, alarm, waker] { LoopbackSystem.close(descriptor) }
        }
    }

    /// - Parameter port: The port; 0 for a free one.
    init(port: UInt16 = 0) throws {
        let listener = try LoopbackSystem.makeListener(port: port)
        do {
            self.port = try LoopbackSystem.port(of: listener)
            let pipe = try LoopbackSystem.makePipe()
            sockets = Mutex(Sockets(listener: listener, alarm: pipe.output, waker: pipe.input))
        } catch {
            LoopbackSystem.close(listener)
            throw error
        }
    }

    deinit { close() }

    /// Waits for the first request that a closure accepts, and closes the port. All other requests get a 404. Called
    /// once.
    /// - Parameter read: A closure that reads the target of a GET request, and returns nil for a 404. Called on a
    ///   thread of the listener.
    /// - Throws: A `CancellationError` if the task is cancelled; a `POSIXError` if the system fails.
    func request<Value: Sendable>(_ read: @escaping @Sendable (String) -> Value?) async throws -> Value {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard let (listener, alarm) = sockets.withLock({ $0.map { ($0.listener, $0.alarm) } }) else {
                    continuation.resume(throwing: CancellationError())
                    return
                }
                Thread.detachNewThread {
                    let result = Result { try Self.serve(listener, until: alarm, read) }
                    // Closed before the caller continues, so that the port is free then.
                    self.close()
                    continuation.resume(with: result)
                }
            }
        } onCancel: {
            // The lock protects the descriptor's number, which another file may get when the descriptor is closed.
            sockets.withLock { sockets in
                if let sockets { LoopbackSystem.wake(sockets.waker) }
            }
        }
    }

    private func close() {
        let sockets = sockets.withLock { sockets in
            defer { sockets = nil }
            return sockets
        }
        sockets?.close()
    }

    // MARK: The thread

    /// The maximum number of connections. Beyond it, the oldest one is closed.
    private static let maximumConnections = 32

    private static func serve<Value>(
        _ listener: LoopbackSystem.Descriptor,
        until alarm: LoopbackSystem.Descriptor,
        _ read: (String) -> Value?
    ) throws -> Value {
        var connections: [LoopbackConnection] = []
        defer { for connection in connections { connection.close() } }
        while true {
            let ready = try LoopbackSystem.waitUntilReadable([listener, alarm] + connections.map(\.descriptor))
            if ready[1] { throw CancellationError() }
            for index in connections.indices.reversed() where ready[index + 2] {
                switch connections[index].receive() {
                case .incomplete: break
                case .ended:
                    connections[index].close()
                    connections.remove(at: index)
                case .request(let target):
                    let value = target.flatMap(read)
                    connections[index].respond(isExpected: value != nil)
                    if let value { return value }
                }
            }
            guard ready[0], let descriptor = try LoopbackSystem.accept(listener) else { continue }
            connections.append(LoopbackConnection(descriptor))
            if connections.count > maximumConnections { connections.removeFirst().close() }
        }
    }
}

/// A connection of a browser, which sends one request.
struct LoopbackConnection {
    enum Event: Equatable {
        /// More bytes have to arrive.
        case incomplete
        /// A request with the target of a GET; nil for another method, or bytes that are not HTTP.
        case request(String?)
        /// The browser has closed the connection, or has sent too much.
        case ended
    }

    private static let maximumHead = 1 << 16
    private static let endOfHead = Array("\r\n\r\n".utf8)

    let descriptor: LoopbackSystem.Descriptor
    private var received: [UInt8] = []
    /// Whether the response was sent. What follows is ignored, because a connection that is closed with bytes in its
    /// buffer is reset, and the browser could lose the response.
    private var isAnswered = false

    init(_ descriptor: LoopbackSystem.Descriptor) { self.descriptor = descriptor }

    /// Reads the bytes that have arrived.
    mutating func receive() -> Event {
        guard let bytes = LoopbackSystem.receive(descriptor) else { return .ended }
        if isAnswered { return .incomplete }
        // Only new bytes are searched. Otherwise the time for a head that arrives in single bytes is quadratic.
        let start = max(0, received.count - Self.endOfHead.count + 1)
        received += bytes
        guard received[start...].firstRange(of: Self.endOfHead) != nil else {
            return received.count > Self.maximumHead ? .ended : .incomplete
        }
        return .request(Self.target(inHead: received) ?? nil)
    }

    /// Returns the target of the request whose head is complete. The result is nil if the head is incomplete, and its
    /// value is nil if the request is not a GET.
    static func target(inHead bytes: [UInt8]) -> String?? {
        guard bytes.firstRange(of: endOfHead) != nil else { return nil }
        let line = bytes.prefix { $0 != .carriageReturn }
        let words = line.split(separator: .space, omittingEmptySubsequences: false)
        guard words.count == 3, words[0].elementsEqual("GET".utf8), words[2].starts(with: "HTTP/1.".utf8) else {
            return .some(nil)
        }
        return String(networkBytes: words[1])
    }

    /// Sends the response, and ends the stream of the server.
    mutating func respond(isExpected: Bool) {
        let text = isExpected ? "You can close this window, and return to the program." : "Not found."
        let page =
            "<!DOCTYPE html><html lang=\"en\"><meta charset=\"utf-8\"><title>Login</title><p>\(text)</p></html>\n"
        let head = [
            "HTTP/1.1 \(isExpected ? "200 OK" : "404 Not Found")", "Content-Type: text/html; charset=utf-8",
            "Content-Length: \(page.utf8.count)", "Cache-Control: no-store", "Referrer-Policy: no-referrer",
            "Content-Security-Policy: default-src 'none'", "X-Content-Type-Options: nosniff", "Connection: close",
        ]
        LoopbackSystem.send(descriptor, Array((head.joined(separator: "\r\n") + "\r\n\r\n" + page).utf8))
        LoopbackSystem.endSending(descriptor)
        isAnswered = true
        received = []
    }

    func close() { LoopbackSystem.close(descriptor) }
}
