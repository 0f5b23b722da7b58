#if canImport(FoundationNetworking)
import Synchronization

/// The thread of a session, and the mailbox through which other threads send it commands.
///
/// The thread starts with the first command. It ends when the session is invalidated, or after it was idle for some
/// time. Code that posts a command waits only for the mailbox's lock. No foreign code runs while the lock is held.
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
        case body(TaskCore, BodyPump.Chunk, ofStream: Int = 0)
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
        /// Ends the thread and closes its connections as soon as no exchange is running. A later command starts a new
        /// thread.
        case end

        /// Whether the command keeps an idle thread running.
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
        /// Whether the thread waits or is about to wait. A new command then has to wake the thread.
        var isPolling = false
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

        private mutating func wakeUp() {
            guard isPolling else { return }
            isPolling = false
            poll?.wakeUp()
        }
    }

    /// The time in seconds after which a thread without tasks ends, unless the session retains idle connections for a
    /// longer time. Its connections are then closed.
    static let idleTime: TimeInterval = 60

    /// The work of the thread. It gets the poll for its sockets, or the reason why there is no poll. Without a poll,
    /// the work fails all tasks. If more commands have arrived since then, the work returns false, and is called again.
    typealias Work = @Sendable (LoopMailbox, Result<EventPoll, LoopFailure>) -> Bool

    private let mailbox = Mutex(Mailbox())
    private let thread: LoopThread
    private let work: Work
    let delivery: Delivery

    init(delivery: Delivery, thread: LoopThread, work: @escaping Work) {
        self.delivery = delivery
        self.thread = thread
        self.work = work
    }

    func post(_ command: Command) { post { $0.append(command) } }

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
    /// new thread, which ends after its jobs.
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

    /// Whether the session has ended.
    var isOver: Bool { mailbox.withLock { $0.isOver } }

    /// Moves the posted commands into an empty array. The storage of that array is used for the next commands.
    func takeCommands(_ commands: inout [Command]) {
        mailbox.withLock { mailbox in
            mailbox.isPolling = false
            swap(&mailbox.commands, &commands)
        }
    }

    /// Appends the posted jobs to the jobs that were taken earlier.
    func takeJobs(into jobs: inout LoopJobs) {
        mailbox.withLock { jobs.add(&$0.jobs) }
    }

    /// Waits for a socket, a command or a job. If a command or a job has already been posted, only checks the sockets.
    func wait(_ poll: EventPoll, milliseconds: Int32) {
        let mayWait = mailbox.withLock { mailbox in
            mailbox.isPolling = milliseconds != 0 && mailbox.isEmpty
            return mailbox.isPolling
        }
        poll.wait(milliseconds: mayWait ? milliseconds : 0)
    }

    /// Records that the thread ends. If a command or a job has arrived in the meantime, returns false, and the thread
    /// must not end.
    func endThread() -> Bool {
        mailbox.withLock { mailbox in
            guard mailbox.isEmpty else { return false }
            mailbox.isRunning = false
            mailbox.isPolling = false
            mailbox.poll = nil
            return true
        }
    }

    private func startThread() {
        var hasEnded = false
        while !hasEnded {
            let number = thread.start { [self] in
                Self.blockWriteSignals()
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

    /// Blocks two signals that would end the process, so that a write fails instead. SIGPIPE is sent for a write to a
    /// connection that the other side has closed; TLS libraries do not suppress it. SIGXFSZ is sent for a write to a
    /// file that has reached the maximum file size of the process.
    private static func blockWriteSignals() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        sigaddset(&signals, SIGXFSZ)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }
}
#endif
