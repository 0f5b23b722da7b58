#if canImport(FoundationNetworking)
/// The content of responses: its decoding, and where it goes.
extension Exchange {
    func receiveContent(_ bytes: UnsafeRawBufferPointer) -> EasyHandle.Reception {
        touch()
        guard failure == nil else { return .refused }
        if isSuspended { return .paused }
        guard !bytes.isEmpty else { return .taken }
        guard response != nil else {
            failure = .engine(.badServerResponse, "The server sends content before a response.", url: request.url)
            return .refused
        }
        settleRefusal()
        // The last piece of what came before may have filled the backlog.
        if isReceivingPaused || mustWait {
            isReceivingPaused = true
            return .paused
        }
        framed.take(bytes).withUnsafeBytes { content in
            switch fate {
            // Decoded only if it is delivered after all.
            case .kept: kept.append(contentsOf: content)
            case .discarded: break
            case .delivered: take(content)
            }
        }
        if let broken = framed.failure {
            failure = failure ?? .engine(.cannotParseResponse, broken.sentence, url: request.url)
        }
        // To read a little saves a connection, to read much costs more than that.
        return failure == nil && (fate != .discarded || framed.count <= Self.discardLimit) ? .taken : .refused
    }

    /// The length of content that is read though it has no use, in bytes.
    private static let discardLimit: Int64 = 1 << 16

    private var mustWait: Bool {
        switch fate {
        case .kept: kept.count >= Backlog.upperMark
        case .delivered: task.backlog.pausesTransfer()
        case .discarded: false
        }
    }

    /// Takes out of its codings what has come, and delivers it.
    ///
    /// It pauses in the middle if its consumer does not keep up. Nothing is thrown, for libcurl has called: the failure
    /// is noted.
    func take(_ bytes: UnsafeRawBufferPointer) {
        guard let decoder else {
            if let error = deliver(bytes) { failure = error }
            return
        }
        do throws(ContentDecoder.Failure) {
            try decoder.decode(bytes) { piece in
                let error = deliver(piece)
                if let error { failure = error }
                if task.backlog.pausesTransfer() { isReceivingPaused = true }
                return error == nil && !isReceivingPaused
            }
        } catch {
            failure = .engine(.cannotDecodeContentData, error.sentence, url: request.url)
        }
    }

    func resumeReceiving() {
        guard isReceivingPaused else { return }
        isReceivingPaused = false
        goOn()
    }

    /// Goes on where a pause has stopped it: with content that was not decoded yet, then with the transfer.
    func goOn() {
        if stage == .replaying { return replay() }
        guard stage == .transferring || stage == .emptying else { return }
        if !isReceivingPaused, !isSuspended, decoder?.hasRest == true {
            take(UnsafeRawBufferPointer(start: nil, count: 0))
        }
        if stage == .transferring, failure == nil { applyPauses() }
        // libcurl may have offered more, of which nothing comes any more.
        if let failure { return finish(failure) }
        if stage == .emptying { endContent() }
    }

    /// All content has come: the task ends, as soon as the last of it is decoded.
    func endContent() {
        if let failure { return finish(failure) }
        guard decoder?.hasRest != true else {
            stage = .emptying
            return
        }
        task.noteDecodedBytes(decodedBytes)
        if let error = truncation ?? shortfall { return finish(error) }
        do throws(ContentDecoder.Failure) {
            try decoder?.finish()
            storeKept()
            finish(nil as (any Error)?)
        } catch {
            finish(.engine(.cannotDecodeContentData, error.sentence, url: request.url))
        }
    }

    /// The failure of a task that would collect so much content; nil where it collects none, or may.
    func excess(of count: Int64) -> URLError? {
        guard let limit = reactor.settings.options.maximumContentSize, count > limit, !task.isPiecewise,
            task.kind != .download
        else { return nil }
        return .engine(
            .dataLengthExceedsMaximum,
            "The content has more than the \(limit) bytes that its session allows.",
            url: request.url
        )
    }

    /// Hands content on to where the task wants it.
    func deliver(_ data: Data) -> URLError? { data.withUnsafeBytes { deliver($0) } }

    private func deliver(_ bytes: UnsafeRawBufferPointer) -> URLError? {
        let count = Int64(bytes.count)
        decodedBytes += count
        if caching?.incoming != nil { keep(bytes) }
        if task.kind == .download {
            do throws(URLError) {
                try write(bytes)
            } catch {
                return error
            }
        } else if let excess = excess(of: Int64(content.count) + count) {
            return excess
        } else if !task.isPiecewise {
            content.append(contentsOf: bytes)
        } else {
            task.backlog.add(bytes.count)
            reactor.deliver(.data(Data(bytes)), to: task)
        }
        var total: Int64 = 0
        var expected: Int64 = 0
        task.count {
            $0.received += count
            total = $0.received
            expected = $0.expectedToReceive
        }
        if task.kind == .download, task.tellsDownload {
            reactor.deliver(.wrote(count, total: total, expected: expected), to: task)
        }
        return nil
    }
}
#endif
