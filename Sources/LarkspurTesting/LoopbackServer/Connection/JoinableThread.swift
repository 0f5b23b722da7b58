internal import Synchronization

/// A thread that can be waited for until it is really gone, as Foundation's cannot.
final class JoinableThread: Sendable {
    /// Enough for a handler that parses deeply nested JSON; only touched pages cost memory.
    private static let stackSize = 2 << 20

    /// The handle until the thread was joined or detached, after which it is invalid.
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
