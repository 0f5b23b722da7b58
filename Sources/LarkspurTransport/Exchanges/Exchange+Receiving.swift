#if canImport(FoundationNetworking)
import HTTPSyntax

/// Responses and their content: the consequence of a response, and the path of its content to `ReceivedContent`.
extension Exchange {
    /// Receives the header section of a response, from within libcurl; false stops the transfer.
    func receive(_ head: ResponseHead) -> Bool {
        if head.status == 101, let webSocket, let url = destination.url {
            transfer.response = ReceivedResponse(head, url: url)
            if let response = transfer.response { task.setResponse(response, expected: 0) }
            if !head.setCookies.isEmpty { storeCookies(of: head, from: url) }
            if destination.isSecure { noteStrictTransport(of: head) }
            return webSocket.accept(head)
        }
        if head.status == 101 {
            // The bytes that follow belong to another protocol and are not content.
            transaction.note(
                engineError(.badServerResponse, "The server changed to a protocol that was not asked for.")
            )
            return false
        }
        guard head.status >= 200 else { return receiveInterim(head) }
        if head.closesConnection { transfer.handle?.connectionUse.closesConnection = true }
        guard perform(transaction.beginResponse()) == .goesOn else { return false }
        let consequence = consequence(of: head)
        guard perform(transaction.receive(consequence)) == .goesOn else { return false }
        if content != nil { noteContentEnd() }
        guard case .deliver = consequence else { return true }
        copyForCache(head)
        if request.httpMethod == "CONNECT", head.status < 300 {
            // The bytes that follow belong to a tunnel, which no task can use.
            transfer.ending.isCutShort = true
            return false
        }
        return true
    }

    /// The maximum number of interim responses to one request. Without a limit, a server could send them forever,
    /// because each of them restarts the idle timer.
    static let interimLimit = 100

    /// Receives an interim response, and reports it to a receiver. Returns false if there are too many.
    private func receiveInterim(_ head: ResponseHead) -> Bool {
        transfer.interimCount += 1
        if head.status == 100 { transfer.pauses.awaitsContinue = false }
        guard transfer.interimCount <= Self.interimLimit else {
            transaction.note(
                engineError(
                    .badServerResponse,
                    "The server sent more than \(Self.interimLimit) interim responses to one request."
                )
            )
            return false
        }
        if task.plan.hasReceiver, let url = destination.url, let response = ReceivedResponse(head, url: url) {
            group.outbox.deliver(.interim(response), to: task)
        }
        return true
    }

    private func storeCookies(of head: ResponseHead, from url: URL) {
        guard request.httpShouldHandleCookies else { return }
        group.outbox.storeCookies(head.setCookies, from: url, mainDocumentURL: request.mainDocumentURL, of: task)
    }

    /// Records that the host requires https, if the response says so and came over a verified TLS connection (RFC 6797,
    /// section 8.1).
    private func noteStrictTransport(of head: ResponseHead) {
        guard let field = head.strictTransport, let store = group.settings.options.hsts,
            destination.target?.socketPath == nil, transfer.handle?.security.check?.isOverruled != true,
            tlsSettings.verifiesServers
        else { return }
        store.note(field, of: destination.url)
    }

    private func consequence(of head: ResponseHead) -> Transaction.Consequence {
        if head.status == 417, transfer.pauses.expectsContinue {
            // The engine stops the transfer and sends the request again without the expectation (RFC 9110, section
            // 10.1.1). Otherwise libcurl would send it again in the same transfer, in which a response has begun
            // already.
            history.mayExpectContinue = false
            return .sendAgain(readsContent: false)
        }
        guard let url = destination.url, let response = ReceivedResponse(head, url: url) else {
            return .fail(engineError(.badServerResponse, "The response cannot be represented."))
        }
        do throws(ResponseFraming.Failure) {
            try beginContent(of: head)
        } catch {
            return .fail(.engine(.badServerResponse, error.sentence, url: url))
        }
        transfer.response = response
        host?.hasAnswered = true
        if destination.isSecure { noteSecureResponse(head) }
        if !head.setCookies.isEmpty { storeCookies(of: head, from: url) }
        // This comes before the decision about a redirect, because accepted credentials are recorded in any case.
        let ignoresChallenge = task.plan.opensConnection && head.status == 401
        let demand = ignoresChallenge ? nil : demand(of: head, response)
        // A request for which the cache is used is safe, and invalidates nothing.
        if current.caching == nil { invalidateCache(after: head) }
        if task.plan.opensConnection {
            history.hasOpenedConnection = true
            return demand ?? .deliver
        }
        let decision = RedirectDecision.decide(
            status: head.status,
            location: head.location,
            request: request,
            secured: { group.settings.secured($0) }
        )
        switch decision {
        case .deliver:
            if let demand { return demand }
            guard let stale = current.caching?.stale else { return .deliver }
            return replacement(for: head, by: stale) ?? .deliver
        case .follow(let next, let keepsBody): return .ask(.redirect(to: next, keepsContent: keepsBody))
        }
    }

