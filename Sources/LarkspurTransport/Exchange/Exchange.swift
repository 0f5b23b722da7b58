#if canImport(FoundationNetworking)
/// One task on the loop: its requests one after the other, as redirects and authentication demand, until its end.
///
/// It belongs to the loop's thread.
final class Exchange {
    /// How much libcurl reads at a time, in bytes. It allocates that for every transfer; twice as much is what malloc
    /// gives back to the system each time.
    static let bufferSize = 1 << 16
    /// How many redirects are followed.
    static let redirectLimit = 20

    enum Stage {
        /// Nothing is under way: waiting for its turn, or suspended before that.
        case waiting
        case transferring
        /// The cache is looking for an answer.
        case lookingUp
        /// The cache's answer is being delivered.
        case replaying
        /// The transfer has ended, and its consumer is not ready yet for the last of the content.
        case emptying
        /// The transfer has ended, and its delegate is still to say what follows.
        case asking
        /// A class of the caller's loads it.
        case hosted
        case finished
    }

    /// What becomes of content that arrives.
    enum ContentFate {
        /// It is kept until the delegate has said whether the response counts.
        case kept
        case delivered
        /// Nobody will want it.
        case discarded
    }

    /// What the delegate has been asked.
    enum PendingQuestion {
        case redirect(keepsBody: Bool)
        case challenge(AuthenticationState.Party, CredentialDemand, URLAuthenticationChallenge)
        /// Nothing, but the request has to be sent again with what the server sent for the same credential.
        case renewal
        /// Nothing, as libcurl may be about to answer it; if it is not, this was a refusal.
        case refusal(AuthenticationState.Party, ResponseHead)
        /// Nothing, but another request follows, and what comes of this response is not wanted.
        case restart
        case hostedChallenge(URLAuthenticationChallenge)
    }

    let task: TaskCore
    unowned let reactor: Reactor
    var stage = Stage.waiting
    /// Its place in the queue of its host, while it waits there.
    var ticket: Int?
    var isSuspended = false

    // The transaction under way.
    var request: URLRequest
    var body: RequestBody
    var host: HostQueue?
    var handle: EasyHandle?
    /// Nil if the server is connected to directly.
    var proxy: ProxyServer?
    var reader: (any BodyReader)?
    /// Set as soon as there is a stream for this transaction.
    var streamReader: StreamReader?
    var hasAskedForStream = false
    /// The number of the stream that is read: what comes late from one before it does not count.
    var streamNumber = 0
    var parser = ResponseHeadParser()
    var tunnelParser = ResponseHeadParser()
    /// What a proxy has answered last.
    var tunnelHead: ResponseHead?
    var response: HTTPURLResponse?
    /// What has come of the response's content, and whether that is all.
    var framed = FramedContent(.none)
    var fate = ContentFate.delivered
    /// As it came, before any decoding of its codings.
    var kept = Data()
    /// Nil where the content is delivered as it comes.
    var decoder: ContentDecoder?
    var question: PendingQuestion?
    /// Why the transfer is stopped from within one of libcurl's callbacks.
    var failure: URLError?
    var isReceivingPaused = false
    var isSendingPaused = false
    var sending = SendingState()
    /// Why the content may have been cut short, although libcurl takes it for whole.
    var truncation: URLError?
    /// Whether streams are watched for the sake of this transfer.
    var watchesStream = false
    /// Whether the end of the response is learned from its HTTP/2 stream alone.
    var endsWithStream = false
    /// Whether the stream was reset before its end, as far as streams are watched.
    var isStreamReset = false
    /// Whether the next transfer may not use a connection that there is.
    var needsNewConnection = false
    /// Whether the server is asked if it wants the content before it gets it.
    var asksFirst = false
    /// Whether the transfer was stopped from within one of libcurl's callbacks, as the rest of what the server sends is
    /// of no use.
    var isCutShort = false
    var transactionStart = Date.distantPast
    var tls: (version: String?, cipher: String?) = (nil, nil)
    /// How many bytes of content the response announces, decoded; −1 where it does not.
    var expectedBytes = NSURLSessionTransferSizeUnknown
    /// Decoded bytes of this transaction.
    var decodedBytes: Int64 = 0

    /// Nil where the cache has no part.
    var caching: CacheState?

    // The whole task.
    /// The server has said of something that is not kept that it is unchanged: what is kept is of no use.
    var ignoresCache = false
    var redirects = 0
    /// Whether the server may be asked if it wants long content: until one has refused to say.
    var mayAskFirst = true
    /// Whether another stream was fetched because a connection that had been used before was lost.
    var hasRenewedStream = false
    /// Whether the request was sent again because a connection that it shared was lost.
    var hasRepeated = false
    var authentication = AuthenticationState()
    var content = Data()
    var file: DownloadFile?
    var download = DownloadState()
    var hosted: HostedProtocol?
    /// The response with which a class of the caller's reports a redirect.
    var hostedResponse: URLResponse?
    var sentBytes: Int64 = 0
    private var lastActivity: LoopTime
    private var idleTimeout: TimeInterval
    private let resourceDeadline: LoopTime

