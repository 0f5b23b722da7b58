internal import Synchronization

/// The expectations of a server, in the order in which they were added.
final class ExpectationList: Sendable {
    private let list = Mutex<[LoopbackServer.Expectation]>([])

    var all: [LoopbackServer.Expectation] { list.withLock { $0 } }

    func add(_ expectation: LoopbackServer.Expectation) { list.withLock { $0.append(expectation) } }

    func removeAll() {
        // The closures are released outside the lock.
        _ = list.withLock { list in
            defer { list = [] }
            return list
        }
    }
}
