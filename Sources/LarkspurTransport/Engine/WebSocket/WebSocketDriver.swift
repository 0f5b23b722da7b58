#if canImport(FoundationNetworking)
internal import CLibcurl
internal import HTTPSyntax

/// The connection of a WebSocket: the handshake, and then the frames, over a connection that libcurl has made.
///
/// Until the response is known not to be a 101 or to be a valid one, the exchange is told of it as libcurl would tell.
/// So redirects, challenges and cookies are those of all tasks. The driver belongs to the loop's thread.
final class WebSocketDriver: SocketOwner {
    private enum Phase {
        /// libcurl makes the connection.
        case connecting
        /// The request is sent, and the header section of the response received.
        case responding
        /// The server responds with something else, whose content is received.
        case refused
        case open
        case ended
    }

    /// A piece of output, which stays at its address until it is sent.
    private struct Output {
        let bytes: [UInt8]
        let answer: WebSocketChannel.Answer?
        var sent = 0
    }

    /// The largest size of a line, and of a header section, in bytes.
    private static let lineLimit = 1 << 17
    /// The number of bytes that are read before other connections have their turn.
    private static let turnSize = 1 << 20
    private static let bufferSize = 1 << 16

    /// The exchange, which leaves the driver when its transfer ends.
    private let exchange: Exchange
    private let channel: WebSocketChannel
    private let handle: EasyHandle
    private let poll: EventPoll
    @exclusivity(unchecked) private var socket: Int32?
    @exclusivity(unchecked) private var phase = Phase.connecting
    @exclusivity(unchecked) private var request: [UInt8]
    /// The line of the response that is not complete.
    @exclusivity(unchecked) private var line: [UInt8] = []
    @exclusivity(unchecked) private var reader = WebSocketReader(role: .client)
    @exclusivity(unchecked) private var writer = WebSocketWriter(role: .client)
    @exclusivity(unchecked) private var outputs: [Output] = []
    /// The number of outputs that have been sent.
    @exclusivity(unchecked) private var sentOutputs = 0
    /// Whether the consumer is too slow.
    @exclusivity(unchecked) private var isPaused = false
    /// Whether as many messages wait for the consumer as may.
    @exclusivity(unchecked) private var isInboxFull = false
    /// Whether the socket has no room for more output.
    @exclusivity(unchecked) private var isBlocked = false
    /// The pings that wait for their pongs, the oldest first; nil as the answer of the engine's own.
    @exclusivity(unchecked) private var pings: [(content: Data, answer: WebSocketChannel.Answer?)] = []
    @exclusivity(unchecked) private var pingNumber: UInt64 = 0
    @exclusivity(unchecked) private var nextPing = LoopTime.distantFuture
    @exclusivity(unchecked) private var closeDeadline = LoopTime.distantFuture
    @exclusivity(unchecked) private var hasSentClose = false
    @exclusivity(unchecked) private var closure: WebSocketTask.Closure?
    /// The failure of the other side, which is reported when the connection is closed.
    @exclusivity(unchecked) private var failure: (any Error)?
    @exclusivity(unchecked) private var closers: [WebSocketChannel.Answer] = []

    init(exchange: Exchange, channel: WebSocketChannel, handle: EasyHandle, poll: EventPoll, request: [UInt8]) {
        self.exchange = exchange
        self.channel = channel
        self.handle = handle
        self.poll = poll
        self.request = request
    }

    var isOpen: Bool { phase == .open }

    /// The time at which the connection has something to do by itself.
    var deadline: LoopTime { min(nextPing, closeDeadline) }

    // MARK: The connection

    /// Begins the handshake when libcurl has made the connection; false if that was done before.
    func begin() -> Bool {
        guard phase == .connecting, let socket = handle.socket else { return false }
        self.socket = socket
        phase = .responding
        outputs.append(Output(bytes: request, answer: nil))
        request = []
        flush()
        updateWatch()
        return true
    }

    /// Leaves the connection, which is then closed.
    func detach() {
        guard phase != .ended else { return }
        phase = .ended
        if let socket = socket.take() {
            poll.forget(socket)
            // Older versions keep such a connection when its transfer is removed.
            if !Libcurl.isAtLeast(7, 88) { shutdown(socket, Int32(SHUT_RDWR)) }
        }
        let error = channel.error()
        for output in outputs[sentOutputs...] { output.answer?(.failure(error)) }
        for ping in pings { ping.answer?(.failure(error)) }
        for closer in closers { closer(.success(())) }
        outputs = []
        sentOutputs = 0
        pings = []
        closers = []
    }

    func socketIsReady(_ socket: Int32, _ conditions: SocketConditions) {
        if conditions.contains(.writable) || conditions.contains(.failed) {
            isBlocked = false
            flush()
        }
        if phase != .ended, !conditions.isDisjoint(with: [.readable, .failed]) { receive() }
        updateWatch()
    }

    /// Watches the socket for what is wanted of it now.
    func updateWatch() {
        guard let socket, phase != .ended else { return }
        var conditions: SocketConditions = []
        if !isPaused, !exchange.pausesReceiving { conditions.insert(.readable) }
        if isBlocked { conditions.insert(.writable) }
        if conditions.isEmpty { poll.forget(socket) } else { poll.watch(socket, for: conditions, owner: self) }
    }

