#if canImport(FoundationNetworking)
import Synchronization

/// The thread of one session and the mailbox through which all other threads send it commands.
///
/// The thread starts with the first command. It ends when the session is invalidated, or after some idle time. Posting
/// a command waits for nothing but the mailbox's lock, within which no foreign code runs.
final class LoopMailbox: Sendable {
    /// The commands to the thread.
    enum Command: Sendable {
        case resume(TaskCore)
        case suspend(TaskCore)
        case cancel(TaskCore, any Error)
        /// Cancels a download; the handler gets its resume data.
        case cancelResumably(TaskCore, any Error, Delivery.ResumeDataHandler)
        /// The delegate's answer to a question.
        case answer(TaskCore, DelegateAnswer)
        /// The delivered content has been consumed, down to the lower mark.
        case consumed(TaskCore)
        /// A delegate's answer to the request for a stream, or the bytes that were read from the task's stream with
        /// this number.
        case body(TaskCore, BodyPump.Chunk, ofStream: Int = 0)
        case reported(TaskCore, ProtocolLoader, ProtocolLoader.Report)
        case prioritize(TaskCore)
        /// The entries of a cache for a task's request.
        case cached(TaskCore, [CacheEntry])
        case deliver(Delivery.Item)
        case webSocket(TaskCore, WebSocketChannel.Order)
        /// The cookies of a task's response have been written to the storage, or its copy to the program's cache.
        case stored(TaskCore)
        /// Runs an action on the thread.
        case run(@Sendable () -> Void)
        /// Ends the thread, and all connections with it, as soon as no exchange is under way; a later command starts
        /// another.
        case end
    }

    private struct Mailbox {
        var commands: [Command] = []
        /// The jobs of Swift tasks that run on the thread.
        var jobs: [LoopJobs.Job] = []
        var isRunning = false
        /// Whether the session is over, so that a thread ends as soon as it has nothing to do.
        var isOver = false
        /// Whether the thread waits, or is about to, and has to be woken.
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

    /// The time for which a thread without transfers keeps its connections open, in seconds.
    static let idleTime: TimeInterval = 60

    /// The work of the thread, with the wait for its sockets or the reason why there is none. It returns false if
    /// commands have arrived after earlier ones had failed: these are tried anew.
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

    /// Has the thread run a job of a Swift task.
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

    /// Ends the thread with its last exchange, as the session is over. A thread that later jobs start ends after them.
    func finish() {
        mailbox.withLock { mailbox in
            mailbox.isOver = true
            if mailbox.isRunning { mailbox.append(.end) }
        }
    }

    /// Ends the thread with its last exchange; has no effect without a thread.
    func end() {
        mailbox.withLock { if $0.isRunning { $0.append(.end) } }
    }

    /// Whether the session is over.
    var isOver: Bool { mailbox.withLock { $0.isOver } }

    /// Moves the posted commands into an empty array, whose storage is used for the next ones.
    func takeCommands(_ commands: inout [Command]) {
        mailbox.withLock { mailbox in
            mailbox.isPolling = false
            swap(&mailbox.commands, &commands)
        }
    }

    /// Moves the jobs behind those that have been taken before.
    func takeJobs(into jobs: inout LoopJobs) {
        mailbox.withLock { jobs.add(&$0.jobs) }
    }

    /// Waits for a command, a job or a socket, and only looks at the sockets if there is one of the former already.
    func wait(_ poll: EventPoll, milliseconds: Int32) {
        let mayWait = mailbox.withLock { mailbox in
            mailbox.isPolling = milliseconds != 0 && mailbox.isEmpty
            return mailbox.isPolling
        }
        poll.wait(milliseconds: mayWait ? milliseconds : 0)
    }

    /// Records that the thread ends; returns false if a command or a job has arrived meanwhile.
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
            // This thread handles the posted commands at once, so that no task waits for a thread that never starts.
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

    /// Blocks the signals of failed writes. A write to a connection that the other side has closed would end the
    /// process with SIGPIPE, as TLS libraries write without suppressing it. A write to a file that has the largest size
    /// the process may make would end it with SIGXFSZ. When blocked, both only become errors of the call.
    private static func blockWriteSignals() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        sigaddset(&signals, SIGXFSZ)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }
}
#endif
