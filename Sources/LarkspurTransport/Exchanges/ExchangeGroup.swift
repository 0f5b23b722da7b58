#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The running exchanges of a session, and the objects that they share. They belong to the thread that runs the loop.
final class ExchangeGroup {
    let settings: SessionSettings
    let outbox: Outbox
    let connections: Connections
    /// The look-ups by the session's resolver; nil without one.
    let names: NameLookups?
    /// The header lines of the last request without content.
    @exclusivity(unchecked) var requestLines: RememberedLines?
    /// The time of the loop's current turn.
    @exclusivity(unchecked) var now = LoopTime.now
    /// The time of the last activity: a command, a job, or the end of the last exchange.
    @exclusivity(unchecked) var idleSince = LoopTime.now
    /// Whether the loop ends with its last exchange. In this case, no further cached responses are revalidated.
    @exclusivity(unchecked) private(set) var isEnding: Bool
    @exclusivity(unchecked) private var exchanges: [Int: Exchange] = [:]
    /// For each exchange, the time of its next check, at or before its deadline. When a byte is transferred, the
    /// deadline moves to a later time, but the check does not. At the check, the exchange ends if its time limit has
    /// passed, and otherwise does what is due, such as reporting a wait. If the exchange continues, its next check is
    /// at its current deadline.
    @exclusivity(unchecked) var deadlines = DeadlineHeap<LoopTime, Exchange>()
    /// The running revalidations of cached responses, by the identifiers of their tasks.
    @exclusivity(unchecked) private var refreshes: [Int: Revalidation] = [:]
    /// The revalidations whose tasks have ended, but whose responses may still be stored.
    @exclusivity(unchecked) private var undecided: [UndecidedRevalidation] = []
    @exclusivity(unchecked) private(set) var noted = Noted()
    @exclusivity(unchecked) private var lastDestination = Destination(nil)

    /// The exchanges and hosts that the loop has to handle. They are often recorded from within libcurl.
    struct Noted {
        /// The exchanges whose pauses have changed. libcurl does not know of the changes yet.
        var pauses: [Exchange] = []
        /// The exchanges for which libcurl has to read once more, or whose transfers libcurl does not end.
        var answered: [Exchange] = []
        /// The hosts whose connections can be shared.
        var multiplexed: [(host: HostQueue, shard: Shard?)] = []
        /// The hosts whose connections use HTTP/1.1.
        var unshared: [(host: HostQueue, shard: Shard)] = []
    }

    private struct UndecidedRevalidation {
        weak var revalidation: Revalidation?
    }

    init(settings: SessionSettings, outbox: Outbox, connections: Connections, isEnding: Bool) {
        self.settings = settings
        self.outbox = outbox
        self.connections = connections
        names = settings.options.resolver.map { NameLookups($0) }
        self.isEnding = isEnding
    }

    var isEmpty: Bool { exchanges.isEmpty }

    var all: some Sequence<Exchange> { exchanges.values }

    subscript(task: TaskCore) -> Exchange? { exchanges[task.identifier] }

    func begin(_ task: TaskCore) {
        guard let exchange = Exchange(task: task, group: self) else { return }
        if isEnding, task.isRefresh { return refreshes[task.identifier] = nil }
        exchanges[task.identifier] = exchange
        exchange.start()
    }

    /// Makes the loop end with its last exchange. Cancels the refreshes, because no caller waits for them.
    func end() {
        isEnding = true
        for identifier in refreshes.keys { exchanges[identifier]?.end(.failure(URLError(.cancelled))) }
    }

    /// Checks the exchanges that are due, and ends those whose time limits have passed.
    func expireDue() {
        while let exchange = deadlines.takeDue(at: now) {
            if !exchange.expire(at: now) { deadlines.set(exchange.deadline, of: exchange) }
        }
    }

    // MARK: For exchanges

    /// Returns the parts of a URL. The parts of the last URL are stored, because consecutive requests often have the
    /// same URL.
    func destination(of url: URL?) -> Destination {
        if url != lastDestination.url { lastDestination = Destination(url) }
        return lastDestination
    }

    func forget(_ exchange: Exchange) {
        exchanges[exchange.task.identifier] = nil
        deadlines.remove(exchange)
        if let ended = refreshes.removeValue(forKey: exchange.task.identifier) {
            undecided.append(UndecidedRevalidation(revalidation: ended))
        }
        if exchanges.isEmpty { idleSince = now }
    }

    /// Revalidates a stale cached response that was delivered to a task, unless the response for its URL is already
    /// being revalidated.
    func refresh(_ url: String, with request: URLRequest, after task: TaskCore) {
        guard !isEnding, !task.isRefresh, !isRevalidating(url), !task.session.isInvalidated else { return }
        var request = request
        request.cachePolicy = .reloadRevalidatingCacheData
        let refresh = task.session.makeRefresh(of: request, after: task)
        refreshes[refresh.identifier] = Revalidation(of: url)
        refresh.resume()
    }

    /// Whether a new response for the URL has been requested but is not stored yet.
    private func isRevalidating(_ url: String) -> Bool {
        undecided.removeAll { $0.revalidation == nil }
        return refreshes.values.contains { $0.url == url } || undecided.contains { $0.revalidation?.url == url }
    }

    /// Returns the revalidation that a task performs; nil if the task does not revalidate a response.
    func revalidation(by task: TaskCore) -> Revalidation? { task.isRefresh ? refreshes[task.identifier] : nil }

