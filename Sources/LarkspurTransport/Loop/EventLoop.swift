#if canImport(FoundationNetworking)
import HTTPSyntax

/// The work of the loop's thread: it takes commands, runs libcurl, handles ended transfers, and delivers events.
///
/// Only the loop's thread uses the loop, its exchanges and their handles. While this thread waits, one other thread
/// that has borrowed the loop may use them (``LentLoop``).
final class EventLoop {
    private let mailbox: LoopMailbox
    private let settings: SessionSettings
    /// The reason why every task fails; nil if the loop works.
    private let failure: LoopFailure?
    private let connections: Connections
    private let outbox: Outbox
    private let exchanges: ExchangeGroup
    /// The tasks that have not begun; nil while there are none.
    @exclusivity(unchecked) private var dormant: DormantTasks? {
        didSet { if dormant?.isEmpty == true { dormant = nil } }
    }
    @exclusivity(unchecked) private var commands: [LoopMailbox.Command] = []
    @exclusivity(unchecked) private var jobs = LoopJobs()
    /// The loop for other threads; nil if it must not be lent.
    @exclusivity(unchecked) private var lent: LentLoop?

    init(mailbox: LoopMailbox, settings: SessionSettings, poll: Result<EventPoll, LoopFailure>) {
        self.mailbox = mailbox
        self.settings = settings
        let made = poll.flatMap { poll in
            Result { () throws(LoopFailure) in try Connections(settings: settings, poll: poll) }
        }
        switch made {
        case .success(let made):
            failure = nil
            connections = made
        case .failure(let failure):
            self.failure = failure
            connections = Connections(settings: settings)
        }
        outbox = Outbox(mailbox: mailbox, cookies: settings.cookies)
        exchanges = ExchangeGroup(
            settings: settings,
            outbox: outbox,
            connections: connections,
            isEnding: mailbox.isOver
        )
    }

    /// Runs the loop. If the loop cannot work, fails all tasks. In this case, returns false if more commands have
    /// arrived. Otherwise returns true.
    func run() -> Bool {
        var hasEnded = false
        if failure == nil, settings.mayLendLoop { lent = LentLoop { [unowned self] in startLent($0) } }
        repeat {
            repeat { turn() } while !isFinished
            hasEnded = mailbox.endThread()
        } while !hasEnded && failure == nil
        connections.close()
        return hasEnded
    }

    private var isIdle: Bool { exchanges.isEmpty && dormant == nil && !outbox.isHolding }

    /// The time at which an idle thread ends.
    private var idleDeadline: LoopTime {
        exchanges.idleSince.adding(max(LoopMailbox.idleTime, settings.idleConnectionTime))
    }

    private var isFinished: Bool {
        isIdle && jobs.isEmpty && (exchanges.isEnding || failure != nil || exchanges.now >= idleDeadline)
    }

    private func turn() {
        mailbox.takeCommands(&commands)
        exchanges.now = .now
        if !commands.isEmpty {
            // A program that reads its connections from time to time does not prevent the end of the thread.
            if commands.count > 1 || commands[0].isActivity { exchanges.idleSince = exchanges.now }
            for command in commands { perform(command) }
            commands.removeAll(keepingCapacity: true)
        }
        if failure == nil { advance() }
        expireDue()
        outbox.send()
        runJobs()
        guard let poll = connections.support?.poll, !isFinished else { return }
        let mayWait = jobs.isEmpty && exchanges.noted.pauses.isEmpty
        var deadline = min(nextDeadline, connections.deadlines.next)
        // If tasks are running, this thread will soon wake anyway.
        let isLent = mayWait && isIdle && lent != nil
        // Most requests have this deadline. So the loop's thread does not have to be woken for it.
        if isLent { deadline = min(deadline, exchanges.now.adding(settings.firstDeadline)) }
        let time = mayWait ? exchanges.now.milliseconds(until: deadline) : 0
        mailbox.wait(poll, milliseconds: time, until: deadline, lending: isLent ? lent : nil)
    }

    private func advance() {
        if !exchanges.noted.pauses.isEmpty { exchanges.applyPauses() }
        exchanges.now = .now
        connections.advance(at: exchanges.now)
        exchanges.admitWaiting()
        if !exchanges.noted.answered.isEmpty { exchanges.nudgeAnswered() }
    }

    // MARK: Lending

    /// Starts a task on another thread if this takes only a few microseconds. This is so if the task sends no content
    /// and there may be an open connection for it. The events are delivered later, on the loop's thread.
    private func startLent(_ task: TaskCore) -> LoopTime? {
        guard task.plan.kind == .data, case .none = task.plan.body,
            connections.hasConnection(to: exchanges.destination(of: task.plan.originalRequest?.url))
        else { return nil }
        exchanges.now = .now
        exchanges.idleSince = exchanges.now
        control(task)
        advance()
        let isDone = exchanges.isEmpty || !exchanges.noted.pauses.isEmpty || !outbox.isEmpty
        return isDone ? exchanges.now : min(nextDeadline, connections.deadlines.next)
    }

    /// Runs the jobs of Swift tasks, after the events that may have resumed the tasks.
    ///
    /// The next turn checks the sockets before the deadlines. So if bytes have arrived during a long job, they are read
    /// first, and the transfer does not time out.
    private func runJobs() {
        mailbox.takeJobs(into: &jobs)
        guard !jobs.isEmpty else { return }
        // If the loop cannot work, this code may run within the call that has queued the jobs. So the global executor
        // runs the jobs.
        if failure != nil { return jobs.leave() }
        jobs.run()
        exchanges.now = .now
        exchanges.idleSince = exchanges.now
    }

