#if canImport(FoundationNetworking)
import Synchronization

/// The thread of a session, and the mailbox through which other threads send it commands.
///
/// The thread starts with the first command. It ends when the session is invalidated, or when it has been idle for some
/// time. Code that posts a command waits only for the mailbox's lock. No code of the caller runs while the lock is
/// held.
final class LoopMailbox: Sendable {
    /// The commands to the thread.
    enum Command: Sendable {
        case resume(TaskCore)
        case suspend(TaskCore)
        case cancel(TaskCore, any Error)
        /// Cancels a download. The handler receives the resume data.
        case cancelResumably(TaskCore, any Error, Delivery.ResumeDataHandler)
        /// The delegate's decision about a question.
        case answer(TaskCore, DelegateAnswer)
        /// The consumer has consumed enough of the delivered content for the transfer to continue.
        case consumed(TaskCore)
        /// The stream that a delegate has provided, or bytes that were read from a stream of the task. The streams of a
        /// task are numbered.
        case body(TaskCore, StreamReader.Chunk, ofStream: Int = 0)
        /// Content was produced, or its production has failed.
        case produced(TaskCore, number: Int)
        case reported(TaskCore, ProtocolLoader, ProtocolLoader.Report)
        case prioritize(TaskCore)
        /// The entries of a cache for a task's request.
        case cached(TaskCore, [CacheEntry])
        case deliver([Delivery.Item])
        case webSocket(TaskCore, WebSocketChannel.Order)
        /// A response's cookies were stored, or the copy of the response was stored in the program's cache.
        case stored(TaskCore)
        /// The session's resolver has looked up a name.
        case resolved(NameOutcome)
        /// Passes a snapshot of the connections to a closure, on the thread. Does not count as activity.
        case snapshot(@Sendable ([OriginConnections]) -> Void)
        /// Runs an action on the thread.
        case run(@Sendable () -> Void)
        /// Ends the thread and closes its connections as soon as no exchange runs. A later command starts a new thread.
        case end

        /// Whether the command counts as activity, which keeps an idle thread running.
        var isActivity: Bool {
            if case .snapshot = self { false } else { true }
        }
    }

    private struct Mailbox {
        var commands: [Command] = []
        /// The jobs of Swift tasks that run on the thread.
        var jobs: [LoopJobs.Job] = []
        var isRunning = false
        /// Whether the session has ended. The thread then ends as soon as it has nothing to do.
        var isOver = false
        var course = Course.works
        /// The loop that another thread may run while the loop's own thread waits; nil at all other times.
        var loop: LentLoop?
        var poll: EventPoll?

        var isEmpty: Bool { commands.isEmpty && jobs.isEmpty }

        mutating func append(_ command: Command) {
            commands.append(command)
            wakeUp()
        }

        mutating func append(_ job: LoopJobs.Job) {
            jobs.append(job)
            wakeUp()
        }

        mutating func wakeUp() {
            guard case .waits = course else { return }
            course = .works
            poll?.wakeUp()
        }

        /// If the thread waits and lends its loop, takes the loop; otherwise returns nil.
        mutating func borrow() -> LentLoop? {
            guard case .waits(let deadline) = course, let loop, isEmpty else { return nil }
            course = .isLent(until: deadline)
            return loop
        }
    }

    /// The state of the thread.
    private enum Course {
        /// The thread works, and checks for new commands before it waits.
        case works
        /// The thread waits or is about to wait, at most until a time. A new command has to wake it.
        case waits(until: LoopTime)
        /// The thread waits in the same way, and another thread runs the loop.
        case isLent(until: LoopTime)
        /// The thread has been woken, and waits until the other thread returns the loop.
        case waitsForReturn
    }

    /// The time in seconds after which a thread without tasks ends and closes its connections. If the session retains
    /// idle connections for a longer time, the thread ends after that time.
    static let idleTime: TimeInterval = 60

