#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// A stored response to a GET, with the values that determine which requests can use it.
struct CacheEntry: Equatable, Sendable {
    /// A request field that `Vary` names.
    struct VaryingField: Equatable, Sendable {
        /// The name in lower case.
        let name: String
        /// The value; nil if the request did not have the field. For a secret value, only its hash is stored.
        let value: String?
    }

    /// The user info of a `CachedURLResponse`. It never changes.
    final class UserInfo: Equatable, @unchecked Sendable {
        // Safe: the dictionary is a constant. Its values are passed on unchanged, as Foundation's caches do.
        let values: [AnyHashable: Any]

        init(_ values: [AnyHashable: Any]) { self.values = values }

        static func == (left: UserInfo, right: UserInfo) -> Bool { left === right }
    }

    /// The URL as it is sent, without user information and fragment.
    let url: String
    var status: Int
    var version: String
    /// The values of the fields. The spelling of their names is that of ``ResponseHead``. The entity tag consists of
    /// octets.
    var fields: [String: String]
    /// The varying fields, in the order of their names.
    var varying: [VaryingField]
    /// The hash of the request's `Authorization` field. A process may serve several users with one cache. So entries
    /// with different hashes are distinct, as if `Vary` always named this field.
    let authorization: String?
    var requestTime: Date
    var responseTime: Date
    /// The content without content codings.
    var content: Data
    /// Whether the entry must not be written to disk.
    var isMemoryOnly = false
    /// User information that a delegate or the storing program has added. It is stored only in memory.
    var userInfo: UserInfo?
    /// The request for which a `URLCache` of Foundation has a copy of the entry; nil if there is no copy.
    var copy: URLRequest?
    /// Whether a request with the default policy might use the entry. If false, no such request can use it.
    var mayBeUsedByDefault = true

    /// The key that distinguishes the entry from all other entries, including entries for the same URL.
    var variantKey: String {
        var key = url + "\n" + (authorization ?? "")
        for field in varying { key += "\n" + field.name + (field.value.map { ":" + $0 } ?? "") }
        return key
    }

    /// Whether the other entry for the same URL applies to the same requests, so that it replaces this entry.
    func isSameVariant(as other: CacheEntry) -> Bool {
        varying == other.varying && authorization == other.authorization
    }

    /// Whether the fields of a request permit the use of the entry for this request (RFC 9111, section 4.1).
    func matches(_ request: CacheRequestFields) -> Bool {
        !isRedirect && authorization == request.nominated("authorization")
            && varying.allSatisfy { $0.value == request.nominated($0.name) }
    }

    /// Whether the response is a redirect. The engine does not store redirects, because it would have to follow a
    /// stored redirect. But a cache of the caller may have stored a redirect.
    private var isRedirect: Bool { RedirectDecision.isRedirect(status) && fields["Location"] != nil }

    /// The approximate size of the entry in memory, in bytes.
    var cost: Int {
        fields.reduce(512 + url.utf8.count + content.count) { $0 + $1.key.utf8.count + $1.value.utf8.count + 64 }
    }

    // MARK: Values from its fields

    /// The entry's directives.
    var directives: CacheControl { CacheControl(fields["Cache-Control"], pragma: fields["Pragma"]) }

    /// The date at which the server created the response. Without a `Date` field, the date of arrival.
    var date: Date { fields["Date"].flatMap { HTTPDate.parse($0) } ?? responseTime }

    /// The fields of a request that validates the entry (RFC 9111, section 4.3.1). Empty if the entry has no validator.
    var conditions: [(name: String, value: String)] {
        var conditions: [(String, String)] = []
        if let tag = fields["Etag"], !tag.isEmpty, !tag.breaksLine { conditions.append(("If-None-Match", tag)) }
        if let date = fields["Last-Modified"], !date.isEmpty, !date.breaksLine {
            conditions.append(("If-Modified-Since", date))
        }
        return conditions
    }

    /// Returns the response for a request with this URL, which may have a fragment. Returns nil only if Foundation
    /// cannot create the response.
    /// - Parameter age: The value of the `Age` field, in seconds (RFC 9111, section 5.1); nil if the server has just
    ///   validated the entry.
    func makeResponse(url: URL, age: TimeInterval?) -> HTTPURLResponse? {
        var fields = fields
        if let tag = fields["Etag"], tag.hasOctets { fields["Etag"] = tag.readable }
        if let age { fields["Age"] = String(Int(max(0, min(age, TimeInterval(CacheControl.longest))))) }
        return EngineResponse.make(url: url, status: status, version: version, fields: fields)
    }
}

