#if canImport(FoundationNetworking)
internal import CLibcurl

/// Content that is read from a stream or produced: its source, the pauses in sending, and the end of sending.
extension Exchange {
    /// Whether the content can be sent. If its stream is missing, reading this property requests a stream from the
    /// delegate.
    var hasContent: Bool {
        guard let content, case .stream(let stream) = content.body, content.streamReader == nil else { return true }
        if let stream {
            use(stream.value)
            return true
        }
        if !content.hasAskedForStream {
            self.content?.hasAskedForStream = true
            group.outbox.deliver(.needsBodyStream, to: task)
        }
        return false
    }

    func receive(_ chunk: StreamReader.Chunk, ofStream number: Int) {
        if case .stream(let stream) = chunk { return receive(stream.value) }
        guard let content, let streamReader = content.streamReader, number == content.streamNumber else { return }
        streamReader.receive(chunk)
        guard transaction.isTransferring, transfer.pauses.awaitsContent else { return }
        transfer.pauses.awaitsContent = false
        notePauses()
    }

    /// Connects the transfer, which has begun, with the production of the content.
    func attachProduction() {
        guard let content, let channel = content.channel else { return }
        let number = content.streamNumber
        let allowsTrailers = transfer.route.versions == .http1 && content.reader?.length == nil
        channel.attach(allowsTrailers: allowsTrailers) { [weak task] in
            if let task { task.session.loop.post(.produced(task, number: number)) }
        }
    }

    /// The time for which content waits for a 100 response, in milliseconds.
    static let continueTimeout = 1000

    /// Sends the content that waits for a 100 response, if the server reads it although it has sent a final response.
    ///
    /// The server reads the next bytes of the connection as the content (RFC 9112, section 9.3). But if the response
    /// ends before the wait ends, libcurl up to 8.16 sends another request in place of the content. A pause prevents
    /// the end of the transfer until ``sendUnasked()``. From 8.7 on, libcurl may end the transfer nevertheless. So the
    /// connection is used again only if all of the content was sent (RFC 9112, section 9.6).
    func sendUnasked(after head: ResponseHead) {
        guard transfer.pauses.awaitsContinue else { return }
        transfer.pauses.awaitsContinue = false
        guard head.status < 300 || task.keepsSending, head.version.utf8.starts(with: "HTTP/1".utf8),
            !head.closesConnection
        else { return }
        transfer.handle?.connectionUse.lacksContent = true
        transfer.pauses.isUnasked = true
        transfer.pauses.awaitsContent = true
        pauseTransfer(receiving: pausesReceiving, sending: true)
    }

    /// Ends the wait for a 100 response after a final response. Called after libcurl has passed on the response.
    func sendUnasked() {
        guard transfer.pauses.isUnasked, transaction.isTransferring else { return }
        transfer.pauses.isUnasked = false
        transfer.handle?.set(CURLOPT_EXPECT_100_TIMEOUT_MS, 0)
        transfer.pauses.awaitsContent = false
        notePauses()
    }

    /// Ends the production if the response has a status for which libcurl stops sending.
    func endProduction(after head: ResponseHead) {
        guard let content, case .produced = content.body else { return }
        transfer.ending.followsResponse = !head.version.utf8.starts(with: "HTTP/1".utf8)
        guard head.status >= 300, !task.keepsSending, content.channel?.isAtRest == false else { return }
        transfer.ending.followsResponse = true
        self.content?.endProduction(.answered(status: head.status))
    }

    /// Whether content is left to be sent.
    private var isSending: Bool { content?.channel.map { !$0.isAtRest } ?? true }

    /// Records a reason why the transfer may end before all content was sent. The loop checks the reason after it has
    /// run libcurl.
    private func note(_ end: CurlTransfer.EarlyEnd) {
        transfer.ending.early = end
        group.noteAnswer(to: self)
    }

    /// Records the end of the response's content, if sending ends with it.
    func noteContentEnd() {
        if transfer.ending.followsResponse, isSending, received.incoming.framed.hasEnded { note(.contentEnded) }
    }

    func noteUpload(_ event: StreamEvent, on connection: Int64?) {
        guard connection == transfer.handle?.connection else { return }
        if case .sent = event {} else { transfer.stream?.hasReadFrame = true }
        switch event {
        case .ended(transfer.stream?.number):
            if case .produced = content?.body, transfer.ending.early == nil { note(.streamEnded(after: -1)) }
        case .sent(transfer.stream?.number):
            transfer.stream?.isEndUnsent = false
            received.incoming.readAhead = 0
        default: break
        }
    }

