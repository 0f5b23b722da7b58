#if canImport(FoundationNetworking)
import Synchronization

/// The thread of a session, and the mailbox through which other threads send it commands.
///
/// The thread starts with the first command. It ends when the session is invalidated, or after it was idle for some
/// time. Posting a command waits only for the mailbox's lock, within which no foreign code runs.
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
        /// The stream that a delegate has provided, or bytes that were read from the task's stream with this number.
        case body(TaskCore, BodyPump.Chunk, ofStream: Int = 0)
        case reported(TaskCore, ProtocolLoader, ProtocolLoader.Report)
        case prioritize(TaskCore)
        /// The entries of a cache for a task's request.
        case cached(TaskCore, [CacheEntry])
        case deliver(Delivery.Item)
        case webSocket(TaskCore, WebSocketChannel.Order)
        /// A response's cookies are in the storage, or its copy is in the program's cache.
        case stored(TaskCore)
        /// Runs an action on the thread.
        case run(@Sendable () -> Void)
        /// Ends the thread and closes its connections as soon as no exchange is running. A later command starts another
        /// thread.
        case end
    }

    private struct Mailbox {
        var commands: [Command] = []
        /// The jobs of Swift tasks that run on the thread.
        var jobs: [LoopJobs.Job] = []
        var isRunning = false
        /// Whether the session is over. Then a thread ends as soon as it has nothing to do.
        var isOver = false
        /// Whether the thread waits, or is about to wait, and has to be woken.
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

    /// The time after which a thread without tasks ends and its connections are closed, in seconds.
    static let idleTime: TimeInterval = 60

    /// The work of the thread. It gets the poll for its sockets, or the reason why there is none. It returns false if
    /// commands have arrived after it failed earlier ones. Then the work is tried again.
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

    /// Ends the thread with its last exchange, as the session is over. A job that is posted later may start a thread,
    /// which ends after its jobs.
    func finish() {
        mailbox.withLock { mailbox in
            mailbox.isOver = true
            if mailbox.isRunning { mailbox.append(.end) }
        }
    }

    /// Ends the thread with its last exchange. Has no effect without a thread.
    func end() {
        mailbox.withLock { if $0.isRunning { $0.append(.end) } }
    }

    /// Whether the session is over.
    var isOver: Bool { mailbox.withLock { $0.isOver } }

    /// Moves the posted commands into an empty array, and uses its storage for the next ones.
    func takeCommands(_ commands: inout [Command]) {
        mailbox.withLock { mailbox in
            mailbox.isPolling = false
            swap(&mailbox.commands, &commands)
        }
    }

    /// Appends the posted jobs to those that were taken earlier.
    func takeJobs(into jobs: inout LoopJobs) {
        mailbox.withLock { jobs.add(&$0.jobs) }
    }

    /// Waits for a socket, a command or a job. If a command or a job is already there, only checks the sockets.
    func wait(_ poll: EventPoll, milliseconds: Int32) {
        let mayWait = mailbox.withLock { mailbox in
            mailbox.isPolling = milliseconds != 0 && mailbox.isEmpty
            return mailbox.isPolling
        }
        poll.wait(milliseconds: mayWait ? milliseconds : 0)
    }

    /// Records that the thread ends. Returns false if a command or a job has arrived meanwhile.
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
                while !run(makePoll()) {}
            }
            guard number != 0 else { return }
            // The calling thread fails the posted commands immediately, so that no task waits for a thread that never
            // starts.
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

    /// Blocks two signals that would end the process, so that a write only fails instead. SIGPIPE: a write to a
    /// connection that the other side has closed, as TLS libraries write without suppressing the signal. SIGXFSZ: a
    /// write to a file that has reached the largest size that the process may create.
    private static func blockWriteSignals() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        sigaddset(&signals, SIGXFSZ)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }
}
#endif
