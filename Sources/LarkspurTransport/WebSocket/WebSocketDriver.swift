#if canImport(FoundationNetworking)
internal import CLibcurl
internal import HTTPSyntax

/// The driver of a WebSocket's connection. libcurl establishes the connection. The driver then performs the handshake
/// and exchanges frames.
///
/// Until a response is known to be a valid 101, the driver reports it to the carrier in the same way as libcurl. So
/// redirects, challenges and cookies work as in all tasks. The driver is used only on the loop's thread.
final class WebSocketDriver: SocketOwner {
    enum Phase {
        /// libcurl establishes the connection.
        case connecting
        /// The request is being sent, or the header section of the response is being received.
        case responding
        /// The response is not a 101. Its content is being received.
        case refused
        case open
        case ended
    }

    /// The maximum size of a line or a header section, in bytes.
    private static let lineLimit = 1 << 17
    /// The number of bytes after which other connections have their turn.
    private static let turnSize = 1 << 20
    private static let bufferSize = 1 << 16

    let carrier: any WebSocketCarrier
    let connection: WebSocketConnection
    let handle: any ByteConnection
    private let poll: EventPoll
    @exclusivity(unchecked) private var socket: Int32?
    @exclusivity(unchecked) var phase = Phase.connecting
    @exclusivity(unchecked) private var request: [UInt8]
    /// The incomplete last line of the response.
    @exclusivity(unchecked) private var line: [UInt8] = []
    @exclusivity(unchecked) var agreement = WebSocketHandshake.Agreement(subprotocol: nil, compression: nil)
    @exclusivity(unchecked) private var reader = WebSocketReader(role: .client)
    @exclusivity(unchecked) var writer = WebSocketWriter(role: .client)
    @exclusivity(unchecked) var output = WebSocketOutput()
    @exclusivity(unchecked) var pings = WebSocketPings()
    @exclusivity(unchecked) var intake = WebSocketIntake()
    @exclusivity(unchecked) var closing = WebSocketClosing()

    init(
        carrier: any WebSocketCarrier,
        connection: WebSocketConnection,
        handle: any ByteConnection,
        poll: EventPoll,
        request: [UInt8]
    ) {
        self.carrier = carrier
        self.connection = connection
        self.handle = handle
        self.poll = poll
        self.request = request
    }

    var isOpen: Bool { phase == .open }

    /// The time at which the next ping is due or the connection has to be closed, whichever is earlier.
    var deadline: LoopTime { min(pings.next, closing.deadline) }

    // MARK: The connection

    /// Begins the handshake on the connection that libcurl has established. Returns false if the handshake has already
    /// begun.
    func begin() -> Bool {
        guard phase == .connecting, let socket = handle.socket else { return false }
        self.socket = socket
        phase = .responding
        output.append(request)
        request = []
        flush()
        updateWatch()
        return true
    }

    /// Stops using the connection. The connection is then closed.
    func detach() {
        guard phase != .ended else { return }
        phase = .ended
        if let socket = socket.take() {
            poll.forget(socket)
            // When the transfer is removed, older versions of libcurl do not close its connection.
            if !Libcurl.isAtLeast(7, 88) { shutdown(socket, Int32(SHUT_RDWR)) }
        }
        let error = connection.channel.error()
        output.fail(with: error)
        pings.fail(with: error)
        closing.finish()
    }

    func socketIsReady(_ socket: Int32, _ conditions: SocketConditions) {
        if conditions.contains(.writable) || conditions.contains(.failed) {
            output.unblock()
            flush()
        }
        if phase != .ended, !conditions.isDisjoint(with: [.readable, .failed]) { receive() }
        updateWatch()
    }

    /// Watches the socket for the conditions that are currently needed.
    func updateWatch() {
        guard let socket, phase != .ended else { return }
        var conditions: SocketConditions = []
        if !intake.isPaused, !carrier.pausesReceiving { conditions.insert(.readable) }
        if output.isBlocked { conditions.insert(.writable) }
        if conditions.isEmpty { poll.forget(socket) } else { poll.watch(socket, for: conditions, owner: self) }
    }

    // MARK: Receiving

    /// Continues to read, unless the consumer is too slow. This method does not wait until the socket is readable,
    /// because TLS may already have buffered bytes from the socket.
    func goOn() {
        guard socket != nil, phase != .ended else { return }
        receive()
        updateWatch()
    }

    private func receive() {
        withUnsafeTemporaryAllocation(byteCount: Self.bufferSize, alignment: 16) { buffer in
            var count = 0
            while phase != .ended, phase != .connecting, !intake.isPaused, !carrier.pausesReceiving {
                switch handle.receive(into: buffer) {
                case .notReady: return
                case .failed(let result): return connectionEnded(result)
                case .bytes(0): return connectionEnded(nil)
                case .bytes(let size):
                    take(UnsafeRawBufferPointer(rebasing: buffer[..<size]))
                    count += size
                }
                if count >= Self.turnSize {
                    carrier.readLater()
                    return
                }
            }
        }
    }

