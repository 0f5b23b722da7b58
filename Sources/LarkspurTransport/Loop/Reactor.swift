#if canImport(FoundationNetworking)
internal import CLibcurl

/// What the loop's thread does: takes commands, lets libcurl work, sees to what has ended, delivers.
///
/// Everything in it, the exchanges and their handles belong to that thread.
final class Reactor {
    let settings: SessionSettings
    private let loop: EventLoop
    private let multi: MultiHandle?
    private var pool: [EasyHandle] = []
    private var hosts: [String: HostQueue] = [:]
    private var exchanges: [Int: Exchange] = [:]
    /// The URLs of cached responses that are being asked about, by the tasks that do so.
    private var refreshes: [Int: String] = [:]
    /// Those that send content piece by piece.
    private var uploads: [Int: Exchange] = [:]
    private var answered: [Exchange] = []
    private var outbox: [Delivery.Item] = []
    private var commands: [EventLoop.Command] = []
    /// No deadline is earlier than this; which of them it was is found out when it has come.
    private var nextDeadline = LoopTime.distantFuture
    private(set) var now = LoopTime.now
    private var idleSince = LoopTime.now
    /// With its last transfer the thread ends, and all connections with it; a later task starts another.
    private var mayEnd = false
    /// A transfer was added or may go on, which libcurl finds out when it is let to work.
    private var hasWork = false

    init(loop: EventLoop, settings: SessionSettings, multi: MultiHandle?) {
        self.loop = loop
        self.settings = settings
        self.multi = multi
    }

    func run() {
        repeat {
            repeat { turn() } while !isFinished
        } while !loop.endThread()
        hosts.removeAll()
        pool.removeAll()
    }

    private var isFinished: Bool {
        exchanges.isEmpty && (mayEnd || multi == nil || now >= idleSince.adding(EventLoop.idleTime))
    }

    private func turn() {
        loop.takeCommands(&commands)
        now = .now
        if !commands.isEmpty {
            idleSince = now
            for command in commands { perform(command) }
            commands.removeAll(keepingCapacity: true)
        }
        if let multi {
            hasWork = false
            multi.perform()
            now = .now
            for exchange in uploads.values { exchange.noteSentBytes() }
            while let (handle, result) = multi.nextCompleted() { (handle.client as? Exchange)?.transferEnded(result) }
            nudgeAnswered()
        }
        if now >= nextDeadline { checkDeadlines() }
        loop.delivery.send(&outbox)
        guard let multi, !hasWork, !isFinished else { return }
        let deadline = exchanges.isEmpty ? idleSince.adding(EventLoop.idleTime) : nextDeadline
        loop.wait(multi, milliseconds: now.milliseconds(until: deadline))
    }

    private func perform(_ command: EventLoop.Command) {
        switch command {
        case .resume(let task):
            if exchanges[task.identifier] == nil, task.beginsNow() { begin(task) } else { control(task) }
        case .suspend(let task): control(task)
        case .cancel(let task, let error):
            if let exchange = exchanges[task.identifier] {
                exchange.finish(error)
            } else {
                // It had never been resumed.
                deliver(.complete(error), to: task)
            }
        case .cancelResumably(let task, let error, let handler):
            if let exchange = exchanges[task.identifier] {
                exchange.cancel(with: error, handler: handler)
            } else {
                let data = task.unusedResumeData
                deliver(.resumeData(data, handler), to: task)
                deliver(.complete(data.flatMap { (error as? URLError)?.adding(resumeData: $0) } ?? error), to: task)
            }
        case .answer(let task, let answer): exchanges[task.identifier]?.receive(answer)
        case .consumed(let task): exchanges[task.identifier]?.resumeReceiving()
        case .body(let task, let chunk): exchanges[task.identifier]?.receive(chunk)
        case .hosted(let task, let source, let report): exchanges[task.identifier]?.receive(report, from: source)
        case .prioritize(let task): exchanges[task.identifier]?.prioritize()
        case .deliver(let item): outbox.append(item)
        case .run(let action): action()
        case .cached(let task, let entries): exchanges[task.identifier]?.receive(entries)
        case .end:
            mayEnd = true
            for identifier in refreshes.keys { exchanges[identifier]?.finish(URLError(.cancelled) as any Error) }
        }
    }

