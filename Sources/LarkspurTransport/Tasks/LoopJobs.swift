#if canImport(FoundationNetworking)
/// The jobs of Swift tasks that a loop has to run, in the order of their arrival.
struct LoopJobs {
    /// A job and its executor.
    struct Job {
        let job: UnownedJob
        let executor: LoopExecutor

        func run() { job.runSynchronously(on: executor.asUnownedTaskExecutor()) }
    }

    /// The maximum time for jobs, in seconds. After this time the loop looks at its sockets before it runs the next
    /// job.
    private static let longestRun: TimeInterval = 0.001

    private var line = Line<Job>()

    var isEmpty: Bool { line.isEmpty }

    /// Takes the jobs of an array. The array is empty afterwards, but its storage is not released.
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
///
/// The executor retains only the session's mailbox. So a Swift task on this executor does not retain the session, and
/// still runs when the session has ended.
final class LoopExecutor: TaskExecutor {
    private let mailbox: LoopMailbox

    init(mailbox: LoopMailbox) { self.mailbox = mailbox }

    func enqueue(_ job: consuming ExecutorJob) {
        mailbox.post(LoopJobs.Job(job: UnownedJob(job), executor: self))
    }
}
#endif