    private func take(_ bytes: UnsafeRawBufferPointer) {
        carrier.touch()
        var rest = bytes[...]
        while phase == .responding, !rest.isEmpty {
            let end = rest.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? rest.endIndex
            line.append(contentsOf: rest[..<end])
            rest = rest[end...]
            guard line.last == UInt8(ascii: "\n") || line.count > Self.lineLimit else { return }
            let goesOn = line.withUnsafeBytes { carrier.receiveHeader($0) }
            line.removeAll(keepingCapacity: true)
            guard goesOn else { return endTransfer(CURLE_WRITE_ERROR) }
            if phase == .responding, carrier.isAnswered {
                phase = .refused
                if carrier.isContentComplete { return endTransfer(CURLE_OK) }
            }
        }
        guard !rest.isEmpty else { return }
        switch phase {
        case .refused: takeContent(UnsafeRawBufferPointer(rebasing: rest))
        case .open where intake.isHeld: intake.keep(rest)
        case .open: read(UnsafeRawBufferPointer(rebasing: rest))
        case .connecting, .responding, .ended: break
        }
    }

    /// Passes the content of a response that is not a 101 to the carrier.
    private func takeContent(_ bytes: UnsafeRawBufferPointer) {
        switch carrier.receiveContent(bytes) {
        case .taken: if carrier.isContentComplete { endTransfer(CURLE_OK) }
        // If the carrier does not take more content, the transfer ends. The carrier decides whether it can use the
        // response without the remaining content.
        case .paused, .refused: endTransfer(CURLE_WRITE_ERROR)
        }
    }

    /// Ends the transfer in the same way as libcurl.
    private func endTransfer(_ result: Int32) {
        guard phase != .ended else { return }
        detach()
        carrier.transferEnded(result)
    }

    func connectionEnded(_ result: Int32?) {
        switch phase {
        case .refused: endTransfer(result ?? CURLE_OK)
        case .connecting, .responding: endTransfer(result ?? CURLE_GOT_NOTHING)
        case .open:
            if let end = closing.end { return finish(end) }
            let place = reader.isBetweenMessages ? "without a close frame" : "in the middle of a message"
            let sentence = "The connection of the WebSocket was closed \(place)."
            finish(.failed(URLError.engine(.networkConnectionLost, sentence, url: carrier.url)))
        case .ended: break
        }
    }

    // MARK: Open

    /// Checks a 101 response. The carrier calls this method when the header section is complete. Returns false to stop
    /// the transfer.
    func accept(_ head: ResponseHead) -> Bool {
        let agreement: WebSocketHandshake.Agreement
        do throws(WebSocketHandshake.Failure) {
            agreement = try connection.handshake.agreement(
                version: head.version,
                status: head.status,
                fields: head.fields.map { (name: $0.key, value: $0.value) }
            )
        } catch {
            connection.refuse(WebSocketError(.refused, error.sentence, response: carrier.response))
            carrier.note(.engine(.badServerResponse, error.sentence, url: carrier.url))
            return false
        }
        reader = WebSocketReader(
            role: .client,
            limits: WebSocketReader.Limits(messageSize: connection.channel.maximumMessageSize),
            inflater: agreement.compression.map { MessageCompression.inflater($0, role: .client) }
        )
        writer = WebSocketWriter(
            role: .client,
            deflater: agreement.compression.flatMap { MessageCompression.deflater($0, role: .client) }
        )
        self.agreement = agreement
        phase = .open
        carrier.leaveHostForGood()
        schedulePing()
        if let attempt = connection.attempt {
            intake.hold()
            attempt.end(with: .open(carrier.response))
        } else {
            use()
        }
        carrier.noteDeadline()
        return true
    }

    func read(_ bytes: UnsafeRawBufferPointer) {
        for event in reader.read(bytes) {
            switch event {
            case .message(let message):
                // While the server's close frame is expected, the connection reads even if too many messages wait. So
                // further messages are discarded.
                if closing.hasBegun, intake.isFull { break }
                let isFull = !connection.receive(WebSocketTask.Message(message))
                intake.note(isFull: isFull, isClosing: closing.hasBegun)
            case .ping(let content): answerPing(content)
            case .pong(let content): pings.receivePong(content)
            case .close(let code, let reason):
                let frame = WebSocketTask.CloseFrame(
                    code: code.map { WebSocketTask.CloseCode(rawValue: Int($0)) },
                    reason: reason
                )
                closing.closeFrame = frame
                connection.noteCloseFrame(frame)
                sendClose(code, "")
                connection.end(.closed(frame))
                intake.readOn()
            case .failure(let failure):
                let error = WebSocketError(failure)
                closing.failure = error
                sendClose(failure.closeCode, failure.sentence)
                connection.end(.failed(error))
                intake.readOn()
            }
        }
        flush()
    }

    // MARK: The end

    func finish(_ end: WebSocketEnd) {
        guard phase != .ended else { return }
        connection.end(end)
        detach()
        carrier.webSocketEnded()
    }
}
#endif
