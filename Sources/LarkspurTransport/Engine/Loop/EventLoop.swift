#if canImport(FoundationNetworking)
internal import CLibcurl

/// The work of the loop's thread: it takes commands, runs libcurl, handles ended transfers, and delivers events.
///
/// The loop, the exchanges and their handles belong to that thread.
final class EventLoop {
    let settings: SessionSettings
    private let mailbox: LoopMailbox
    /// The transfers of libcurl; nil if the loop does not work.
    private let shards: Shards?
    /// The reason why every task fails; nil if the loop works.
    private let failure: LoopFailure?
    /// The lines of the last request without content.
    @exclusivity(unchecked) var requestLines: RememberedLines?
    @exclusivity(unchecked) private var pool: [EasyHandle] = []
    @exclusivity(unchecked) private var hosts: [String: HostQueue] = [:]
    /// The number of hosts at which the idle ones are forgotten.
    @exclusivity(unchecked) private var hostLimit = 1024
    @exclusivity(unchecked) private var exchanges: [Int: Exchange] = [:]
    @exclusivity(unchecked) private var dormant: DormantTasks
    /// The URLs of cached responses that are being revalidated, by the tasks that do so.
    @exclusivity(unchecked) private var refreshes: [Int: String] = [:]
    @exclusivity(unchecked) private var answered: [Exchange] = []
    @exclusivity(unchecked) private var outbox: [Delivery.Item] = []
    /// The content that is delivered after the events of the outbox, and to which more of it is added.
    @exclusivity(unchecked) private var arrival: Arrival?
    @exclusivity(unchecked) private var holds = DeliveryHolds()
    @exclusivity(unchecked) private var commands: [LoopMailbox.Command] = []
    @exclusivity(unchecked) private var jobs = LoopJobs()
    /// The earliest possible deadline of each exchange. Most deadlines have moved on when it has come.
    @exclusivity(unchecked) private var deadlines = DeadlineHeap<Exchange>()
    @exclusivity(unchecked) private(set) var now = LoopTime.now
    @exclusivity(unchecked) private var idleSince = LoopTime.now
    /// Whether the thread ends with its last transfer, and all connections with it; a later task starts another.
    @exclusivity(unchecked) private var mayEnd: Bool

    init(mailbox: LoopMailbox, settings: SessionSettings, shards: Result<Shards, LoopFailure>) {
        self.mailbox = mailbox
        self.settings = settings
        dormant = DormantTasks(resourceTimeout: settings.resourceTimeout)
        mayEnd = mailbox.isOver
        switch shards {
        case .success(let shards): (self.shards, failure) = (shards, nil)
        case .failure(let failure): (self.shards, self.failure) = (nil, failure)
        }
    }

    /// Runs the loop; returns false if tasks failed for lack of resources, and more commands have arrived since.
    func run() -> Bool {
        var hasEnded = false
        repeat {
            repeat { turn() } while !isFinished
            hasEnded = mailbox.endThread()
        } while !hasEnded && failure == nil
        hosts.removeAll()
        pool.removeAll()
        shards?.close()
        return hasEnded
    }

    private var isFinished: Bool {
        exchanges.isEmpty && dormant.isEmpty && holds.isEmpty && jobs.isEmpty
            && (mayEnd || shards == nil || now >= idleSince.adding(LoopMailbox.idleTime))
    }

    private func turn() {
        mailbox.takeCommands(&commands)
        now = .now
        if !commands.isEmpty {
            idleSince = now
            for command in commands { perform(command) }
            commands.removeAll(keepingCapacity: true)
        }
        if let shards {
            now = .now
            shards.advance(at: now)
            nudgeAnswered()
        }
        expireDue()
        endArrival()
        mailbox.delivery.send(&outbox)
        runJobs()
        guard let shards, !isFinished else { return }
        let time = jobs.isEmpty ? now.milliseconds(until: min(nextDeadline, shards.deadline)) : 0
        mailbox.wait(shards.support.poll, milliseconds: time)
    }

    /// Runs the jobs of Swift tasks. They follow the events that may have resumed the tasks, and what they take of time
    /// comes before the next look at the sockets, so that no deadline is over before its bytes have been seen.
    private func runJobs() {
        mailbox.takeJobs(into: &jobs)
        guard !jobs.isEmpty else { return }
        // Not on a thread of the program that has handed them over.
        if failure != nil { return jobs.leave() }
        jobs.run()
        now = .now
        idleSince = now
    }

    /// The time at which the thread has something to do, apart from libcurl's transfers.
    private var nextDeadline: LoopTime {
        let isIdle = exchanges.isEmpty && dormant.isEmpty && holds.isEmpty
        return isIdle ? idleSince.adding(LoopMailbox.idleTime) : min(deadlines.next, dormant.deadline)
    }

