#if canImport(FoundationNetworking)
/// The running exchanges of a session, and what they share. They belong to the loop's thread.
final class ExchangeGroup {
    let settings: SessionSettings
    let outbox: Outbox
    let connections: Connections
    /// The header lines of the last request without content.
    @exclusivity(unchecked) var requestLines: RememberedLines?
    /// The time of the loop's current turn.
    @exclusivity(unchecked) var now = LoopTime.now
    /// The time of the last activity: a command, a job, or the end of the last exchange.
    @exclusivity(unchecked) var idleSince = LoopTime.now
    /// Whether the loop ends with its last exchange. Then no more cached responses are revalidated.
    @exclusivity(unchecked) private(set) var isEnding: Bool
    @exclusivity(unchecked) private var exchanges: [Int: Exchange] = [:]
    /// A time for each exchange that is not later than its deadline. Most deadlines have moved to a later time when it
    /// comes; only then is the entry moved, so that bytes that arrive change nothing here.
    @exclusivity(unchecked) private var deadlines = DeadlineHeap<Exchange>()
    /// The URLs of cached responses under revalidation, by the identifiers of the refreshing tasks.
    @exclusivity(unchecked) private var refreshes: [Int: String] = [:]
    @exclusivity(unchecked) private var answered: [Exchange] = []
    @exclusivity(unchecked) private var lastDestination = Destination(nil)

    init(settings: SessionSettings, outbox: Outbox, connections: Connections, isEnding: Bool) {
        self.settings = settings
        self.outbox = outbox
        self.connections = connections
        self.isEnding = isEnding
    }

    var isEmpty: Bool { exchanges.isEmpty }

    /// The earliest time at which a deadline may have passed.
    var deadline: LoopTime { deadlines.next }

    subscript(task: TaskCore) -> Exchange? { exchanges[task.identifier] }

    func begin(_ task: TaskCore) {
        guard let exchange = Exchange(task: task, group: self) else { return }
        if task.isRefresh, isEnding { return refreshes[task.identifier] = nil }
        exchanges[task.identifier] = exchange
        exchange.start()
    }

    /// Has the loop end with its last exchange, and cancels the refreshes, for which no caller waits.
    func end() {
        isEnding = true
        for identifier in refreshes.keys { exchanges[identifier]?.finish(.failure(URLError(.cancelled))) }
    }

    /// Ends the exchanges whose deadlines have passed.
    func expireDue() {
        while let exchange = deadlines.takeDue(at: now) {
            if !exchange.expire(at: now) { deadlines.set(exchange.deadline, of: exchange) }
        }
    }

    // MARK: For exchanges

    /// Returns the parts of a URL. Consecutive requests often have the same URL, so the last one is remembered.
    func destination(of url: URL?) -> Destination {
        if url != lastDestination.url { lastDestination = Destination(url) }
        return lastDestination
    }

    func forget(_ exchange: Exchange) {
        exchanges[exchange.identifier] = nil
        deadlines.remove(exchange)
        if exchange.task.isRefresh { refreshes[exchange.identifier] = nil }
        if exchanges.isEmpty { idleSince = now }
    }

    /// Records the deadline of an exchange that is new, or whose deadline has moved to an earlier time.
    func note(_ deadline: LoopTime, of exchange: Exchange) { deadlines.advance(deadline, of: exchange) }

    /// Revalidates a cached response that was delivered stale to a task, unless a revalidation of its URL is running.
    func refresh(_ url: String, with request: URLRequest, after task: TaskCore) {
        guard !isEnding, !task.isRefresh, !refreshes.values.contains(url), !task.session.isInvalidated else { return }
        var request = request
        request.cachePolicy = .reloadRevalidatingCacheData
        let refresh = task.session.makeRefresh(of: request)
        refreshes[refresh.identifier] = url
        refresh.resume()
    }

    // MARK: Answers to uploads

    /// Records an exchange that has sent content and whose response has begun.
    func noteAnswer(to exchange: Exchange) { answered.append(exchange) }

    /// Has libcurl read once more for these exchanges. While libcurl was sending over HTTP/2, it may have read bytes
    /// that follow the header section. Up to 7.88 at least, it then waits for the socket, on which no more bytes
    /// arrive.
    func nudgeAnswered() {
        guard !answered.isEmpty else { return }
        for exchange in answered { exchange.nudge() }
        answered.removeAll(keepingCapacity: true)
    }
}
#endif
