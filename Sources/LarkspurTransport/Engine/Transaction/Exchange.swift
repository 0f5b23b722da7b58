#if canImport(FoundationNetworking)
/// One task on the loop. It performs the actions of its transactions, one request after the other, until its end.
///
/// The exchange belongs to the loop's thread, as do the other classes whose properties are `@exclusivity(unchecked)`.
/// No caller's code runs while one of them changes, and run-time checks of that took 7 % of a small GET's instructions.
final class Exchange: DeadlineHolder {
    /// The size of libcurl's receive buffer in bytes. libcurl allocates it for every transfer; a buffer twice as large
    /// is one that malloc returns to the system each time.
    static let bufferSize = 1 << 16

    /// The end of a task.
    enum Outcome {
        case success
        case failure(any Error)
    }

    let task: TaskCore
    unowned let loop: EventLoop
    @exclusivity(unchecked) var deadlineIndex: Int?
    @exclusivity(unchecked) var isSuspended = false
    /// The ticket in the queue of the host, while the exchange waits there.
    @exclusivity(unchecked) var ticket: Int?
    /// The queue of the host that has admitted the exchange.
    @exclusivity(unchecked) var host: HostQueue?
    /// The current request.
    @exclusivity(unchecked) var request: URLRequest { didSet { destination = Destination(request.url) } }
    @exclusivity(unchecked) private(set) var destination: Destination
    @exclusivity(unchecked) var transaction: Transaction
    @exclusivity(unchecked) var transfer = Transfer()
    @exclusivity(unchecked) var content: RequestContent
    let sink: ContentSink
    /// The state of the cache; nil if the cache takes no part.
    @exclusivity(unchecked) var caching: CacheState?
    @exclusivity(unchecked) var authentication = AuthenticationState()
    @exclusivity(unchecked) var history = TaskHistory()
    /// The loading of the request by a `URLProtocol` of the caller's.
    @exclusivity(unchecked) var loading: ProtocolLoading?
    /// The connection of a WebSocket; nil for other tasks, and while there is no transfer.
    @exclusivity(unchecked) var webSocket: WebSocketDriver?
    @exclusivity(unchecked) private var timers: TaskTimers

    /// Creates an exchange; nil if the task has no request, without which it cannot have been made.
    init?(task: TaskCore, loop: EventLoop) {
        guard let request = task.originalRequest else { return nil }
        self.task = task
        self.loop = loop
        self.request = request
        destination = Destination(request.url)
        transaction = Transaction(url: destination.url)
        content = RequestContent(task.body)
        sink = ContentSink(task: task, loop: loop)
        timers = TaskTimers(
            now: loop.now,
            start: task.timerStart(at: loop.now),
            resourceTimeout: loop.settings.resourceTimeout,
            idleTimeout: loop.settings.idleTimeout(of: request)
        )
    }

    /// Begins the request: with a `URLProtocol` that claims it, else from the cache or the network.
    func start() {
        loop.note(timers.deadline(isIdleTimed: false), of: self)
        prepareResumption()
        sink.url = destination.url
        if task.webSocket == nil, load(byProtocolOf: loop.settings.protocols) { _ = task.leaveQueue() } else { load() }
    }

    /// Begins another request in place of the current one.
    func beginNext(_ next: URLRequest, body: RequestBody) {
        if transaction.isTransferring { releaseHandle() }
        request = next
        transaction = Transaction(url: destination.url)
        loading = nil
        sink.incoming = ContentSink.Incoming()
        content.beginNext(body)
        start()
    }