    // MARK: Receiving

    /// Reads on, unless the consumer is too slow. TLS may hold bytes that the socket no longer has.
    func goOn() {
        guard socket != nil, phase != .ended else { return }
        receive()
        updateWatch()
    }

    private func receive() {
        withUnsafeTemporaryAllocation(byteCount: Self.bufferSize, alignment: 16) { buffer in
            var count = 0
            while phase != .ended, phase != .connecting, !isPaused, !exchange.pausesReceiving {
                switch handle.receive(into: buffer) {
                case .notReady: return
                case .failed(let result): return connectionEnded(result)
                case .bytes(0): return connectionEnded(nil)
                case .bytes(let size):
                    take(UnsafeRawBufferPointer(rebasing: buffer[..<size]))
                    count += size
                }
                if count >= Self.turnSize {
                    exchange.task.session.loop.post(.webSocket(exchange.task, .goOn))
                    return
                }
            }
        }
    }

    private func take(_ bytes: UnsafeRawBufferPointer) {
        exchange.touch()
        var rest = bytes[...]
        while phase == .responding, !rest.isEmpty {
            let end = rest.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? rest.endIndex
            line.append(contentsOf: rest[..<end])
            rest = rest[end...]
            guard line.last == UInt8(ascii: "\n") || line.count > Self.lineLimit else { return }
            let goesOn = line.withUnsafeBytes { exchange.receiveHeader($0) }
            line.removeAll(keepingCapacity: true)
            guard goesOn else { return endTransfer(CURLE_WRITE_ERROR) }
            if phase == .responding, exchange.transfer.response != nil || exchange.transaction.failure != nil {
                phase = .refused
                if exchange.sink.incoming.framed.isComplete { return endTransfer(CURLE_OK) }
            }
        }
        guard !rest.isEmpty else { return }
        switch phase {
        case .refused: takeContent(UnsafeRawBufferPointer(rebasing: rest))
        case .open: read(UnsafeRawBufferPointer(rebasing: rest))
        case .connecting, .responding, .ended: break
        }
    }

    /// Passes on the content of a response that refuses the handshake.
    private func takeContent(_ bytes: UnsafeRawBufferPointer) {
        switch exchange.receiveContent(bytes) {
        case .taken: if exchange.sink.incoming.framed.isComplete { endTransfer(CURLE_OK) }
        // What has arrived of it decides.
        case .paused, .refused: endTransfer(CURLE_WRITE_ERROR)
        }
    }

    /// Ends the transfer as libcurl would.
    private func endTransfer(_ result: Int32) {
        guard phase != .ended else { return }
        detach()
        exchange.transferEnded(result)
    }

    private func connectionEnded(_ result: Int32?) {
        switch phase {
        case .refused: endTransfer(result ?? CURLE_OK)
        case .connecting, .responding: endTransfer(result ?? CURLE_GOT_NOTHING)
        case .open:
            if let failure { return finish(.failed(failure)) }
            if closure != nil { return finish(.closed(closure)) }
            finish(
                .failed(
                    URLError.engine(
                        .networkConnectionLost,
                        reader.isBetweenMessages
                            ? "The connection of the WebSocket was closed without a close frame."
                            : "The connection of the WebSocket was closed in the middle of a message.",
                        url: exchange.request.url
                    )
                )
            )
        case .ended: break
        }
    }

    // MARK: Open

    /// Checks a response with the status 101, from within the header section; false stops the transfer.
    func accept(_ head: ResponseHead) -> Bool {
        let agreement: WebSocketHandshake.Agreement
        do throws(WebSocketHandshake.Failure) {
            agreement = try channel.handshake.agreement(
                status: head.status,
                fields: head.fields.map { (name: $0.key, value: $0.value) }
            )
        } catch {
            channel.end(
                .failed(WebSocketError(.refused, error.sentence, response: exchange.transfer.response))
            )
            exchange.transaction.note(
                .engine(.badServerResponse, error.sentence, url: exchange.request.url)
            )
            return false
        }
        let limits = WebSocketReader.Limits(messageSize: channel.options.maximumMessageSize)
        reader = WebSocketReader(
            role: .client,
            limits: limits,
            inflater: agreement.compression.map { MessageCompression.inflater($0, role: .client) }
        )
        writer = WebSocketWriter(
            role: .client,
            deflater: agreement.compression.flatMap { MessageCompression.deflater($0, role: .client) }
        )
        phase = .open
        exchange.leaveHostForGood()
        schedulePing()
        for order in channel.open(agreement) { perform(order) }
        exchange.noteDeadline()
        return true
    }

