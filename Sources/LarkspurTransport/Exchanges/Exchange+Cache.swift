#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// Responses from the cache.
extension Exchange {
    /// Loads the response. A URL that contains the content is the first source, the cache the second, and the network
    /// the last. This decision comes before the wait for a connection, so that a response from the cache never involves
    /// libcurl.
    func load() {
        current.caching = nil
        let settings = group.settings
        if let refusal = settings.access?.refusal(of: destination) {
            _ = task.leaveQueue()
            return fail(refusal)
        }
        if destination.isDataURL, task.plan.webSocket == nil, let url = destination.url { return loadDataURL(url) }
        let policy = settings.cachePolicy(of: request)
        guard let cache = settings.cache, let state = makeCacheState(policy) else {
            return policy == .returnCacheDataDontLoad ? end(.failure(notInCache)) : enqueue()
        }
        let known = cache.lookUp(state.url, for: state.request)
        current.caching = state
        state.hasEntries = known.mayHaveMore || !known.entries.isEmpty || known.hasUnusable
        state.hasUnusable = known.hasUnusable
        let candidates = known.entries.isEmpty ? [] : known.entries.filter { $0.matches(state.fields) }
        if candidates.isEmpty, known.mayHaveMore, state.request.looksUp {
            transaction.beginLookUp()
            return cache.load(state.url, request) { [task] entries in task.session.loop.post(.cached(task, entries)) }
        }
        perform(CacheDecision.decide(candidates, for: state.request, at: Date()))
    }

    /// Receives the entries that a look-up has found.
    func receive(_ entries: [CacheEntry]) {
        guard transaction.endLookUp(), let state = current.caching else { return }
        let candidates = entries.filter { $0.matches(state.fields) }
        perform(CacheDecision.decide(candidates, for: state.request, at: Date()))
    }

    /// Creates the state of the cache for the request. Returns nil if the cache is not used, for example because the
    /// task is not a data task.
    private func makeCacheState(_ policy: URLRequest.CachePolicy) -> CacheState? {
        guard !history.ignoresCache, task.plan.kind == .data, !task.plan.opensConnection,
            case .none = content?.body ?? TaskBody.none,
            let url = destination.url, let key = destination.normalForm, let method = request.httpMethod,
            CacheRequest.serves(method)
        else { return nil }
        let cookies = request.httpShouldHandleCookies ? group.settings.cookies : nil
        let fields = CacheRequestFields(
            own: request.allHTTPHeaderFields ?? [:],
            additional: group.settings.additionalFields(for: request, after: firstRequest),
            userCredential: userCredential,
            cookie: { cookies?.field(for: url) }
        )
        return CacheState(
            request: CacheRequest(method: method, policy: policy, fields: fields),
            url: key,
            fields: fields
        )
    }

    private func perform(_ decision: CacheDecision) {
        switch decision {
        case .bypass:
            current.caching = nil
            enqueue()
        case .load(let fallback):
            current.caching?.stale = fallback
            let isUnverifiable = fallback != nil || current.caching?.hasUnusable == true
            current.caching?.use =
                current.caching?.request.looksUp == false ? .bypassed : isUnverifiable ? .unverifiable : .absent
            enqueue()
        case .use(let entry):
            current.caching?.use = Freshness(of: entry, at: Date()).isFresh ? .fresh : .stale
            replay(entry)
        case .useWhileRevalidating(let entry):
            guard let state = current.caching, !state.fields.answersChallenge else {
                return perform(.revalidate(entry))
            }
            state.use = .revalidatedLater
            group.refresh(state.url, with: request, after: task)
            replay(entry)
        case .revalidate(let entry):
            current.caching?.stale = entry
            current.caching?.isConditional = true
            // This value applies if the server sends a new response. A 304 changes the value.
            current.caching?.use = .replaced
            enqueue()
        case .fail: end(.failure(notInCache))
        case .gatewayTimeout: replay(CacheState.Replay(entry: .gatewayTimeout, source: .cache, age: nil))
        }
    }

    private var notInCache: URLError {
        engineError(.resourceUnavailable, "The request allows only a stored response, and there is none.")
    }

    /// Records the credentials and cookies of the request, because the stored response may depend on them.
    func note(_ head: RequestHead, sentWith caching: CacheState) {
        let credential = history.authentication?.origin.sentCredential
        guard credential != nil || head.addsCredentials else {
            caching.fields.sentCookie = .some(nil)
            return
        }
        caching.fields.note(sentFor: credential, with: head.value(of: "authorization"))
        caching.fields.sentCookie = .some(head.value(of: "cookie"))
    }

    /// Adds the fields that a cache sends in a request (RFC 9111, sections 4.3.1, 5.2.1 and 5.4).
    func withCacheFields(_ additional: [String: String], for request: URLRequest) -> [String: String] {
        let policy = group.settings.cachePolicy(of: request)
        guard current.caching?.isConditional == true || policy != .useProtocolCachePolicy else { return additional }
        var fields = additional
        if current.caching?.isConditional == true {
            for (name, value) in current.caching?.stale?.conditions ?? [] { fields[name] = value }
        }
        guard policy != .useProtocolCachePolicy, request.value(forHTTPHeaderField: "Cache-Control") == nil else {
            return fields
        }
        switch policy {
        case .reloadIgnoringLocalAndRemoteCacheData:
            fields["Cache-Control"] = "no-cache"
            fields["Pragma"] = "no-cache"
        case .reloadRevalidatingCacheData: fields["Cache-Control"] = "max-age=0"
        default: break
        }
        return fields
    }