    /// The work of the thread. It receives the poll for its sockets, or the reason why there is no poll. Without a
    /// poll, the work fails all tasks. If more commands have arrived before its end, the work returns false, and is
    /// called again.
    typealias Work = @Sendable (LoopMailbox, Result<EventPoll, LoopFailure>) -> Bool

    private let mailbox = Mutex(Mailbox())
    private let thread: LoopThread
    /// Signalled when another thread returns the loop for which the loop's thread waits.
    private let returned = DispatchSemaphore(value: 0)
    private let work: Work
    let delivery: Delivery

    init(delivery: Delivery, thread: LoopThread, work: @escaping Work) {
        self.delivery = delivery
        self.thread = thread
        self.work = work
    }

    func post(_ command: Command) {
        guard case .resume(let task) = command else { return post { $0.append(command) } }
        var loop: LentLoop?
        post { mailbox in
            loop = mailbox.borrow()
            if loop == nil { mailbox.append(command) }
        }
        if let loop { start(task, on: loop) }
    }

    /// Adds a job of a Swift task for the thread.
    func post(_ job: LoopJobs.Job) { post { $0.append(job) } }

    private func post(_ append: (inout Mailbox) -> Void) {
        let startsThread = mailbox.withLock { mailbox in
            append(&mailbox)
            defer { mailbox.isRunning = true }
            return !mailbox.isRunning
        }
        if startsThread { startThread() }
    }

    var isRunning: Bool { mailbox.withLock { $0.isRunning } }

    /// Ends the thread after its last exchange, because the session has ended. A job that is posted later may start a
    /// new thread. This thread ends after its jobs.
    func finish() {
        mailbox.withLock { mailbox in
            mailbox.isOver = true
            if mailbox.isRunning { mailbox.append(.end) }
        }
    }

    /// Ends the thread after its last exchange. Has no effect if no thread is running.
    func end() {
        mailbox.withLock { if $0.isRunning { $0.append(.end) } }
    }

    /// Runs an action on the thread. Has no effect if no thread is running.
    private func postToRunningThread(_ action: @escaping @Sendable () -> Void) {
        mailbox.withLock { if $0.isRunning { $0.append(.run(action)) } }
    }

    /// Whether another thread may run the loop now. For tests.
    var isLendable: Bool { mailbox.withLock { $0.loop != nil } }

    /// Whether the session has ended.
    var isOver: Bool { mailbox.withLock { $0.isOver } }

    /// Moves the posted commands into an empty array. The storage of that array is used for the next commands.
    func takeCommands(_ commands: inout [Command]) {
        mailbox.withLock { mailbox in
            mailbox.course = .works
            swap(&mailbox.commands, &commands)
        }
    }

    /// Appends the posted jobs to the jobs that were taken earlier.
    func takeJobs(into jobs: inout LoopJobs) {
        mailbox.withLock { jobs.add(&$0.jobs) }
    }

    /// Waits for a socket, a command or a job, at most until a time. If a command or a job has already been posted,
    /// this method only checks the sockets.
    /// - Parameters:
    ///   - milliseconds: The time until the deadline.
    ///   - loop: The loop, if another thread may run it during the wait. Default: nil.
    func wait(_ poll: EventPoll, milliseconds: Int32, until deadline: LoopTime, lending loop: LentLoop? = nil) {
        let mayWait = mailbox.withLock { mailbox in
            guard milliseconds != 0, mailbox.isEmpty else { return false }
            mailbox.course = .waits(until: deadline)
            mailbox.loop = loop
            return true
        }
        let events = poll.gather(milliseconds: mayWait ? milliseconds : 0)
        if mayWait { takeBack() }
        poll.take(events)
    }

    /// Records that the thread ends. If a command or a job has just arrived, returns false, and the thread must not
    /// end.
    func endThread() -> Bool {
        mailbox.withLock { mailbox in
            guard mailbox.isEmpty else { return false }
            mailbox.isRunning = false
            mailbox.poll = nil
            return true
        }
    }

    // MARK: Lending

