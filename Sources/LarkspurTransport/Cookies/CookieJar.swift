#if canImport(FoundationNetworking)
import Dispatch
import HTTPSyntax
import Synchronization

/// A session's cookies: an `HTTPCookieStorage`, and the rules of RFC 6265 that the storage does not apply.
///
/// The storage does not apply paths, secure schemes or ages. It stores a cookie for one host under the host's name, and
/// a cookie for subdomains under the name with a leading dot. This type relies on these names.
struct CookieJar: Sendable {
    private let storage: HTTPCookieStorage?
    private let writes: CookieWrites?
    private let acceptPolicy: HTTPCookie.AcceptPolicy
    /// Whether requests have cookies, and responses may set them.
    private let isEnabled: Bool
    private let clock: @Sendable () -> Date

    init(
        storage: HTTPCookieStorage?,
        acceptPolicy: HTTPCookie.AcceptPolicy,
        isEnabled: Bool = true,
        clock: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.storage = storage
        writes = storage.map(CookieWrites.init)
        self.acceptPolicy = acceptPolicy
        self.isEnabled = isEnabled
        self.clock = clock
    }

    /// Whether the storage is Foundation's own, so that it runs no code of the program.
    var isOfFoundation: Bool { storage.map { type(of: $0) == HTTPCookieStorage.self } ?? true }

    /// Returns the value of the `Cookie` field for a request to this URL; nil if there are no cookies for it (RFC 6265,
    /// section 5.4).
    ///
    /// Cookies with longer paths come first. For paths of the same length, older cookies come first. A cookie that
    /// would make the field too long is omitted.
    func field(for url: URL) -> String? {
        guard isEnabled, let cookies = writes?.cookies, !cookies.isEmpty, let context = Context(url) else {
            return nil
        }
        let now = clock()
        var field = ""
        for cookie in Self.sorted(cookies.filter { $0.isFor(context, now: now) }) {
            let (name, value) = (cookie.octetName, cookie.octetValue)
            let separator = field.isEmpty ? "" : "; "
            let length = field.utf8.count + separator.utf8.count + name.utf8.count + 1 + value.utf8.count
            guard length <= CookieLimits.fieldLength else { continue }
            field += separator + name + "=" + value
        }
        return field.isEmpty ? nil : field
    }

    private static func sorted(_ cookies: [HTTPCookie]) -> [HTTPCookie] {
        guard cookies.count > 1 else { return cookies }
        let keyed = cookies.map { (cookie: $0, pathLength: $0.path.utf8.count, created: $0.created) }
        return keyed.sorted {
            ($1.pathLength, $0.created, $0.cookie.name) < ($0.pathLength, $1.created, $1.cookie.name)
        }.map(\.cookie)
    }

    /// Stores the cookies of a response's `Set-Cookie` fields that the rules permit (RFC 6265, section 5.3).
    ///
    /// Cookies that are already stored are not written again. ``field(for:)`` uses the new cookies immediately. The
    /// storage contains them when `completion` is called.
    /// - Returns: Whether the storage has to be written. If so, `completion` is called afterwards, on a queue of the
    ///   jar.
    @discardableResult
    func store(
        _ setCookies: [String],
        from url: URL,
        mainDocumentURL: URL?,
        completion: @escaping @Sendable () -> Void = {}
    ) -> Bool {
        guard !setCookies.isEmpty, isEnabled, let storage, let writes,
            accepts(from: url, mainDocumentURL: mainDocumentURL, storage),
            let context = Context(url)
        else { return false }
        let stored = writes.cookies
        let update = CookieUpdate(setCookies, from: context, stored: stored, now: clock())
        guard !update.isEmpty else { return false }
        writes.make(update, to: stored, completion: completion)
        return true
    }

    private func accepts(from url: URL, mainDocumentURL: URL?, _ storage: HTTPCookieStorage) -> Bool {
        let policies = [acceptPolicy, storage.cookieAcceptPolicy]
        if policies.contains(.never) { return false }
        guard policies.contains(.onlyFromMainDocumentDomain), let mainDocumentURL, let main = Context(mainDocumentURL),
            let context = Context(url)
        else { return true }
        return context.host.site == main.host.site
    }

    /// Deletes all cookies of the storage.
    func removeAll() { writes?.removeAll() }

    /// Waits until all changes have been written to the storage.
    func finishWriting() { writes?.finish() }
}

extension CookieJar {
    /// The properties of a URL on which cookies depend.
    struct Context {
        let host: CookieHost
        /// The path, percent-encoded as in the request.
        let path: String
        let isSecure: Bool

        init?(_ url: URL) {
            // The path of a socket is not a domain.
            guard let host = try? CanonicalHost(of: url) else { return nil }
            self.host = CookieHost(host.plainText)
            path = url.path(percentEncoded: true)
            isSecure = url.scheme?.inLowercase == "https"
        }
    }
}

/// The pending changes to a cookie storage. A queue makes the changes, because a storage with a file rewrites the whole
/// file at each change.
///
/// Until the changes are made, cookies are read from this object. So a request has the cookies of all earlier
/// responses, but does not wait for a file.
final class CookieWrites: Sendable {
    private struct State {
        /// The number of updates that the queue has not made yet.
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
