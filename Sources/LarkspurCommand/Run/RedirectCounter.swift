import Larkspur
import Synchronization

/// The decision about redirects: whether to follow them, and whether there were too many.
final class RedirectCounter: Sendable {
    private let limit: Int
    private let follows: Bool
    private let state = Mutex((count: 0, hasExceeded: false))

    /// - Parameters:
    ///   - follows: Whether any redirects are followed.
    ///   - limit: The number of redirects at which the request fails; 0 for no limit.
    init(follows: Bool, limit: Int) {
        self.follows = follows
        self.limit = limit
    }

    /// Whether there were too many redirects.
    var hasExceeded: Bool { state.withLock { $0.hasExceeded } }

    /// Records a redirect, and returns whether it is followed.
    func follow() -> Bool {
        state.withLock { state in
            state.count += 1
            if limit > 0, state.count >= limit { state.hasExceeded = true }
            return follows && !state.hasExceeded
        }
    }
}