    /// Starts a task on the calling thread, and then returns the loop. This avoids waking the loop's thread.
    private func start(_ task: TaskCore, on loop: LentLoop) {
        let next = WriteSignals.blocking { loop.start(task) }
        let isAwaited = mailbox.withLock { mailbox in
            // The loop is not idle any more.
            mailbox.loop = nil
            if next == nil { mailbox.commands.append(.resume(task)) }
            guard case .isLent(let deadline) = mailbox.course else {
                mailbox.course = .works
                return true
            }
            mailbox.course = .waits(until: deadline)
            if !mailbox.isEmpty || next.map({ $0 < deadline }) ?? true { mailbox.wakeUp() }
            return false
        }
        if isAwaited { returned.signal() }
    }

    /// Ends the lending after a wait. If another thread runs the loop, this method waits until that thread returns it.
    private func takeBack() {
        let isLent = mailbox.withLock { mailbox in
            mailbox.loop = nil
            guard case .isLent = mailbox.course else {
                mailbox.course = .works
                return false
            }
            mailbox.course = .waitsForReturn
            return true
        }
        if isLent { returned.wait() }
    }

    // MARK: The thread

    private func startThread() {
        var hasEnded = false
        while !hasEnded {
            let number = thread.start { [self] in
                WriteSignals.block()
                ProcessEnd.threads.run(post: postToRunningThread) {
                    while !run(makePoll()) {}
                }
            }
            guard number != 0 else { return }
            // If no thread can be started, the calling thread immediately fails the tasks of the posted commands, so
            // that no task waits forever.
            hasEnded = run(.failure(.noThread(number)))
        }
    }

    private func makePoll() -> Result<EventPoll, LoopFailure> {
        Result { () throws(LoopFailure) in try EventPoll() }
    }

    private func run(_ poll: Result<EventPoll, LoopFailure>) -> Bool {
        mailbox.withLock { $0.poll = try? poll.get() }
        return work(self, poll)
    }
}

/// A loop that another thread may run once while the loop's own thread waits for sockets. The mailbox decides which of
/// the two threads has the loop, so only one thread uses it at a time.
struct LentLoop: @unchecked Sendable {
    // Safe: only the thread that has the loop calls the closure.
    /// Starts a task, and makes libcurl send its request. No event of the task is delivered.
    ///
    /// Returns the time at which the loop next has to act. Returns nil if the task was not started, because starting it
    /// might take a long time.
    let start: (TaskCore) -> LoopTime?
}

/// The jobs of Swift tasks that a loop has to run, in the order of their arrival.
struct LoopJobs {
    /// A job and its executor.
    struct Job {
        let job: UnownedJob
        let executor: LoopExecutor

        func run() { job.runSynchronously(on: executor.asUnownedTaskExecutor()) }
    }

    /// The maximum time for jobs, in seconds. After this time, the loop checks its sockets before it runs the next job.
    private static let longestRun: TimeInterval = 0.001

    private var line = Line<Job>()

    var isEmpty: Bool { line.isEmpty }

    /// Takes the jobs of an array. The array is then empty, but its storage is not released.
    mutating func add(_ others: inout [Job]) {
        for job in others { line.append(job) }
        others.removeAll(keepingCapacity: true)
    }

    /// Runs jobs for a limited time, but at least one job.
    mutating func run() {
        let end = LoopTime.now.adding(Self.longestRun)
        while let job = line.take() {
            job.run()
            if LoopTime.now >= end { return }
        }
    }

    /// Passes the jobs to the global executor.
    mutating func leave() {
        while let job = line.take() { globalConcurrentExecutor.enqueue(ExecutorJob(job.job)) }
    }
}

/// The thread of a session as the executor of Swift tasks.
/// The executor retains only the session's mailbox. So a Swift task on this executor does not retain the session, and
/// it still runs after the session has ended.
final class LoopExecutor: TaskExecutor {
    private let mailbox: LoopMailbox

    init(mailbox: LoopMailbox) { self.mailbox = mailbox }

    func enqueue(_ job: consuming ExecutorJob) {
        mailbox.post(LoopJobs.Job(job: UnownedJob(job), executor: self))
    }
}
#endif
