#if canImport(FoundationNetworking)
import Synchronization

/// The thread of one session and the mailbox through which everyone else talks to it.
///
/// The thread starts with the first command and ends when the session is invalidated, or has had nothing to do for a
/// while. Posting never waits for anything but the mailbox, in which nobody else's code runs.
final class LoopMailbox: Sendable {
    /// What the thread can be told.
    enum Command: Sendable {
        case resume(TaskCore)
        case suspend(TaskCore)
        case cancel(TaskCore, any Error)
        /// The same for a download, of which the handler gets resume data.
        case cancelResumably(TaskCore, any Error, Delivery.ResumeDataHandler)
        /// The delegate was asked something, and this is its answer.
        case answer(TaskCore, DelegateAnswer)
        /// What had been delivered has been consumed, down to the lower mark.
        case consumed(TaskCore)
        /// A delegate's answer to the question for a stream, or what was read from a task's stream with this number.
        case body(TaskCore, BodyPump.Chunk, ofStream: Int = 0)
        case reported(TaskCore, ProtocolLoader, ProtocolLoader.Report)
        case prioritize(TaskCore)
        /// What a cache has for a task's request.
        case cached(TaskCore, [CacheEntry])
        case deliver(Delivery.Item)
        /// The cookies of a task's response are in the storage.
        case cookiesStored(TaskCore)
        /// Runs something on the thread.
        case run(@Sendable () -> Void)
        /// Ends the thread, and all connections with it, as soon as no exchange is under way; a later command starts
        /// another.
        case end
    }

    private struct Mailbox {
        var commands: [Command] = []
        var isRunning = false
        /// The thread waits, or is about to, and has to be woken.
        var isPolling = false
        var multi: MultiHandle?

        mutating func append(_ command: Command) {
            commands.append(command)
            guard isPolling else { return }
            isPolling = false
            multi?.wakeUp()
        }
    }

    /// How long a thread without transfers keeps its connections, in seconds.
    static let idleTime: TimeInterval = 60

    private let mailbox = Mutex(Mailbox())
    private let settings: SessionSettings
    private let thread: LoopThread
    let delivery: Delivery

    init(settings: SessionSettings, delivery: Delivery, thread: LoopThread = .system) {
        self.settings = settings
        self.delivery = delivery
        self.thread = thread
    }

    func post(_ command: Command) {
        let startsThread = mailbox.withLock { mailbox in
            mailbox.append(command)
            defer { mailbox.isRunning = true }
            return !mailbox.isRunning
        }
        if startsThread { startThread() }
    }

    var isRunning: Bool { mailbox.withLock { $0.isRunning } }

    /// Lets the thread end with its last exchange; nothing where there is none.
    func end() {
        mailbox.withLock { if $0.isRunning { $0.append(.end) } }
    }

    /// What has been posted, into an array that is empty; its storage is used for what comes next.
    func takeCommands(_ commands: inout [Command]) {
        mailbox.withLock { mailbox in
            mailbox.isPolling = false
            swap(&mailbox.commands, &commands)
        }
    }

    /// Waits for a command or a transfer, unless there is a command already.
    func wait(_ multi: MultiHandle, milliseconds: Int32) {
        let mayPoll = mailbox.withLock { mailbox in
            mailbox.isPolling = mailbox.commands.isEmpty
            return mailbox.isPolling
        }
        if mayPoll { multi.poll(milliseconds: milliseconds) }
    }

    /// Says that the thread ends; false if a command has come meanwhile.
    func endThread() -> Bool {
        mailbox.withLock { mailbox in
            guard mailbox.commands.isEmpty else { return false }
            mailbox.isRunning = false
            mailbox.isPolling = false
            mailbox.multi = nil
            return true
        }
    }

    private func startThread() {
        var hasEnded = false
        while !hasEnded {
            let number = thread.start { [self] in
                Self.blockWriteSignals()
                while !run(makeMultiHandle()) {}
            }
            guard number != 0 else { return }
            // What was posted is answered here and now, by this thread, so that no task waits for one that never comes.
            hasEnded = run(.failure(.noThread(number)))
        }
    }

    private func makeMultiHandle() -> Result<MultiHandle, LoopFailure> {
        Result { () throws(LoopFailure) in
            try MultiHandle(maximumConnectionsPerHost: settings.maximumConnectionsPerHost, tls: settings.tls)
        }
    }

    /// Returns false if there are commands that came after earlier ones had failed: for these it is tried anew.
    private func run(_ multi: Result<MultiHandle, LoopFailure>) -> Bool {
        mailbox.withLock { $0.multi = try? multi.get() }
        return EventLoop(mailbox: self, settings: settings, multi: multi).run()
    }

    /// Writing to a connection that the other side has closed would end the process, as TLS libraries write without
    /// asking for anything else; and so would writing to a file that is as large as the process may make one. Both are
    /// errors of the call that is made, and no more.
    private static func blockWriteSignals() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        sigaddset(&signals, SIGXFSZ)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }
}
#endif
