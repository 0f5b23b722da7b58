/// The times at which a task reached its stages, measured by Larkspur on a monotonic clock.
///
/// An instant is nil until its stage is reached. A task that was cancelled before it was resumed has only ``created``
/// and ``completed``.
public struct Timeline: Sendable, Hashable {
    /// An instant of the clock that measures the times.
    public typealias Instant = ContinuousClock.Instant

    /// The time at which the task was created.
    public internal(set) var created: Instant
    /// The time at which the task was first resumed.
    public internal(set) var resumed: Instant?
    /// The time at which the header of the final response had arrived; for a download, its first bytes.
    public internal(set) var firstResponseByte: Instant?
    /// The time at which the transport had finished with the task.
    public internal(set) var completed: Instant?
    /// The time at which the response had been validated and serialized.
    public internal(set) var serialized: Instant?
    /// The metrics of each request of the task, redirects and authentication included; empty if the transport does not
    /// report them; `.foundation` does not.
    public internal(set) var transactions: [TransferMetrics] = []

    /// Whether the delivered response came from the cache, revalidated or not. False if the transport does not report
    /// it.
    public var isFromCache: Bool { transactions.last?.isFromCache ?? false }

    /// Creates a timeline of a task that was just created, for example for a response in a test.
    /// - Parameter created: The time at which the task was created. Default: now.
    public init(created: Instant = .now) { self.created = created }

    /// The time from the first resume to the first byte of the response.
    public var latency: Duration? { Self.duration(from: resumed, to: firstResponseByte) }
    /// The time from the first resume to the end of the transfer.
    public var requestDuration: Duration? { Self.duration(from: resumed, to: completed) }
    /// The time from the end of the transfer to the end of serialization.
    public var serializationDuration: Duration? { Self.duration(from: completed, to: serialized) }
    /// The time from the first resume to the end of serialization.
    public var totalDuration: Duration? { Self.duration(from: resumed, to: serialized) }

    private static func duration(from start: Instant?, to end: Instant?) -> Duration? {
        guard let start, let end else { return nil }
        return start.duration(to: end)
    }
}
