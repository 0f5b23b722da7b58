#if canImport(FoundationNetworking)
import Synchronization

/// The number of bytes of a task that were delivered but are not consumed yet. It determines when the transfer pauses.
final class Backlog: Sendable {
    /// The number of bytes at which a transfer pauses.
    static let upperMark = 1 << 20
    /// The number of bytes below which a paused transfer continues. It is far below the upper mark. Otherwise a
    /// transfer would pause and continue with each chunk.
    static let lowerMark = upperMark / 2

    private let bytes = Atomic(0)
    private let isPaused = Atomic(false)

    /// Adds bytes that are about to be delivered.
    func add(_ count: Int) { bytes.add(count, ordering: .relaxed) }

    /// Whether the transfer has to pause. If so, ``consume(_:)`` returns true as soon as it may continue.
    func pausesTransfer() -> Bool {
        guard bytes.load(ordering: .relaxed) >= Self.upperMark else { return false }
        isPaused.store(true, ordering: .sequentiallyConsistent)
        // The consumer may have gone below the lower mark just before the pause was recorded, and then `consume` has
        // returned false.
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
