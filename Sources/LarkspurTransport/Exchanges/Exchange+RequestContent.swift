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
        guard head.status >= 300, !task.keepsSending, content.channel?.isAtRest == false else { return }
        content.endProduction(.answered(status: head.status))
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
