#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The status line and the fields of one response, final or informational.
struct ResponseHead: Sendable {
    let status: Int
    /// As sent, for instance "HTTP/1.1" or "HTTP/2".
    let version: String
    /// Values by names as `HTTPURLResponse` spells them. Repeated fields are joined with a comma; `Set-Cookie` so that
    /// Foundation's parser can take the cookies apart again.
    let fields: [String: String]
    /// Each `Set-Cookie` value for itself: joined they cannot be told apart with certainty.
    let setCookies: [String]
    /// Each `WWW-Authenticate` value for itself.
    let challenges: [String]
    /// Each `Proxy-Authenticate` value for itself.
    let proxyChallenges: [String]
    /// The first `Location` value.
    let location: String?
    /// The fields that frame the content.
    let framing: FramingFields

    /// Nil where the field is missing, is no number that fits, or is there with different values.
    var contentLength: Int64? { framing.length?.value }

    /// The value of the field with this name, whatever its case.
    subscript(name: String) -> String? {
        if let value = fields[name] { return value }
        guard let canonical = FieldName(name) else { return nil }
        return fields[canonical.text] ?? fields.first { $0.key.hasSameLetters(as: name) }?.value
    }
}

#endif
