import Synchronization

/// The progress of one direction of a task: counts that are always kept, and a `Progress` made when somebody first asks
/// for it.
///
/// Reports to its handler are coalesced: while one is waiting in the completion queue no other is queued, so a slow
/// queue costs nothing.
final class TransferProgress: Sendable {
    typealias Handler = @Sendable (Progress) -> Void

    private struct Counts {
        var completed: Int64 = 0
        var total: Int64 = -1
        var progress: Progress?
        var isReportQueued = false
        // Within a value of ours: each access to a closure that a mutex holds by itself would wrap it once more.
        var handler: Handler?
    }

    /// The thread that brings the task to where its `Progress` is: one at a time, which sees to later changes too.
    private struct Following {
        var isActive = false
        var isOutdated = false

        /// Whether the caller is to do so.
        mutating func begin() -> Bool {
            defer { (isActive, isOutdated) = (true, isActive) }
            return !isActive
        }

        /// Whether it has to be done once more.
        mutating func end() -> Bool {
            defer { (isActive, isOutdated) = (isOutdated, false) }
            return isOutdated
        }
    }

    private let counts: Mutex<Counts>
    private let queue: DispatchQueue
    private let following = Mutex(Following())

    /// - Parameters:
    ///   - queue: Where the handler runs.
    ///   - handler: Called after the counts changed; released when the task ends.
    init(queue: DispatchQueue, handler: Handler?) {
        self.queue = queue
        counts = Mutex(Counts(handler: handler))
    }

    /// The `Progress`, whose cancel, pause and resume act on the task.
    func progress(of task: SessionTask) -> Progress {
        counts.withLock { counts in
            if let progress = counts.progress { return progress }
            // Without a parent: what is current on the thread that happens to ask is another matter, and code of the
            // caller's.
            let progress = Progress(parent: nil)
            progress.totalUnitCount = counts.total
            progress.completedUnitCount = counts.completed
            progress.isCancellable = true
            progress.isPausable = true
            progress.cancellationHandler = { [weak task] in task?.cancel() }
            let follow: @Sendable () -> Void = { [weak self, weak task, weak progress] in
                if let self, let task, let progress { self.follow(progress, with: task) }
            }
            progress.pausingHandler = follow
            progress.resumingHandler = follow
            counts.progress = progress
            return progress
        }
    }

    /// Brings a task to where its `Progress` is. Foundation calls the handlers of pausing and resuming on whatever
    /// threads come first, so that neither says what was asked for last.
    private func follow(_ progress: Progress, with task: SessionTask) {
        // Outside the lock, as the task drives the transport.
        guard following.withLock({ $0.begin() }) else { return }
        repeat {
            if progress.isPaused { task.suspend() } else { task.resume() }
        } while following.withLock { $0.end() }
    }

    /// Takes new counts of bytes and queues a report.
    func update(completed: Int64, total: Int64, of task: SessionTask) {
        change { counts in
            counts.completed = completed
            counts.total = max(total, -1)
        }
        report(for: task)
    }

    /// Adds to the bytes that are done and queues a report.
    func add(_ count: Int64, total: Int64, of task: SessionTask) {
        change { counts in
            counts.completed += count
            counts.total = max(total, -1)
        }
        report(for: task)
    }

    /// Starts over: the transport has begun the transfer again.
    func restart() {
        change { $0.completed = 0 }
    }

    /// The transfer is over: what was unknown is known now, and nobody is told any more after this last report.
    func finish(successfully: Bool, of task: SessionTask) {
        if successfully, counts.withLock({ $0.total < 0 && $0.completed > 0 }) {
            change { $0.total = $0.completed }
            report(for: task)
        }
        // Released outside the lock, as its end may be that of objects of the caller's.
        let handler = counts.withLock { $0.handler.take() }
        withExtendedLifetime(handler) {}
    }

    /// Changes the counts, then the `Progress` outside the lock, as that may call its observers.
    private func change(_ body: (inout Counts) -> Void) {
        let changed = counts.withLock { counts in
            body(&counts)
            return counts
        }
        guard let progress = changed.progress else { return }
        if progress.totalUnitCount != changed.total { progress.totalUnitCount = changed.total }
        if progress.completedUnitCount != changed.completed { progress.completedUnitCount = changed.completed }
    }

    private func report(for task: SessionTask) {
        guard let handler = counts.withLock({ $0.handler }) else { return }
        let progress = progress(of: task)
        let mustQueue = counts.withLock { counts in
            defer { counts.isReportQueued = true }
            return !counts.isReportQueued
        }
        guard mustQueue else { return }
        queue.async { [self] in
            counts.withLock { $0.isReportQueued = false }
            handler(progress)
        }
    }
}
