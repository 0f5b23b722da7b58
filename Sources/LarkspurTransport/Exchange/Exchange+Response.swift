#if canImport(FoundationNetworking)
/// What follows from a response: its delivery, a redirect, a challenge.
extension Exchange {
    /// Takes a head; false stops the transfer. From within libcurl.
    func receive(_ head: ResponseHead) -> Bool {
        guard let url = request.url else { return true }
        if head.status == 101 {
            // What follows is in another protocol, and no content.
            failure = .engine(.badServerResponse, "The server changed to a protocol that was not asked for.", url: url)
            return false
        }
        // Other informational responses say nothing that a task could tell.
        guard head.status >= 200, beginContent(of: head) else { return head.status < 200 }
        if head.status == 417, asksFirst {
            // RFC 9110, section 10.1.1: without the expectation, then. libcurl would do so by itself, after what looks
            // like the end.
            mayAskFirst = false
            question = .restart
            return false
        }
        guard let response = head.makeResponse(url: url) else { return false }
        if case .refusal = question {
            // libcurl has answered it.
            question = nil
            kept = Data()
        } else if self.response != nil {
            // libcurl has sent the request again in the middle of the response (HTTP_1_1_REQUIRED).
            failure = .engine(
                .networkConnectionLost,
                "The server broke off the response and asked for the request once more.",
                url: url
            )
            return false
        }
        self.response = response
        watchStream(of: head)
        decoder = makeDecoder(for: head)
        expectedBytes =
            decoder == nil ? framed.expectedCount ?? NSURLSessionTransferSizeUnknown : NSURLSessionTransferSizeUnknown
        if url.isSecure, let handle { tls = handle.tls }
        watchClose()
        if request.httpShouldHandleCookies, !head.setCookies.isEmpty {
            reactor.storeCookies(head.setCookies, from: url, mainDocumentURL: request.mainDocumentURL, of: task)
        }
        let demand = demand(of: head, response)
        invalidateCache(after: head)
        switch RedirectDecision.decide(
            status: head.status,
            location: head.location,
            request: request,
            allowsInsecureTarget: reactor.settings.options.allowsInsecureRedirects
        ) {
        case .deliver:
            if let demand {
                follow(demand)
                return true
            }
            if isReplaced(head) {
                fate = .discarded
                // Of the server's failure nothing more is wanted.
                return head.status < 500
            }
            guard deliver(response) else { return false }
            keep(head)
            if request.httpMethod == "CONNECT", head.status < 300 {
                // What follows belongs to a tunnel that no task can use.
                isCutShort = true
                return false
            }
        case .follow(let next, let keepsBody):
            guard redirects < Self.redirectLimit else {
                failure = .engine(
                    .httpTooManyRedirects,
                    "More than \(Self.redirectLimit) redirects followed one another.",
                    url: url
                )
                return false
            }
            ask(.redirect(keepsBody: keepsBody), .redirect(response, next))
        case .fail(let code, let sentence):
            task.setResponse(response, expected: response.expectedContentLength)
            failure = .engine(code, sentence, url: url)
            return false
        }
        return true
    }

    /// Finds out where the content of a response will end; false, with the failure noted, if that is uncertain.
    private func beginContent(of head: ResponseHead) -> Bool {
        do throws(ResponseFraming.Failure) {
            let method = request.httpMethod ?? "GET"
            framed = FramedContent(
                try ResponseFraming(head.framing, status: head.status, version: head.version, method: method)
            )
        } catch {
            failure = .engine(.badServerResponse, error.sentence, url: request.url)
            return false
        }
        if ResponseFraming.isDoubtful(head.framing, version: head.version) { handle?.closesConnection = true }
        return true
    }

    /// Nil where the content is delivered as it comes.
    private func makeDecoder(for head: ResponseHead) -> ContentDecoder? {
        // A part of coded content cannot be decoded without what went before.
        guard head.status != 206 else { return nil }
        guard framed.framing != .none, let field = head.fields["Content-Encoding"] else { return nil }
        return ContentDecoder(
            contentEncoding: field,
            maximumExpansion: reactor.settings.options.maximumExpansion
        )
    }

    func ask(_ question: PendingQuestion, _ event: Delivery.Event) {
        self.question = question
        fate = .kept
        reactor.deliver(event, to: task)
    }

    /// This response is the one that the task was made for; false if its content is not wanted all the same.
    func deliver(_ response: HTTPURLResponse) -> Bool {
        task.setResponse(response, expected: expectedBytes)
        fate = .delivered
        if let excess = excess(of: max(0, expectedBytes)) {
            failure = excess
            return false
        }
        if task.kind == .download { return beginDownload(response) }
        if task.isPiecewise { reactor.deliver(.response(response), to: task) }
        return true
    }

    // MARK: Answers

    func receive(_ answer: Answer) {
        guard let question else { return }
        switch (question, answer) {
        case (.redirect(let keepsBody), .redirect(let next)):
            self.question = nil
            if let next { follow(next, keepsBody: keepsBody) } else { acceptResponse() }
        case (.challenge(let party, let demand, _), .challenge(let disposition, let credential)):
            self.question = nil
            receive(disposition, credential, to: demand, by: party)
        case (.hostedChallenge(let challenge), .challenge(let disposition, let credential)):
            self.question = nil
            self.answer(challenge, disposition, credential)
        default: break
        }
    }

    private func follow(_ next: URLRequest, keepsBody: Bool) {
        redirects += 1
        task.setCurrentRequest(next)
        beginNext(next, body: content(of: next, keepsBody: keepsBody))
    }

    /// The content of the next request: what a delegate has put into it counts, or that it has none.
    private func content(of next: URLRequest, keepsBody: Bool) -> RequestBody {
        if let data = next.httpBody, task.kind != .upload || data != request.httpBody { return .data(data) }
        // A class of the caller's has the content as a stream.
        if case .data = body, task.kind != .upload, next.httpBodyStream == nil { return .none }
        return keepsBody ? body : .none
    }

    /// Sends another request instead of taking this response.
    func beginNext(_ next: URLRequest, body: RequestBody) {
        if stage == .transferring { releaseHandle() }
        kept = Data()
        decoder = nil
        hostedResponse = nil
        hosted = nil
        request = next
        sentBytes = 0
        self.body = body
        reader = nil
        // A stream of which nothing was read serves again.
        if streamReader?.position != 0 { streamReader = nil }
        start()
    }

    /// The response is the last word after all; what has come of its content is delivered.
    func acceptResponse() {
        if let response = hostedResponse { return acceptHosted(response) }
        guard let response else { return }
        guard deliver(response) else { return finish(failure) }
        let content = kept
        kept = Data()
        // It was full, if anything, of what is delivered now.
        isReceivingPaused = false
        if !content.isEmpty { content.withUnsafeBytes(take) }
        if stage == .asking { endContent() } else { goOn() }
    }

    private func acceptHosted(_ response: URLResponse) {
        task.setResponse(response, expected: response.expectedContentLength)
        if task.isPiecewise { reactor.deliver(.response(response), to: task) }
        finish(nil as (any Error)?)
    }
}
#endif
