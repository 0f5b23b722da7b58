#if canImport(FoundationNetworking)
/// The exchanges of a session that are under way, and what they share. They belong to the loop's thread.
final class ExchangeGroup {
    let settings: SessionSettings
    let outbox: Outbox
    let connections: Connections
    /// The lines of the last request without content.
    @exclusivity(unchecked) var requestLines: RememberedLines?
    /// The time of the loop's turn.
    @exclusivity(unchecked) var now = LoopTime.now
    /// The time since which there has been no exchange, or no command.
    @exclusivity(unchecked) var idleSince = LoopTime.now
    /// Whether the loop ends with its last exchange, so that no cached response is revalidated any longer.
    @exclusivity(unchecked) private(set) var isEnding: Bool
    @exclusivity(unchecked) private var exchanges: [Int: Exchange] = [:]
    /// The earliest possible deadline of each exchange. Most deadlines have moved on when it has come.
    @exclusivity(unchecked) private var deadlines = DeadlineHeap<Exchange>()
    /// The URLs of cached responses that are being revalidated, by the tasks that do so.
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

    /// The earliest possible deadline.
    var deadline: LoopTime { deadlines.next }

    subscript(task: TaskCore) -> Exchange? { exchanges[task.identifier] }

    func begin(_ task: TaskCore) {
        guard let exchange = Exchange(task: task, group: self) else { return }
        if task.isRefresh, isEnding { return refreshes[task.identifier] = nil }
        exchanges[task.identifier] = exchange
        exchange.start()
    }

    /// Records that the loop ends with its last exchange, and cancels what nobody waits for.
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

    /// Returns the parts of a URL, which is often the one of the last request.
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

    /// Records a deadline of an exchange that is new or earlier than before.
    func note(_ deadline: LoopTime, of exchange: Exchange) { deadlines.advance(deadline, of: exchange) }

    /// Revalidates a cached response that was delivered stale to a task, unless that is under way.
    func refresh(_ url: String, with request: URLRequest, after task: TaskCore) {
        guard !isEnding, !task.isRefresh, !refreshes.values.contains(url), !task.session.isInvalidated else { return }
        var request = request
        request.cachePolicy = .reloadRevalidatingCacheData
        let refresh = task.session.makeRefresh(of: request)
        refreshes[refresh.identifier] = url
        refresh.resume()
    }

    // MARK: Answers to uploads

    /// Records an exchange whose response has begun while or after it sent content.
    func noteAnswer(to exchange: Exchange) { answered.append(exchange) }

    /// Has libcurl read once more for these exchanges. Over HTTP/2 it may have read the bytes after the head while it
    /// was sending. Up to 7.88 at least it then waits for the socket, on which no more bytes arrive.
    func nudgeAnswered() {
        guard !answered.isEmpty else { return }
        for exchange in answered { exchange.nudge() }
        answered.removeAll(keepingCapacity: true)
    }
}
#endif
