/// The reading of URLs that people and servers write.
extension URLReference {
    /// The reason why a text is not a URL or a relative reference.
    package enum Defect: Error, Equatable, Sendable {
        /// There is a control character, such as a line end, within the text.
        case controlCharacter
        /// There is no scheme, but a colon in the first segment of the path (RFC 3986, section 4.2).
        case colonWithoutScheme
        case malformedPort
        case host(CanonicalHost.Defect)
    }

    /// Reads a text that a person or a program wrote: as a URL, or as a relative reference.
    ///
    /// Every string of a caller is read here. White space and control characters around the text are removed (URL
    /// standard, section 4.4). In user information, path, query and fragment, each character that RFC 3986 does not
    /// allow there is percent-encoded. An escape stays as it is, and a `%` that does not begin one becomes `%25`. A
    /// host in ASCII stays as it is; an international name is replaced by its ASCII form. So the text of the result
    /// is a URL, and does not change if it is read again.
    package init(reading text: String) throws(Defect) {
        let start = text.utf8.firstIndex { $0 > .space } ?? text.endIndex
        let end = text.utf8.lastIndex { $0 > .space }.map { text.utf8.index(after: $0) } ?? start
        let trimmed = String(text[start..<end])
        // A line end is not escaped: a text with several lines is not a URL.
        guard !trimmed.utf8.contains(where: { $0 < .space || $0 == 0x7F }) else { throw .controlCharacter }
        self = URLReference(trimmed).percentEncoded
        let isNested = scheme == nil && authority == nil
        guard !isNested || !path.before("/").utf8.contains(UInt8(ascii: ":")) else { throw .colonWithoutScheme }
        do throws(CanonicalHost.Defect) {
            try writeHost()
        } catch {
            throw .host(error)
        }
        if let authority, Authority(authority).port?.utf8.allSatisfy(\.isDigit) == false { throw .malformedPort }
    }

    /// The reference with a host that a URL can have, if there is one.
    package var withWritableHost: URLReference {
        var copy = self
        return (try? copy.writeHost()) == nil ? self : copy
    }

    /// Replaces an international name by its ASCII form, and escapes the percent sign of a zone. Any other host of a
    /// URL is only checked. In URLs of schemes that are not known here, the host can be something else than a name, and
    /// is escaped like the other parts.
    private mutating func writeHost() throws(CanonicalHost.Defect) {
        guard let authority else { return }
        let parts = Authority(authority)
        guard !parts.host.isEmpty else { return }
        guard hasKnownScheme else {
            let host = PercentEncoding.escaping(String(parts.host)) {
                Self.isAllowedInAuthority($0) || "[]".utf8.contains($0)
            }
            self.authority = Self.text(parts, host: host)
            return
        }
        let host = try CanonicalHost(inURL: parts.host)
        guard host.zone != nil || parts.host.utf8.contains(where: { $0 >= 0x80 }) else { return }
        self.authority = Self.text(parts, host: host.urlText)
    }

    /// Whether the host of the URL is a name or an address.
    private var hasKnownScheme: Bool { scheme.map { ["http", "https", "ws", "wss"].contains($0.inLowercase) } ?? true }

    /// The reference with escapes in place of the characters that are not allowed at their positions, because some
    /// servers send spaces and UTF-8 in a `Location`. The host is unchanged.
    package var percentEncoded: URLReference {
        var encoded = self
        encoded.authority = authority.map {
            let parts = Authority($0)
            return Self.text(parts, host: String(parts.host))
        }
        encoded.path = Self.encode(path)
        encoded.query = query.map(Self.encode)
        encoded.fragment = fragment.map(Self.encode)
        return encoded
    }

    private static func text(_ authority: Authority, host: String) -> String {
        let user = authority.userInformation.map {
            PercentEncoding.escaping(String($0), unless: isAllowedInAuthority) + "@"
        }
        return (user ?? "") + host + (authority.port.map { ":" + $0 } ?? "")
    }

    /// Whether the byte is allowed in user information, and in the name of a host.
    private static func isAllowedInAuthority(_ byte: UInt8) -> Bool { isAllowed(byte) && !"/?@".utf8.contains(byte) }

    private static func encode(_ text: String) -> String { PercentEncoding.escaping(text, unless: isAllowed) }

    /// Whether the byte is an unreserved character, a delimiter, or another character that is allowed in path, query
    /// and fragment.
    private static func isAllowed(_ byte: UInt8) -> Bool {
        byte.isToken && !"#%^`|".utf8.contains(byte) || "/?:@(),;=".utf8.contains(byte)
    }
}
