package import Foundation

/// A URL or a relative reference, as its five components (RFC 3986). It can be parsed from any text.
///
/// Foundation can parse and resolve references too. But if a component has one invalid character, Foundation escapes
/// the whole component, including its existing escapes. It also does not remove dot segments from absolute references.
/// So Foundation gets only text that is already a URL.
package struct URLReference: Equatable, Sendable {
    package var scheme: String?
    package var authority: String?
    package var path: String
    package var query: String?
    package var fragment: String?

    /// Splits the text as in appendix B of RFC 3986.
    package init(_ text: String) {
        var rest = text[...]
        fragment = Self.cut(&rest, at: "#")
        query = Self.cut(&rest, at: "?")
        if let colon = rest.utf8.firstIndex(of: UInt8(ascii: ":")), Self.isScheme(rest[..<colon]) {
            scheme = String(rest[..<colon])
            rest = rest[rest.utf8.index(after: colon)...]
        }
        if rest.utf8.starts(with: "//".utf8) {
            let start = rest.utf8.index(rest.startIndex, offsetBy: 2)
            let end = rest.utf8[start...].firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
            authority = String(rest[start..<end])
            rest = rest[end...]
        }
        path = String(rest)
    }

    /// Cuts `rest` at the first separator, and returns the text after the separator; nil if there is no separator.
    private static func cut(_ rest: inout Substring, at separator: Unicode.Scalar) -> String? {
        let byte = UInt8(ascii: separator)
        guard let index = rest.utf8.firstIndex(of: byte) else { return nil }
        defer { rest = rest[..<index] }
        return String(rest[rest.utf8.index(after: index)...])
    }

    private static func isScheme(_ text: Substring) -> Bool {
        text.utf8.first?.isLetter == true
            && text.utf8.allSatisfy { $0.isLetter || $0.isDigit || "+-.".utf8.contains($0) }
    }

    package var text: String {
        var text = scheme.map { $0 + ":" } ?? ""
        if let authority { text += "//" + authority }
        text += path
        if let query { text += "?" + query }
        if let fragment { text += "#" + fragment }
        return text
    }

    /// The URL of this text; nil if the text is not a URL. Nothing is escaped.
    package var url: URL? { URL(string: text, encodingInvalidCharacters: false) }

    /// Resolves the reference against the URL of the document in which it occurs (RFC 3986, section 5.2.2).
    package func resolved(against base: URLReference) -> URLReference {
        var target = self
        if scheme != nil || authority != nil {
            target.scheme = scheme ?? base.scheme
            target.path = Self.withoutDotSegments(path)
            return target
        }
        target.scheme = base.scheme
        target.authority = base.authority
        if path.isEmpty {
            target.path = base.path
            target.query = query ?? base.query
        } else if path.utf8.first == UInt8(ascii: "/") {
            target.path = Self.withoutDotSegments(path)
        } else {
            target.path = Self.withoutDotSegments(base.pathForMerging + path)
        }
        return target
    }

    /// The path up to its last slash (section 5.2.3).
    private var pathForMerging: String {
        if authority != nil, path.isEmpty { return "/" }
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "" }
        return String(path[...slash])
    }

    /// The reference without user information.
    package var withoutUserInformation: URLReference {
        var copy = self
        if let authority, let at = authority.utf8.lastIndex(of: UInt8(ascii: "@")) {
            copy.authority = String(authority[authority.utf8.index(after: at)...])
        }
        return copy
    }

    /// The reference without its fragment.
    package var withoutFragment: URLReference {
        var copy = self
        copy.fragment = nil
        return copy
    }

    /// Removes dot segments (section 5.2.4), segment by segment.
    private static func withoutDotSegments(_ path: String) -> String {
        guard path.utf8.contains(UInt8(ascii: ".")) else { return path }
        let isAbsolute = path.begins(with: "/")
        let relative = Substring(path.utf8.dropFirst(isAbsolute ? 1 : 0))
        var segments: [Substring] = []
        var endsInFolder = false
        for segment in relative.parts(separatedBy: "/", omittingEmptyParts: false) {
            endsInFolder = segment == "." || segment == ".."
            if segment == ".." {
                _ = segments.popLast()
            } else if segment != "." {
                segments.append(segment)
            }
        }
        if endsInFolder { segments.append("") }
        return (isAbsolute ? "/" : "") + segments.joined(separator: "/")
    }
}

extension URLReference {
    /// The parts of an authority (RFC 3986, section 3.2).
    package struct Authority: Equatable, Sendable {
        /// The user information, as it is written; nil if there is none.
        package let userInformation: Substring?
        /// The host, as it is written; an IPv6 address has brackets.
        package let host: Substring
        /// The port, as it is written; nil without a colon.
        package let port: Substring?

        package init(_ text: some StringProtocol) {
            let text = Substring(String(text))
            let at = text.utf8.lastIndex(of: UInt8(ascii: "@"))
            userInformation = at.map { text[..<$0] }
            let rest = text[(at.map { text.utf8.index(after: $0) } ?? text.startIndex)...]
            let bracket = rest.utf8.lastIndex(of: UInt8(ascii: "]")) ?? rest.startIndex
            let colon = rest.utf8[bracket...].lastIndex(of: UInt8(ascii: ":"))
            host = rest[..<(colon ?? rest.endIndex)]
            port = colon.map { rest[rest.utf8.index(after: $0)...] }
        }

        /// The user name and the password, decoded; nil if there is no user information.
        package var credentials: (user: String, password: String?)? {
            guard let userInformation else { return nil }
            let parts = userInformation.parts(separatedBy: ":", maxSplits: 1, omittingEmptyParts: false)
                .map { String($0).percentDecoded() }
            return (parts[0], parts.count > 1 ? parts[1] : nil)
        }
    }

    /// Returns the authority of an absolute URL without parsing the rest; nil if it has none.
    package static func authority(of text: String) -> Authority? {
        let end = text.utf8.firstIndex { "/?#".utf8.contains($0) } ?? text.endIndex
        guard text.utf8[..<end].last == UInt8(ascii: ":"), text.utf8[end...].starts(with: "//".utf8) else { return nil }
        let start = text.utf8.index(end, offsetBy: 2)
        return Authority(
            text[start...].prefix(upTo: text.utf8[start...].firstIndex { "/?#".utf8.contains($0) } ?? text.endIndex)
        )
    }

    /// The value of the `Host` field of a request for this URL, without a default port (RFC 9110, section 7.2); nil if
    /// there is no origin.
    package var hostField: String? {
        guard let origin, let host = try? CanonicalHost(inURL: origin.host) else { return nil }
        let isDefault = origin.port == Origin.defaultPort(of: origin.scheme)
        return isDefault ? host.fieldText : "\(host.fieldText):\(origin.port)"
    }

    /// The origin; nil if this is not an http or https URL with a host and a valid port.
    package var origin: Origin? {
        guard let scheme = scheme?.inLowercase, scheme == "http" || scheme == "https", let authority else {
            return nil
        }
        let parts = Authority(authority)
        let digits = parts.port ?? ""
        guard let host = try? CanonicalHost(inURL: parts.host),
            let port = digits.isEmpty
                ? Origin.defaultPort(of: scheme)
                : digits.utf8.decimalNumber(atMost: 65536).flatMap({ UInt16(exactly: $0) }).map(Int.init)
        else { return nil }
        return Origin(scheme: scheme, host: host.urlText, port: port)
    }
}
