import Larkspur

/// The cookies of a run, in a storage of their own.
struct CookieStorage {
    let configuration = URLSessionConfiguration.ephemeral

    /// - Parameters:
    ///   - session: The session whose cookies are sent.
    ///   - host: The host of cookies without a domain.
    init(_ session: SavedSession, host: String) {
        for cookie in session.cookies.compactMap({ $0.cookie(for: host) }) {
            configuration.httpCookieStorage?.setCookie(cookie)
        }
    }

    /// The cookies that are stored now, in the order of their names.
    var saved: [SavedSession.Cookie] {
        (configuration.httpCookieStorage?.cookies ?? []).map(SavedSession.Cookie.init)
            .sorted { ($0.domain ?? "", $0.path ?? "", $0.name) < ($1.domain ?? "", $1.path ?? "", $1.name) }
    }
}
