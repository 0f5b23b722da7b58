import Synchronization

/// A queue that admits one writer at a time. An admitted thread may enter again.
///
/// The queue is a semaphore, and not a lock that belongs to a thread: an in-place access may begin before an `await`
/// and end after it on another thread.
///
/// All values of a session manager share one queue. With a queue for each value, two threads whose changes are nested
/// in a different order could wait for each other.
final class WriterQueue: Sendable {
    private let entrance = DispatchSemaphore(value: 1)
    private let owner = Mutex<ObjectIdentifier?>(nil)

    /// Waits until no other thread is admitted.
    /// - Returns: True if the thread has to call ``leave(_:)`` with true; false if an outer access of the same thread
    ///   was already admitted.
    func enter() -> Bool {
        let thread = ObjectIdentifier(Thread.current)
        if owner.withLock({ $0 == thread }) { return false }
        entrance.wait()
        owner.withLock { $0 = thread }
        return true
    }

    /// Admits the next writer.
    /// - Parameter hasEntered: The result of ``enter()``.
    func leave(_ hasEntered: Bool) {
        guard hasEntered else { return }
        owner.withLock { $0 = nil }
        entrance.signal()
    }
}

/// A value that threads change in place, one after the other, so that no change is lost.
///
/// While a change is under way, readers get the previous value. They never wait for a writer's code.
final class Published<Value: Sendable>: Sendable {
    private let writers: WriterQueue
    private let storage: Mutex<Value>
    private let changes = Atomic(0)
    private let didChange: (@Sendable (_ previous: Value, _ new: Value) -> Void)?

    /// Creates a published value.
    /// - Parameters:
    ///   - writers: The queue of the writers. Values that share a queue are changed one after the other.
    ///   - didChange: Called after each change, on the thread that has made the change, and without a lock. Default:
    ///     none.
    init(
        _ value: Value,
        writers: WriterQueue,
        didChange: (@Sendable (_ previous: Value, _ new: Value) -> Void)? = nil
    ) {
        self.writers = writers
        self.didChange = didChange
        storage = Mutex(value)
    }

    /// The number of changes so far. A value that is read afterwards has at least these changes.
    var version: Int { changes.load(ordering: .acquiring) }

    var value: Value {
        get { storage.withLock { $0 } }
        set {
            let hasEntered = writers.enter()
            let previous = replace(with: newValue)
            writers.leave(hasEntered)
            // Released without a lock, because the previous value may own objects whose deinitializers change values.
            withExtendedLifetime(previous) { didChange?(previous, newValue) }
        }
        _modify {
            let hasEntered = writers.enter()
            // The writer changes a copy, so that readers do not wait for its code.
            var changed = storage.withLock { $0 }
            defer {
                let previous = replace(with: changed)
                writers.leave(hasEntered)
                withExtendedLifetime(previous) { didChange?(previous, changed) }
            }
            yield &changed
        }
    }

    private func replace(with value: Value) -> Value {
        let previous = storage.withLock { exchange(&$0, with: value) }
        // The count follows the replacement. Otherwise a reader could mistake the previous value for the value of the
        // new version.
        changes.add(1, ordering: .releasing)
        return previous
    }

    /// Returns a part of the value without the cost of copying all of it.
    func read<Part: Sendable>(_ part: any KeyPath<Value, Part> & Sendable) -> Part {
        storage.withLock { $0[keyPath: part] }
    }
}
