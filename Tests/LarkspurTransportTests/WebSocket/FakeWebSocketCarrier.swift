#if canImport(FoundationNetworking)
import CLibcurl
import Foundation
import FoundationNetworking
import HTTPSyntax
import Synchronization
import Testing

@testable import LarkspurTransport

/// A connection over a pair of sockets, of which the test has the other end.
final class FakeByteConnection: ByteConnection {
    private let own: Int32
    private let other: Int32
    private var reader = WebSocketReader(role: .server)
    var isConnected = true
    /// Whether the connection takes no bytes.
    var isBlocked = false
    /// The result of libcurl with which bytes are sent; nil if that works.
    var sendFailure: Int32?
    /// The bytes that are received before those of the socket.
    var pending: [UInt8] = []

    init() throws {
        var ends: [Int32] = [0, 0]
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        try #require(socketpair(AF_UNIX, type, 0, &ends) == 0)
        (own, other) = (ends[0], ends[1])
    }

    deinit {
        close(own)
        close(other)
    }

    var socket: Int32? { isConnected ? own : nil }

    func send(_ bytes: UnsafeRawBufferPointer) -> EasyHandle.ByteResult {
        if let sendFailure { return .failed(sendFailure) }
        if isBlocked { return .notReady }
        let count = Foundation.send(own, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        return count < 0 ? .notReady : .bytes(count)
    }

    func receive(into buffer: UnsafeMutableRawBufferPointer) -> EasyHandle.ByteResult {
        if !pending.isEmpty {
            let chunk = pending.prefix(buffer.count)
            buffer.copyBytes(from: chunk)
            pending.removeFirst(chunk.count)
            return .bytes(chunk.count)
        }
        let count = recv(own, buffer.baseAddress, buffer.count, 0)
        return count < 0 ? .notReady : .bytes(count)
    }

    // MARK: The other end

    /// Sends bytes to the driver.
    func write(_ bytes: [UInt8]) {
        #expect(Foundation.send(other, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count)
    }

    func closeOtherEnd() { shutdown(other, Int32(SHUT_WR)) }

    /// Takes the bytes that the driver has sent.
    func takeSent() -> [UInt8] {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = recv(other, &buffer, buffer.count, 0)
            guard count > 0 else { return all }
            all += buffer[..<count]
        }
    }

    /// Takes the frames that the driver has sent.
    func takeEvents() -> [WebSocketEvent] { reader.read(takeSent()) }
}

/// A carrier that reads the head of a response, and records what it is told.
final class FakeWebSocketCarrier: WebSocketCarrier {
    let url = URL(string: "http://origin.test/socket")
    var now = LoopTime.now
    var isSuspended = false
    var pausesReceiving = false
    private(set) var response: HTTPURLResponse?
    private(set) var failure: URLError?
    private(set) var content: [UInt8] = []
    /// The length of the content of a response that refuses the handshake; nil if it ends with the connection.
    var contentLength: Int?
    /// The decision about such content.
    var reception = EasyHandle.Reception.taken
    /// The results of transfers that have ended.
    private(set) var results: [Int32] = []
    private(set) var calls: [String] = []
    /// The driver, which is called as an exchange does.
    weak var driver: WebSocketDriver?
    private var parser = ResponseHeadParser()

    var isAnswered: Bool { response != nil || failure != nil }
    var isContentComplete: Bool { contentLength.map { content.count >= $0 } ?? false }

    func receiveHeader(_ line: UnsafeRawBufferPointer) -> Bool {
        guard let head = try? parser.consume(line) else { return true }
        guard head.status != 101 else { return driver?.accept(head) ?? false }
        response = url.flatMap { head.makeResponse(url: $0) }
        return true
    }

    func receiveContent(_ bytes: UnsafeRawBufferPointer) -> EasyHandle.Reception {
        if case .taken = reception { content += bytes }
        return reception
    }

    func touch() {}
    func note(_ failure: URLError) { self.failure = failure }
    func readLater() { calls.append("readLater") }
    func leaveHostForGood() { calls.append("leaveHostForGood") }
    func noteDeadline() {}
    func webSocketEnded() { calls.append("webSocketEnded") }
    func transferEnded(_ result: Int32) { results.append(result) }

    func provideContent(into buffer: UnsafeMutableRawBufferPointer) -> EasyHandle.Provision { .bytes(0) }
    var trailerLines: [String] { [] }
    var owner: ConnectionOwner { ConnectionOwner() }
    func socketReleased() {}
    func addressRefused() {}
    func seekContent(to offset: Int64) -> Bool { false }
    func maySend(onStaleConnection isStale: Bool) -> Bool { true }
    func receiveTunnelHeader(_ line: UnsafeRawBufferPointer) {}
    func receive(_ event: StreamEvent) {}
}

/// The task of a handshake, which keeps the orders that it is given.
final class FakeHandshakeTask: HandshakeTask {
    let currentRequest: URLRequest? = nil
    private let orders = Mutex<[WebSocketChannel.Order]>([])

    func resume() {}
    func resumeIfNew() {}
    func cancel() {}
    func post(_ order: WebSocketChannel.Order) { orders.withLock { $0.append(order) } }
    func reportOpening(_ subprotocol: String?) {}
    func reportClosing(_ closure: WebSocketTask.CloseFrame) {}

    var hasOrders: Bool { orders.withLock { !$0.isEmpty } }

    func takeOrders() -> [WebSocketChannel.Order] { orders.withLock { exchange(&$0, with: []) } }
}
#endif
