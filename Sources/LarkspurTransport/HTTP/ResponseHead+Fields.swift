#if canImport(FoundationNetworking)
internal import HTTPSyntax

extension ResponseHead {
    /// A head whose fields are still arriving. It is an object because most transfers do not need it: their head is
    /// complete, or all lines so far are the same as in the last head.
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

        /// - Parameter octets: The value, made of octets.
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

        /// Returns the value for programs. In a URL, octets that are not UTF-8 become escapes, so that the URL leads to
        /// the same resource. Other values are read as ISO-8859-1.
        private func reading(_ octets: String, of name: FieldName) -> String {
            switch name.text {
            case "Location", "Content-Location", "Link": return octets.escapingOctets
            case "Etag": entityTag = octets
            default: break
            }
            return octets.readable
        }

        /// Records that a field that determines the end of the content is in a form that some recipients might
        /// overlook.
        func noteObscured(_ name: FieldName) { obscured = obscured ?? name.text }

        private func add(_ value: String, named name: String) {
            Self.append(value, to: &fields[name])
        }

        // Appended in place, because a server can repeat a field until the header section is full, and each copy would
        // cost time.
        private static func append(_ value: String, to list: inout String?) {
            if list?.append(", " + value) == nil { list = value }
        }

        private func firstSpelling(of name: String) -> String {
            spelledAsSent.insert(CaselessName(name)).memberAfterInsert.text
        }

        func finished() -> ResponseHead {
            let length = lengths.map(ContentLength.init)
            // If there is a Transfer-Encoding, it overrides the Content-Length, which must then not be used as the
            // length (RFC 9112, section 6.3).
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
#endif
