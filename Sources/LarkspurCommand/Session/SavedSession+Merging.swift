import HTTPSyntax
import Larkspur

extension SavedSession {
    /// Returns the session that is written to a file that other runs may have changed, by the rules of `FileChanges`:
    /// cookies, fields and credentials that this run has changed or removed replace those of the file, and all others
    /// stay. A cookie that has only expired during the run was not removed by it, because another run may have renewed
    /// it.
    /// - Parameters:
    ///   - file: The session that the file has now.
    ///   - base: The session that this run has read.
    ///   - now: The present time. Default: the system's time.
    func merged(into file: SavedSession, since base: SavedSession, at now: Date = Date()) -> SavedSession {
        var result = self
        let fields = FileChanges(from: base.namedFields, to: namedFields).applied(to: file.namedFields)
        result.headers = Self.names(of: file.headers + headers).flatMap { fields[$0] ?? [] }
        let changes = FileChanges(from: base.identifiedCookies(at: now), to: identifiedCookies(at: now))
        result.cookies = changes.applied(to: file.identifiedCookies(at: now)).sorted { $0.key < $1.key }.map(\.value)
        if auth == base.auth { result.auth = file.auth }
        return result
    }

    /// The session with complete cookies, as a storage returns them, so that equal cookies are equal values. Cookies
    /// that are not valid are left out.
    /// - Parameter host: The host for cookies without a domain.
    func completed(for host: String) -> SavedSession {
        var result = self
        result.cookies = cookies.compactMap { $0.cookie(for: host).map(Cookie.init) }
        return result
    }

    /// The session with the cookies that a storage has after it was filled. Foundation's storage has only one of
    /// several cookies whose domain, path and name are together the same text. The others were not removed by a run.
    /// - Parameter host: The host for cookies without a domain.
    func stored(for host: String) -> SavedSession {
        var result = self
        result.cookies = CookieStorage(self, host: host).saved
        return result
    }

    /// All fields with a name, for each name in lower case.
    private var namedFields: [TextKey: [Field]] {
        Dictionary(grouping: headers) { TextKey($0.name.lowercased()) }
    }

    /// Returns the names in lower case, each once, in their order.
    private static func names(of fields: [Field]) -> [TextKey] {
        var seen: Set<TextKey> = []
        return fields.map { TextKey($0.name.lowercased()) }.filter { seen.insert($0).inserted }
    }

    private func identifiedCookies(at now: Date) -> [CookieKey: Cookie] {
        let valid = cookies.filter { $0.expires.map { $0 > now.timeIntervalSince1970 } ?? true }
        return Dictionary(valid.map { (CookieKey($0), $0) }) { $1 }
    }
}

/// The three properties that identify a cookie. They are sorted as `CookieStorage` sorts its cookies.
private struct CookieKey: Hashable, Comparable {
    let domain: TextKey
    let path: TextKey
    let name: TextKey

    init(_ cookie: SavedSession.Cookie) {
        (domain, path) = (TextKey(cookie.domain ?? ""), TextKey(cookie.path ?? ""))
        name = TextKey(cookie.name)
    }

    static func < (left: CookieKey, right: CookieKey) -> Bool {
        (left.domain.text, left.path.text, left.name.text) < (right.domain.text, right.path.text, right.name.text)
    }
}
