#if canImport(FoundationNetworking)
/// One task on the loop: carries out the actions of its transactions, one request after the other, until its end.
///
/// It belongs to the loop's thread, as do the other classes whose properties are `@exclusivity(unchecked)`: no caller's
/// code runs while one is being changed, and checks of that at run time were 7 % of a small GET's instructions.
final class Exchange {
    /// The bytes that libcurl reads at a time. It allocates that for every transfer; twice as much is what malloc gives
    /// back to the system each time.
    static let bufferSize = 1 << 16

    /// The end of a task.
    enum Outcome {
        case success
        case failure(any Error)
    }

    let task: TaskCore
    unowned let loop: EventLoop
    @exclusivity(unchecked) var isSuspended = false
    /// Its place in the queue of its host, while it waits there.
    @exclusivity(unchecked) var ticket: Int?
    /// The host at which it has a place.
    @exclusivity(unchecked) var host: HostQueue?
    /// The request under way.
    @exclusivity(unchecked) var request: URLRequest
    @exclusivity(unchecked) var transaction: Transaction
    @exclusivity(unchecked) var transfer = Transfer()
    @exclusivity(unchecked) var content: RequestContent
    let sink: ContentSink
    /// Nil where the cache has no part.
    @exclusivity(unchecked) var caching: CacheState?
    @exclusivity(unchecked) var authentication = AuthenticationState()
    @exclusivity(unchecked) var history = TaskHistory()
    /// The loading of the request by a `URLProtocol` of the caller's.
    @exclusivity(unchecked) var loading: ProtocolLoading?
    @exclusivity(unchecked) private var timers: TaskTimers

    /// Nil if the task has no request, which it cannot have been made without.
    init?(task: TaskCore, loop: EventLoop) {
        guard let request = task.originalRequest else { return nil }
        self.task = task
        self.loop = loop
        self.request = request
        transaction = Transaction(url: request.url)
        content = RequestContent(task.body)
        sink = ContentSink(task: task, loop: loop)
        timers = TaskTimers(
            now: loop.now,
            start: task.timerStart(at: loop.now),
            resourceTimeout: loop.settings.resourceTimeout,
            idleTimeout: loop.settings.idleTimeout(of: request)
        )
    }

    /// Begins the request: at a `URLProtocol` that claims it, else from the cache or the network.
    func start() {
        loop.note(timers.deadline(isIdleTimed: false))
        prepareResumption()
        sink.url = request.url
        if !load(byProtocolOf: loop.settings.protocols) { load() }
    }

    /// Begins another request in place of the one under way.
    func beginNext(_ next: URLRequest, body: RequestBody) {
        if transaction.isTransferring { releaseHandle() }
        request = next
        transaction = Transaction(url: next.url)
        loading = nil
        sink.incoming = ContentSink.Incoming()
        content.beginNext(body)
        start()
    }

    /// Waits for a connection to the host of the request, as soon as there is content for it.
    func enqueue() {
        guard !isSuspended, hasContent else { return }
        timers.idleTimeout = loop.settings.idleTimeout(of: request)
        if host == nil { host = loop.host(of: request.url?.absoluteString ?? "") }
        host?.enqueue(self, priority: task.priority)
    }

    // MARK: Controls

    func resume() {
        guard isSuspended else { return }
        isSuspended = false
        touch()
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

    /// The consumer has taken some of the content for which it was waited.
    func resumeReceiving() {
        guard sink.incoming.isPaused else { return }
        sink.incoming.isPaused = false
        goOn()
    }

    func applyPauses() {
        touch()
        transfer.handle?.pause(
            receiving: isSuspended || sink.incoming.isPaused,
            sending: isSuspended || transfer.isSendingPaused
        )
        loop.note(deadline)
    }

    // MARK: Time

    /// Notes that a byte has moved.
    func touch() { timers.touch(at: loop.now) }

    /// The time at which the task fails unless something happens. While its consumer or a suspension holds the transfer
    /// up, nothing is to be expected of the network.
    var deadline: LoopTime {
        timers.deadline(
            isIdleTimed: !isSuspended && transaction.runsIdleTimer(isPaused: sink.incoming.isPaused)
        )
    }

    /// Ends the task if its time is over; false if it is not.
    func expire(at now: LoopTime) -> Bool {
        guard now >= deadline else { return false }
        if transaction.isTransferring { retireConnection() }
        fail(timers.failure(at: now, url: request.url))
        return true
    }

    // MARK: Actions

    /// The effect of actions on what was going on.
    enum Effect {
        case goesOn
        /// The transfer is to be stopped.
        case stops
        /// The transaction is over.
        case isOver
    }

    /// Carries actions out. Within a callback of libcurl's there are none that end the transaction.
    @discardableResult func perform(_ actions: [Transaction.Action]) -> Effect {
        var effect = Effect.goesOn
        for action in actions {
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
        // Performed by those who begin a response.
        case .decide: break
        case .stop: return .stops
        case .deliver: return deliverResponse()
        case .deliverBuffered where transaction.isDelivering:
            if let failure = sink.takeBuffered() { transaction.note(failure) }
        case .deliverBuffered, .dropBuffered: sink.dropBuffered()
        case .ask(let question): ask(question)
        case .settle(let refusal): return perform(transaction.receive(settlement(of: refusal)))
        case .pause: applyPauses()
        case .goOn: return goOn()
        case .drain: return drain()
        case .enqueue: enqueue()
        case .leaveQueue: ticket = nil
        case .send(let repetition):
            if repetition == .onNewConnection { history.needsNewConnection = true }
            beginNext(request, body: repetition == .withNewStream ? .stream(nil) : content.body)
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
            guard let response = transfer.response else { return }
            loop.deliver(.redirect(response, next), to: task)
        case .challenge(_, _, let challenge): loop.deliver(.challenge(challenge), to: task)
        }
    }

    // MARK: Ending

    /// Ends the task with a failure, unless the cache has a response that may take its place.
    func fail(_ error: URLError) {
        if let fallback = fallback(after: error) { replay(fallback) } else { finish(.failure(error)) }
    }

    /// Ends the task, whatever it is doing; not from within libcurl.
    func finish(_ outcome: Outcome) {
        if transaction.isTransferring, let handle = transfer.handle { collectMetrics(handle) }
        guard transaction.finish() else { return }
        loading?.loader.stop()
        loading = nil
        ticket = nil
        giveHandleBack()
        content.reader = nil
        content.streamReader = nil
        caching = nil
        loop.forget(self)
        let error: (any Error)? =
            switch outcome {
            case .success: sink.deliverResult()
            case .failure(let error): error
            }
        loop.end(task, with: sink.endDownload(with: error))
        sink.incoming = ContentSink.Incoming()
    }

    /// Gives the handle back, and the place at the host.
    func releaseHandle() {
        guard let handle = transfer.handle else { return }
        collectMetrics(handle)
        giveHandleBack()
    }

    /// The same without metrics, of which a transfer that did not begin has none.
    func giveHandleBack() {
        guard let handle = transfer.handle.take() else { return }
        stopWatchingStream()
        loop.remove(handle)
        leaveHost()
    }

    func leaveHost() { host.take()?.release() }

    private func collectMetrics(_ handle: EasyHandle) {
        task.add(
            TransferMetrics(
                handle,
                request: request,
                response: transfer.response,
                source: caching?.replay?.source == .validatedCache ? .validatedCache : .network,
                start: transfer.start,
                contentBytes: sink.incoming.framed.count,
                decodedBytes: sink.incoming.arrivedBytes(isBuffering: transaction.isBuffering),
                tls: transfer.tls
            )
        )
    }
}
#endif
