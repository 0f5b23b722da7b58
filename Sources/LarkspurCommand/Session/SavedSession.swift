import HTTPSyntax
import Larkspur

/// The fields, cookies and credentials that several runs of the program share, in the format of HTTPie's sessions.
struct SavedSession: Codable, Equatable, Sendable {
    struct Field: Codable, Equatable, Sendable {
        var name: String
        var value: String
    }

    struct Cookie: Codable, Equatable, Sendable {
        var name: String
        var value: String
        var domain: String?
        var path: String?
        /// The seconds since 1970; nil for a cookie that does not expire.
        var expires: Double?
        var secure: Bool?
    }

    struct Authentication: Codable, Equatable, Sendable {
        var type: String?
        var rawAuth: String?

        private enum CodingKeys: String, CodingKey {
            case type
            case rawAuth = "raw_auth"
        }
    }

    var headers: [Field] = []
    var cookies: [Cookie] = []
    var auth = Authentication()
    /// Whether the session was used with https. HTTPie's files do not contain this.
    var isSecure = false

    private enum CodingKeys: String, CodingKey {
        case headers, cookies, auth
        case isSecure = "https"
    }

    init() {}

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        headers = try container.decodeIfPresent([Field].self, forKey: .headers) ?? []
        cookies = try container.decodeIfPresent([Cookie].self, forKey: .cookies) ?? []
        auth = try container.decodeIfPresent(Authentication.self, forKey: .auth) ?? Authentication()
        isSecure = try container.decodeIfPresent(Bool.self, forKey: .isSecure) ?? false
    }
}

extension SavedSession.Cookie {
    init(_ cookie: HTTPCookie) {
        self.init(
            name: cookie.name,
            value: cookie.value,
            domain: cookie.domain,
            path: cookie.path,
            expires: cookie.expiresDate?.timeIntervalSince1970,
            secure: cookie.isSecure
        )
    }

    /// Returns the cookie for a storage; nil if it is not valid.
    /// - Parameter host: The host for a cookie without a domain.
    func cookie(for host: String) -> HTTPCookie? {
        let domain = domain.flatMap { $0.isEmpty ? nil : $0 } ?? host
        var properties: [HTTPCookiePropertyKey: Any] = [
            .name: name, .value: value, .domain: domain, .path: path ?? "/",
        ]
        if let expires { properties[.expires] = Date(timeIntervalSince1970: expires) }
        if secure == true { properties[.secure] = "TRUE" }
        return HTTPCookie(properties: properties)
    }
}

/// The cookies of a run, in a separate storage.
struct CookieStorage {
    let configuration = URLSessionConfiguration.ephemeral

    /// - Parameters:
    ///   - session: The session with the cookies to send.
    ///   - host: The host for cookies without a domain.
    init(_ session: SavedSession, host: String) {
        for cookie in session.cookies.compactMap({ $0.cookie(for: host) }) {
            configuration.httpCookieStorage?.setCookie(cookie)
        }
    }

    /// Returns the value of the field `Cookie` for a URL; nil if there are no cookies for it.
    func field(for url: URL) -> String? {
        guard let cookies = configuration.httpCookieStorage?.cookies(for: url), !cookies.isEmpty else { return nil }
        return HTTPCookie.requestHeaderFields(with: cookies)["Cookie"]
    }

    /// The cookies that are now in the storage, in the order of their names.
    var saved: [SavedSession.Cookie] {
        (configuration.httpCookieStorage?.cookies ?? []).map(SavedSession.Cookie.init)
            .sorted { ($0.domain ?? "", $0.path ?? "", $0.name) < ($1.domain ?? "", $1.path ?? "", $1.name) }
    }
}
