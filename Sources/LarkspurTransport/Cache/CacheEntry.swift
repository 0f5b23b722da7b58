#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// A stored response to a GET, with the values that determine which requests it can answer.
struct CacheEntry: Equatable, Sendable {
    /// A field of the request that a `Vary` field names.
    struct VaryingField: Equatable, Sendable {
        /// The name in lower case.
        let name: String
        /// The value; nil if the request had none. Of a secret value, only the hash is stored.
        let value: String?
    }

    /// The user info of a `CachedURLResponse`, which is never changed.
    final class UserInfo: Equatable, @unchecked Sendable {
        // Safe: a constant; the values are passed on unchanged, as Foundation's caches do.
        let values: [AnyHashable: Any]

        init(_ values: [AnyHashable: Any]) { self.values = values }

        static func == (left: UserInfo, right: UserInfo) -> Bool { left === right }
    }

    /// The URL without user information and fragment, as it is sent.
    let url: String
    var status: Int
    var version: String
    /// The fields, by the names that ``ResponseHead`` gives them.
    var fields: [String: String]
    /// The varying fields in the order of their names.
    var varying: [VaryingField]
    /// The hash of the request's `Authorization` field. Entries with different hashes are distinct, as if `Vary` always
    /// named the field: one cache may serve several users of a process.
    let authorization: String?
    var requestTime: Date
    var responseTime: Date
    /// The content without content codings.
    var content: Data
    /// Whether the entry must not be written to disk.
    var isMemoryOnly = false
    /// User info that a delegate, or a program that stored the entry, has added; in memory only.
    var userInfo: UserInfo?

    /// The key that identifies the entry among all others, including those for the same URL.
    var variantKey: String {
        var key = url + "\n" + (authorization ?? "")
        for field in varying { key += "\n" + field.name + (field.value.map { ":" + $0 } ?? "") }
        return key
    }

    /// Whether the entry may answer a request with these fields, as far as the fields decide it (RFC 9111, section
    /// 4.1).
    func matches(_ request: CacheRequestFields) -> Bool {
        !isRedirect && authorization == request.nominated("authorization")
            && varying.allSatisfy { $0.value == request.nominated($0.name) }
    }

    /// Whether the response is a redirect. The engine stores none, as it would have to follow it; a foreign cache may
    /// have some.
    private var isRedirect: Bool {
        switch status {
        case 301, 302, 303, 307, 308: fields["Location"] != nil
        default: false
        }
    }

    /// The approximate number of bytes that the entry takes in memory.
    var cost: Int {
        fields.reduce(512 + url.utf8.count + content.count) { $0 + $1.key.utf8.count + $1.value.utf8.count + 64 }
    }

    // MARK: Values of its fields

    /// The entry's directives. `Pragma`, from HTTP/1.0, counts if there is no `Cache-Control`.
    var directives: CacheControl {
        if let text = fields["Cache-Control"] { return CacheControl(text) }
        var directives = CacheControl()
        directives.noCache = fields["Pragma"]?.hasSameLetters(as: "no-cache") ?? false
        return directives
    }

    /// The date at which the server made the response; without a `Date` field, the date at which it arrived.
    var date: Date { fields["Date"].flatMap { HTTPDate.parse($0) } ?? responseTime }

    /// The fields that ask the server whether the entry is still valid (RFC 9111, section 4.3.1); empty if it has no
    /// validator.
    var conditions: [(name: String, value: String)] {
        var conditions: [(String, String)] = []
        if let tag = fields["Etag"], !tag.isEmpty, !tag.breaksLine { conditions.append(("If-None-Match", tag)) }
        if let date = fields["Last-Modified"], !date.isEmpty, !date.breaksLine {
            conditions.append(("If-Modified-Since", date))
        }
        return conditions
    }

    /// Makes the response for a request with this URL, which may have a fragment; nil only if Foundation refuses to
    /// make one.
    /// - Parameter age: The age in seconds, for the `Age` field (RFC 9111, section 5.1); nil if the server has just
    ///   validated the entry.
    func makeResponse(url: URL, age: TimeInterval?) -> HTTPURLResponse? {
        var fields = fields
        if let age { fields["Age"] = String(Int(max(0, min(age, TimeInterval(CacheControl.longest))))) }
        return EngineResponse(url: url, statusCode: status, httpVersion: version, fields: fields)
            ?? HTTPURLResponse(url: url, statusCode: status, httpVersion: version, headerFields: fields)
    }
}
#endif