    /// Receives the notification that libcurl no longer watches the socket of the transfer.
    func socketReleased() {
        guard transfer.ending.followsResponse, isSending, received.incoming.framed.framing == .close else { return }
        note(.connectionEnded)
    }

    /// Ends the transfer if the response is complete although content is left to be sent.
    func endEarly() {
        guard transaction.isTransferring, let end = transfer.ending.early.take(), isSending else { return }
        switch end {
        case .contentEnded: break
        case .connectionEnded: if pausesReceiving { return }
        case .streamEnded(let count):
            // libcurl may still buffer content. If it is made to read once more and then passes on nothing, it has
            // passed on all of the content.
            guard !pausesReceiving, transfer.response != nil, count == received.incoming.framed.count else {
                nudge()
                return note(.streamEnded(after: received.incoming.framed.count))
            }
        }
        // Content that is shorter than its announced length is still a failure.
        transferEnded(0)
    }

    // MARK: A reader that has paused

    func socketIsReady(_ socket: Int32) {
        if isPausedBothWays, transfer.handle?.mayUse(socket) == true { goOnSending() }
    }

    private var isPausedBothWays: Bool {
        transfer.pauses.awaitsContent && received.incoming.isPaused && !isSuspended && transaction.isTransferring
    }

    /// Makes libcurl send the content that it has taken, if no more content is available and the reader has paused.
    ///
    /// libcurl 8 waits for the socket of such a transfer. But when the socket is ready, it does nothing, because the
    /// transfer is paused in both directions. libcurl 7 sends the content that it has taken before it takes more.
    private func goOnSending() {
        transfer.stream?.hasReadFrame = false
        pauseTransfer(receiving: true, sending: false)
    }

    /// Makes libcurl read once more after it has read frames. Frames may remain in its buffers or in the buffers of the
    /// TLS library, although the socket is not readable. One of these frames can be the window update for which content
    /// waits.
    func readMoreFrames() {
        if transfer.stream?.hasReadFrame == true, isPausedBothWays { goOnSending() }
    }

    /// The number of bytes that are read while the reader has paused, so that the content of the request can end.
    ///
    /// A window update can arrive after as much response content as libcurl's window allows, which is 10 MiB. libcurl
    /// can buffer the same amount again.
    private static let readAhead = 32 << 20

    /// Records that libcurl has got the end of the request's content, whose length was not announced.
    func noteProvidedEnd() {
        guard let stream = transfer.stream, stream.number != nil, !stream.isEndUnsent else { return }
        transfer.stream?.isEndUnsent = true
        group.noteAnswer(to: self)
    }

    /// If END_STREAM waits for the window of the stream, continues to read although the reader has paused.
    ///
    /// libcurl itself does not wait for a window update then, because it takes all of the content as sent.
    func sendEnd() {
        guard transfer.stream?.isEndUnsent == true, transaction.isTransferring, !isSuspended else { return }
        received.incoming.readAhead = Self.readAhead
        resumeReceiving()
    }

    /// Continues with the content that was produced. If the production has failed, the transfer fails.
    func receiveProduction(_ number: Int) {
        guard number == content?.streamNumber, transaction.isTransferring else { return }
        if let failure = content?.channel?.failure { return fail(ChannelReader.error(failure)) }
        // After a response that ends the sending, there is no channel. The pause ends nevertheless, because libcurl
        // does not end a transfer while its sending is paused.
        guard transfer.pauses.awaitsContent else { return }
        transfer.pauses.awaitsContent = false
        notePauses()
    }

    /// Whether the content can be sent, again if necessary.
    func canSend(_ body: TaskBody) -> Bool {
        if case .produced(let produced) = body { produced.canBegin() } else { true }
    }

    private func receive(_ stream: InputStream?) {
        guard case .waiting = transaction.phase, let content, content.hasAskedForStream, content.streamReader == nil
        else {
            return
        }
        self.content?.hasAskedForStream = false
        guard let stream else {
            return fail(engineError(.requestBodyStreamExhausted, "There is no stream with the content to be sent."))
        }
        use(stream)
        enqueue()
    }

    private func use(_ stream: InputStream) {
        guard var content else { return }
        // The stream can be read only once, so a later transaction needs another stream.
        content.body = .stream(nil)
        let task = task
        content.streamNumber += 1
        let pump = StreamReader.Pump(stream) { [weak task, number = content.streamNumber] chunk in
            if let task { task.session.loop.post(.body(task, chunk, ofStream: number)) }
        }
        content.streamReader = StreamReader(pump)
        self.content = content
        pump.readMore()
    }
}
#endif
