#if canImport(FoundationNetworking)

/// A session's cookies: an `HTTPCookieStorage` with the rules of RFC 6265 that it lacks.
///
/// The storage itself knows neither paths nor secure schemes nor ages. It keeps a cookie of one host under the host's name, and one that is shared with
/// the hosts below it under the name with a dot before it, which is what this type relies on.
struct CookieJar: Sendable {
    let storage: HTTPCookieStorage?
    let acceptPolicy: HTTPCookie.AcceptPolicy
    /// Whether requests get cookies and responses may set them.
    let isEnabled: Bool
    let clock: @Sendable () -> Date

    init(
        storage: HTTPCookieStorage?,
        acceptPolicy: HTTPCookie.AcceptPolicy,
        isEnabled: Bool = true,
        clock: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.storage = storage
        self.acceptPolicy = acceptPolicy
        self.isEnabled = isEnabled
        self.clock = clock
    }

    /// The value of the Cookie field for a request to this URL, nil if there is no cookie for it (RFC 6265, section 5.4).
    func field(for url: URL) -> String? {
        guard isEnabled, let cookies = storage?.cookies, !cookies.isEmpty, let context = Context(url) else {
            return nil
        }
        let now = clock()
        let matching = cookies.filter { $0.isFor(context, now: now) }
        guard !matching.isEmpty else { return nil }
        return Self.sorted(matching).map { $0.name + "=" + $0.value }.joined(separator: "; ")
    }

    /// Cookies with longer paths come first, and of those with equal paths the older ones.
    private static func sorted(_ cookies: [HTTPCookie]) -> [HTTPCookie] {
        guard cookies.count > 1 else { return cookies }
        let keyed = cookies.map { (cookie: $0, pathLength: $0.path.utf8.count, created: $0.created) }
        return keyed.sorted {
            ($1.pathLength, $0.created, $0.cookie.name) < ($0.pathLength, $1.created, $1.cookie.name)
        }.map(\.cookie)
    }

    /// Stores what the values of a response's `Set-Cookie` fields ask for, so far as the rules allow it (RFC 6265, section 5.3).
    ///
    /// Writing costs the storage a millisecond, so nothing is written that is there already.
    func store(_ setCookies: [String], from url: URL, mainDocumentURL: URL?) {
        guard !setCookies.isEmpty, isEnabled, let storage,
            accepts(from: url, mainDocumentURL: mainDocumentURL, storage),
            let context = Context(url)
        else { return }
        for text in setCookies {
            guard let new = SetCookie(text) else { continue }
            store(new, from: context, into: storage)
        }
    }

    private func accepts(from url: URL, mainDocumentURL: URL?, _ storage: HTTPCookieStorage) -> Bool {
        let policies = [acceptPolicy, storage.cookieAcceptPolicy]
        if policies.contains(.never) { return false }
        guard policies.contains(.onlyFromMainDocumentDomain), let mainHost = mainDocumentURL?.host, let host = url.host
        else { return true }
        return CookieHost(host).site == CookieHost(mainHost).site
    }

    private func store(_ new: SetCookie, from context: Context, into storage: HTTPCookieStorage) {
        guard !new.breaksPromise(isSecureOrigin: context.isSecure),
            let domain = Self.domain(of: new, from: context.host)
        else { return }
        let path = new.path ?? CookiePath.byDefault(for: context.path)
        let existing = storage.cookies?.first { $0.name == new.name && $0.domain == domain && $0.path == path }
        if let existing, existing.isForSecureOnly, !context.isSecure { return }
        let now = clock()
        let expiry = new.expiry(now: now)
        if let expiry, expiry <= now {
            if let existing { storage.deleteCookie(existing) }
            return
        }
        if let existing, existing.isSame(as: new, expiry: expiry, now: now) { return }
        guard let cookie = HTTPCookie(new, domain: domain, path: path, expiry: expiry) else { return }
        storage.setCookie(cookie)
    }

    /// The domain under which the storage keeps the cookie, nil if the host may not set it.
    private static func domain(of cookie: SetCookie, from host: CookieHost) -> String? {
        guard let domain = cookie.domain, !(domain == host.name && (host.isAddress || host.isPublicSuffix)) else {
            return host.name
        }
        return host.isWithin(domain) && !CookieHost(domain).isPublicSuffix ? "." + domain : nil
    }
}

#endif
