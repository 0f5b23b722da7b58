#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The status line and the fields of one response, final or informational.
final class ResponseHead: @unchecked Sendable {
    // Safe: all properties are constants but for `memo` and `knownClose`, which are used only by the thread that has the
    // loop which has received the head.
    let status: Int
    /// The version as it was received, such as "HTTP/1.1" or "HTTP/2".
    let version: String
    /// The values by their names in the spelling of `HTTPURLResponse`. Repeated fields are joined by commas.
    /// `Set-Cookie` fields are joined in such a way that Foundation's parser can separate the cookies. Octets that are
    /// not UTF-8 are read as ISO-8859-1.
    let fields: [String: String]
    /// The `Set-Cookie` values, one by one, because joined values cannot be separated with certainty. These values and
    /// those of the challenges are made of octets, because the engine sends parts of them back.
    let setCookies: [String]
    /// The `WWW-Authenticate` values, one by one.
    let challenges: [String]
    /// The `Proxy-Authenticate` values, one by one.
    let proxyChallenges: [String]
    /// The first `Location` value.
    let location: String?
    /// The fields that frame the content.
    let framing: FramingFields
    /// The first `Strict-Transport-Security` value. Others are ignored (RFC 6797, section 8.1).
    let strictTransport: String?
    /// The entity tag, made of octets, if it has octets that are not UTF-8; otherwise nil.
    let entityTag: String?
    /// What a cache has computed from the head.
    @exclusivity(unchecked) var memo: AnyObject?
    @exclusivity(unchecked) private var knownClose: Bool?

    init(
        status: Int,
        version: String,
        fields: [String: String],
        setCookies: [String],
        challenges: [String],
        proxyChallenges: [String],
        location: String?,
        framing: FramingFields,
        strictTransport: String? = nil,
        entityTag: String? = nil
    ) {
        self.status = status
        self.version = version
        self.fields = fields
        self.setCookies = setCookies
        self.challenges = challenges
        self.proxyChallenges = proxyChallenges
        self.location = location
        self.framing = framing
        self.strictTransport = strictTransport
        self.entityTag = entityTag
    }

    /// The fields for the cache, with the octets of the entity tag.
    var cachedFields: [String: String] {
        guard let entityTag else { return fields }
        var fields = fields
        fields["Etag"] = entityTag
        return fields
    }

    /// The length of the content; nil if the field is missing, is not a valid number, or occurs with different values.
    var contentLength: Int64? { framing.length?.value }

    /// The value of a field. The case of the name does not matter.
    subscript(name: String) -> String? {
        if let value = fields[name] { return value }
        guard let canonical = FieldName(name) else { return nil }
        return fields[canonical.text] ?? fields.first { $0.key.hasSameLetters(as: name) }?.value
    }
}

extension ResponseHead {
    /// Whether the server ends the connection after the response (RFC 9112, sections 9.3 and 9.6). Not for HTTP/2 and
    /// HTTP/3.
    ///
    /// libcurl 8.14.0 to 8.19.0 overlooks `close` if it is not the first member of the field.
    var closesConnection: Bool {
        if let knownClose { return knownClose }
        let closes = announcesClose
        knownClose = closes
        return closes
    }

    private var announcesClose: Bool {
        if version == "HTTP/1.0", !hasConnectionOption("keep-alive", in: "Connection") { return true }
        return hasConnectionOption("close", in: "Connection") || hasConnectionOption("close", in: "Proxy-Connection")
    }

    private func hasConnectionOption(_ option: String, in name: String) -> Bool {
        guard let field = self.fields[name] else { return false }
        return field.utf8.split(separator: UInt8(ascii: ",")).contains { member in
            let member = member.drop(while: \.isBlank)
            return Substring(member.prefix { !$0.isBlank }).hasSameLetters(as: option)
                && member.drop { !$0.isBlank }.allSatisfy(\.isBlank)
        }
    }

    /// Creates the response for users of URLSession; nil only if Foundation refuses to create it, which no version
    /// does.
    func makeResponse(url: URL) -> HTTPURLResponse? {
        EngineResponse.make(url: url, status: status, version: version, fields: fields)
    }
}
#endif
