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

    /// Takes over the jobs of an array, possibly in exchange for an empty array with storage.
    mutating func add(_ others: inout [Job]) { line.add(&others) }

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

    /// Elements that are taken in the order in which they were added.
    struct Line<Element> {
        private var elements: [Element] = []
        private var next = 0

        var isEmpty: Bool { next == elements.count }

        /// The number of elements in memory, those included that have been taken.
        var storedCount: Int { elements.count }

        /// Takes over the elements of an array, possibly in exchange for an empty array with storage.
        mutating func add(_ others: inout [Element]) {
            guard !others.isEmpty else { return }
            // When as many have been taken as are left, so that it costs little for each of them.
            if next >= elements.count - next {
                elements.removeSubrange(..<next)
                next = 0
            }
            if elements.isEmpty { swap(&elements, &others) } else { elements += others }
            others.removeAll(keepingCapacity: true)
        }

        mutating func take() -> Element? {
            guard !isEmpty else { return nil }
            defer { next += 1 }
            return elements[next]
        }
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