    /// Returns the requests that have a place at their host, the oldest first.
    /// - Parameter host: The queue of a host, to return only its requests; nil to return the requests of all hosts.
    func holders(of host: HostQueue?) -> [ConnectionWait.Holder] {
        let (now, date) = (ContinuousClock.now, Date())
        return exchanges.values
            .filter { $0.transfer.handle != nil && (host == nil ? $0.host != nil : $0.host === host) }
            .map { exchange in
                let age = Duration.seconds(max(0, date.timeIntervalSince(exchange.transfer.start)))
                var request = exchange.request
                // The report must not retain a stream of the caller.
                request.httpBodyStream = nil
                return ConnectionWait.Holder(request: request, start: now - age)
            }
            .sorted { $0.start < $1.start }
    }

    // MARK: Shared connections

    /// Records from within libcurl that requests to a host can share a connection.
    func noteMultiplexing(at host: HostQueue, in shard: Shard?) { noted.multiplexed.append((host, shard)) }

    /// Records from within libcurl that the connections to a host use HTTP/1.1 and are not shared.
    func noteHTTP1(at host: HostQueue, in shard: Shard) {
        host.usesHTTP1 = true
        noted.unshared.append((host, shard))
    }

    /// Begins the requests that can share the recorded connections. Also begins the requests that have waited in vain
    /// for a connection to share.
    func admitWaiting() {
        while let (host, shard) = noted.multiplexed.popLast() { host.allowMultiplexing(in: shard) }
        while let (host, shard) = noted.unshared.popLast() { shard.connectSeparately(to: host) }
    }

    // MARK: Pauses

    /// Records that the pauses of an exchange have changed.
    func notePauses(of exchange: Exchange) { noted.pauses.append(exchange) }

    /// Tells libcurl about the pauses that have changed. Called after the commands of a turn, immediately before
    /// libcurl runs.
    ///
    /// If libcurl is told to continue and then to pause before it runs, it still reads (at least up to 7.88). It
    /// buffers the data and passes it on later, but not in the order of status lines and fields.
    func applyPauses() {
        let count = noted.pauses.count
        for exchange in noted.pauses[..<count] { exchange.applyPauses() }
        // The bytes that libcurl has passed on may have changed the pauses of other exchanges.
        noted.pauses.removeFirst(count)
    }

    // MARK: Work that libcurl does not do

    /// Records an exchange that has sent content and whose response has begun, or that has refused data that libcurl
    /// had buffered.
    func noteAnswer(to exchange: Exchange) { noted.answered.append(exchange) }

    /// Makes libcurl read once more for these exchanges, and ends transfers that libcurl does not end. While libcurl
    /// was sending over HTTP/2, it may have read bytes that follow the header section. At least up to 7.88, libcurl
    /// then waits until the socket is readable, although no more bytes arrive there.
    func nudgeAnswered() {
        // Meanwhile, an exchange may be recorded again.
        let count = noted.answered.count
        for exchange in noted.answered[..<count] {
            exchange.endRefused()
            exchange.sendUnasked()
            exchange.nudge()
            exchange.sendEnd()
            exchange.endEarly()
        }
        noted.answered.removeFirst(count)
    }
}

extension ExchangeGroup {
    /// The connections and requests of all origins that have any, sorted by origin.
    ///
    /// This property computes all values from libcurl's handles and the table of sockets, so that requests do not have
    /// to count.
    var connectionSnapshot: [OriginConnections] {
        var snapshot: [TextKey: OriginConnections] = [:]
        func change(_ origin: String, _ change: (inout OriginConnections) -> Void) {
            let name = Self.displayed(origin)
            change(&snapshot[name, default: OriginConnections(origin: name)])
        }
        let sockets = connections.support?.sockets
        var busy: Set<Int32> = []
        var connecting: Set<Int> = []
        for exchange in all {
            let origin = exchange.destination.origin
            if exchange.ticket != nil { change(origin) { $0.waitingRequests += 1 } }
            guard let handle = exchange.transfer.handle else { continue }
            change(origin) {
                $0.activeRequests += 1
                if exchange.task.plan.webSocket != nil { $0.webSockets += 1 }
            }
            if let port = handle.localPort, let socket = sockets?.sockets(at: port).first {
                busy.insert(socket)
            } else {
                connecting.insert(exchange.task.identifier)
            }
        }
        for (socket, opening) in sockets?.all ?? [:] {
            let isBusy = busy.contains(socket) || connecting.contains(opening.user.task)
            let age = opening.time.duration(until: now)
            change(opening.user.origin) {
                $0.open += 1
                if isBusy { $0.busy += 1 }
                $0.oldestAge = max($0.oldestAge ?? .zero, age)
            }
        }
        for (key, queue) in connections.queues where snapshot[Self.displayed(key.text)] != nil {
            guard let version = queue.headMemory.head?.head.version else { continue }
            change(key.text) { $0.protocolName = TransactionMetrics.protocolName(of: version) }
        }
        return snapshot.values.sorted { $0.origin < $1.origin }
    }

    /// Returns the origin in lower case and with its port, and without user information.
    static func displayed(_ origin: String) -> String {
        let reference = URLReference(origin)
        if let origin = reference.origin { return "\(origin.scheme)://\(origin.host):\(origin.port)" }
        let authority = reference.authority ?? ""
        let host = authority.parts(separatedBy: "@", omittingEmptyParts: false).last ?? ""
        return "\(reference.scheme ?? "")://\(host)"
    }
}

extension TransactionMetrics {
    /// Returns the ALPN identifier for the version of a status line.
    fileprivate static func protocolName(of version: String) -> String? {
        switch version {
        case "HTTP/1.0": "http/1.0"
        case "HTTP/1.1": "http/1.1"
        case "HTTP/2", "HTTP/2.0": "h2"
        case "HTTP/3", "HTTP/3.0": "h3"
        default: nil
        }
    }
}
#endif
