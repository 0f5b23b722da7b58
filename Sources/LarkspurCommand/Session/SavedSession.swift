import Larkspur

/// The fields, cookies and credentials that several runs of the program share, in the layout of HTTPie's sessions.
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
        /// The seconds since 1970; nil for a cookie without an end.
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
    /// Whether it has been used with https. HTTPie's files do not say it.
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

    /// Takes over what a request has in common with later ones: the fields of its items, and its credentials. Fields
    /// about the content and conditions belong to one request. Cookies in a field become cookies of the session, which
    /// are sent from there.
    mutating func take(_ composed: inout ComposedRequest, items: [RequestItem]) {
        let host = composed.request.url?.host ?? ""
        if let field = composed.request.value(forHTTPHeaderField: "Cookie") {
            composed.request.setValue(nil, forHTTPHeaderField: "Cookie")
            for pair in field.split(separator: ";") {
                take(cookie: pair.trimmingCharacters(in: .whitespaces), of: host)
            }
        }
        for item in items where item.kind == .header || item.kind == .emptyHeader || item.kind == .headerFile {
            let name = item.name.lowercased()
            guard !name.hasPrefix("content-"), !name.hasPrefix("if-"), name != "cookie",
                let value = composed.request.value(forHTTPHeaderField: item.name)
            else { continue }
            headers.removeAll { $0.name.lowercased() == name }
            headers.append(Field(name: item.name, value: value))
        }
        if let credentials = composed.credentials { auth = credentials.saved }
    }

    private mutating func take(cookie pair: String, of host: String) {
        let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 else { return }
        cookies.removeAll { $0.name == parts[0] && ($0.domain ?? host) == host }
        cookies.append(Cookie(name: parts[0], value: parts[1], domain: host, path: "/"))
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

    /// The cookie for a storage; nil if it is not valid.
    /// - Parameter host: The host of a cookie without a domain.
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