    /// Records what only the responses over TLS have: a stream, alternative services, the close of the connection, and
    /// the requirement of https.
    private func noteSecureResponse(_ head: ResponseHead) {
        if let handle = transfer.handle { transfer.tls = handle.tls }
        if transfer.stream != nil, head.isMultiplexed {
            noteMultiplexing()
            watchStream(of: head)
        }
        // An alternative would retire the connection that was opened in advance.
        if !task.plan.opensConnection { noteAlternatives(of: head) }
        watchClose()
        noteStrictTransport(of: head)
    }

    /// Determines the framing of a response's content.
    private func beginContent(of head: ResponseHead) throws(ResponseFraming.Failure) {
        let method = request.httpMethod ?? "GET"
        var incoming = ReceivedContent.Incoming()
        incoming.framed = FramedContent(
            try ResponseFraming(head.framing, status: head.status, version: head.version, method: method)
        )
        incoming.hasDoubtfulEnd = ResponseFraming.isDoubtful(head.framing, version: head.version)
        incoming.entityTag = head.entityTag
        if incoming.hasDoubtfulEnd { transfer.handle?.connectionUse.closesConnection = true }
        // A part of encoded content cannot be decoded without the parts before it.
        if let coding = head.fields["Content-Encoding"], head.status != 206, incoming.framed.framing != .none {
            incoming.decoder = ContentDecoder(
                contentEncoding: coding,
                maximumExpansion: group.settings.options.maximumExpansion
            )
        }
        if incoming.decoder == nil, let count = incoming.framed.expectedCount { incoming.expectedBytes = count }
        received.incoming = incoming
    }

    /// Gives the task the response that the caller gets, and prepares the destination of the content.
    func deliverResponse() -> Effect {
        guard let response = transfer.response else { return .stops }
        let expected = received.incoming.expectedBytes
        task.setResponse(response, expected: expected)
        if let excess = received.excess(of: max(0, expected)) {
            transaction.note(excess)
            return .stops
        }
        if task.plan.kind == .download { return beginDownload(response) }
        received.deliver(response)
        received.incoming.isUnread = task.plan.completion == nil && !task.plan.hasReceiver && task.delegates.data == nil
        reportContentEnd()
        return .goesOn
    }

    // MARK: Content

    func receiveContent(_ bytes: UnsafeRawBufferPointer) -> EasyHandle.Reception {
        touch()
        guard transaction.failure == nil else { return .refused }
        if isSuspended, mayPause { return .paused }
        guard !bytes.isEmpty else { return .taken }
        var step = transaction.receiveContent()
        if case .settle(let refusal) = step {
            // libcurl does not report the content of a refusal if it sends the request again. Content has arrived, so
            // libcurl has not done so.
            perform(transaction.receive(settlement(of: refusal)))
            step = transaction.receiveContent()
        }
        switch step {
        case .deliver, .buffer:
            let isBuffering = if case .buffer = step { true } else { false }
            let mustWait = received.mustWait(isBuffering: isBuffering, count: bytes.count)
            if mustWait, mayPause { return .paused }
        case .discard: break
        case .refuse, .settle: return .refused
        }
        var failure: URLError?
        received.incoming.framed.take(bytes).withUnsafeBytes { content in
            switch step {
            case .deliver: failure = received.take(content)
            // The content is not decoded yet, because it may never be delivered.
            case .buffer: received.incoming.buffered.append(contentsOf: content)
            case .discard, .refuse, .settle: break
            }
        }
        if let failure { transaction.note(failure) } else if case .deliver = step { reportContentEnd() }
        if let broken = received.incoming.framed.failure {
            transaction.note(engineError(.cannotParseResponse, broken.sentence))
        }
        guard transaction.failure == nil else { return .refused }
        if content != nil { noteContentEnd() }
        // If the rest is short, it is read, so that other requests can use the connection. If it is long, reading it
        // costs more than a new connection.
        if case .discard = step, received.incoming.framed.count > Self.discardLimit { return .refused }
        return .taken
    }

    /// Whether libcurl allows the transfer to pause now. If it does not, the transfer pauses at the next content.
    private var mayPause: Bool { transfer.handle?.course.mustTake != true }

    /// The maximum number of bytes of unused content that are read to preserve the connection.
    private static let discardLimit: Int64 = 1 << 16

