import HTTPSyntax

/// The logins and passwords of a netrc file, such as `~/.netrc`.
///
///     if let netrc = try Netrc.ofUser() {
///         manager.interceptors.call.append(.netrc(netrc))
///     }
///
/// The grammar is curl's: the words `machine`, `default`, `login`, `password` and `account` in any case, each but
/// `default` with a value; values in quotation marks, in which a backslash escapes the next character (`\n`, `\r` and
/// `\t` are control characters); comments from `#` to the end of the line, at the start of a line or in place of a
/// keyword; and `macdef`, which is passed over up to the next empty line. Unlike curl, a text is refused if an entry
/// may be read in two ways: if there is an unknown word, or a value has no keyword or follows no `machine`, or an entry
/// has two logins or two passwords.
public struct Netrc: Sendable {
    /// An entry for a host, or for all hosts. The description and the mirror of an entry do not contain the password.
    public struct Entry: Hashable, Sendable {
        /// The host, as it is written in the file; nil for the entry `default`.
        public let host: String?
        /// The user's name; nil if the entry has none.
        public internal(set) var login: String?
        /// The password; nil if the entry has none.
        public internal(set) var password: String?
        /// The host in the form in which hosts are compared; nil without a host, and for a text that is no host.
        private let canonicalHost: CanonicalHost?

        init(host: String?) {
            self.host = host
            canonicalHost = host.flatMap { try? CanonicalHost(named: $0) }
        }

        /// The field `Authorization` of the entry, with the Basic scheme. As with curl, a login or a password that is
        /// missing is empty.
        public var authorization: HTTPHeaders.Field { .authorization(username: login ?? "", password: password ?? "") }

        /// Returns whether the entry gives credentials for a host.
        /// - Parameter login: The login that is asked for; nil for any.
        fileprivate func suits(_ host: CanonicalHost, _ login: String?) -> Bool {
            guard self.host == nil || canonicalHost == host else { return false }
            guard let login else { return self.login != nil || password != nil }
            return password != nil && (self.login == nil || self.login == login)
        }
    }

    /// The entries, in the order of the file.
    public let entries: [Entry]

    /// Reads the text of a netrc file.
    /// - Throws: ``NetrcError`` with the line if the text is malformed.
    public init(text: String) throws(NetrcError) { try self.init(Array(text.utf8), path: nil) }

    /// - Parameter path: The path of the file, for errors; nil for a text.
    init(_ bytes: [UInt8], path: String?) throws(NetrcError) {
        var reader = NetrcReader(bytes, path: path)
        entries = try reader.entries()
    }

    /// Returns the entry for the host of a URL. The scheme and the port do not matter.
    /// - Returns: The first entry of the file that is for the host or for all hosts, and that has a login or a
    ///   password; nil if there is none, or if the URL has no valid host.
    public func entry(for url: URL) -> Entry? { (try? CanonicalHost(of: url)).flatMap { entry(for: $0, login: nil) } }

    /// Returns the entry for a host.
    /// - Parameters:
    ///   - host: The name or the address. An IPv6 address may have brackets.
    ///   - login: The login whose password is needed. An entry with a password and no login suits each login. Default:
    ///     nil, for any login.
    /// - Returns: The first entry of the file that is for the host or for all hosts, and that has a login or a
    ///   password; nil if there is none, or if the text is no host.
    public func entry(forHost host: String, login: String? = nil) -> Entry? {
        (try? CanonicalHost(named: host)).flatMap { entry(for: $0, login: login) }
    }

    private func entry(for host: CanonicalHost, login: String?) -> Entry? { entries.first { $0.suits(host, login) } }
}

extension Netrc: CustomStringConvertible, CustomReflectable {
    /// The number of entries.
    public var description: String { "Netrc(\(entries.count) entries)" }
    /// A mirror without the passwords.
    public var customMirror: Mirror { Mirror(self, children: ["entries": entries.count]) }
}

extension Netrc.Entry: CustomStringConvertible, CustomReflectable {
    /// The host, without login and password.
    public var description: String { "Netrc.Entry(\(host ?? "default"))" }
    /// A mirror without login and password.
    public var customMirror: Mirror { Mirror(self, children: ["host": host as Any]) }
}