extension CacheEntry {
    /// Returns the response for Foundation's caches and for delegates. Returns nil only if Foundation cannot create the
    /// response.
    /// - Parameter withMetadata: Whether the user information of the response includes the values that only this type
    ///   can represent.
    func cachedResponse(withMetadata: Bool) -> CachedURLResponse? {
        guard let url = URL(string: url), let response = makeResponse(url: url, age: nil) else { return nil }
        var userInfo = userInfo?.values
        if withMetadata { userInfo = (userInfo ?? [:]).merging([ForeignStore.metadataKey: encodedHead]) { $1 } }
        return CachedURLResponse(
            response: response,
            data: content,
            userInfo: userInfo,
            storagePolicy: isMemoryOnly ? .allowedInMemoryOnly : .allowed
        )
    }

    /// Creates an entry from the response of a caller's cache. Returns nil if the response is for another URL, or if it
    /// is not an HTTP response.
    init?(_ cached: CachedURLResponse, url: String) {
        guard let response = cached.response as? HTTPURLResponse, response.url.flatMap(Self.key) == url else {
            return nil
        }
        if let head = cached.userInfo?[ForeignStore.metadataKey] as? Data,
            let entry = CacheEntry(encodedHead: head, content: cached.data), entry.url == url
        {
            self = entry
            userInfo = cached.userInfo.map { UserInfo($0.filter { $0.key != AnyHashable(ForeignStore.metadataKey) }) }
            return
        }
        let entry = CacheEntry(response, content: cached.data, url: url, request: CacheRequestFields(own: [:]))
        // The request's fields are unknown, so the response can be used only if it does not depend on them.
        guard let entry, StoreDecision.names(in: entry.fields["Vary"])?.isEmpty == true else { return nil }
        self = entry
        userInfo = cached.userInfo.map { UserInfo($0) }
        // The date of arrival is unknown, so the server's date replaces it.
        responseTime = date
        requestTime = date
    }

    /// Creates an entry for a response that arrives at `now`.
    init?(_ response: HTTPURLResponse, content: Data, url: String, request: CacheRequestFields, now: Date = Date()) {
        let fields = response.textFields
        guard let names = StoreDecision.names(of: fields) else { return nil }
        self.init(
            url: url,
            status: response.statusCode,
            version: "HTTP/1.1",
            fields: Self.storedFields(of: fields),
            varying: names.map { VaryingField(name: $0, value: request.nominated($0)) },
            authorization: request.nominated("authorization"),
            requestTime: now,
            responseTime: now,
            content: content
        )
    }
}

extension HTTPURLResponse {
    var textFields: [String: String] {
        var fields: [String: String] = [:]
        for case (let name as String, let value as String) in allHeaderFields { fields[name] = value }
        return fields
    }
}

extension CacheEntry {
    /// The encoded entry without the content.
    var encodedHead: Data {
        var writer = ByteWriter()
        writer.write(url)
        writer.write(UInt64(max(0, status)))
        writer.write(version)
        writer.write(requestTime)
        writer.write(responseTime)
        writer.write(authorization)
        writer.write(UInt64(varying.count))
        for field in varying {
            writer.write(field.name)
            writer.write(field.value)
        }
        writer.write(UInt64(fields.count))
        for (name, value) in fields {
            writer.write(name)
            writer.write(value)
        }
        return writer.data
    }

    /// Decodes an entry; nil if the bytes are not a valid head of an entry.
    init?(encodedHead: Data, content: Data) {
        var reader = ByteReader(encodedHead)
        guard let url = reader.readText(), let status = reader.readNumber(), (100...999).contains(status),
            let version = reader.readText(), let requestTime = reader.readDate(),
            let responseTime = reader.readDate(), let authorization = reader.readOptionalText(),
            let varyingCount = reader.readCount()
        else { return nil }
        var varying: [VaryingField] = []
        for _ in 0..<varyingCount {
            guard let name = reader.readText(), let value = reader.readOptionalText() else { return nil }
            varying.append(VaryingField(name: name, value: value))
        }
        guard let fieldCount = reader.readCount() else { return nil }
        var fields: [String: String] = [:]
        for _ in 0..<fieldCount {
            guard let name = reader.readText(), let value = reader.readText() else { return nil }
            fields[name] = value
        }
        guard reader.isAtEnd else { return nil }
        self.init(
            url: url,
            status: Int(status),
            version: version,
            fields: fields,
            varying: varying,
            authorization: authorization,
            requestTime: requestTime,
            responseTime: responseTime,
            content: content
        )
    }
}

extension CacheEntry {
    /// Returns the key of a URL, which is its normal form. Returns nil for a URL that cannot be sent.
    static func key(_ url: URL) -> String? {
        (try? CurlURL(url)).map { $0.normalForm(of: url) }
    }
}

