#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The changes to a storage after a response with `Set-Cookie` fields, within the rules and limits of RFC 6265bis
/// (sections 5.7 and 5.3).
struct CookieUpdate: Sendable {
    /// The cookies to delete: cookies that the server has expired, and cookies above the limits.
    private(set) var removals: [HTTPCookie] = []
    /// The cookies to set.
    private(set) var additions: [HTTPCookie] = []

    var isEmpty: Bool { removals.isEmpty && additions.isEmpty }

    /// - Parameters:
    ///   - setCookies: The values in their order.
    ///   - origin: The context of the URL of the response.
    ///   - stored: All cookies of the storage, in any order. Iterated once.
    init(_ setCookies: [String], from origin: CookieJar.Context, stored: [HTTPCookie], now: Date) {
        var site = Site(of: origin.host, stored: stored, now: now)
        for text in setCookies { site.apply(text, from: origin, now: now) }
        site.makeRoom()
        additions = site.additions(now: now)
        removals = site.removals
        if stored.count + additions.count > CookieLimits.total { makeRoom(in: stored, now: now) }
        // Each change rewrites the whole file of the storage, and session cookies are not in this file. So session
        // cookies are set first, while the file is still short.
        additions.sort { $0.expiresDate == nil && $1.expiresDate != nil }
    }

    /// Removes the oldest cookies above the limit for all sites. Cookies that are not for secure connections are
    /// removed before the others.
    private mutating func makeRoom(in stored: [HTTPCookie], now: Date) {
        let changed = Set((removals + additions).map(CookieIdentity.init))
        let left = stored.filter { !$0.isExpired(now: now) && !changed.contains(CookieIdentity($0)) }
        // The program may have filled the storage beyond the limit. Then each response removes only a part of the
        // surplus.
        let surplus = min(left.count + additions.count - CookieLimits.total, additions.count + CookieLimits.perSite)
        guard surplus > 0 else { return }
        let aged = left.map { (cookie: $0, isSecure: $0.isForSecureOnly ? 1 : 0, created: $0.created) }
            .sorted { ($0.isSecure, $0.created) < ($1.isSecure, $1.created) }
        removals += aged.prefix(surplus).map(\.cookie)
    }

    /// Applies the changes to the cookies of a storage.
    func applied(to stored: [HTTPCookie]) -> [HTTPCookie] {
        var cookies = Dictionary(stored.map { (CookieIdentity($0), $0) }) { $1 }
        for cookie in removals { cookies[CookieIdentity(cookie)] = nil }
        for cookie in additions { cookies[CookieIdentity(cookie)] = cookie }
        return Array(cookies.values)
    }
}

/// The three properties that identify a cookie within a storage.
struct CookieIdentity: Hashable, Sendable {
    let name: String
    let domain: String
    let path: String
}

extension CookieIdentity {
    init(_ cookie: HTTPCookie) { self.init(name: cookie.octetName, domain: cookie.domain, path: cookie.path) }
}

extension CookieUpdate {
    /// The cookies of the response's site: the stored cookies, and the changes to them.
    private struct Site {
        struct Entry {
            var stored: HTTPCookie?
            var new: SetCookie?
            var isSecure: Bool
            /// The order of creation. Later cookies have a higher value.
            var age: (created: Double, order: Int)
        }

        private(set) var removals: [HTTPCookie] = []
        private var entries: [CookieIdentity: Entry] = [:]
        /// The stored cookies for secure connections, by name.
        private var secure: [TextKey: [(host: CookieHost, path: String)]] = [:]
        private var order = 0

        init(of host: CookieHost, stored: [HTTPCookie], now: Date) {
            let site = host.site
            for cookie in stored {
                // The storage deletes expired cookies at its next change.
                guard Self.lies(cookie.domain, within: site), !cookie.isExpired(now: now) else { continue }
                let isSecure = cookie.isForSecureOnly
                entries[CookieIdentity(cookie)] = Entry(
                    stored: cookie,
                    isSecure: isSecure,
                    age: (cookie.created, 0)
                )
                if isSecure {
                    secure[cookie.octetName, default: []].append((CookieHost(cookie.domain.withoutDot), cookie.path))
                }
            }
        }

