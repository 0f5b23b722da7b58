#if canImport(FoundationNetworking)

extension ResponseHead {
    /// A head whose fields are still coming in.
    struct Draft {
        let status: Int
        let version: String
        private var fields: [String: String] = [:]
        private var spelledAsSent: [String] = []
        private var setCookies: [String] = []
        private var challenges: [String] = []
        private var proxyChallenges: [String] = []
        private var location: String?
        private var lengths: String?

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
                lengths = lengths.map { $0 + ", " + value } ?? value
            }
        }

        private mutating func add(_ value: String, named name: String) {
            if let existing = fields.updateValue(value, forKey: name) {
                fields[name] = existing + ", " + value
            }
        }

        private mutating func firstSpelling(of name: String) -> String {
            if let known = spelledAsSent.first(where: { $0.hasSameLetters(as: name) }) { return known }
            spelledAsSent.append(name)
            return name
        }

        consuming func finished() -> ResponseHead {
            let length = lengths.map(ContentLength.init)
            if let length { fields["Content-Length"] = length.text }
            if !setCookies.isEmpty { fields["Set-Cookie"] = SetCookieList(setCookies).text }
            return ResponseHead(
                status: status,
                version: version,
                fields: fields,
                setCookies: setCookies,
                challenges: challenges,
                proxyChallenges: proxyChallenges,
                location: location,
                contentLength: length?.value,
                hasConflictingLengths: length?.isContradictory ?? false
            )
        }
    }
}

#endif