    /// Has a transfer go on or pause as the task's state asks for by now: commands that several threads send may overtake one another.
    private func control(_ task: TaskCore) {
        guard let exchange = exchanges[task.identifier] else { return }
        if task.isSuspended { exchange.suspend() } else { exchange.resume() }
    }

    private func begin(_ task: TaskCore) {
        guard let exchange = Exchange(task: task, reactor: self) else { return }
        if task.isRefresh, mayEnd { return refreshes[task.identifier] = nil }
        exchanges[task.identifier] = exchange
        exchange.start()
    }

    // MARK: For exchanges

    func deliver(_ event: Delivery.Event, to task: TaskCore) { outbox.append(Delivery.Item(task: task, event: event)) }

    func forget(_ exchange: Exchange) {
        exchanges[exchange.task.identifier] = nil
        uploads[exchange.task.identifier] = nil
        if exchange.task.isRefresh { refreshes[exchange.task.identifier] = nil }
        if exchanges.isEmpty { idleSince = now }
    }

    /// Takes note of a deadline that is new or earlier than before.
    func note(_ deadline: LoopTime) { nextDeadline = min(nextDeadline, deadline) }

    /// Lets an exchange be asked at every turn how much of its content is out.
    func watchUpload(of exchange: Exchange) { uploads[exchange.task.identifier] = exchange }

    func host(of url: String) -> HostQueue {
        let origin = url.origin
        if let host = hosts[origin] { return host }
        if hosts.count >= 1024 { hosts = hosts.filter { !$0.value.isIdle } }
        let host = HostQueue(limit: settings.maximumConnectionsPerHost)
        hosts[origin] = host
        return host
    }

    /// - Parameter url: What is to be requested, for errors.
    func takeHandle(for url: URL?) throws(URLError) -> EasyHandle {
        if let handle = pool.popLast() { return handle }
        guard let handle = EasyHandle(bufferSize: Exchange.bufferSize) else {
            throw .engine(.unknown, "libcurl could not make a transfer.", url: url)
        }
        guard handle.configure(settings.tls, trust: multi?.trust) else { throw .unenforceableTLS(url: url) }
        if let sentence = handle.setRoute(of: settings.options) { throw .engine(.cannotFindHost, sentence, url: url) }
        return handle
    }

    func add(_ handle: EasyHandle) -> Bool {
        hasWork = true
        return multi?.add(handle) ?? false
    }

    /// Takes a handle out of libcurl's hands, closing its connection if a transfer is under way.
    func remove(_ handle: EasyHandle) {
        multi?.remove(handle)
        handle.client = nil
        handle.setProof(EasyHandle.Proof())
        hasWork = true
        if pool.count < 256 { pool.append(handle) }
    }

    // MARK: Refreshing

    /// Asks the server about a cached response that was delivered stale to a task, unless that is being done.
    func refresh(_ url: String, with request: URLRequest, after task: TaskCore) {
        guard !mayEnd, !task.isRefresh, !refreshes.values.contains(url), !task.session.isInvalidated else { return }
        var request = request
        request.cachePolicy = .reloadRevalidatingCacheData
        let refresh = task.session.makeRefresh(of: request)
        refreshes[refresh.identifier] = url
        refresh.resume()
    }

    // MARK: Answers to uploads

    /// Takes note of an exchange whose response has begun while or after it sent content.
    func noteAnswer(to exchange: Exchange) { answered.append(exchange) }

    /// Has libcurl read once more for them: over HTTP/2 it may have read what follows the head while it was sending, and up to 7.88 at least it then
    /// waits for the socket, on which nothing comes any more.
    private func nudgeAnswered() {
        guard !answered.isEmpty else { return }
        for exchange in answered { exchange.nudge() }
        answered.removeAll(keepingCapacity: true)
        hasWork = true
    }

    // MARK: Time

    private func checkDeadlines() {
        nextDeadline = .distantFuture
        // Expiry removes from the dictionary that is gone through.
        for exchange in Array(exchanges.values) where !exchange.expire(at: now) { note(exchange.deadline) }
    }
}

extension String {
    /// Scheme, host and port of a URL, as they stand there.
    fileprivate var origin: String {
        let bytes = utf8
        var slashes = 0
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let byte = bytes[index]
            if byte == UInt8(ascii: "/") { slashes += 1 }
            if slashes == 3 || byte == UInt8(ascii: "?") { break }
            index = bytes.index(after: index)
        }
        return String(self[..<index])
    }
}
#endif
