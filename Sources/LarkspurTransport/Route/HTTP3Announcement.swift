#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The announcement that an origin supports HTTP/3 at its own host and port, from an `Alt-Svc` field (RFC 7838, section
/// 3).
///
/// Other hosts and ports do not count. So the certificate is checked for the same name, and the fallback to TCP has the
/// same address.
struct HTTP3Announcement {
    /// The time in seconds for which the announcement is valid.
    let lifetime: Int

    /// The maximum lifetime, in seconds: a year (RFC 9111, section 1.2.2).
    static let longest = 31_536_000

    /// Reads a field; nil if it does not announce HTTP/3 at the origin's own host and port.
    init?(_ field: String, of origin: Origin) {
        for alternative in FieldParameters.split(field, at: ",") {
            let parameters = FieldParameters(alternative)
            // The protocol is an ALPN identifier, which is case-sensitive.
            let parts = parameters.leading.parts(separatedBy: "=", maxSplits: 1)
            guard parts.count == 2, parts[0] == "h3",
                Self.isAuthority(FieldParameters.unquote(String(parts[1])), of: origin)
            else { continue }
            lifetime = parameters.values["ma"]?.utf8.decimalNumber(atMost: Self.longest) ?? 86_400
            return
        }
        return nil
    }

    /// Whether an authority has the host and the port of an origin. The host may be missing.
    private static func isAuthority(_ text: String, of origin: Origin) -> Bool {
        guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")),
            text[text.utf8.index(after: colon)...] == String(origin.port)
        else { return false }
        let host = text[..<colon]
        return host.isEmpty || (try? CanonicalHost(inURL: host))?.urlText == origin.host
    }
}
#endif
