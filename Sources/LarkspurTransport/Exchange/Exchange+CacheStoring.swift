#if canImport(FoundationNetworking)
/// What the network says to the cache.
extension Exchange {
    private static let outages: Set<URLError.Code> = [
        .timedOut, .cannotFindHost, .cannotConnectToHost, .networkConnectionLost, .dnsLookupFailed,
        .notConnectedToInternet,
    ]

    // MARK: In place of the network's response

    /// Whether the cache's response takes the place of the server's: a 304, or a failure of the server's.
    func isReplaced(_ head: ResponseHead) -> Bool {
        guard let state = caching, let stale = state.stale else { return false }
        switch head.status {
        case 304 where state.isConditional: return isValidated(stale, by: head)
        case 500, 502, 503, 504: return mayFallBack(to: stale)
        default: return false
        }
    }

    private func isValidated(_ stale: CacheEntry, by head: ResponseHead) -> Bool {
        guard let state = caching, let cache = reactor.settings.cache else { return false }
        guard stale.isValidated(by: head.fields) else {
            // It is about something else; so what is kept is wrong, and the whole is needed.
            cache.remove(state.url)
            ignoresCache = true
            question = .renewal
            return true
        }
        let entry = stale.freshened(by: head.fields, requestTime: transactionStart, responseTime: Date())
        keep(entry, inPlaceOf: stale, of: state, in: cache)
        caching?.replay = CacheState.Replay(entry: entry, source: .validatedCache, age: nil)
        return true
    }

    private func mayFallBack(to stale: CacheEntry) -> Bool {
        guard let state = caching, CacheDecision.allowsFallback(to: stale, for: state.request, at: Date()) else {
            return false
        }
        let age = Freshness(of: stale, at: Date()).age
        caching?.replay = CacheState.Replay(entry: stale, source: .cache, age: age)
        return true
    }

    /// Answers with a stale response where there is no other, if that is allowed.
    func replays(after error: URLError) -> Bool {
        guard let state = caching, state.replay == nil, response == nil, let stale = state.stale,
            Self.outages.contains(error.code), mayFallBack(to: stale)
        else { return false }
        if stage == .transferring { releaseHandle() }
        reader = nil
        beginReplay()
        // That of the network has just passed.
        reactor.note(deadline)
        return true
    }

    // MARK: Keeping

    /// Begins to keep a response that is being delivered, if it may be kept.
    func keep(_ head: ResponseHead) {
        guard let state = caching, let cache = reactor.settings.cache else { return }
        if state.request.method == "HEAD" { return note(head, of: state, in: cache) }
        let decision = StoreDecision.decide(head, for: state.request)
        guard case .store(let names) = decision, !state.fields.hasPassingAuthorization,
            decoder != nil || (head.contentLength ?? 0) <= Int64(cache.maximumContentSize)
        else {
            // What is kept is out of date, as this response has taken its place at the server.
            if state.hasEntries, decision != .refuse(.request), head.status < 500 { cache.remove(state.url) }
            return
        }
        caching?.incoming = CacheEntry(
            url: state.url,
            status: head.status,
            version: head.version,
            fields: CacheEntry.storedFields(of: head.fields),
            varying: names.map { CacheEntry.VaryingField(name: $0, value: state.fields.nominated($0)) },
            authorization: state.fields.nominated("authorization"),
            requestTime: transactionStart,
            responseTime: Date(),
            content: Data()
        )
    }

    /// What a HEAD says of what a GET would get (RFC 9111, section 4.3.5).
    private func note(_ head: ResponseHead, of state: CacheState, in cache: any ResponseStore) {
        guard head.status == 200, let stale = state.stale else { return }
        if stale.isConfirmed(byHead: head.fields) {
            let entry = stale.freshened(by: head.fields, requestTime: transactionStart, responseTime: Date())
            keep(entry, inPlaceOf: stale, of: state, in: cache)
        } else {
            cache.remove(state.url)
        }
    }

    /// Keeps what has become of an entry, if it may be kept still.
    private func keep(
        _ entry: CacheEntry,
        inPlaceOf stale: CacheEntry,
        of state: CacheState,
        in cache: any ResponseStore
    ) {
        guard !entry.directives.noStore, let names = StoreDecision.names(of: entry.fields) else {
            return cache.remove(state.url)
        }
        var entry = entry
        entry.varying = names.map { CacheEntry.VaryingField(name: $0, value: state.fields.nominated($0)) }
        // As it was, it would go on to answer requests that the server tells apart now.
        if entry.varying != stale.varying { cache.remove(state.url) }
        cache.store(entry, for: request)
    }

    /// Keeps content that is being delivered.
    func keep(_ bytes: UnsafeRawBufferPointer) {
        guard let cache = reactor.settings.cache, decodedBytes <= Int64(cache.maximumContentSize) else {
            // What is kept is out of date all the same.
            if let state = caching, state.hasEntries { reactor.settings.cache?.remove(state.url) }
            caching?.incoming = nil
            caching?.content = Data()
            return
        }
        // That of a task with a completion handler is collected anyway.
        if task.isPiecewise { caching?.content.append(contentsOf: bytes) }
    }

    /// The response is whole: it is stored, if the delegate agrees.
    func storeKept() {
        guard let state = caching, var entry = state.incoming, let cache = reactor.settings.cache else { return }
        entry.content = task.isPiecewise ? state.content : content
        caching?.incoming = nil
        let proposal = CacheProposal(entry: entry, request: request, destination: cache)
        if task.completion == nil {
            reactor.deliver(.willCache(proposal), to: task)
        } else if task.isRefresh, task.delegates.data != nil {
            // The delegate might have refused it, and cannot be asked.
            cache.remove(state.url)
        } else {
            cache.store(entry, for: request)
        }
    }

    // MARK: Invalidation

    /// Removes what an unsafe request has changed (RFC 9111, section 4.4).
    func invalidateCache(after head: ResponseHead) {
        guard let cache = reactor.settings.cache, let method = request.httpMethod, !Self.isSafe(method),
            (200...399).contains(head.status), let url = request.url, let key = CacheEntry.key(url)
        else { return }
        cache.remove(key)
        let base = URLReference(url.absoluteString)
        for location in [head.location, head.fields["Content-Location"]].compactMap(\.self) {
            let target = URLReference(location).percentEncoded.resolved(against: base)
            // Others must not be able to empty the cache of a server's.
            guard target.origin == base.origin, target.origin != nil || target.hasSameServer(as: base),
                let url = URL(string: target.text), let key = CacheEntry.key(url)
            else { continue }
            cache.remove(key)
        }
    }

    private static func isSafe(_ method: String) -> Bool {
        switch method {
        case "GET", "HEAD", "OPTIONS", "TRACE": true
        default: false
        }
    }
}
#endif
