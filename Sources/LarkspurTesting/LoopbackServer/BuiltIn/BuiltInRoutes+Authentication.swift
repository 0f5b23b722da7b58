internal import Foundation
internal import HTTPSyntax

/// Routes that require credentials.
extension BuiltInRoutes {
    private static let realm = "Fake Realm"

    mutating func addAuthentication() {
        add("/basic-auth/{user}/{password}", nil) { request in
            guard try Self.hasBasicCredentials(request) else {
                return .status(401, headers: ["WWW-Authenticate": #"Basic realm="\#(Self.realm)""#])
            }
            return try Self.authenticated(request.value("user"))
        }
        add("/hidden-basic-auth/{user}/{password}", nil) { request in
            try Self.hasBasicCredentials(request) ? Self.authenticated(request.value("user")) : .status(404)
        }
        add("/bearer", nil) { request in
            let prefix = "Bearer "
            guard let field = request.headers["Authorization"], field.begins(with: prefix) else {
                return .status(401, headers: ["WWW-Authenticate": "Bearer"])
            }
            let token = String(Substring(field.utf8.dropFirst(prefix.utf8.count)))
            return .data(
                try Echo.bytes(of: ["authenticated": true, "token": token]),
                contentType: "application/json"
            )
        }
        let nonces = DigestNonces()
        for path in ["/digest-auth/{qop}/{user}/{password}", "/digest-auth/{qop}/{user}/{password}/{algorithm}"] {
            add(path, nil) { try Self.digest($0, nonces) }
        }
    }

    private static func authenticated(_ user: String) throws -> Response {
        .data(try Echo.bytes(of: ["authenticated": true, "user": user]), contentType: "application/json")
    }

    private static func hasBasicCredentials(_ request: Request) throws -> Bool {
        let credentials = try "\(request.value("user")):\(request.value("password"))"
        let parts = (request.headers["Authorization"] ?? "").split(separator: " ", maxSplits: 1)
        return parts.count == 2 && parts[0].hasSameLetters(as: "Basic")
            && Data(base64Encoded: String(parts[1])) == Data(credentials.utf8)
    }

    private static func digest(_ request: Request, _ nonces: DigestNonces) throws -> Response {
        guard let algorithm = DigestAlgorithm(ignoringCase: request.parameters["algorithm"] ?? "MD5") else {
            throw InvalidValue(name: "algorithm")
        }
        let qop = try request.value("qop")
        let challenge = IssuedChallenge(
            realm: realm,
            opaque: "5ccc069c403ebaf9f0171e9517f40e41",
            algorithm: algorithm,
            qop: ["auth", "auth-int"].contains(qop) ? qop : nil
        )
        func refusal(isStale: Bool) -> Response {
            .status(401, headers: ["WWW-Authenticate": challenge.field(nonce: nonces.make(), isStale: isStale)])
        }

        guard let credentials = request.headers["Authorization"].flatMap(DigestCredentials.init),
            credentials.areValid(
                for: request,
                user: try request.value("user"),
                password: try request.value("password"),
                challenge: challenge
            )
        else { return refusal(isStale: false) }
        let limit = request.query("stale_after") == nil ? nil : try request.number("stale_after", 0...Int.max)
        switch nonces.use(credentials.nonce, count: credentials.nonceCount, limit: limit) {
        case .fresh: return try authenticated(request.value("user"))
        case .stale: return refusal(isStale: true)
        }
    }
}

/// Routes that show, set and delete cookies.
extension BuiltInRoutes {
    mutating func addCookies() {
        add("/cookies") { request in
            let pairs = request.headers.values(for: "Cookie").flatMap { $0.parts(separatedBy: ";") }.map { pair in
                (pair.before("=").trimmingBlanks, (pair.cut(at: "=")?.after ?? "").trimmingBlanks.unquoted)
            }
            return try .json(encoding: ["cookies": Dictionary(pairs) { $1 }])
        }
        add("/cookies/set") { request in
            Self.redirectToCookies(setting: request.queryItems.map { "\($0.name)=\($0.value ?? ""); Path=/" })
        }
        add("/cookies/set/{name}/{value}") { request in
            Self.redirectToCookies(setting: ["\(try request.value("name"))=\(try request.value("value")); Path=/"])
        }
        add("/cookies/delete") { request in
            Self.redirectToCookies(
                setting: request.queryItems.map {
                    "\($0.name)=; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=0; Path=/"
                }
            )
        }
    }

    private static func redirectToCookies(setting cookies: [String]) -> Response {
        cookies.reduce(.redirect(to: "/cookies")) { $0.adding("Set-Cookie", $1) }
    }
}