    /// Continues after a pause: first with content that is not yet decoded, then with the transfer.
    @discardableResult func goOn() -> Effect {
        switch transaction.phase {
        case .replaying:
            deliverReplay()
            return .isOver
        case .awaitingResponse, .receiving:
            if received.hasRest { decodeRest() }
            if let failure = transaction.failure {
                // If libcurl has already delivered everything, nothing else would report the failure.
                fail(failure)
                return .isOver
            }
            notePauses()
            return .goesOn
        case .draining: return drain()
        default: return .goesOn
        }
    }

    private func decodeRest() {
        guard transaction.failure == nil, !received.incoming.isPaused, !isSuspended else { return }
        if let failure = received.take(UnsafeRawBufferPointer(start: nil, count: 0)) { transaction.note(failure) }
        reportContentEnd()
    }

    /// Ends the task when all content is decoded; the transfer has already ended.
    func drain() -> Effect {
        if received.hasRest { decodeRest() }
        if let failure = transaction.failure {
            fail(failure)
            return .isOver
        }
        guard !received.hasRest else { return .goesOn }
        let shortfall = received.end()
        if let failure = transaction.pendingFailure ?? transfer.ending.truncation ?? shortfall {
            fail(failure)
        } else {
            if let trailers { task.setTrailers(trailers) }
            storeCopy()
            end(.success)
        }
        return .isOver
    }

    /// The trailers of the response; nil if there are none.
    private var trailers: [String: String]? {
        switch received.incoming.framed.framing {
        case .chunked: ResponseHeadParser.trailers(of: received.incoming.framed.trailers)
        // libcurl reports trailers over HTTP/2 and HTTP/3 in the same way as the fields of a header section.
        case .none, .length, .close, .stream: transfer.parser.trailers
        }
    }

    /// Reports the end of the response's content if content of the request may still be sent. Otherwise, the content
    /// ends with the transfer.
    func reportContentEnd() {
        guard content?.isTwoWay == true, transaction.failure == nil, received.hasUnreportedEnd else { return }
        // The framing has ended, but the content coding may be incomplete.
        if let failure = received.end() { return transaction.note(failure) }
        if let trailers { task.setTrailers(trailers) }
        received.reportEnd()
    }

    // MARK: Decisions

    func receive(_ answer: DelegateAnswer) {
        switch (transaction.question, answer) {
        case (.redirect(_, let keepsContent), .redirect(let next)):
            guard var next else { return accept() }
            // The delegate may have returned a different URL.
            if let secured = group.settings.secured(next) { next = secured }
            if let refusal = refusal(of: next) {
                if let response = current.loading?.response.map(ReceivedResponse.init) ?? transfer.response {
                    task.setResponse(response, expected: response.object.expectedContentLength)
                }
                perform(transaction.receive(Transaction.Decision.fail(refusal)))
            } else {
                perform(transaction.receive(.follow(next, keepsContent: keepsContent)))
            }
        case (.challenge(let recipient, let demand, _), .challenge(let disposition, let credential)):
            perform(transaction.receive(decision(disposition, credential, on: demand, by: recipient)))
        case (nil, .challenge(let disposition, let credential)):
            if let challenge = transaction.takeChallenge() { self.answer(challenge, disposition, credential) }
        default: break
        }
    }

    /// Returns the reason why the request must not follow the redirect; nil if it may.
    ///
    /// The delegate is asked before this check, because it may accept any redirect as the response.
    private func refusal(of next: URLRequest) -> URLError? {
        let limit = group.settings.options.maximumRedirects
        if let excess = history.excessOfRedirects(over: limit, at: destination.url) { return excess }
        let refusal = RedirectDecision.refusal(
            of: next,
            after: request,
            allowsInsecureTarget: group.settings.options.allowsInsecureRedirects && task.plan.webSocket == nil
        )
        // A `URLProtocol` may load URL schemes that the network does not support.
        guard let refusal, current.loading == nil || refusal.code != .unsupportedURL else { return nil }
        return engineError(refusal.code, refusal.sentence)
    }

    /// Takes the response as the task's response.
    private func accept() {
        if let response = current.loading?.response { return accept(response) }
        perform(transaction.receive(.accept))
    }

    func follow(_ next: URLRequest, keepsContent: Bool) {
        let body = body(of: next, keepsContent: keepsContent)
        guard canSend(body) else {
            return fail(.unrepeatableContent(after: transfer.response?.http, url: destination.url))
        }
        history.noteRedirect()
        task.setCurrentRequest(next)
        beginNext(next, body: body)
    }

    /// Returns the content of the next request. The delegate may have added, replaced or removed content.
    private func body(of next: URLRequest, keepsContent: Bool) -> TaskBody {
        if let data = next.httpBody, task.plan.kind != .upload || data != request.httpBody { return .data(data) }
        // If the next request has no data, it has a stream of the delegate, or no content.
        if case .data = content?.body, task.plan.kind != .upload { return TaskBody(of: next) }
        return keepsContent ? content?.body ?? TaskBody.none : .none
    }
}
#endif