    /// Waits for a connection to the host of the request, as soon as its content is available.
    func enqueue() {
        guard !isSuspended, hasContent else { return }
        timers.idleTimeout = loop.settings.idleTimeout(of: request)
        if host == nil { host = loop.host(of: destination) }
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

    /// Continues a transfer after the consumer has consumed some of the content.
    func resumeReceiving() {
        guard sink.incoming.isPaused else { return }
        sink.incoming.isPaused = false
        goOn()
    }

    func applyPauses() {
        touch()
        if let webSocket { return webSocket.goOn() }
        transfer.handle?.pause(
            receiving: isSuspended || sink.incoming.isPaused,
            sending: isSuspended || transfer.isSendingPaused
        )
        loop.note(deadline, of: self)
    }

    // MARK: Time

    /// Notes that a byte was sent or received.
    func touch() { timers.touch(at: loop.now) }

    /// The time at which the task fails unless something happens. While its consumer or a suspension pauses the
    /// transfer, no bytes are expected from the network.
    var deadline: LoopTime {
        if let webSocket, webSocket.isOpen { return min(timers.deadline(isIdleTimed: false), webSocket.deadline) }
        return timers.deadline(
            isIdleTimed: !isSuspended && transaction.runsIdleTimer(isPaused: sink.incoming.isPaused)
        )
    }

    /// Ends the task if its deadline has passed; false if it has not.
    func expire(at now: LoopTime) -> Bool {
        guard now >= deadline else { return false }
        if let webSocket, webSocket.isOpen, now >= webSocket.deadline {
            webSocket.expire(at: now)
            return transaction.isFinished
        }
        if transaction.isTransferring { retireConnection() }
        fail(timers.failure(at: now, url: destination.url, unconnected: unconnectedPeer))
        return true
    }

    // MARK: Actions

    /// The effect of actions on the code that performs them.
    enum Effect {
        case goesOn
        /// The transfer is to be stopped.
        case stops
        /// The transaction is over.
        case isOver
    }

    /// Performs actions. Within a callback of libcurl's, none of them ends the transaction.
    @discardableResult func perform(_ actions: [Transaction.Action]) -> Effect {
        var effect = Effect.goesOn
        for action in actions {
            // Without a destination the buffered content has no use.
            if case .deliverBuffered = action, effect == .stops {
                sink.dropBuffered()
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
        case .deliverBuffered: if let failure = sink.takeBuffered() { transaction.note(failure) }
        case .dropBuffered: sink.dropBuffered()
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
            guard let response = transfer.response?.http else { return }
            loop.deliver(.redirect(response, next), to: task)
        case .challenge(_, _, let challenge): loop.deliver(.challenge(challenge), to: task)
        }
    }

    // MARK: Ending

    /// Ends the task with a failure, unless a stored response may replace it.
    func fail(_ error: URLError) {
        if let fallback = fallback(after: error) { replay(fallback) } else { finish(.failure(error)) }
    }

    /// Ends the task in any phase; not from within libcurl.
    func finish(_ outcome: Outcome) {
        if transaction.isTransferring, let handle = transfer.handle { collectMetrics(handle) }
        guard transaction.finish() else { return }
        loading?.loader.stop()
        loading = nil
        ticket = nil
        if case .failure(let error) = outcome { task.webSocket?.end(.failed(error)) }
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

    /// Collects metrics, and returns the handle and the place at the host.
    func releaseHandle() {
        guard let handle = transfer.handle else { return }
        collectMetrics(handle)
        giveHandleBack()
    }

    /// Returns the handle and the place at the host without metrics, for a transfer that did not begin.
    func giveHandleBack() {
        guard let handle = transfer.handle.take() else { return }
        webSocket.take()?.detach()
        stopWatchingStream()
        transfer.shard?.remove(self, handle)
        loop.reclaim(handle)
        leaveHost()
    }

    func leaveHost() { host.take()?.release(task.webSocket == nil ? transfer.shard.take() : nil) }

    private func collectMetrics(_ handle: EasyHandle) {
        task.add(
            TransferMetrics(
                handle,
                request: request,
                response: transfer.response,
                source: caching?.replay?.source == .validatedCache ? .validatedCache : .network,
                cacheUse: caching?.use,
                start: transfer.start,
                contentBytes: sink.incoming.framed.count,
                decodedBytes: sink.incoming.arrivedBytes(isBuffering: transaction.isBuffering),
                tls: transfer.tls
            )
        )
    }
}
#endif

#if canImport(FoundationNetworking)
/// The state of one transfer of libcurl. Each transfer of a task has one of its own.
struct Transfer {
    /// The handle; nil before the transfer has begun, and when it has ended.
    var handle: EasyHandle?
    /// The shard with the handle and its connection; nil before the transfer has begun, and when it has ended.
    var shard: Shard?
    /// The proxy; nil if the server is connected to directly.
    var proxy: ProxyServer?
    /// The versions of HTTP that libcurl may use.
    var versions = OfferedVersions.http1
    let start: Date
    /// The longest time for making a connection, in seconds; nil for none.
    let connectTimeout: TimeInterval?
    var parser: ResponseHeadParser
    var response: ReceivedResponse?
    var tls: (version: String?, cipher: String?) = (nil, nil)

    // MARK: Sending

    var sending = SendingState()
    /// Whether the request has `Expect: 100-continue`, so that the server decides before it gets the content.
    var expectsContinue = false
    /// Whether the transfer waits for more of the request's content.
    var isSendingPaused = false

    // MARK: The end

    /// Whether the rest of the response is not needed, so that the transfer is stopped without having failed.
    var isCutShort = false
    /// The error of content that is treated as truncated, although libcurl takes it for complete.
    var truncation: URLError?
    /// Whether HTTP/2 streams are watched for this transfer.
    var watchesStream = false
    /// Whether only the HTTP/2 stream shows the end of the response.
    var endsWithStream = false
    /// Whether the stream was reset before its end, if streams are watched.
    var isStreamReset = false

    /// The responses of a proxy to `CONNECT`; nil before the first.
    var tunnel: TunnelAnswers?

    /// - Parameter headMemory: The lines of the last head of the origin. Default: nil, there is none.
    init(start: Date = .distantPast, connectTimeout: TimeInterval? = nil, headMemory: HeadMemory? = nil) {
        self.start = start
        self.connectTimeout = connectTimeout
        parser = ResponseHeadParser(memory: headMemory)
    }
}
#endif

#if canImport(FoundationNetworking)
/// The facts about a task's earlier requests that affect the next ones.
struct TaskHistory {
    /// The largest number of redirects that a task follows.
    static let redirectLimit = 20

    private(set) var redirects = 0
    /// Whether stored responses are ignored, as a server has not validated one.
    var ignoresCache = false
    /// Whether a request may have `Expect: 100-continue` for long content: until a server has answered 417.
    var mayExpectContinue = true
    /// Whether the request was sent again with another stream, as a reused connection was lost.
    var hasRenewedStream = false
    /// Whether the request was sent again, as a shared connection was lost.
    var hasRepeated = false
    /// Whether the next transfer needs a new connection.
    var needsNewConnection = false

    /// Returns the failure of a task that has followed the largest number of redirects; nil for others.
    func excessOfRedirects(at url: URL?) -> URLError? {
        guard redirects >= Self.redirectLimit else { return nil }
        return .engine(
            .httpTooManyRedirects,
            "More than \(Self.redirectLimit) redirects followed one another.",
            url: url
        )
    }

    mutating func noteRedirect() { redirects += 1 }
}
#endif

#if canImport(FoundationNetworking)
/// The times at which a task fails: after a time without a byte, and as a whole.
struct TaskTimers {
    private let resourceDeadline: LoopTime
    private let resourceTimeout: TimeInterval
    /// The limit for the time without a byte, in seconds.
    var idleTimeout: TimeInterval
    private var lastActivity: LoopTime

    /// - Parameters:
    ///   - start: The time from which the task as a whole is measured.
    ///   - resourceTimeout: The limit for the task as a whole, in seconds.
    ///   - idleTimeout: The limit for the time without a byte, in seconds.
    init(now: LoopTime, start: LoopTime, resourceTimeout: TimeInterval, idleTimeout: TimeInterval) {
        lastActivity = now
        self.resourceTimeout = resourceTimeout
        resourceDeadline = start.adding(resourceTimeout)
        self.idleTimeout = idleTimeout
    }

    /// Notes that a byte was sent or received.
    mutating func touch(at now: LoopTime) { lastActivity = now }

    /// Returns the time at which the task fails if nothing happens.
    /// - Parameter isIdleTimed: Whether the time without a byte counts.
    func deadline(isIdleTimed: Bool) -> LoopTime {
        isIdleTimed ? min(lastActivity.adding(idleTimeout), resourceDeadline) : resourceDeadline
    }

    /// Returns the failure of a task whose deadline has passed.
    /// - Parameter peer: The server or proxy to which no connection was made; nil if there is a connection.
    func failure(at now: LoopTime, url: URL?, unconnected peer: Peer?) -> URLError {
        if now >= resourceDeadline { return .resourceTimedOut(after: resourceTimeout, url: url) }
        let sentence =
            peer.map { "No connection to the \($0) was made within \(idleTimeout) seconds." }
            ?? "Not a byte was sent or received for \(idleTimeout) seconds."
        return .engine(.timedOut, sentence, url: url)
    }
}
#endif
