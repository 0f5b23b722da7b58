#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The effects of the network's responses on the cache.
extension Exchange {
    private static let outages: Set<URLError.Code> = [
        .timedOut, .cannotFindHost, .cannotConnectToHost, .networkConnectionLost, .dnsLookupFailed,
        .notConnectedToInternet,
    ]

    // MARK: In place of the network's response

    /// Returns the consequence of a response that the stale stored response replaces, such as a 304 or a server error.
    /// Returns nil for other responses.
    func replacement(for head: ResponseHead, by stale: CacheEntry) -> Transaction.Consequence? {
        switch head.status {
        case 304 where current.caching?.isConditional == true: return validation(of: stale, by: head)
        case 500, 502, 503, 504:
            guard let fallback = fallback(to: stale) else { return nil }
            current.caching?.replay = fallback
            current.caching?.use = .fallback
            // The stored response is delivered in place of the server error, whose content is not needed.
            return .replay(readsContent: false)
        default: return nil
        }
    }

    private func validation(of stale: CacheEntry, by head: ResponseHead) -> Transaction.Consequence? {
        guard let state = current.caching, let cache = group.settings.cache else { return nil }
        guard stale.isValidated(by: head.cachedFields) else {
            // The 304 does not match the stored response. So the stored response cannot be used, and the request needs
            // a complete response.
            cache.remove(state.url)
            history.ignoresCache = true
            return .sendAgain(readsContent: true)
        }
        let entry = stale.freshened(by: head.cachedFields, requestTime: transfer.start, responseTime: Date())
        store(entry, inPlaceOf: stale, of: state, in: cache)
        current.caching?.replay = CacheState.Replay(entry: entry, source: .validatedCache, age: nil)
        current.caching?.use = .validated
        return .replay(readsContent: true)
    }

    private func fallback(to stale: CacheEntry) -> CacheState.Replay? {
        guard let state = current.caching, CacheDecision.allowsFallback(to: stale, for: state.request, at: Date())
        else {
            return nil
        }
        return CacheState.Replay(entry: stale, source: .cache, age: Freshness(of: stale, at: Date()).age)
    }

    /// Returns the stale response that replaces a failure of the network; nil if no stored response may be used.
    func fallback(after error: URLError) -> CacheState.Replay? {
        guard let state = current.caching, state.replay == nil, transfer.response == nil, let stale = state.stale,
            Self.outages.contains(error.code)
        else { return nil }
        let replay = fallback(to: stale)
        if replay != nil { state.use = .fallback }
        return replay
    }

    // MARK: Storing

    /// Begins the copy of a response for the cache, if the response may be stored.
    func copyForCache(_ head: ResponseHead) {
        guard let state = current.caching, let cache = group.settings.cache else { return }
        if state.request.method == "HEAD" { return note(head, of: state, in: cache) }
        let decision = StoreDecision.decide(head, for: state.request)
        let hasAuthorization = state.fields["authorization"] != nil
        guard case .store(let names) = decision, !(hasAuthorization && state.fields.hasPassingAuthorization),
            received.incoming.decoder != nil || (head.contentLength ?? 0) <= Int64(cache.maximumContentSize)
        else {
            // The new response is not stored. But the stored response is now outdated, so it is removed.
            if state.hasEntries, decision != .refuse(.request), head.status < 500 { cache.remove(state.url) }
            return
        }
        let storable = StorableHead.of(head)
        var entry = CacheEntry(
            url: state.url,
            status: head.status,
            version: head.version,
            fields: storable.fields,
            varying: names.map { CacheEntry.VaryingField(name: $0, value: state.fields.nominated($0)) },
            authorization: hasAuthorization ? state.fields.nominated("authorization") : nil,
            requestTime: transfer.start,
            responseTime: Date(),
            content: Data()
        )
        entry.mayBeUsedByDefault = storable.mayBeUsedByDefault
        received.incoming.copy = ReceivedContent.CacheCopy(entry: entry, hasEntries: state.hasEntries)
    }

    /// Updates the stored response to a GET with the fields of the response to a HEAD (RFC 9111, section 4.3.5).
    private func note(_ head: ResponseHead, of state: CacheState, in cache: any ResponseStore) {
        guard head.status == 200, let stale = state.stale else { return }
        if stale.isConfirmed(byHead: head.cachedFields) {
            let entry = stale.freshened(by: head.cachedFields, requestTime: transfer.start, responseTime: Date())
            store(entry, inPlaceOf: stale, of: state, in: cache)
        } else {
            cache.remove(state.url)
        }
    }

    /// Stores a response in place of an older version, if the new version may be stored.
    private func store(
        _ entry: CacheEntry,
        inPlaceOf stale: CacheEntry,
        of state: CacheState,
        in cache: any ResponseStore
    ) {
        guard !entry.directives.noStore, let names = StoreDecision.names(of: entry.fields) else {
            return cache.remove(state.url)
        }
        // No part of a response to a request with no-store is stored (RFC 9111, section 5.2.1.5).
        guard !state.request.directives.noStore else { return }
        var entry = entry
        entry.varying = names.map { CacheEntry.VaryingField(name: $0, value: state.fields.nominated($0)) }
        // The server now distinguishes between requests to which the old entry would still apply.
        if entry.varying != stale.varying { cache.remove(state.url) }
        cache.store(entry, for: request)
    }

    /// Stores the copy of a complete response, if the delegate agrees.
    func storeCopy() {
        guard let entry = received.takeCopy(), let cache = group.settings.cache else { return }
        if task.mayDecideAboutCaching {
            let proposal = CacheProposal(
                entry: entry,
                request: request,
                destination: cache,
                revalidation: group.revalidation(by: task)
            )
            group.outbox.deliver(.willCache(proposal), to: task)
        } else {
            cache.store(entry, for: request)
        }
    }

    // MARK: Invalidation

    /// Removes the stored responses that an unsafe request has invalidated (RFC 9111, section 4.4).
    func invalidateCache(after head: ResponseHead) {
        guard let cache = group.settings.cache, let method = request.httpMethod, !MethodProperties(method).isSafe,
            (200...399).contains(head.status), let url = destination.url, let key = destination.normalForm
        else { return }
        cache.remove(key)
        let base = URLReference(url.absoluteString)
        for location in [head.location, head.fields["Content-Location"]].compactMap(\.self) {
            let target = URLReference(location).percentEncoded.resolved(against: base).withWritableHost
            // No origin may remove the entries of another origin.
            guard target.origin == base.origin, target.origin != nil || target.hasSameServer(as: base),
                let url = target.url, let key = CacheEntry.key(url)
            else { continue }
            cache.remove(key)
        }
    }
}
#endif