/// The changes to an entry after a 304 or the response to a HEAD.
extension CacheEntry {
    /// The fields that concern the connection and not the response (RFC 9111, section 3.1).
    private static let unstored: Set<TextKey> = [
        "Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authentication-Info", "Proxy-Authorization",
        "Proxy-Connection", "Te", "Transfer-Encoding", "Upgrade",
    ]

    private static let lengthsOfUnstored = Set(unstored.map(\.text.utf8.count))

    /// The fields that describe the content, which a 304 does not change (RFC 9111, section 3.2).
    private static let ofContent: Set<TextKey> = [
        "Content-Encoding", "Content-Length", "Content-Range", "Content-Type",
    ]

    /// Returns the fields of a response that are stored.
    static func storedFields(of fields: [String: String]) -> [String: String] {
        var storedFields = fields
        for name in fields.keys where lengthsOfUnstored.contains(name.utf8.count) && unstored.contains(name) {
            storedFields[name] = nil
        }
        guard let options = fields["Connection"], options != "keep-alive" else { return storedFields }
        for name in options.parts(separatedBy: ",") {
            let name = String(decoding: name.utf8.filter { !$0.isBlank }, as: UTF8.self)
            for key in storedFields.keys where key.hasSameLetters(as: name) { storedFields[key] = nil }
        }
        return storedFields
    }

    /// Returns the entry with the fields of a 304, or of the response to a HEAD (RFC 9111, sections 3.2, 4.3.4 and
    /// 4.3.5).
    func freshened(by new: [String: String], requestTime: Date, responseTime: Date) -> CacheEntry {
        var entry = self
        entry.fields.merge(Self.storedFields(of: new).filter { !Self.ofContent.contains($0.key) }) { $1 }
        // These fields describe a particular response. If the new response does not have them, the old values are
        // removed.
        for name in ["Age", "Date"] where new[name] == nil { entry.fields[name] = nil }
        entry.requestTime = requestTime
        entry.responseTime = responseTime
        return entry
    }

    /// Whether a 304 is about this entry. This is so if the validators of the 304 and of the entry match (RFC 9111,
    /// section 4.3.4).
    func isValidated(by fields: [String: String]) -> Bool {
        if let tag = fields["Etag"] { return self.fields["Etag"].map { tag.isSameTag(as: $0) } ?? false }
        if let date = fields["Last-Modified"], self.fields["Etag"] == nil {
            return self.fields["Last-Modified"] == date
        }
        return true
    }

    /// Whether a 200 response to a HEAD is about the representation in this entry. Only the fields can be compared (RFC
    /// 9111, section 4.3.5).
    func isConfirmed(byHead fields: [String: String]) -> Bool {
        status == 200
            && ["Etag", "Last-Modified", "Content-Length"].allSatisfy { name in
                fields[name] == nil || fields[name] == self.fields[name]
            }
    }
}

extension String {
    /// Whether two entity tags match by weak comparison (RFC 9110, section 8.8.3.2).
    fileprivate func isSameTag(as other: String) -> Bool { opaqueTag == other.opaqueTag }

    private var opaqueTag: Substring { begins(with: "W/") ? Substring(utf8.dropFirst(2)) : self[...] }
}

/// The rule for the copy of an entry in a `URLCache` of Foundation.
extension CacheEntry {
    /// Whether a request with the default policy and without its own directives could use the entry, now or later. The
    /// entry may then be fresh, validated, or stale as its directives permit.
    var isUsefulByDefault: Bool {
        if !conditions.isEmpty { return true }
        guard Self.freshnessFields.contains(where: { fields[$0] != nil }) else { return false }
        let directives = directives
        if directives.noCache { return false }
        let mayBeStale = directives.staleWhileRevalidate != nil || directives.staleIfError != nil
        return mayBeStale && !directives.mustRevalidate || Freshness(of: self, at: responseTime).isFresh
    }

    /// If a response has neither one of these fields nor a validator, it is never fresh.
    private static let freshnessFields = ["Cache-Control", "Expires", "Pragma"]

    /// Whether the copy of this entry also represents the other entry. This is so if only the dates and ages of the two
    /// entries differ.
    func hasSameCopy(as other: CacheEntry) -> Bool {
        guard copy != nil, status == other.status, version == other.version, userInfo == other.userInfo,
            content == other.content
        else { return false }
        return fields.keys.count(where: Self.isTimeless) == other.fields.keys.count(where: Self.isTimeless)
            && fields.allSatisfy { name, value in !Self.isTimeless(name) || other.fields[name] == value }
    }

    private static func isTimeless(_ name: String) -> Bool { name != "Date" && name != "Age" }

    /// Returns the request for the copy of a URL's entry; nil if Foundation cannot represent the URL.
    static func copyRequest(for url: String) -> URLRequest? { URL(string: url).map { URLRequest(url: $0) } }
}
#endif
