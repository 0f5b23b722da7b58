#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The status line and the fields of one response, final or informational.
final class ResponseHead: @unchecked Sendable {
    // Safe: all properties are constants, except `memo` and `knownClose`. These two are used only by the thread that
    // has the loop of the response.
    let status: Int
    /// The version as it was received, such as "HTTP/1.1" or "HTTP/2".
    let version: String
    /// The values by their names, in the spelling of `HTTPURLResponse`. Repeated fields are joined by commas.
    /// `Set-Cookie` fields are joined in a form that Foundation's parser can split. Octets that are not UTF-8 are read
    /// as ISO-8859-1.
    let fields: [String: String]
    /// The separate `Set-Cookie` values, because joined values cannot be split reliably. These values and the values of
    /// the challenges consist of octets, because the engine sends parts of them back.
    let setCookies: [String]
    /// The separate `WWW-Authenticate` values.
    let challenges: [String]
    /// The separate `Proxy-Authenticate` values.
    let proxyChallenges: [String]
    /// The first `Location` value.
    let location: String?
    /// The fields that frame the content.
    let framing: FramingFields
    /// The first `Strict-Transport-Security` value. Further values are ignored (RFC 6797, section 8.1).
    let strictTransport: String?
    /// The entity tag as octets, if some of these octets are not UTF-8; otherwise nil.
    let entityTag: String?
    /// The value that a cache has computed from the head.
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

    /// The value of a field. The case of the name is ignored.
    subscript(name: String) -> String? {
        if let value = fields[name] { return value }
        guard let canonical = FieldName(name) else { return nil }
        return fields[canonical.text] ?? fields.first { $0.key.hasSameLetters(as: name) }?.value
    }
}

extension ResponseHead {
    /// Whether the server ends the connection after the response (RFC 9112, sections 9.3 and 9.6). Always false for
    /// HTTP/2 and HTTP/3.
    ///
    /// The engine checks this itself, because libcurl 8.14.0 to 8.19.0 ignores `close` if it is not the first member of
    /// the field.
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

    /// Creates the response for programs. Returns nil only if Foundation cannot create it, which no version does.
    func makeResponse(url: URL) -> HTTPURLResponse? {
        EngineResponse.make(url: url, status: status, version: version, fields: fields)
    }
}

extension ResponseHead {
    /// A head whose fields are still arriving. It is an object because most transfers do not need it. Usually, the head
    /// is complete, or all lines so far are the same as in the last head.
    final class Draft {
        let status: Int
        let version: String
        private var fields: [String: String] = [:]
        private var spelledAsSent: Set<CaselessName> = []
        private var setCookies: [String] = []
        private var challenges: [String] = []
        private var proxyChallenges: [String] = []
        private var location: String?
        private var strictTransport: String?
        private var lengths: String?
        private var transferEncoding: String?
        private var obscured: String?
        private var entityTag: String?

        init(status: Int, version: String) {
            self.status = status
            self.version = version
            fields.reserveCapacity(12)
        }

        /// - Parameter octets: The value, which consists of octets.
        func add(_ name: FieldName, _ octets: String) {
            let value = octets.hasOctets ? reading(octets, of: name) : octets
            switch name.role {
            case .plain: add(value, named: name.text)
            case .spelledAsSent: add(value, named: firstSpelling(of: name.text))
            case .setCookie: setCookies.append(octets)
            case .challenge:
                challenges.append(octets)
                add(value, named: name.text)
            case .proxyChallenge:
                proxyChallenges.append(octets)
                add(value, named: name.text)
            case .location:
                location = location ?? value
                add(value, named: name.text)
            case .strictTransport:
                strictTransport = strictTransport ?? value
                add(value, named: name.text)
            case .contentLength:
                Self.append(value, to: &lengths)
            case .transferEncoding:
                Self.append(value, to: &transferEncoding)
                add(value, named: name.text)
            }
        }

