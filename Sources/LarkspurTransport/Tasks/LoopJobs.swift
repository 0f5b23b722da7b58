#if canImport(FoundationNetworking)
/// The jobs of Swift tasks that a loop runs, in the order of their arrival.
struct LoopJobs {
    /// A job and its executor.
    struct Job {
        let job: UnownedJob
        let executor: LoopExecutor

        func run() { job.runSynchronously(on: executor.asUnownedTaskExecutor()) }
    }

    /// The time after which the loop looks at its sockets before it runs another job, in seconds.
    private static let longestRun: TimeInterval = 0.001

    private var line = Line<Job>()

    var isEmpty: Bool { line.isEmpty }

    /// Takes over the jobs of an array, which keeps its storage.
    mutating func add(_ others: inout [Job]) {
        for job in others { line.append(job) }
        others.removeAll(keepingCapacity: true)
    }

    /// Runs the jobs, at least one, until the time for them is over.
    mutating func run() {
        let end = LoopTime.now.adding(Self.longestRun)
        while let job = line.take() {
            job.run()
            if LoopTime.now >= end { return }
        }
    }

    /// Leaves the jobs to the global executor.
    mutating func leave() {
        while let job = line.take() { globalConcurrentExecutor.enqueue(ExecutorJob(job.job)) }
    }
}

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
