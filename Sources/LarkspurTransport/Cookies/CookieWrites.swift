#if canImport(FoundationNetworking)
import Dispatch
import Synchronization

/// The pending changes to a storage, which a queue makes. A storage that has a file rewrites all of it with each
/// change, which is slow.
///
/// Until the changes are made, cookies are read from here. So a request sees the cookies of each response before it,
/// and waits for no file.
final class CookieWrites: Sendable {
    private struct State {
        /// The number of updates that the queue has not finished.
        var awaited = 0
        /// The cookies after all of these updates.
        var cookies: [HTTPCookie] = []
    }

    private let storage: HTTPCookieStorage
    private let queue = DispatchQueue(label: "larkspur.cookies")
    private let state = Mutex(State())

    init(storage: HTTPCookieStorage) { self.storage = storage }

    /// The cookies of the storage, as they will be after all changes.
    var cookies: [HTTPCookie] {
        state.withLock { $0.awaited > 0 ? $0.cookies : nil } ?? storage.cookies ?? []
    }

    /// Makes changes to the cookies, and calls a closure when they are made.
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

    /// Deletes all cookies, after the changes that are under way.
    func removeAll() {
        queue.sync { for cookie in storage.cookies ?? [] { storage.deleteCookie(cookie) } }
    }

    /// Waits for the changes that are under way.
    func finish() { queue.sync {} }
}
#endif
