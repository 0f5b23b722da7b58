#if canImport(FoundationNetworking)
internal import CLibcurl

/// The execution of one task by the loop. An exchange performs the actions of its transactions, one request after the
/// other, until the task ends.
///
/// The exchange belongs to the loop's thread. The attribute `@exclusivity(unchecked)` is safe for this and other
/// classes of the thread, because no code of the caller runs while such a property changes. Without the attribute, the
/// checks at run time took 7 % of the instructions of a small GET.
final class Exchange: DeadlineHolder {
    /// The end of a task.
    enum Outcome {
        case success
        case failure(any Error)
    }

    let task: TaskCore
    unowned let group: ExchangeGroup
    @exclusivity(unchecked) var deadlineIndex: Int?
    @exclusivity(unchecked) var isSuspended = false
    /// The ticket in the queue of the host; nil if the exchange does not wait there.
    @exclusivity(unchecked) var ticket: Int?
    /// The queue of the host, in which the exchange waits or has a place.
    @exclusivity(unchecked) private(set) var host: HostQueue?
    @exclusivity(unchecked) private var wait = Wait()
    @exclusivity(unchecked) var current: CurrentRequest
    @exclusivity(unchecked) var transaction: Transaction
    @exclusivity(unchecked) var transfer = CurlTransfer()
    /// The content of the requests; nil if no request of the task has had content yet.
    @exclusivity(unchecked) var content: SentBody?
    let received: ReceivedContent
    @exclusivity(unchecked) var history = TaskHistory()
    /// The driver of a WebSocket; nil for other tasks, and while there is no transfer.
    @exclusivity(unchecked) var webSocket: WebSocketDriver?
    @exclusivity(unchecked) private var timers: TaskTimers

    /// Creates an exchange; nil if the task has no request. A task without a request fails before it reaches the loop.
    init?(task: TaskCore, group: ExchangeGroup) {
        guard let original = task.plan.originalRequest else { return nil }
        let secured = group.settings.secured(original)
        let request = secured ?? original
        self.task = task
        self.group = group
        current = CurrentRequest(request: request, destination: group.destination(of: request.url))
        transaction = Transaction(url: current.destination.url)
        content = SentBody(task.plan.body)
        received = ReceivedContent(task: task, group: group)
        timers = TaskTimers(
            now: group.now,
            start: task.timerStart(at: group.now),
            resourceTimeout: group.settings.resourceTimeout,
            idleTimeout: group.settings.idleTimeout(of: request)
        )
        guard let secured else { return }
        history.securedRequest = secured
        task.setCurrentRequest(secured)
    }

    /// The task's first request as it is sent. Its scheme is https if HSTS requires this.
    var firstRequest: URLRequest? { history.securedRequest ?? task.plan.originalRequest }

    /// The current request.
    var request: URLRequest {
        get { current.request }
        _modify { yield &current.request }
    }

    var destination: Destination { current.destination }

    /// Begins the request: with a `URLProtocol` that claims it, otherwise with the cache or the network.
    func start() {
        group.deadlines.advance(timers.deadline(isIdleTimed: false), of: self)
        if task.plan.resumption != nil { prepareResumption() }
        received.url = destination.url
        if task.plan.webSocket == nil, load(byProtocolOf: group.settings.protocols) {
            _ = task.leaveQueue()
        } else {
            load()
        }
    }

    /// Begins another request in place of the current one.
    func beginNext(_ next: URLRequest, body: TaskBody) {
        if transaction.isTransferring { releaseHandle() }
        current = CurrentRequest(request: next, destination: group.destination(of: next.url))
        transaction = Transaction(url: destination.url)
        received.incoming = ReceivedContent.Incoming()
        if content == nil { content = SentBody(body) } else { content?.beginNext(body) }
        start()
    }

    /// Queues the request for a connection to its host, if its content is available and its addresses are known. If
    /// they are not, reading the properties requests them, and this method is called again later.
    func enqueue() {
        guard !isSuspended, content == nil || hasContent, group.names == nil || hasAddresses else { return }
        timers.idleTimeout = group.settings.idleTimeout(of: request)
        if host == nil { host = group.connections.queue(of: destination) }
        host?.enqueue(self, priority: task.priority)
        if ticket != nil, wait.start == nil { beginWait() }
    }

    // MARK: Controls

    func resume() {
        guard isSuspended else { return }
        isSuspended = false
        touch()
        group.deadlines.advance(deadline, of: self)
        perform(transaction.resume())
    }

    func suspend() {
        guard !isSuspended else { return }
        isSuspended = true
        perform(transaction.suspend())
    }

    func prioritize() {
        if case .waiting = transaction.phase, ticket != nil { enqueue() }
    }

    /// Continues a transfer that has waited for its consumer.
    func resumeReceiving() {
        guard received.incoming.isPaused else { return }
        received.incoming.isPaused = false
        goOn()
    }