    /// Nil if the task has no request, which it cannot have been made without.
    init?(task: TaskCore, reactor: Reactor) {
        guard let request = task.originalRequest else { return nil }
        self.task = task
        self.reactor = reactor
        self.request = request
        body = task.body
        lastActivity = reactor.now
        idleTimeout = reactor.settings.idleTimeout(of: request)
        resourceDeadline = task.timerStart(at: reactor.now).adding(reactor.settings.resourceTimeout)
    }

    func start() {
        reactor.note(resourceDeadline)
        prepareResumption()
        if let hosted = makeHosted() {
            stage = .hosted
            self.hosted = hosted
            hosted.start()
        } else {
            load()
        }
    }

    /// Waits for a connection to the host of the request.
    func enqueue() {
        stage = .waiting
        guard !isSuspended, hasBody else { return }
        idleTimeout = reactor.settings.idleTimeout(of: request)
        if host == nil { host = reactor.host(of: request.url?.absoluteString ?? "") }
        host?.enqueue(self, priority: task.priority)
    }

    // MARK: Controls

    func resume() {
        guard isSuspended else { return }
        isSuspended = false
        touch()
        switch stage {
        case .waiting: enqueue()
        case .transferring, .emptying, .replaying: goOn()
        case .lookingUp, .asking, .hosted, .finished: break
        }
    }

    func suspend() {
        guard !isSuspended else { return }
        isSuspended = true
        switch stage {
        case .waiting: ticket = nil
        case .transferring: applyPauses()
        case .lookingUp, .replaying, .emptying, .asking, .hosted, .finished: break
        }
    }

    func prioritize() {
        if stage == .waiting, ticket != nil { enqueue() }
    }

    func applyPauses() {
        touch()
        handle?.pause(receiving: isSuspended || isReceivingPaused, sending: isSuspended || isSendingPaused)
        reactor.note(deadline)
    }

    // MARK: Time

    /// A byte has moved.
    func touch() { lastActivity = reactor.now }

    /// When it fails unless something happens.
    var deadline: LoopTime {
        // Nothing is to be expected of the network while somebody else holds the transfer up.
        guard isExpectingBytes || isAwaitingRedirect, !isSuspended else { return resourceDeadline }
        return min(lastActivity.adding(idleTimeout), resourceDeadline)
    }

    private var isExpectingBytes: Bool { stage == .transferring && !isReceivingPaused }

    /// A delegate that is asked about a redirect has as long as the network; one that is asked for a password may ask a
    /// person.
    private var isAwaitingRedirect: Bool {
        if case .redirect = question { return true }
        return false
    }

    /// Ends the exchange if its time is over; false if it is not.
    func expire(at now: LoopTime) -> Bool {
        guard now >= deadline else { return false }
        if stage == .transferring { retireConnection() }
        if now >= resourceDeadline {
            finish(.resourceTimedOut(after: reactor.settings.resourceTimeout, url: request.url))
            return true
        }
        finish(.engine(.timedOut, "Not a byte was sent or received for \(idleTimeout) seconds.", url: request.url))
        return true
    }

    // MARK: Ending

    func finish(_ error: URLError) {
        if !replays(after: error) { finish(error as any Error) }
    }

    /// Ends the task, whatever it is doing; not from within libcurl.
    func finish(_ error: (any Error)?) {
        guard stage != .finished else { return }
        let wasTransferring = stage == .transferring
        hosted?.stop()
        hosted = nil
        stage = .finished
        ticket = nil
        if wasTransferring { releaseHandle() }
        reader = nil
        streamReader = nil
        decoder = nil
        kept = Data()
        caching = nil
        reactor.forget(self)
        var error = error
        if error == nil { error = deliverResult() }
        // The face of a data task that has become a download can be asked for resume data too.
        if task.kind == .download || download.resumeDataHandler != nil { error = endDownload(with: error) }
        reactor.end(task, with: error)
    }

    /// Hands on the file or the content as a whole, where that is what the task is for.
    private func deliverResult() -> (any Error)? {
        if case .data = task.completion { reactor.deliver(.content(content), to: task) }
        guard task.kind == .download else { return nil }
        do throws(URLError) {
            // A response without content is a file too.
            reactor.deliver(.file(try openFile().finish()), to: task)
            return nil
        } catch {
            return error
        }
    }

    /// Gives the handle back, and the place at the host.
    func releaseHandle() {
        guard let handle else { return }
        collectMetrics(handle)
        stopWatchingStream()
        self.handle = nil
        reactor.remove(handle)
        let host = host
        self.host = nil
        host?.release()
    }

    private func collectMetrics(_ handle: EasyHandle) {
        task.add(
            TransferMetrics(
                handle,
                request: request,
                response: response,
                source: caching?.replay?.source == .validatedCache ? .validatedCache : .network,
                start: transactionStart,
                contentBytes: framed.count,
                decodedBytes: fate == .kept && decoder == nil ? Int64(kept.count) : decodedBytes,
                tls: tls
            )
        )
    }
}
#endif