    private func read(_ bytes: UnsafeRawBufferPointer) {
        for event in reader.read(bytes) {
            switch event {
            case .message(let message):
                // While the server's close frame is awaited, reading goes on, and what nobody consumes is dropped.
                if hasSentClose, isInboxFull { break }
                isInboxFull = !channel.receive(WebSocketTask.Message(message))
                isPaused = isInboxFull && !hasSentClose
            case .ping(let content): if !hasSentClose { write { try? $0.writePong(content, into: &$1) } }
            case .pong(let content): receivePong(content)
            case .close(let code, let reason):
                let closure = WebSocketTask.Closure(
                    code: code.map { WebSocketTask.CloseCode(rawValue: Int($0)) },
                    reason: reason
                )
                self.closure = closure
                channel.noteClosure(closure)
                sendClose(code, "")
                channel.end(.closed(closure))
                isPaused = false
            case .failure(let failure):
                let error = WebSocketError(failure)
                self.failure = error
                sendClose(failure.closeCode, failure.sentence)
                channel.end(.failed(error))
                isPaused = false
            }
        }
        flush()
    }

    private func receivePong(_ content: Data) {
        // A pong answers all pings up to its own (RFC 6455, section 5.5.3).
        guard let index = pings.firstIndex(where: { $0.content == content }) else { return }
        for ping in pings[...index] { ping.answer?(.success(())) }
        pings.removeSubrange(...index)
    }

    // MARK: Sending

    func perform(_ order: WebSocketChannel.Order) {
        guard phase == .open else {
            if case .goOn = order { return goOn() }
            return order.fail(channel.error())
        }
        switch order {
        case .consumed:
            isInboxFull = false
            isPaused = false
            goOn()
        case .goOn: goOn()
        case .send(let message, let answer):
            guard !hasSentClose else { return answer(.failure(WebSocketError.closing)) }
            var bytes: [UInt8] = []
            do throws(WebSocketFailure) {
                try writer.write(message, into: &bytes)
            } catch {
                return answer(.failure(WebSocketError(error)))
            }
            append(bytes, answer)
        case .ping(let answer):
            guard !hasSentClose else { return answer(.failure(WebSocketError.closing)) }
            sendPing(answer)
        case .close(let closure, let answer):
            closers.append(answer)
            sendClose(closure.code.map { UInt16(clamping: $0.rawValue) }, closure.reason)
        }
        flush()
        updateWatch()
        exchange.noteDeadline()
    }

    private func sendPing(_ answer: WebSocketChannel.Answer?) {
        pingNumber &+= 1
        let content = withUnsafeBytes(of: pingNumber.bigEndian) { Data($0) }
        pings.append((content, answer))
        write { try? $0.writePing(content, into: &$1) }
    }

    private func sendClose(_ code: UInt16?, _ reason: String) {
        guard !hasSentClose else { return }
        hasSentClose = true
        isPaused = false
        nextPing = .distantFuture
        closeDeadline = exchange.loop.now.adding(channel.options.closeTimeout)
        write { try? $0.writeClose(code: code, reason: reason, into: &$1) }
        exchange.noteDeadline()
    }

    private func write(_ body: (inout WebSocketWriter, inout [UInt8]) -> Void) {
        var bytes: [UInt8] = []
        body(&writer, &bytes)
        if !bytes.isEmpty { append(bytes, nil) }
    }

    private func append(_ bytes: [UInt8], _ answer: WebSocketChannel.Answer?) {
        outputs.append(Output(bytes: bytes, answer: answer))
    }

    /// Sends as much as the connection takes.
    private func flush() {
        while !isBlocked, phase != .ended, sentOutputs < outputs.count {
            let output = outputs[sentOutputs]
            let result = output.bytes.withUnsafeBytes {
                handle.send(UnsafeRawBufferPointer(rebasing: $0[output.sent...]))
            }
            switch result {
            case .notReady: isBlocked = true
            case .failed(let result): return connectionEnded(result)
            case .bytes(let count):
                exchange.touch()
                outputs[sentOutputs].sent += count
                guard outputs[sentOutputs].sent == output.bytes.count else { break }
                sentOutputs += 1
                output.answer?(.success(()))
            }
        }
        guard sentOutputs > 64 || sentOutputs == outputs.count else { return }
        outputs.removeFirst(sentOutputs)
        sentOutputs = 0
    }

    // MARK: Time

    /// Does what is due; called when ``deadline`` has come.
    func expire(at now: LoopTime) {
        if now >= closeDeadline {
            if let failure { return finish(.failed(failure)) }
            return finish(.closed(closure))
        }
        guard now >= nextPing else { return }
        // While nothing is read, no pong is either.
        if !isPaused, !exchange.isSuspended, pings.contains(where: { $0.answer == nil }) {
            let sentence = "The server did not answer a ping within \(channel.options.pingInterval ?? 0) seconds."
            return finish(.failed(URLError.engine(.timedOut, sentence, url: exchange.request.url)))
        }
        if !pings.contains(where: { $0.answer == nil }) { sendPing(nil) }
        schedulePing()
        flush()
        updateWatch()
    }

    private func schedulePing() {
        nextPing = channel.options.pingInterval.map { exchange.loop.now.adding(max($0, 0.001)) } ?? .distantFuture
    }

    // MARK: The end

    private func finish(_ end: WebSocketChannel.End) {
        guard phase != .ended else { return }
        channel.end(end)
        detach()
        exchange.finish(.success)
    }
}
#endif
