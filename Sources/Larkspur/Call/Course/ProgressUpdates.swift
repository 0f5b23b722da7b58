/// The number of bytes that a transfer has sent or received so far, and their total.
public struct ByteProgress: Sendable, Hashable {
    /// The number of bytes so far.
    public let completed: Int64
    /// The number of bytes in all; nil while it is not known.
    public let total: Int64?

    /// Creates a progress, for tests.
    /// - Parameters:
    ///   - completed: The number of bytes so far.
    ///   - total: The number of bytes in all; nil if it is not known. Default: nil.
    public init(completed: Int64, total: Int64? = nil) {
        self.completed = completed
        self.total = total
    }

    /// The fraction that is complete, from 0 to 1; nil while the total is not known.
    public var fractionCompleted: Double? {
        total.map { $0 > 0 ? min(max(Double(completed) / Double($0), 0), 1) : 1 }
    }
}

/// The progress of a transfer, as a sequence.
///
///     let task = manager.download("report.pdf", to: .folder(downloads))
///     for await progress in task.downloadUpdates {
///         print(progress.completed, "of", progress.total ?? 0)
///     }
///     let file = try await task.file
///
/// The first element is the progress at the beginning of the loop. Another element follows after each change; a slow
/// loop gets only the newest element. The last element is the progress at the end of the transfer. Several loops may
/// run at once. Leaving a loop does not end the transfer. Cancelling the surrounding `Task` ends the loop.
public struct ProgressUpdates: AsyncSequence, Sendable {
    /// The bytes so far.
    public typealias Element = ByteProgress
    /// The sequence throws no error. It ends with the transfer, whether the transfer succeeds or fails.
    public typealias Failure = Never

    let task: SessionTask
    let progress: TransferProgress

    /// Creates an iterator, and starts the task if it has not started.
    public func makeAsyncIterator() -> Iterator {
        // The updates begin before the task, so that no update is missed.
        let updates = progress.updates().makeAsyncIterator()
        if task.state == .initialized { task.resume() }
        return Iterator(updates: updates)
    }

    /// An iterator over the progress of a transfer.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var updates: AsyncStream<ByteProgress>.Iterator

        /// Returns the next progress; nil at the end.
        public mutating func next() async -> ByteProgress? { await updates.next() }

        /// Returns the next progress; nil at the end.
        /// - Parameter actor: The caller's actor.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> ByteProgress? {
            await updates.next(isolation: actor)
        }
    }
}

@available(*, unavailable)
extension ProgressUpdates.Iterator: Sendable {}

extension SessionTask {
    /// The progress of the request's content, as it is sent. Iterating starts the task.
    public final var uploadUpdates: ProgressUpdates { ProgressUpdates(task: self, progress: upload) }

    /// The progress of the response's content, as it arrives. Iterating starts the task.
    public final var downloadUpdates: ProgressUpdates { ProgressUpdates(task: self, progress: download) }
}
