#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The status line and the fields of one response, final or informational.
struct ResponseHead: Sendable {
    let status: Int
    /// The version as it was received, for instance "HTTP/1.1" or "HTTP/2".
    let version: String
    /// The values by names in the spelling of `HTTPURLResponse`. Repeated fields are joined with a comma; `Set-Cookie`
    /// so that Foundation's parser can split the cookies again.
    let fields: [String: String]
    /// The `Set-Cookie` values, one by one: joined ones cannot be split with certainty.
    let setCookies: [String]
    /// The `WWW-Authenticate` values, one by one.
    let challenges: [String]
    /// The `Proxy-Authenticate` values, one by one.
    let proxyChallenges: [String]
    /// The first `Location` value.
    let location: String?
    /// The fields that frame the content.
    let framing: FramingFields

    /// The length of the content; nil if the field is missing, is not a valid number, or is present with different
    /// values.
    var contentLength: Int64? { framing.length?.value }

    /// The value of a field; the case of the name does not matter.
    subscript(name: String) -> String? {
        if let value = fields[name] { return value }
        guard let canonical = FieldName(name) else { return nil }
        return fields[canonical.text] ?? fields.first { $0.key.hasSameLetters(as: name) }?.value
    }
}

extension ResponseHead {
    /// Makes the response that URLSession's users get; nil only if Foundation refuses to make one, which no version
    /// does.
    func makeResponse(url: URL) -> HTTPURLResponse? {
        EngineResponse(url: url, statusCode: status, httpVersion: version, fields: fields)
            ?? HTTPURLResponse(url: url, statusCode: status, httpVersion: version, headerFields: fields)
    }
}
#endif

#if canImport(FoundationNetworking)
internal import HTTPSyntax

extension ResponseHead {
    /// A head whose fields are still arriving.
    struct Draft {
        let status: Int
        let version: String
        private var fields: [String: String] = [:]
        private var spelledAsSent: Set<CaselessName> = []
        private var setCookies: [String] = []
        private var challenges: [String] = []
        private var proxyChallenges: [String] = []
        private var location: String?
        private var lengths: String?
        private var transferEncoding: String?
        private var obscured: String?

        init(status: Int, version: String) {
            self.status = status
            self.version = version
            fields.reserveCapacity(12)
        }

        mutating func add(_ name: FieldName, _ value: String) {
            switch name.role {
            case .plain: add(value, named: name.text)
            case .spelledAsSent: add(value, named: firstSpelling(of: name.text))
            case .setCookie: setCookies.append(value)
            case .challenge:
                challenges.append(value)
                add(value, named: name.text)
            case .proxyChallenge:
                proxyChallenges.append(value)
                add(value, named: name.text)
            case .location:
                location = location ?? value
                add(value, named: name.text)
            case .contentLength:
                Self.append(value, to: &lengths)
            case .transferEncoding:
                Self.append(value, to: &transferEncoding)
                add(value, named: name.text)
            }
        }

        /// Notes that a field which determines the end of the content is written in a way that not every recipient
        /// reads.
        mutating func noteObscured(_ name: FieldName) { obscured = obscured ?? name.text }

        private mutating func add(_ value: String, named name: String) {
            Self.append(value, to: &fields[name])
        }

        /// Appends in place, as a field may be repeated as often as a head has room.
        private static func append(_ value: String, to list: inout String?) {
            if list?.append(", " + value) == nil { list = value }
        }

        private mutating func firstSpelling(of name: String) -> String {
            spelledAsSent.insert(CaselessName(name)).memberAfterInsert.text
        }

        consuming func finished() -> ResponseHead {
            let length = lengths.map(ContentLength.init)
            // A Transfer-Encoding overrides Content-Length, which must not be taken for the length (RFC 9112, section
            // 6.3).
            if transferEncoding == nil, let lengths, let length {
                let isList = lengths.utf8.contains(UInt8(ascii: ","))
                fields["Content-Length"] = isList ? length.value.map { String($0) } ?? lengths : lengths
            }
            if !setCookies.isEmpty { fields["Set-Cookie"] = SetCookieList(setCookies).text }
            return ResponseHead(
                status: status,
                version: version,
                fields: fields,
                setCookies: setCookies,
                challenges: challenges,
                proxyChallenges: proxyChallenges,
                location: location,
                framing: FramingFields(length: length, transferEncoding: transferEncoding, obscured: obscured)
            )
        }
    }
}

#endif

#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The first line of a response: "HTTP/1.1 200 OK", "HTTP/2 200".
enum StatusLine {
    /// Whether the line begins with the protocol's name, which no field does.
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
        // After a carriage return, the following text could pass for a reason phrase (RFC 9112, section 2.2).
        guard digits.count == 3, end == line.count || line[end].isBlank, !line[end...].contains(UInt8(ascii: "\r"))
        else { throw .invalidStatusLine }
        let status = digits.reduce(0) { $0 * 10 + Int($1 &- UInt8(ascii: "0")) }
        // Classes beyond 5 are not assigned, but they are no errors (RFC 9110, section 15).
        guard status >= 100 else { throw .invalidStatus(status) }
        return (status, String(decoding: line[..<versionEnd], as: UTF8.self))
    }

    /// Whether the bytes are one digit, or two with a dot between them.
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
