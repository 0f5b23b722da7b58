#if canImport(FoundationNetworking)
import Dispatch
import Synchronization

/// The pending changes to a cookie storage. A queue makes them, because a storage with a file rewrites the whole file
/// with each change.
///
/// Until the changes are made, cookies are read from this object. So a request gets the cookies of each earlier
/// response, but does not wait for a file.
final class CookieWrites: Sendable {
    private struct State {
        /// The number of updates that the queue has not yet made.
        var awaited = 0
        /// The cookies after all of these updates.
        var cookies: [HTTPCookie] = []
    }

    private let storage: HTTPCookieStorage
    private let queue = DispatchQueue(label: "larkspur.cookies")
    private let state = Mutex(State())

    init(storage: HTTPCookieStorage) { self.storage = storage }

    /// The cookies that the storage will have after all updates.
    var cookies: [HTTPCookie] {
        state.withLock { $0.awaited > 0 ? $0.cookies : nil } ?? storage.cookies ?? []
    }

    /// Queues an update, and calls a closure when it is made.
    func make(_ update: CookieUpdate, to stored: [HTTPCookie], completion: @escaping @Sendable () -> Void) {
        let cookies = update.applied(to: stored)
        state.withLock { state in
            state.awaited += 1
            state.cookies = cookies
            queue.async { [self] in
                for cookie in update.removals { storage.deleteCookie(cookie) }
                for cookie in update.additions { storage.setCookie(cookie) }
                self.state.withLock { state in
                    state.awaited -= 1
                    if state.awaited == 0 { state.cookies = [] }
                }
                completion()
            }
        }
    }

    /// Deletes all cookies, after the pending updates.
    func removeAll() {
        queue.sync { for cookie in storage.cookies ?? [] { storage.deleteCookie(cookie) } }
    }

    /// Waits for the pending updates.
    func finish() { queue.sync {} }
}
#endif