        /// Returns the value for programs. In a URL, octets that are not UTF-8 are percent-encoded, so that the URL
        /// still identifies the same resource. Other values are read as ISO-8859-1.
        private func reading(_ octets: String, of name: FieldName) -> String {
            switch name.text {
            case "Location", "Content-Location", "Link": return octets.escapingOctets
            case "Etag": entityTag = octets
            default: break
            }
            return octets.readable
        }

        /// Records that a field that determines the end of the content has a form that some recipients might not
        /// recognize.
        func noteObscured(_ name: FieldName) { obscured = obscured ?? name.text }

        private func add(_ value: String, named name: String) {
            Self.append(value, to: &fields[name])
        }

        // The value is appended in place. A server can repeat a field until the header section is full, and a copy for
        // each repetition would take too much time.
        private static func append(_ value: String, to list: inout String?) {
            if list?.append(", " + value) == nil { list = value }
        }

        private func firstSpelling(of name: String) -> String {
            spelledAsSent.insert(CaselessName(name)).memberAfterInsert.text
        }

        func finished() -> ResponseHead {
            let length = lengths.map(ContentLength.init)
            // A Transfer-Encoding overrides the Content-Length, which must then not be used as the length (RFC 9112,
            // section 6.3).
            if transferEncoding == nil, let lengths, let length {
                let isList = lengths.utf8.contains(UInt8(ascii: ","))
                fields["Content-Length"] = isList ? length.value.map { String($0) } ?? lengths : lengths
            }
            if !setCookies.isEmpty { fields["Set-Cookie"] = SetCookieList(setCookies.map(\.readable)).text }
            return ResponseHead(
                status: status,
                version: version,
                fields: fields,
                setCookies: setCookies,
                challenges: challenges,
                proxyChallenges: proxyChallenges,
                location: location,
                framing: FramingFields(length: length, transferEncoding: transferEncoding, obscured: obscured),
                strictTransport: strictTransport,
                entityTag: entityTag
            )
        }
    }
}

/// The first line of a response, such as "HTTP/1.1 200 OK" or "HTTP/2 200".
enum StatusLine {
    /// Whether the line begins with the protocol's name and a slash. A field never begins in this way.
    static func begins(_ line: UnsafeRawBufferPointer) -> Bool {
        line.count > 4 && line[0] == UInt8(ascii: "H") && line[1] == UInt8(ascii: "T") && line[2] == UInt8(ascii: "T")
            && line[3] == UInt8(ascii: "P") && line[4] == UInt8(ascii: "/")
    }

    static func parse(
        _ line: UnsafeRawBufferPointer
    ) throws(ResponseHeadParser.Failure) -> (status: Int, version: String) {
        guard begins(line), let versionEnd = line.firstIndex(where: \.isBlank),
            isVersion(line[5..<versionEnd]),
            let start = line[versionEnd...].firstIndex(where: { !$0.isBlank })
        else { throw .invalidStatusLine }
        let digits = line[start...].prefix(while: \.isDigit)
        let end = digits.endIndex
        // A recipient could read the text after a carriage return as the reason phrase (RFC 9112, section 2.2).
        guard digits.count == 3, end == line.count || line[end].isBlank, !line[end...].contains(UInt8(ascii: "\r"))
        else { throw .invalidStatusLine }
        let status = digits.reduce(0) { $0 * 10 + Int($1 &- UInt8(ascii: "0")) }
        // Status codes of 600 and above are unassigned, but are not errors (RFC 9110, section 15).
        guard status >= 100 else { throw .invalidStatus(status) }
        return (status, String(decoding: line[..<versionEnd], as: UTF8.self))
    }

    /// Whether the bytes are one digit, or two digits that are separated by a dot.
    private static func isVersion(_ bytes: Slice<UnsafeRawBufferPointer>) -> Bool {
        let start = bytes.startIndex
        switch bytes.count {
        case 1: return bytes[start].isDigit
        case 3: return bytes[start].isDigit && bytes[start + 1] == UInt8(ascii: ".") && bytes[start + 2].isDigit
        default: return false
        }
    }
}
#endif
