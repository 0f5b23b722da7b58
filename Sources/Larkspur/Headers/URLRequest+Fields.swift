internal import HTTPSyntax

extension URLRequest {
    /// Sets fields with the same result as `setValue(_:forHTTPHeaderField:)` for each of them.
    ///
    /// That method capitalizes every name and copies the request for each field, which is expensive. Fields whose names
    /// are capitalized already are set all at once.
    /// - Parameter keepsOwn: Whether existing fields of the request remain.
    mutating func setFields(_ headers: HTTPHeaders, keepsOwn: Bool) {
        var fields = allHTTPHeaderFields ?? [:]
        var others: [HTTPHeaders.Field] = []
        for field in headers {
            let own = fields.isEmpty ? nil : fields.keys.first { $0.hasSameLetters(as: field.name) }
            if own != nil && keepsOwn { continue }
            if own == nil && field.name.isCapitalized {
                fields[field.name] = field.value
            } else {
                others.append(field)
            }
        }
        if !fields.isEmpty { allHTTPHeaderFields = fields }
        for field in others { setValue(field.value, forHTTPHeaderField: field.name) }
    }

    /// The value of the request's `Content-Length` field.
    var announcedBodyLength: Int64? { value(forHTTPHeaderField: "Content-Length").flatMap { Int64($0) } }

    /// The request with `Accept-Encoding: identity`, which requests content without a content coding. If the caller has
    /// set the field, its value stays unchanged.
    package var requestingNoCoding: URLRequest {
        guard value(forHTTPHeaderField: "Accept-Encoding") == nil else { return self }
        var request = self
        request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        return request
    }

    /// Returns the request without some of its fields.
    /// - Parameter isRemoved: Returns whether a field is to be removed, by its name.
    func removingFields(where isRemoved: (String) -> Bool) -> URLRequest {
        var request = self
        for name in (allHTTPHeaderFields ?? [:]).keys where isRemoved(name) {
            request.setValue(nil, forHTTPHeaderField: name)
        }
        return request
    }

    /// The names, in lower case, of the fields that hold no secret: those of ``HTTPHeaders/default``, and `Accept`.
    static var harmlessFields: Set<TextKey> {
        let names = HTTPHeaders.default.map(\.name) + ["Accept"]
        return Set(texts: names.filter { !CredentialField.matches($0) }.map(\.inLowercase))
    }

    /// The request without header fields that may hold secrets. It is meant for a URL from the content of a response,
    /// such as the URL of the next page. It has fewer fields than a redirected request: all fields that are not known
    /// to be harmless are left out.
    var withoutSecrets: URLRequest {
        let harmless = Self.harmlessFields
        return removingFields { !harmless.contains($0.inLowercase) }
    }

    /// Returns the request with which a redirect is followed. If the request goes to another origin, some of its fields
    /// are removed.
    /// - Parameters:
    ///   - fields: The names of the fields, in lower case.
    ///   - response: The redirect.
    func withholding(_ fields: Set<TextKey>, after response: HTTPURLResponse) -> URLRequest {
        guard !fields.isEmpty, leavesOrigin(of: response) else { return self }
        return removingFields { fields.contains($0.inLowercase) }
    }

    /// Returns whether the redirect that led to this request came from another origin.
    func leavesOrigin(of response: HTTPURLResponse) -> Bool {
        guard let target = url.flatMap(Origin.init), let source = response.url.flatMap(Origin.init) else { return true }
        return target != source
    }
}

extension HTTPHeaders {
    /// The fields that carry credentials.
    var credentials: [Field] { filter { CredentialField.matches($0.name) } }

    /// Returns the headers without some of their fields.
    func removing(_ fields: [Field]) -> HTTPHeaders {
        var headers = self
        for field in fields { headers.remove(field.name) }
        return headers
    }
}

extension String {
    /// Whether a name has the case that `URLRequest` gives to names: only letters and hyphens, and each word begins
    /// with its only capital letter.
    fileprivate var isCapitalized: Bool {
        var isAtStart = true
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: "-"): isAtStart = true
            case UInt8(ascii: "A")...UInt8(ascii: "Z") where isAtStart: isAtStart = false
            case UInt8(ascii: "a")...UInt8(ascii: "z") where !isAtStart: break
            default: return false
            }
        }
        return !isEmpty
    }
}