    /// The time at which the thread next has to act, apart from libcurl's transfers.
    private var nextDeadline: LoopTime {
        isIdle ? idleDeadline : min(exchanges.deadlines.next, dormant?.deadline ?? .distantFuture)
    }

    private func perform(_ command: LoopMailbox.Command) {
        switch command {
        case .resume(let task), .suspend(let task): control(task)
        case .cancel(let task, let error):
            dormant?.remove(task)
            if let exchange = exchanges[task] {
                exchange.end(.failure(error))
            } else {
                // The task has no exchange, because it has not begun. If it has already ended, this has no effect.
                outbox.end(task, with: error)
            }
        case .cancelResumably(let task, let error, let handler):
            dormant?.remove(task)
            if let exchange = exchanges[task] {
                exchange.cancel(with: error, handler: handler)
            } else {
                let data = task.unusedResumeData
                outbox.deliver(.resumeData(data, handler), to: task)
                // This has no effect on a task that has already ended.
                outbox.end(task, with: data.flatMap { (error as? URLError)?.adding(resumeData: $0) } ?? error)
            }
        case .answer(let task, let answer): exchanges[task]?.receive(answer)
        case .consumed(let task): exchanges[task]?.resumeReceiving()
        case .body(let task, let chunk, let number): exchanges[task]?.receive(chunk, ofStream: number)
        case .produced(let task, let number): exchanges[task]?.receiveProduction(number)
        case .reported(let task, let source, let report): exchanges[task]?.receive(report, from: source)
        case .prioritize(let task): exchanges[task]?.prioritize()
        case .deliver(let items): for item in items { outbox.deliver(item) }
        case .webSocket(let task, let order):
            if let driver = exchanges[task]?.webSocket {
                driver.perform(order)
            } else if let connection = task.plan.webSocket {
                connection.takeBack(order)
            } else {
                order.fail(URLError(.cancelled))
            }
        case .stored(let task): outbox.release(task)
        case .resolved(let outcome):
            for exchange in exchanges.names?.receive(outcome, at: exchanges.now) ?? [] {
                exchange.receive(outcome.result)
            }
        case .snapshot(let receive): receive(exchanges.connectionSnapshot)
        case .run(let action): action()
        case .cached(let task, let entries): exchanges[task]?.receive(entries)
        case .end: exchanges.end()
        }
    }

    /// Starts, delays, continues or pauses a task according to its current state. The kind of the command is ignored,
    /// because commands from several threads may arrive in an order that differs from the order of the state's changes.
    private func control(_ task: TaskCore) {
        if let exchange = exchanges[task] {
            if task.isSuspended { exchange.suspend() } else { exchange.resume() }
            return
        }
        dormant?.remove(task)
        let beginning = task.begin(at: exchanges.now)
        if let failure, beginning != .never {
            return outbox.end(task, with: failure.error(url: task.plan.originalRequest?.url))
        }
        switch beginning {
        case .now: exchanges.begin(task)
        case .later(let dormancy):
            // While `tasks` changes, no other reference to its storage exists.
            var tasks = dormant.take() ?? DormantTasks(resourceTimeout: settings.resourceTimeout)
            tasks.add(task, dormancy)
            dormant = tasks
        case .never: break
        }
    }

    private func expireDue() {
        exchanges.expireDue()
        while let due = dormant?.takeDue(at: exchanges.now) {
            switch due {
            case .begins(let task): control(task)
            case .expired(let task):
                let url = task.plan.originalRequest?.url
                outbox.end(task, with: URLError.resourceTimedOut(after: settings.resourceTimeout, url: url))
            }
        }
    }
}

/// The tasks of a loop that were resumed but have not begun. Some of them were suspended before the loop could start
/// them. The others have an earliest begin date in the future.
///
/// It is a value without I/O. The loop stores these tasks because their deadlines apply even before they begin.
struct DormantTasks {
    enum Due {
        case begins(TaskCore)
        /// The resource timeout of the task has passed.
        case expired(TaskCore)
    }

    private final class Entry: DeadlineHolder {
        let task: TaskCore
        let dormancy: Dormancy
        var deadlineIndex: Int?

        init(task: TaskCore, dormancy: Dormancy) {
            self.task = task
            self.dormancy = dormancy
        }
    }

    private let resourceTimeout: TimeInterval
    private var entries: [Int: Entry] = [:]
    private var deadlines = DeadlineHeap<LoopTime, Entry>()

    /// - Parameter resourceTimeout: The time limit for a whole task, in seconds.
    init(resourceTimeout: TimeInterval) { self.resourceTimeout = resourceTimeout }

    var isEmpty: Bool { entries.isEmpty }

    /// The time at which the first of these tasks is due.
    var deadline: LoopTime { deadlines.next }

    mutating func add(_ task: TaskCore, _ dormancy: Dormancy) {
        remove(task)
        let entry = Entry(task: task, dormancy: dormancy)
        entries[task.identifier] = entry
        deadlines.set(dormancy.deadline(resourceTimeout: resourceTimeout), of: entry)
    }

    mutating func remove(_ task: TaskCore) {
        if let entry = entries.removeValue(forKey: task.identifier) { deadlines.remove(entry) }
    }

    /// Removes and returns a task that is due; nil if no task is due.
    mutating func takeDue(at now: LoopTime) -> Due? {
        guard let entry = deadlines.takeDue(at: now) else { return nil }
        entries[entry.task.identifier] = nil
        return now >= entry.dormancy.expiry(resourceTimeout: resourceTimeout)
            ? .expired(entry.task) : .begins(entry.task)
    }
}
#endif
