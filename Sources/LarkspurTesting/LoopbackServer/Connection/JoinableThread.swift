internal import Synchronization

/// A thread that can be joined, unlike Foundation's: the wait lasts until the thread has ended completely.
final class JoinableThread: Sendable {
    /// The stack size in bytes. It is enough for a handler that parses deeply nested JSON. Only pages that are used
    /// cost memory.
    private static let stackSize = 2 << 20

    /// The handle; nil after the thread was joined or detached, which makes the handle invalid.
    private let handle: Mutex<System.ThreadHandle?>

    init(body: @escaping @Sendable () -> Void) throws {
        handle = Mutex(try System.startThread(stackSize: Self.stackSize, body: body))
    }

    var isCurrent: Bool {
        handle.withLock { $0.map(System.isCurrentThread) ?? false }
    }

    func join() {
        if let handle = takeHandle() { System.joinThread(handle) }
    }

    func detach() {
        if let handle = takeHandle() { System.detachThread(handle) }
    }

    private func takeHandle() -> System.ThreadHandle? {
        handle.withLock { $0.take() }
    }
}
