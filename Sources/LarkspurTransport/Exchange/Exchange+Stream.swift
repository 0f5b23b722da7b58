#if canImport(FoundationNetworking)
/// Content that comes from streams: where they come from, and what they give.
extension Exchange {
    /// Whether the content can be sent; if it is a stream that there is none of yet, one is asked for.
    var hasBody: Bool {
        guard case .stream(let stream) = body, streamReader == nil else { return true }
        if let stream {
            use(stream.value)
            return true
        }
        if !hasAskedForStream {
            hasAskedForStream = true
            reactor.deliver(.needsBodyStream, to: task)
        }
        return false
    }

    func receive(_ chunk: BodyPump.Chunk, ofStream number: Int) {
        if case .stream(let stream) = chunk { return receive(stream.value) }
        guard let streamReader, number == streamNumber else { return }
        streamReader.receive(chunk)
        guard stage == .transferring, isSendingPaused else { return }
        isSendingPaused = false
        applyPauses()
    }

    private func receive(_ stream: InputStream?) {
        guard stage == .waiting, hasAskedForStream, streamReader == nil else { return }
        hasAskedForStream = false
        guard let stream else {
            return finish(
                .engine(
                    .requestBodyStreamExhausted,
                    "There is no stream with the content to be sent.",
                    url: request.url
                )
            )
        }
        use(stream)
        enqueue()
    }

    private func use(_ stream: InputStream) {
        // A later transaction needs another one.
        body = .stream(nil)
        let task = task
        streamNumber += 1
        let pump = BodyPump(stream) { [weak task, number = streamNumber] chunk in
            if let task { task.session.loop.post(.body(task, chunk, ofStream: number)) }
        }
        streamReader = StreamReader(pump)
        pump.readMore()
    }
}
#endif
