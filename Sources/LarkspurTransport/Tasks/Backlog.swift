#if canImport(FoundationNetworking)
import Synchronization

/// The number of a task's bytes that were delivered and are not consumed yet: the measure of back-pressure.
final class Backlog: Sendable {
    /// The number of bytes at which a transfer pauses.
    static let upperMark = 1 << 20
    /// The number of bytes below which a paused transfer continues. It is far below the upper mark, so that a transfer
    /// does not stop and start with each chunk.
    static let lowerMark = upperMark / 2

    private let bytes = Atomic(0)
    private let isPaused = Atomic(false)

    /// Adds bytes that are on their way to the delegate.
    func add(_ count: Int) { bytes.add(count, ordering: .relaxed) }

    /// Whether the transfer has to pause. If so, ``consume(_:)`` returns true as soon as it may continue.
    func pausesTransfer() -> Bool {
        guard bytes.load(ordering: .relaxed) >= Self.upperMark else { return false }
        isPaused.store(true, ordering: .sequentiallyConsistent)
        // The consumer may have passed the lower mark before it could see that the transfer has paused.
        guard bytes.load(ordering: .sequentiallyConsistent) < Self.lowerMark else { return true }
        return !isPaused.exchange(false, ordering: .sequentiallyConsistent)
    }

    /// Subtracts consumed bytes. Returns true, once, if the transfer has paused and may continue.
    func consume(_ count: Int) -> Bool {
        let rest = bytes.subtract(count, ordering: .sequentiallyConsistent).newValue
        guard rest < Self.lowerMark else { return false }
        return isPaused.exchange(false, ordering: .sequentiallyConsistent)
    }
}
#endif