    /// Whether receiving is paused. Either the caller has suspended the task, or the consumer is too slow.
    var pausesReceiving: Bool { isSuspended || received.incoming.isPaused }

    /// Records that a direction of the transfer pauses or continues. libcurl is notified before it runs again.
    func notePauses() {
        touch()
        if let webSocket { return webSocket.goOn() }
        group.notePauses(of: self)
        group.deadlines.advance(deadline, of: self)
    }

    /// Tells libcurl which directions of the transfer pause.
    func applyPauses() {
        let mustReadMore = transfer.stream?.mustReadMore == true
        transfer.stream?.mustReadMore = false
        if mustReadMore, !pausesReceiving {
            // Only the end of a pause makes libcurl read although the socket is not ready.
            pauseTransfer(receiving: true, sending: transfer.pauses.awaitsContent)
        }
        pauseTransfer(receiving: pausesReceiving, sending: isSuspended || transfer.pauses.awaitsContent)
    }

    /// Makes libcurl continue with the next address of the server.
    ///
    /// After an attempt that fails at once, libcurl 7.88 chooses the next address, and then waits for a socket that it
    /// has not opened yet. The end of a pause makes libcurl advance the transfer.
    func addressRefused() {
        pauseTransfer(receiving: true, sending: true)
        applyPauses()
    }

    /// Pauses the given directions of the transfer, and resumes the other directions. If the exchange refuses data that
    /// libcurl then passes on, records the refusal for ``endRefused()``.
    func pauseTransfer(receiving: Bool, sending: Bool) {
        guard let handle = transfer.handle else { return }
        let refusal = handle.pause(receiving: receiving, sending: sending)
        guard refusal != CURLE_OK else { return }
        transfer.ending.refusal = refusal
        group.noteAnswer(to: self)
    }

    // MARK: Time

    /// Records that a byte was sent or received.
    func touch() { timers.touch(at: group.now) }

    /// The time at which the task fails, reports its wait or checks its connection, if no byte is transferred before.
    var deadline: LoopTime { min(limit, min(transfer.peerCheck, reportTime)) }

    /// The time at which the task reports its wait.
    private var reportTime: LoopTime {
        guard let start = wait.start, ticket != nil, !wait.isReported else { return .distantFuture }
        return start.adding(Self.reportedWait)
    }

    /// The time at which the task fails if no byte is transferred. While the consumer or a suspension pauses the
    /// transfer, the time without a byte does not count.
    private var limit: LoopTime {
        if let webSocket, webSocket.isOpen { return min(timers.deadline(isIdleTimed: false), webSocket.deadline) }
        return timers.deadline(
            isIdleTimed: !isSuspended && transaction.runsIdleTimer(isPaused: received.incoming.isPaused)
        )
    }

    /// If the time limit of the task has passed, or its connection is lost, ends the task. If the wait has to be
    /// reported, reports it. Returns false if the task continues.
    func expire(at now: LoopTime) -> Bool {
        guard now >= limit else {
            if now >= reportTime { reportWait() }
            return now >= transfer.peerCheck && endIfPeerIsLost(at: now)
        }
        if let webSocket, webSocket.isOpen, now >= webSocket.deadline {
            webSocket.expire(at: now)
            return transaction.isFinished
        }
        if transaction.isTransferring { retireConnection() }
        task.noteExpiry()
        fail(
            timers.failure(
                at: now,
                url: destination.url,
                unconnected: unconnectedPeer ?? unresolvedPeer,
                wait: task.connectionWait
            )
        )
        return true
    }

    // MARK: Actions

    /// The effect of an action on the code that performs it.
    enum Effect {
        case goesOn
        /// The transfer has to stop.
        case stops
        /// The transaction is over.
        case isOver
    }

    /// Performs actions. Within a callback of libcurl, none of the actions ends the transaction.
    @discardableResult func perform(_ actions: [Transaction.Action]) -> Effect {
        var effect = Effect.goesOn
        for action in actions {
            // The buffered content is not delivered in three cases: it is too large, its destination could not be
            // created, or the request is sent again.
            if case .deliverBuffered = action, effect == .stops {
                received.dropBuffered()
                continue
            }
            switch perform(action) {
            case .goesOn: break
            case .stops: effect = .stops
            case .isOver: return .isOver
            }
        }
        return effect
    }

    private func perform(_ action: Transaction.Action) -> Effect {
        switch action {
        case .stop: return .stops
        case .deliver: return deliverResponse()
        case .deliverBuffered:
            if let failure = received.takeBuffered() { transaction.note(failure) } else { reportContentEnd() }
        case .dropBuffered: received.dropBuffered()
        case .ask(let question): ask(question)
        case .settle(let refusal): return perform(transaction.receive(settlement(of: refusal)))
        case .pause: notePauses()
        case .goOn: return goOn()
        case .drain: return drain()
        case .enqueue: enqueue()
        case .leaveQueue: ticket = nil
        case .send(let repetition):
            var body = content?.body ?? TaskBody.none
            guard canSend(body) else {
                fail(.unrepeatableContent(after: transfer.response?.http, url: destination.url))
                return .isOver
            }
            if repetition == .withNewStream, case .stream = body { body = .stream(nil) }
            beginNext(request, body: body)
            return .isOver
        case .follow(let next, let keepsContent):
            follow(next, keepsContent: keepsContent)
            return .isOver
        case .replay:
            beginReplay()
            return .isOver
        case .fail(let error):
            fail(error)
            return .isOver
        }
        return .goesOn
    }

