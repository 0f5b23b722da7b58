#if canImport(FoundationNetworking)
extension CacheEntry {
    /// Makes the response that Foundation's caches and delegates use; nil only if Foundation refuses to make it.
    /// - Parameter withMetadata: Whether its user info includes the values that only this type can represent.
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

    /// Creates an entry from the response of a foreign cache for a URL; nil if the response is for another URL, or no
    /// HTTP response.
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
        // Without the request's fields, only a response that does not depend on them can be used.
        guard let entry, StoreDecision.names(in: entry.fields["Vary"]) == [] else { return nil }
        self = entry
        userInfo = cached.userInfo.map { UserInfo($0) }
        // The only known time of arrival is the server's date.
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
#endif