    private func perform(_ command: LoopMailbox.Command) {
        switch command {
        case .resume(let task), .suspend(let task): control(task)
        case .cancel(let task, let error):
            dormant.remove(task)
            if let exchange = exchanges[task.identifier] {
                exchange.finish(.failure(error))
            } else {
                // The task had not begun.
                end(task, with: error)
            }
        case .cancelResumably(let task, let error, let handler):
            dormant.remove(task)
            if let exchange = exchanges[task.identifier] {
                exchange.cancel(with: error, handler: handler)
            } else {
                let data = task.unusedResumeData
                deliver(.resumeData(data, handler), to: task)
                // Has no effect on a task that has ended.
                end(task, with: data.flatMap { (error as? URLError)?.adding(resumeData: $0) } ?? error)
            }
        case .answer(let task, let answer): exchanges[task.identifier]?.receive(answer)
        case .consumed(let task): exchanges[task.identifier]?.resumeReceiving()
        case .body(let task, let chunk, let number): exchanges[task.identifier]?.receive(chunk, ofStream: number)
        case .reported(let task, let source, let report): exchanges[task.identifier]?.receive(report, from: source)
        case .prioritize(let task): exchanges[task.identifier]?.prioritize()
        case .deliver(let item):
            endArrival()
            outbox.append(item)
        case .webSocket(let task, let order):
            if let driver = exchanges[task.identifier]?.webSocket {
                driver.perform(order)
            } else {
                order.fail(task.webSocket?.channel.error() ?? URLError(.cancelled))
            }
        case .stored(let task): outbox += holds.release(task)
        case .run(let action): action()
        case .cached(let task, let entries): exchanges[task.identifier]?.receive(entries)
        case .end:
            mayEnd = true
            for identifier in refreshes.keys { exchanges[identifier]?.finish(.failure(URLError(.cancelled))) }
        }
    }

    /// Starts, delays, continues or pauses a task according to its current state: commands from several threads may
    /// overtake one another.
    private func control(_ task: TaskCore) {
        if let exchange = exchanges[task.identifier] {
            if task.isSuspended { exchange.suspend() } else { exchange.resume() }
            return
        }
        dormant.remove(task)
        let beginning = task.begin(at: now)
        if let failure, beginning != .never {
            return end(task, with: failure.error(url: task.originalRequest?.url))
        }
        switch beginning {
        case .now: begin(task)
        case .later(let dormancy): dormant.add(task, dormancy)
        case .never: break
        }
    }

    private func begin(_ task: TaskCore) {
        guard let exchange = Exchange(task: task, loop: self) else { return }
        if task.isRefresh, mayEnd { return refreshes[task.identifier] = nil }
        exchanges[task.identifier] = exchange
        exchange.start()
    }

    // MARK: For exchanges

    /// Delivers the end of a task, with its metrics first.
    func end(_ task: TaskCore, with error: (any Error)?) {
        if task.tellsMetrics { deliver(.metrics(hasFailed: error != nil), to: task) }
        deliver(.complete(error), to: task)
    }

    func deliver(_ event: Delivery.Event, to task: TaskCore) {
        endArrival()
        post(event, to: task)
    }

    private func post(_ event: Delivery.Event, to task: TaskCore) {
        if holds.isEmpty { outbox.append(.event(task, event)) } else { outbox += holds.pass(event, of: task) }
    }

    /// Delivers content, together with the content that follows in the same turn. libcurl passes on 16 KiB at a time,
    /// and each call of a delegate has a cost.
    func deliver(_ content: UnsafeRawBufferPointer, to task: TaskCore) {
        if arrival?.task === task, content.count <= arrival?.room ?? 0 {
            arrival?.add(content)
        } else {
            endArrival()
            arrival = Arrival(task: task, content: content)
        }
    }

    private func endArrival() {
        guard let arrival = arrival.take() else { return }
        post(.data(arrival.content), to: arrival.task)
    }

    /// Stores a response's cookies. Later events of the task are delivered when its delegate can read the cookies in
    /// the storage.
    func storeCookies(_ setCookies: [String], from url: URL, mainDocumentURL: URL?, of task: TaskCore) {
        let mailbox = mailbox
        let isWriting = settings.cookies.store(setCookies, from: url, mainDocumentURL: mainDocumentURL) {
            mailbox.post(.stored(task))
        }
        if isWriting { holds.hold(task) }
    }

    /// Stores a response in a cache. Later events of the task are delivered when the program finds it there, if that is
    /// only a moment later.
    func store(_ entry: CacheEntry, for request: URLRequest, in cache: any ResponseStore, of task: TaskCore) {
        guard cache.isCopied else { return cache.store(entry, for: request) }
        let mailbox = mailbox
        holds.hold(task)
        cache.store(entry, for: request) { mailbox.post(.stored(task)) }
    }

    /// Asks the delegate whether a response is to be stored; if so, like ``store(_:for:in:of:)``.
    func propose(_ entry: CacheEntry, for request: URLRequest, in cache: any ResponseStore, of task: TaskCore) {
        let (mailbox, waits) = (mailbox, cache.isCopied)
        let proposal = CacheProposal(entry: entry, request: request, destination: cache) {
            if waits { mailbox.post(.stored(task)) }
        }
        deliver(.willCache(proposal), to: task)
        if waits { holds.holdLater(task) }
    }