    private func ask(_ question: Transaction.Question) {
        switch question {
        case .redirect(let next, _):
            guard let response = transfer.response?.http else { return }
            group.outbox.deliver(.redirect(response, next), to: task)
        case .challenge(_, _, let challenge): group.outbox.deliver(.challenge(challenge), to: task)
        }
    }

    // MARK: Ending

    /// Creates an error about the current request.
    func engineError(_ code: URLError.Code, _ sentence: String) -> URLError {
        .engine(code, sentence, url: destination.url)
    }

    /// Ends the task with a failure, unless a stored response can replace the failure.
    func fail(_ error: URLError) {
        if let fallback = fallback(after: error) { replay(fallback) } else { end(.failure(history.noted(in: error))) }
    }

    /// Ends the task in any phase. Must not be called from within libcurl.
    func end(_ outcome: Outcome) {
        if transaction.isTransferring, let handle = transfer.handle { collectMetrics(handle) }
        if case .resolving = transaction.phase { group.names?.leave(self) }
        guard transaction.end() else { return }
        current.loading?.loader.stop()
        current.loading = nil
        ticket = nil
        if case .failure(let error) = outcome { task.plan.webSocket?.end(.failed(error)) }
        giveHandleBack()
        content?.endProduction(.transferEnded)
        content = nil
        current.caching = nil
        group.forget(self)
        let error: (any Error)? =
            switch outcome {
            case .success: received.deliverResult()
            case .failure(let error): error
            }
        // A data task that has become a download can also be asked for resume data, through its download task.
        let isDownload = task.plan.kind == .download || received.download.resumeDataHandler != nil
        group.outbox.end(task, with: isDownload ? received.endDownload(with: error) : error)
        received.incoming = ReceivedContent.Incoming()
    }

    /// Collects the metrics, then releases the handle and the place at the host.
    func releaseHandle() {
        guard let handle = transfer.handle else { return }
        collectMetrics(handle)
        giveHandleBack()
    }

    /// Releases the handle and the place at the host, without collecting metrics.
    func giveHandleBack() {
        guard let handle = transfer.handle.take() else { return }
        webSocket.take()?.detach()
        if transfer.stream?.isWatched == true { stopWatchingStream() }
        transfer.shard?.remove(self, handle)
        group.connections.reclaim(handle)
        leaveHost()
    }

    func leaveHost() { host.take()?.release(task.plan.webSocket == nil ? transfer.shard.take() : nil) }

    private func collectMetrics(_ handle: EasyHandle) {
        task.add(
            TransactionMetrics(
                handle,
                request: request,
                response: transfer.response,
                source: current.caching?.replay?.source == .validatedCache ? .validatedCache : .network,
                cacheUse: current.caching?.use,
                start: transfer.start,
                connectionWait: transfer.route.connectionWait,
                contentBytes: received.incoming.framed.count,
                decodedBytes: received.incoming.arrivedBytes,
                tls: transfer.tls
            )
        )
    }

    // MARK: The place at the host

    /// Releases the place at the host, because an open WebSocket does not count towards the limit of connections.
    func leaveHostForGood() { host.take()?.release(nil) }

    /// The wait for a place at the host.
    private struct Wait {
        /// The time at which the wait began; nil if the exchange has not had to wait.
        var start: LoopTime?
        var isReported = false
    }

    /// The time in seconds after which a wait is reported.
    private static let reportedWait: TimeInterval = 1

    private func beginWait() {
        wait.start = group.now
        task.connectionWait = ConnectionWait(
            url: destination.url,
            limit: host.flatMap { $0.isFull ? $0.limit : nil },
            start: .now
        )
        group.deadlines.advance(deadline, of: self)
    }

    /// Reports the requests that have the places for which this request waits.
    private func reportWait() {
        wait.isReported = true
        guard let host, var report = task.connectionWait else { return }
        report.holders = host.holders(at: group.now) { group.holders(of: host.isFull ? host : nil) }
        report.isFirst = host.reportsFirstWait()
        task.connectionWait = report
        if task.plan.hasReceiver { group.outbox.deliver(.waiting(report), to: task) }
    }

    /// Ends the wait when the transfer begins. Returns the duration of the wait; nil if there was none.
    func endWait() -> Duration? {
        wait.isReported = false
        return wait.start.take()?.duration(until: .now)
    }
}
#endif
