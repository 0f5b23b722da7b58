import Synchronization

/// Lets one writer in after the other, and the one that is in once more.
///
/// It is no lock of a thread's: an access that begins before a suspension of an async function may end on another
/// thread.
final class WriterQueue: Sendable {
    private let entrance = DispatchSemaphore(value: 1)
    private let owner = Mutex<ObjectIdentifier?>(nil)

    /// Waits until no other thread is in.
    /// - Returns: Whether the writer has to leave; false within another access of the same thread.
    func enter() -> Bool {
        let thread = ObjectIdentifier(Thread.current)
        if owner.withLock({ $0 == thread }) { return false }
        entrance.wait()
        owner.withLock { $0 = thread }
        return true
    }

    /// Lets the next writer in.
    /// - Parameter hasEntered: The result of ``enter()``.
    func leave(_ hasEntered: Bool) {
        guard hasEntered else { return }
        owner.withLock { $0 = nil }
        entrance.signal()
    }
}

/// A value that threads change in place one after the other, so that no change is lost.
///
/// Readers get the value as it was before the change that is under way, and wait for no code but that of this type.
final class Published<Value: Sendable>: Sendable {
    private let writers: WriterQueue
    private let storage: Mutex<Value>

    /// Makes a value.
    /// - Parameter writers: The writers' queue; values that share it are changed one after the other.
    init(_ value: Value, writers: WriterQueue) {
        self.writers = writers
        storage = Mutex(value)
    }

    var value: Value {
        get { storage.withLock { $0 } }
        set {
            let hasEntered = writers.enter()
            let previous = storage.withLock { exchange(&$0, with: newValue) }
            writers.leave(hasEntered)
            // Released without a lock: objects may end with it whose end changes values.
            withExtendedLifetime(previous) {}
        }
        _modify {
            let hasEntered = writers.enter()
            var changed = storage.withLock { $0 }
            defer {
                let previous = storage.withLock { exchange(&$0, with: changed) }
                writers.leave(hasEntered)
                withExtendedLifetime(previous) {}
            }
            yield &changed
        }
    }

    /// A part of the value, without the cost of copying all.
    func read<Part: Sendable>(_ part: any KeyPath<Value, Part> & Sendable) -> Part {
        storage.withLock { $0[keyPath: part] }
    }
}
