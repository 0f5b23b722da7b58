#if canImport(FoundationNetworking)
/// The thread of a session as the executor of Swift tasks.
///
/// It keeps only the session's mailbox: a task that runs on it keeps no session alive, and one whose session is over
/// still runs.
final class LoopExecutor: TaskExecutor {
    private let mailbox: LoopMailbox

    init(mailbox: LoopMailbox) { self.mailbox = mailbox }

    func enqueue(_ job: consuming ExecutorJob) {
        mailbox.post(LoopJobs.Job(job: UnownedJob(job), executor: self))
    }
}
#endif
