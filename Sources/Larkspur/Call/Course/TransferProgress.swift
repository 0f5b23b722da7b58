import Synchronization

/// The progress of a task in one direction. The counts are always up to date. The `Progress` object is created when it
/// is first read.
///
/// Reports to the handler are coalesced: while a report waits in the completion queue, no other report is queued. So
/// reports do not accumulate in a slow queue.
final class TransferProgress: Sendable {
    typealias Handler = @Sendable (Progress) -> Void

    /// The total number of bytes.
    private enum Total {
        /// A number; −1 while it is not known.
        case bytes(Int64)
        /// The number that a response announces. It is read from the response's fields only when it is needed.
        case content(of: ReceivedResponse?)
    }

    private struct Counts {
        var completed: Int64 = 0
        var total = Total.bytes(-1)
        var progress: Progress?
        var isReportQueued = false
        // The closure is stored within a struct. If a mutex held it directly, each access would wrap the closure once
        // more.
        var handler: Handler?
        var hasEnded = false
        /// Whether the transfer has succeeded. If the total was unknown, the total then equals the completed bytes.
        var isComplete = false

        /// The total number of bytes; −1 while it is not known.
        var totalCount: Int64 {
            let announced =
                switch total {
                case .bytes(let count): count
                case .content(let response): response?.object.contentLengthOnceDecoded ?? -1
                }
            return announced < 0 && isComplete && completed > 0 ? completed : announced
        }

        /// Whether a change of the counts has to be reported.
        var isObserved: Bool { progress != nil || handler != nil }
    }

    /// The state of the thread that suspends or resumes the task as its `Progress` requires. One thread at a time has
    /// this work, and also handles later changes.
    private struct Following {
        var isActive = false
        var isOutdated = false

        /// Records a change, and returns whether the caller has to handle it.
        mutating func begin() -> Bool {
            defer { (isActive, isOutdated) = (true, isActive) }
            return !isActive
        }

        /// Records that a change was handled, and returns whether another change has occurred.
        mutating func end() -> Bool {
            defer { (isActive, isOutdated) = (isOutdated, false) }
            return isOutdated
        }
    }

    private let counts: Mutex<Counts>
    private let queue: DispatchQueue
    private let following = Mutex(Following())

    /// - Parameters:
    ///   - queue: The queue on which the handler runs.
    ///   - handler: Called after a change of the counts. It is released when the task ends.
    init(queue: DispatchQueue, handler: Handler?) {
        self.queue = queue
        counts = Mutex(Counts(handler: handler))
    }

    /// Adds a handler, which is called after the handlers that were added before.
    func add(_ handler: @escaping Handler) {
        counts.withLock { counts in
            guard let first = counts.handler else { return counts.handler = handler }
            counts.handler = {
                first($0)
                handler($0)
            }
        }
    }

    /// The number of bytes so far.
    var completed: Int64 { counts.withLock { $0.completed } }

    /// The number of bytes so far and the total, which is −1 while it is not known.
    var counted: (Int64, total: Int64) { counts.withLock { ($0.completed, $0.totalCount) } }

    /// Returns the `Progress`. Cancelling, pausing or resuming the `Progress` has the same effect on the task.
    func progress(of task: SessionTask) -> Progress {
        if let progress = counts.withLock({ $0.progress }) { return progress }
        // The progress has no parent. Otherwise the current progress of the calling thread would be the parent. That
        // progress is unrelated to the task, and would call code of the caller.
        let progress = Progress(parent: nil)
        progress.isCancellable = true
        progress.isPausable = true
        progress.cancellationHandler = { [weak task] in task?.cancel() }
        let follow: @Sendable () -> Void = { [weak self, weak task, weak progress] in
            if let self, let task, let progress { self.follow(progress, with: task) }
        }
        progress.pausingHandler = follow
        progress.resumingHandler = follow
        return counts.withLock { counts in
            if let other = counts.progress { return other }
            // The counts may be set under the lock, because the object has no observers yet.
            progress.totalUnitCount = counts.totalCount
            progress.completedUnitCount = counts.completed
            counts.progress = progress
            return progress
        }
    }

    /// Suspends or resumes a task as its `Progress` requires. Foundation calls the handlers of pausing and resuming on
    /// arbitrary threads, so their order does not show which change was the last.
    private func follow(_ progress: Progress, with task: SessionTask) {
        // The task is called outside the lock, because it calls the transport.
        guard following.withLock({ $0.begin() }) else { return }
        repeat {
            if progress.isPaused { task.suspend() } else { task.resume() }
        } while following.withLock { $0.end() }
    }

    /// Sets the counts of bytes and queues a report.
    func update(completed: Int64, total: Int64, of task: SessionTask) {
        change(of: task) { counts in
            counts.completed = completed
            counts.total = .bytes(max(total, -1))
        }
    }

    /// Adds to the completed bytes of a response's content and queues a report.
    func add(_ count: Int64, of response: ReceivedResponse?, for task: SessionTask) {
        change(of: task) { counts in
            counts.completed += count
            counts.total = .content(of: response)
        }
    }

    /// Resets the counts, because the transport has begun the transfer again.
    func restart() {
        change(of: nil) { $0.completed = 0 }
    }

    /// Ends the progress after the transfer. If the total was unknown, it becomes the number of completed bytes. After
    /// this, no report is queued.
    /// - Returns: Whether there is a handler. One of its reports may still be in the completion queue.
    @discardableResult
    func end(successfully: Bool, of task: SessionTask) -> Bool {
        let present = counts.withLock { counts -> Counts? in
            // If there are no observers, the end changes only the counts.
            guard !counts.isObserved else { return counts }
            counts.hasEnded = true
            if successfully { counts.isComplete = true }
            return nil
        }
        guard let present else { return false }
        if successfully {
            // Computed outside the lock, because it calls the transport's response object.
            let isNews = present.totalCount < 0 && present.completed > 0
            change(of: isNews ? task : nil) { $0.isComplete = true }
        }
        // Released outside the lock, because the handler may own objects of the caller.
        let handler = counts.withLock { counts in
            counts.hasEnded = true
            return counts.handler.take()
        }
        return handler != nil
    }

    /// Changes the counts, then the `Progress`, and queues a report. The lock is not held while the `Progress` changes,
    /// because it may call observers.
    /// - Parameter task: The task whose progress is reported; nil to report nothing.
    private func change(of task: SessionTask?, _ body: (inout Counts) -> Void) {
        let changed = counts.withLock { counts in
            body(&counts)
            return counts
        }
        if let progress = changed.progress {
            let total = changed.totalCount
            if progress.totalUnitCount != total { progress.totalUnitCount = total }
            if progress.completedUnitCount != changed.completed { progress.completedUnitCount = changed.completed }
        }
        if let handler = changed.handler, let task { report(to: handler, of: task) }
    }

    private func report(to handler: @escaping Handler, of task: SessionTask) {
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
