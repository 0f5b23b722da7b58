#if canImport(FoundationNetworking)
extension CacheEntry {
    /// As Foundation's caches and delegates know it; nil only if Foundation refuses to make the response.
    /// - Parameter withMetadata: Whether its user info has what only this type has words for.
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

    /// What somebody's cache has for a URL; nil if it is for another one, or no HTTP response.
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
        // Without a word on the request's fields, only what does not depend on them can be used.
        guard let entry, StoreDecision.names(in: entry.fields["Vary"]) == [] else { return nil }
        self = entry
        userInfo = cached.userInfo.map { UserInfo($0) }
        // Nor is it known when it came, other than from the server.
        responseTime = date
        requestTime = date
    }

    /// An entry for a response that came just now.
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
