#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// A response to a GET as it is kept, with what decides which requests it answers.
struct CacheEntry: Equatable, Sendable {
    /// A field of the request that a `Vary` field names.
    struct VaryingField: Equatable, Sendable {
        /// In lower case.
        let name: String
        /// Nil if the request had none. Of a secret only the hash.
        let value: String?
    }

    /// The user info of a `CachedURLResponse`, which is never changed.
    final class UserInfo: Equatable, @unchecked Sendable {
        // Safe: a constant; the values are handed on as they came, as Foundation's caches do.
        let values: [AnyHashable: Any]

        init(_ values: [AnyHashable: Any]) { self.values = values }

        static func == (left: UserInfo, right: UserInfo) -> Bool { left === right }
    }

    /// The URL without user information and fragment, as it is sent.
    let url: String
    var status: Int
    var version: String
    /// By the names that ``ResponseHead`` gives them.
    var fields: [String: String]
    /// In the order of their names.
    var varying: [VaryingField]
    /// The hash of the request's `Authorization` field, by which entries differ as if `Vary` always named it: one cache
    /// may serve several users of a process.
    let authorization: String?
    var requestTime: Date
    var responseTime: Date
    /// Without content codings.
    var content: Data
    /// Whether it must not be written to disk.
    var isMemoryOnly = false
    /// User info that a delegate, or a program that stored it, has added; in memory only.
    var userInfo: UserInfo?

    /// What tells it from all other entries, those for the same URL included.
    var variantKey: String {
        var key = url + "\n" + (authorization ?? "")
        for field in varying { key += "\n" + field.name + (field.value.map { ":" + $0 } ?? "") }
        return key
    }

    /// Whether a request with these fields may be answered with it, as far as they go (RFC 9111, section 4.1).
    func matches(_ request: CacheRequestFields) -> Bool {
        !isRedirect && authorization == request.nominated("authorization")
            && varying.allSatisfy { $0.value == request.nominated($0.name) }
    }

    /// Whether it leads elsewhere. None is kept by the engine, which would have to follow it; somebody's cache may have
    /// some.
    private var isRedirect: Bool {
        switch status {
        case 301, 302, 303, 307, 308: fields["Location"] != nil
        default: false
        }
    }

    /// Roughly the bytes that it takes in memory.
    var cost: Int {
        fields.reduce(512 + url.utf8.count + content.count) { $0 + $1.key.utf8.count + $1.value.utf8.count + 64 }
    }

    // MARK: What its fields say

    /// Its directives; those of HTTP/1.0 count where there are no others.
    var directives: CacheControl {
        if let text = fields["Cache-Control"] { return CacheControl(text) }
        var directives = CacheControl()
        directives.noCache = fields["Pragma"]?.hasSameLetters(as: "no-cache") ?? false
        return directives
    }

    /// When the server made it; when it came, if the server did not say.
    var date: Date { fields["Date"].flatMap { HTTPDate.parse($0) } ?? responseTime }

    /// The fields that ask the server whether it is still good (RFC 9111, section 4.3.1); empty if there is nothing to
    /// ask by.
    var conditions: [(name: String, value: String)] {
        var conditions: [(String, String)] = []
        if let tag = fields["Etag"], !tag.isEmpty, !tag.breaksLine { conditions.append(("If-None-Match", tag)) }
        if let date = fields["Last-Modified"], !date.isEmpty, !date.breaksLine {
            conditions.append(("If-Modified-Since", date))
        }
        return conditions
    }

    /// The response, for a request with this URL, which may have a fragment; nil only if Foundation refuses to make
    /// one.
    /// - Parameter age: Its age in seconds, which it then states (RFC 9111, section 5.1); nil if the server has just
    ///   validated it.
    func makeResponse(url: URL, age: TimeInterval?) -> HTTPURLResponse? {
        var fields = fields
        if let age { fields["Age"] = String(Int(max(0, min(age, TimeInterval(CacheControl.longest))))) }
        return EngineResponse(url: url, statusCode: status, httpVersion: version, fields: fields)
            ?? HTTPURLResponse(url: url, statusCode: status, httpVersion: version, headerFields: fields)
    }
}
#endif