    func forget(_ exchange: Exchange) {
        exchanges[exchange.task.identifier] = nil
        deadlines.remove(exchange)
        if exchange.task.isRefresh { refreshes[exchange.task.identifier] = nil }
        if exchanges.isEmpty { idleSince = now }
    }

    /// Notes a deadline of an exchange that is new or earlier than before.
    func note(_ deadline: LoopTime, of exchange: Exchange) { deadlines.advance(deadline, of: exchange) }

    func host(of destination: Destination) -> HostQueue {
        let origin = destination.origin
        if let host = hosts[origin] { return host }
        if hosts.count >= hostLimit {
            hosts = hosts.filter { !$0.value.isIdle }
            // So that the cost of this is spread over as many new hosts as remain.
            hostLimit = max(1024, 2 * hosts.count)
        }
        let host = HostQueue(limit: settings.maximumConnectionsPerHost)
        hosts[origin] = host
        return host
    }

    /// - Parameter url: The URL to request, for errors.
    func takeHandle(for url: URL?) throws(URLError) -> EasyHandle {
        if let handle = pool.popLast() { return handle }
        guard let support = shards?.support,
            let handle = EasyHandle(bufferSize: Exchange.bufferSize, support: support)
        else { throw .engine(.unknown, "libcurl could not make a transfer.", url: url) }
        guard handle.configure(settings.tls, trust: support.trust) else { throw .unenforceableTLS(url: url) }
        if let sentence = handle.setRoute(of: settings.options) { throw .engine(.cannotFindHost, sentence, url: url) }
        return handle
    }

    /// The wait for sockets; nil if the loop does not work.
    var poll: EventPoll? { shards?.support.poll }

    /// Returns the shard for the transfer of an exchange: the one with an idle connection to its host, if any.
    func shard(for exchange: Exchange) -> Shard? {
        if exchange.webSocket != nil { return shards?.shardWithRoom(for: .webSockets) }
        return exchange.host?.takeShard() ?? shards?.shardWithRoom(for: .requests)
    }

    /// Takes back the handle of a transfer, after its removal from its shard.
    func reclaim(_ handle: EasyHandle) {
        handle.client = nil
        _ = handle.endCloseWatch()
        handle.setCredentials(EasyHandle.Credentials())
        handle.closesConnection = false
        if handle.servesAgain, pool.count < 256 { pool.append(handle) }
    }

    // MARK: Refreshing

    /// Revalidates a cached response that was delivered stale to a task, unless that is under way.
    func refresh(_ url: String, with request: URLRequest, after task: TaskCore) {
        guard !mayEnd, !task.isRefresh, !refreshes.values.contains(url), !task.session.isInvalidated else { return }
        var request = request
        request.cachePolicy = .reloadRevalidatingCacheData
        let refresh = task.session.makeRefresh(of: request)
        refreshes[refresh.identifier] = url
        refresh.resume()
    }

    // MARK: Answers to uploads

    /// Notes an exchange whose response has begun while or after it sent content.
    func noteAnswer(to exchange: Exchange) { answered.append(exchange) }

    /// Has libcurl read once more for these exchanges. Over HTTP/2 it may have read the bytes after the head while it
    /// was sending. Up to 7.88 at least it then waits for the socket, on which no more bytes arrive.
    private func nudgeAnswered() {
        guard !answered.isEmpty else { return }
        for exchange in answered { exchange.nudge() }
        answered.removeAll(keepingCapacity: true)
    }

    // MARK: Time

    private func expireDue() {
        while let exchange = deadlines.takeDue(at: now) {
            if !exchange.expire(at: now) { deadlines.set(exchange.deadline, of: exchange) }
        }
        while let due = dormant.takeDue(at: now) {
            switch due {
            case .begins(let task): control(task)
            case .expired(let task):
                let error = URLError.resourceTimedOut(after: settings.resourceTimeout, url: task.originalRequest?.url)
                end(task, with: error)
            }
        }
    }
}

/// Content of one task that has arrived within a turn of the loop.
private struct Arrival {
    /// The size of the pieces that libcurl passes on as long as it has more.
    private static let pieceSize = 1 << 14

    let task: TaskCore
    private(set) var content: Data
    /// The number of bytes that can be added.
    private(set) var room: Int

    init(task: TaskCore, content bytes: UnsafeRawBufferPointer) {
        self.task = task
        if bytes.count >= Self.pieceSize, bytes.count < Exchange.bufferSize {
            room = Exchange.bufferSize
            content = Data(capacity: room)
            add(bytes)
        } else {
            room = 0
            content = Data(bytes)
        }
    }

    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        content.append(bytes.bindMemory(to: UInt8.self))
        room -= bytes.count
    }
}
#endif
