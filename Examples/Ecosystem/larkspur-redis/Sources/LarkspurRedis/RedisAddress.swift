internal import CHiredis
internal import Larkspur

/// The server, the user and the database that a URL names.
///
///     redis://[[user]:password@]host[:port][/database]
///     unix://[[user]:password@]/path/to/socket[?db=database]
struct RedisAddress: Sendable, Equatable {
    enum Server: Sendable, Equatable {
        case host(String, port: Int32)
        case socket(path: String)
    }

    struct Login: Sendable, Equatable {
        let user: String?
        let password: String
    }

    let server: Server
    let login: Login?
    let database: Int

    /// The version of hiredis whose header the package was built with.
    static let hiredisVersion = "\(HIREDIS_MAJOR).\(HIREDIS_MINOR).\(HIREDIS_PATCH)"

    /// Reads a URL.
    /// - Throws: `invalidURL`, `unsupported`. No part of the URL that may be secret is in the error.
    init(_ url: String) throws(RedisStoreError) {
        guard let colon = url.firstIndex(of: ":"), url[colon...].hasPrefix("://") else {
            throw Self.mistake("it does not begin with redis:// or unix://.")
        }
        var rest = url[url.index(colon, offsetBy: 3)...]
        if rest.contains("#") { throw Self.mistake("it has a fragment. Write # in a password as %23.") }
        let scheme = url[..<colon].lowercased()
        switch scheme {
        case "redis", "valkey":
            if rest.contains("?") { throw Self.mistake("it has a query. Write ? in a password as %3F.") }
            let path = rest.firstIndex(of: "/").map { String(rest[rest.index(after: $0)...]) } ?? ""
            rest = rest.prefix { $0 != "/" }
            login = try Self.takeLogin(&rest)
            server = try Self.host(rest)
            database = try Self.database(path)
        case "unix", "redis+unix":
            let query = rest.firstIndex(of: "?").map { String(rest[rest.index(after: $0)...]) }
            rest = rest.prefix { $0 != "?" }
            login = try Self.takeLogin(&rest)
            guard rest.hasPrefix("/"), rest.count > 1, let path = String(rest).removingPercentEncoding,
                !path.utf8.contains(0)
            else { throw Self.mistake("it has no absolute path of a socket.") }
            // sun_path has 108 bytes on Linux, and 104 on Darwin, with a NUL at the end.
            guard path.utf8.count < 104 else { throw Self.mistake("the path of the socket is too long.") }
            server = .socket(path: path)
            if let query, !query.hasPrefix("db=") { throw Self.mistake("the only known query is db=.") }
            database = try Self.database(query.map { String($0.dropFirst(3)) } ?? "")
        case "rediss", "valkeys":
            throw RedisStoreError(
                .unsupported,
                """
                \(scheme): is not supported, because hiredis \(Self.hiredisVersion) has no TLS here. Use redis: in a \
                network that you trust, or a tunnel.
                """
            )
        default: throw Self.mistake("it does not begin with redis:// or unix://.")
        }
    }

    /// The server without the user and the password.
    var description: String {
        let place =
            switch server {
            case .host(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
            case .socket(let path): path
            }
        return database == 0 ? "Redis at \(place)" : "Redis at \(place), database \(database)"
    }

    private static func mistake(_ reason: String) -> RedisStoreError {
        RedisStoreError(.invalidURL, "The URL of RedisStore is invalid: \(reason)")
    }

    /// Removes the user and the password in front of a host or a path. An @ may be in a password.
    private static func takeLogin(_ rest: inout Substring) throws(RedisStoreError) -> Login? {
        // In the URL of a socket, a path may have an @.
        let authority = rest.prefix { $0 != "/" }
        guard let end = authority.lastIndex(of: "@") else { return nil }
        let information = rest[..<end]
        rest = rest[rest.index(after: end)...]
        guard let colon = information.firstIndex(of: ":") else {
            throw mistake("a user needs a password: redis://user:password@host.")
        }
        guard let user = String(information[..<colon]).removingPercentEncoding,
            let password = String(information[information.index(after: colon)...]).removingPercentEncoding
        else { throw mistake("the user or the password has a % that is not followed by two digits. Write % as %25.") }
        guard !password.isEmpty else { throw mistake("the password is empty.") }
        return Login(user: user.isEmpty ? nil : user, password: password)
    }

    private static func host(_ text: Substring) throws(RedisStoreError) -> Server {
        var host = text
        var port = Substring("6379")
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { throw mistake("the IPv6 address has no ].") }
            host = text[text.index(after: text.startIndex)..<end]
            let rest = text[text.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") else { throw mistake("text follows the IPv6 address.") }
            if !rest.isEmpty { port = rest.dropFirst() }
        } else if let colon = text.firstIndex(of: ":") {
            host = text[..<colon]
            port = text[text.index(after: colon)...]
        }
        guard let name = String(host).removingPercentEncoding, !name.isEmpty, !name.utf8.contains(0) else {
            throw mistake("it has no host.")
        }
        guard port.allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int32(port), (1...65535).contains(number)
        else { throw mistake("the port is not a number from 1 to 65535.") }
        return .host(name, port: number)
    }

    private static func database(_ text: String) throws(RedisStoreError) -> Int {
        if text.isEmpty { return 0 }
        guard text.allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int(text), number <= Int32.max else {
            throw mistake("the database is not a number.")
        }
        return number
    }
}
