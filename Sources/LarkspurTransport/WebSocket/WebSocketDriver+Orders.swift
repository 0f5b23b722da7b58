#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The part of the driver that performs the program's orders, sends, and handles the timers.
extension WebSocketDriver {
    /// Performs an order. If the connection has ended or is being closed, the order waits for the next connection. If
    /// no other connection follows, the order fails.
    func perform(_ order: WebSocketChannel.Order) {
        guard phase == .open else {
            if case .goOn = order { return goOn() }
            return connection.takeBack(order)
        }
        switch order {
        case .use:
            if intake.release() { use() }
        case .consumed where intake.isHeld: break
        case .consumed:
            intake.note(isFull: false)
            goOn()
        case .goOn: goOn()
        case .send(let message, let answer):
            guard !closing.hasBegun else { return connection.takeBack(order, orFail: .closing) }
            var bytes: [UInt8] = []
            do throws(WebSocketFailure) {
                try writer.write(message, into: &bytes)
            } catch {
                return answer(.failure(WebSocketError(error)))
            }
            output.append(bytes, answer)
        case .ping(let answer):
            guard !closing.hasBegun else { return connection.takeBack(order, orFail: .closing) }
            sendPing(answer)
        case .close(let frame, let answer):
            closing.add(answer)
            sendClose(frame.code.map { UInt16(clamping: $0.rawValue) }, frame.reason)
        }
        flush()
        updateWatch()
        carrier.noteDeadline()
    }

    /// Begins to use the open connection. Performs the orders that have waited, and begins to read.
    func use() {
        let (orders, isFull) = connection.channel.open(agreement, of: connection.attempt)
        intake.note(isFull: isFull)
        for order in orders { perform(order) }
        let bytes = intake.takeKept()
        if phase == .open, !bytes.isEmpty { bytes.withUnsafeBytes { read($0) } }
        if connection.attempt != nil { goOn() }
    }

    func sendPing(_ answer: WebSocketChannel.Completion?) {
        let content = pings.add(answer)
        write { try? $0.writePing(content, into: &$1) }
    }

    /// Sends a pong. Each pong is sent before the next ping is processed. So if the server reads, it receives a pong
    /// for each of its pings.
    func answerPing(_ content: Data) {
        var bytes: [UInt8] = []
        try? writer.writePong(content, into: &bytes)
        output.setPong(bytes)
        send()
    }

    func sendClose(_ code: UInt16?, _ reason: String) {
        guard closing.begin(until: carrier.now.adding(connection.channel.options.closeTimeout)) else { return }
        intake.readOn()
        pings.schedule(every: nil, from: carrier.now)
        write { try? $0.writeClose(code: code, reason: reason, into: &$1) }
        carrier.noteDeadline()
    }

    func write(_ body: (inout WebSocketWriter, inout [UInt8]) -> Void) {
        var bytes: [UInt8] = []
        body(&writer, &bytes)
        if !bytes.isEmpty { output.append(bytes) }
    }

    /// Sends as many bytes as the connection accepts. If sending fails, ends the WebSocket.
    func flush() {
        guard phase != .ended else { return }
        send()
        if let failure = output.failure { connectionEnded(failure) }
    }

    private func send() {
        output.send { bytes in
            let result = handle.send(bytes)
            if case .bytes = result { carrier.touch() }
            return result
        }
    }

    // MARK: Time

    /// Sends a ping or ends the connection, depending on which is due. Called at the time ``deadline``.
    func expire(at now: LoopTime) {
        if now >= closing.deadline { return finish(closing.end ?? .closed(nil)) }
        guard now >= pings.next else { return }
        // If reading is paused, the pong may have arrived, but may not be read yet.
        if !intake.isPaused, !carrier.isSuspended, pings.awaitsOwn {
            let interval = (connection.channel.options.pingInterval ?? .zero) / .seconds(1)
            let sentence = "The server did not answer a ping within \(interval) seconds."
            return finish(.failed(URLError.engine(.timedOut, sentence, url: carrier.url)))
        }
        if !pings.awaitsOwn { sendPing(nil) }
        schedulePing()
        flush()
        updateWatch()
    }

    func schedulePing() { pings.schedule(every: connection.channel.options.pingInterval, from: carrier.now) }
}
#endif
