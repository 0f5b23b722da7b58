#if canImport(FoundationNetworking)
/// Content from streams: the source of the streams, and the chunks that are read from them.
extension Exchange {
    /// Whether the content can be sent. If its stream is missing, reading this property requests a stream from the
    /// delegate.
    var hasContent: Bool {
        guard case .stream(let stream) = content.body, content.streamReader == nil else { return true }
        if let stream {
            use(stream.value)
            return true
        }
        if !content.hasAskedForStream {
            content.hasAskedForStream = true
            group.outbox.deliver(.needsBodyStream, to: task)
        }
        return false
    }

    func receive(_ chunk: BodyPump.Chunk, ofStream number: Int) {
        if case .stream(let stream) = chunk { return receive(stream.value) }
        guard let streamReader = content.streamReader, number == content.streamNumber else { return }
        streamReader.receive(chunk)
        guard transaction.isTransferring, transfer.isSendingPaused else { return }
        transfer.isSendingPaused = false
        applyPauses()
    }

    /// Connects the production of the content with the transfer that has begun.
    func attachProduction() {
        guard let channel = content.channel else { return }
        let number = content.streamNumber
        channel.attach(allowsTrailers: transfer.versions == .http1 && content.reader?.length == nil) { [weak task] in
            if let task { task.session.loop.post(.produced(task, number: number)) }
        }
    }

    /// Ends the production if the response has a status for which libcurl stops sending.
    func endProduction(after head: ResponseHead) {
        guard case .produced = content.body else { return }
        transfer.endsWithResponse = !head.version.utf8.starts(with: "HTTP/1".utf8)
        guard head.status >= 300, !task.keepsSending, content.channel?.isAtRest == false else { return }
        transfer.endsWithResponse = true
        content.endProduction(.answered(status: head.status))
    }

    /// Whether content is left to be sent.
    private var isSending: Bool { content.channel.map { !$0.isAtRest } ?? true }

    /// Records a reason why the transfer may end before all content was sent. The loop looks at it after libcurl.
    private func note(_ end: Transfer.EarlyEnd) {
        transfer.earlyEnd = end
        group.noteAnswer(to: self)
    }

    /// Records the end of the response's content, if it ends the sending.
    func noteContentEnd() {
        if transfer.endsWithResponse, isSending, sink.incoming.framed.hasEnded { note(.contentEnded) }
    }

    func streamEnded(_ number: Int, on connection: Int64?) {
        guard case .produced = content.body, number == transfer.streamNumber,
            connection == transfer.handle?.connection, transfer.earlyEnd == nil
        else { return }
        note(.streamEnded(after: -1))
    }

    /// Is notified that libcurl waits for nothing on the socket of the transfer.
    func socketReleased() {
        guard transfer.endsWithResponse, isSending, sink.incoming.framed.framing == .close else { return }
        note(.connectionEnded)
    }

    /// Ends the transfer if the response is complete although content is left to be sent.
    func endEarly() {
        guard transaction.isTransferring, let end = transfer.earlyEnd.take(), isSending else { return }
        switch end {
        case .contentEnded: break
        case .connectionEnded: if isSuspended || sink.incoming.isPaused { return }
        case .streamEnded(let count):
            // libcurl may have more of the content. It has passed on all of it if it passes on nothing when it is read.
            guard !isSuspended, !sink.incoming.isPaused, transfer.response != nil, count == sink.incoming.framed.count
            else {
                nudge()
                return note(.streamEnded(after: sink.incoming.framed.count))
            }
        }
        transfer.isCutShort = true
        transferEnded(0)
    }

    /// Continues with content that was produced, or fails if the production has failed.
    func receiveProduction(_ number: Int) {
        guard number == content.streamNumber, transaction.isTransferring else { return }
        if let failure = content.channel?.failure { return fail(ChannelReader.error(failure)) }
        // There is no channel after a response that ends the sending. libcurl ends no transfer whose sending is paused.
        guard transfer.isSendingPaused else { return }
        transfer.isSendingPaused = false
        applyPauses()
    }

    /// Whether the content can be sent, again if necessary.
    func canSend(_ body: RequestBody) -> Bool {
        if case .produced(let produced) = body { produced.canBegin() } else { true }
    }

    private func receive(_ stream: InputStream?) {
        guard case .waiting = transaction.phase, content.hasAskedForStream, content.streamReader == nil else { return }
        content.hasAskedForStream = false
        guard let stream else {
            return fail(
                .engine(
                    .requestBodyStreamExhausted,
                    "There is no stream with the content to be sent.",
                    url: destination.url
                )
            )
        }
        use(stream)
        enqueue()
    }

    private func use(_ stream: InputStream) {
        // The stream is read once, so a later transaction needs another one.
        content.body = .stream(nil)
        let task = task
        content.streamNumber += 1
        let pump = BodyPump(stream) { [weak task, number = content.streamNumber] chunk in
            if let task { task.session.loop.post(.body(task, chunk, ofStream: number)) }
        }
        content.streamReader = StreamReader(pump)
        pump.readMore()
    }
}
#endif
