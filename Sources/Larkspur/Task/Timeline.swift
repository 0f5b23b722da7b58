/// When the stages of a task were reached, measured by Larkspur on a monotonic clock.
///
/// Instants are nil until their stage is reached; a task that was cancelled before it was resumed has only ``created``
/// and ``completed``.
public struct Timeline: Sendable, Hashable {
    /// The clock that instants are read from.
    public typealias Instant = ContinuousClock.Instant

    /// When the task was made.
    public internal(set) var created: Instant
    /// When the task was resumed for the first time.
    public internal(set) var resumed: Instant?
    /// When the header of the final response had arrived; for a download, when its first bytes had.
    public internal(set) var firstResponseByte: Instant?
    /// When the transport had finished with the task.
    public internal(set) var completed: Instant?
    /// When the response had been validated and serialized.
    public internal(set) var serialized: Instant?
    /// The metrics of each request of the task, redirects and authentication included; empty where the transport does
    /// not report them, as `.foundation` does not.
    public internal(set) var transactions: [TransferMetrics] = []

    /// Whether what was delivered is the cache's, asked about or not; false where the transport does not tell.
    public var isFromCache: Bool { transactions.last?.isFromCache ?? false }

    /// Makes a timeline of a task that was just made, as for a response in a test.
    /// - Parameter created: The instant at which the task was made. Default: now.
    public init(created: Instant = .now) { self.created = created }

    /// From resuming to the first byte of the response.
    public var latency: Duration? { Self.duration(from: resumed, to: firstResponseByte) }
    /// From resuming to the end of the transfer.
    public var requestDuration: Duration? { Self.duration(from: resumed, to: completed) }
    /// From the end of the transfer to the end of serialization.
    public var serializationDuration: Duration? { Self.duration(from: completed, to: serialized) }
    /// From resuming to the end of serialization.
    public var totalDuration: Duration? { Self.duration(from: resumed, to: serialized) }

    private static func duration(from start: Instant?, to end: Instant?) -> Duration? {
        guard let start, let end else { return nil }
        return start.duration(to: end)
    }
}