    // MARK: Delivering

    private func replay(_ entry: CacheEntry) {
        replay(CacheState.Replay(entry: entry, source: .cache, age: Freshness(of: entry, at: Date()).age))
    }

    /// Delivers a stored response. If a transfer is under way, ends it.
    func replay(_ replay: CacheState.Replay) {
        if transaction.isTransferring { releaseHandle() }
        content?.reader = nil
        current.caching?.replay = replay
        beginReplay()
        // After a timeout of the network, the group has removed the deadline of the exchange, so that a new one is
        // needed.
        group.deadlines.advance(deadline, of: self)
    }

    /// Delivers the response of the cache in the same way as a response of the network.
    func beginReplay() {
        _ = task.leaveQueue()
        guard let replay = current.caching?.replay, let url = destination.url,
            let response = replay.entry.makeResponse(url: url, age: replay.age)
        else { return end(.failure(notInCache)) }
        transaction.beginReplay()
        ticket = nil
        received.incoming = ReceivedContent.Incoming()
        let stored = ReceivedResponse(response)
        transfer.response = stored
        let content = replayedContent
        if replay.source == .cache {
            task.add(
                TransactionMetrics(
                    cachedResponse: stored,
                    to: request,
                    cacheUse: current.caching?.use,
                    start: Date(),
                    contentBytes: Int64(content.count)
                )
            )
        }
        task.setResponse(stored, expected: Int64(content.count))
        received.deliver(stored)
        deliverReplay()
    }

    private var replayedContent: Data {
        request.httpMethod == "HEAD" ? Data() : current.caching?.replay?.entry.content ?? Data()
    }

    /// Continues to deliver a stored response. Stops when its consumer is too slow, or when all of its content is
    /// delivered.
    func deliverReplay() {
        guard case .replaying = transaction.phase, !pausesReceiving else { return }
        let content = replayedContent
        while let position = current.caching?.replay?.position, position < content.count {
            let start = content.startIndex + position
            let chunk = content[start..<min(start + EasyHandle.bufferSize, content.endIndex)]
            current.caching?.replay?.position = position + chunk.count
            if let error = received.deliver(chunk) { return end(.failure(error)) }
            if task.isPiecewise, task.backlog.pausesTransfer() {
                received.incoming.isPaused = true
                return
            }
        }
        task.noteDecodedBytes(Int64(content.count))
        end(.success)
    }
}

extension CacheRequest {
    /// Whether stored responses may be used.
    var looksUp: Bool {
        !isSpecial && policy != .reloadIgnoringLocalCacheData && policy != .reloadIgnoringLocalAndRemoteCacheData
    }
}

extension RequestHead {
    /// Returns the value of the field with this lower-case name.
    fileprivate func value(of name: String) -> String? {
        guard let line = lines.first(where: { $0.isLine(of: name) }) else { return nil }
        return String(decoding: line.utf8.dropFirst(name.utf8.count + 1).drop(while: \.isBlank), as: UTF8.self)
    }
}

extension String {
    fileprivate func isLine(of name: String) -> Bool {
        guard zip(utf8, name.utf8).allSatisfy({ $0.asLowercase == $1 }) else { return false }
        return utf8.dropFirst(name.utf8.count).first == UInt8(ascii: ":")
    }
}

extension CacheEntry {
    /// The response if only the cache may handle the request, but has no usable response (RFC 9111, section 5.2.1.7).
    fileprivate static let gatewayTimeout = CacheEntry(
        url: "",
        status: 504,
        version: "HTTP/1.1",
        fields: ["Content-Length": "0"],
        varying: [],
        authorization: nil,
        requestTime: .distantPast,
        responseTime: .distantPast,
        content: Data()
    )
}

/// The state of the cache in one transaction.
///
/// It is an object because it is large, and many transactions have none.
final class CacheState {
    /// A stored response that is delivered in place of the network's response.
    struct Replay {
        let entry: CacheEntry
        let source: TransactionMetrics.Source
        /// The entry's age in seconds; nil if the server has just validated it.
        let age: TimeInterval?
        /// The number of content bytes that have been delivered.
        var position = 0
    }

    let request: CacheRequest
    /// The key under which the response is stored.
    let url: String
    let fields: CacheRequestFields
    /// Whether there may be entries for the URL.
    @exclusivity(unchecked) var hasEntries = false
    /// Whether there is an entry that the request cannot use.
    @exclusivity(unchecked) var hasUnusable = false
    /// The stale entry. The server validates it, or it is used if the server fails.
    @exclusivity(unchecked) var stale: CacheEntry?
    /// Whether the request asks the server to validate ``stale``.
    @exclusivity(unchecked) var isConditional = false
    @exclusivity(unchecked) var replay: Replay?
    @exclusivity(unchecked) var use: TransactionMetrics.CacheUse?

    init(request: CacheRequest, url: String, fields: CacheRequestFields) {
        self.request = request
        self.url = url
        self.fields = fields
    }
}
#endif