        /// - Parameter domain: The domain in lower case, with or without a leading dot.
        private static func lies(_ domain: String, within site: String) -> Bool {
            guard domain.ends(with: site) else { return false }
            let rest = domain.utf8.count - site.utf8.count
            return rest == 0 || domain.utf8.dropFirst(rest - 1).first == UInt8(ascii: ".")
        }

        mutating func apply(_ text: String, from origin: CookieJar.Context, now: Date) {
            guard let new = SetCookie(text), origin.isSecure || !new.isSecure,
                !new.breaksPromise(isSecureOrigin: origin.isSecure),
                let domain = Self.domain(of: new, from: origin.host)
            else { return }
            let path = new.path ?? CookiePath.byDefault(for: origin.path)
            if !origin.isSecure, hidesSecureCookie(new.name, domain: domain, path: path) { return }
            let identity = CookieIdentity(name: new.name, domain: domain, path: path)
            let expiry = new.expiry(now: now)
            let known = entries[identity]
            if let expiry, expiry <= now {
                if let stored = known?.stored { removals.append(stored) }
                entries[identity] = nil
                return
            }
            order += 1
            if let stored = known?.stored, stored.isSame(as: new, expiry: expiry, now: now) {
                entries[identity]?.new = nil
            } else {
                entries[identity] = Entry(
                    stored: known?.stored,
                    new: new,
                    isSecure: new.isSecure,
                    age: (known?.age.created ?? .infinity, order)
                )
            }
        }

        /// Whether a cookie from an insecure origin would replace a cookie for secure connections, or would be sent in
        /// place of it (RFC 6265bis, section 5.7, step 15).
        private func hidesSecureCookie(_ name: String, domain: String, path: String) -> Bool {
            guard let known = secure[name] else { return false }
            let new = CookieHost(domain.withoutDot)
            return known.contains { old in
                CookiePath.matches(path, cookiePath: old.path)
                    && (old.host.isWithin(new.name) || new.isWithin(old.host.name))
            }
        }

        /// Returns the domain under which the storage stores the cookie. Returns nil if the host may not set a cookie
        /// for the domain.
        private static func domain(of cookie: SetCookie, from host: CookieHost) -> String? {
            guard let domain = cookie.domain, !(domain == host.name && (host.isAddress || host.isPublicSuffix)) else {
                return host.name
            }
            return host.isWithin(domain) && !CookieHost(domain).isPublicSuffix ? "." + domain : nil
        }

        /// Removes the oldest cookies above the limit for the site. Cookies that are not for secure connections are
        /// removed before the others.
        mutating func makeRoom() {
            let surplus = entries.count - CookieLimits.perSite
            guard surplus > 0 else { return }
            let aged = entries.sorted {
                ($0.value.isSecure ? 1 : 0, $0.value.age.created, $0.value.age.order)
                    < ($1.value.isSecure ? 1 : 0, $1.value.age.created, $1.value.age.order)
            }
            for (identity, entry) in aged.prefix(surplus) {
                if let stored = entry.stored { removals.append(stored) }
                entries[identity] = nil
            }
        }

        /// Returns the cookies to set, in the order in which they were received.
        func additions(now: Date) -> [HTTPCookie] {
            entries.filter { $0.value.new != nil }.sorted { $0.value.age.order < $1.value.age.order }
                .compactMap { identity, entry in
                    entry.new.flatMap {
                        HTTPCookie($0, domain: identity.domain, path: identity.path, expiry: $0.expiry(now: now))
                    }
                }
        }
    }
}

extension String {
    fileprivate var withoutDot: Substring { Substring(utf8.dropFirst(begins(with: ".") ? 1 : 0)) }
}

/// The limits of RFC 6265bis (sections 5.6 and 6.1), which browsers apply.
enum CookieLimits {
    /// The largest length of a name and its value, in bytes.
    static let pairLength = 4096
    /// The largest length of an attribute's value, in bytes.
    static let attributeLength = 1024
    /// The largest number of cookies of one site: a public suffix and the label before it.
    static let perSite = 180
    /// The largest number of cookies of a storage.
    static let total = 3000
    /// The largest length of the `Cookie` field of a request, in bytes.
    static let fieldLength = 8192
}
#endif
