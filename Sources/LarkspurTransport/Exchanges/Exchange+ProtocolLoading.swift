#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The loading of a request by a `URLProtocol` class of the caller.
struct ProtocolLoading {
    let loader: ProtocolLoader
    /// The response of a redirect that the class has reported.
    var response: URLResponse?
}

/// Requests that are loaded by a `URLProtocol` class of the caller.
extension Exchange {
    /// Asks the classes to load the request. Returns false if there are no classes. Adds the session's additional
    /// fields to the task's current request, so that the task shows the request that the classes receive.
    func load(byProtocolOf classes: ProtocolClasses?) -> Bool {
        let fields = group.settings.additionalFields(for: request, after: firstRequest)
        let request = fields.isEmpty ? request : request.adding(fields)
        if !fields.isEmpty { task.setCurrentRequest(request) }
        guard let classes else { return false }
        let loader = ProtocolLoader(
            request.presenting(content?.body ?? TaskBody.none),
            classes: classes,
            object: { [task] in task.object },
            pass: { [task] in task.session.loop.post(.reported(task, $0, $1)) }
        )
        transaction.beginLoading()
        history.noteUnseenSending()
        current.loading = ProtocolLoading(loader: loader)
        loader.start()
        return true
    }

    func receive(_ report: ProtocolLoader.Report, from source: ProtocolLoader) {
        guard case .loading = transaction.phase, source === current.loading?.loader else { return }
        switch report {
        case .unclaimed:
            current.loading = nil
            transaction.endLoading()
            load()
        case .response(let response): begin(response)
        case .data(let data):
            if let error = received.deliver(data) { fail(error) }
        case .redirect(let next, let response): redirect(to: next, response)
        case .challenge(let challenge):
            transaction.receive(challenge)
            group.outbox.deliver(.challenge(challenge), to: task)
        case .finished:
            // The class must be stopped, so that it does not report anything more.
            end(.success)
        case .failed(let error): end(.failure(error))
        }
    }

    /// Takes a response that does not come from libcurl as the task's response.
    func begin(_ response: URLResponse) {
        let head = ReceivedResponse(response)
        task.setResponse(head, expected: response.expectedContentLength)
        received.deliver(head)
    }

    private func redirect(to next: URLRequest, _ response: URLResponse) {
        // From now on, reports of the class are ignored. An example is the report that its own transfer was cancelled.
        current.loading?.loader.stop()
        touch()
        let next = group.settings.withholdingSecrets(from: next, after: firstRequest)
        current.loading?.response = response
        transaction.receiveRedirect(to: next)
        if let response = response as? HTTPURLResponse {
            group.deadlines.advance(deadline, of: self)
            group.outbox.deliver(.redirect(response, next), to: task)
        } else {
            receive(.redirect(next))
        }
    }

    /// Takes the response of a redirect as the task's response.
    func accept(_ response: URLResponse) {
        begin(response)
        end(.success)
    }

    /// Passes the delegate's decision to the class.
    func answer(
        _ challenge: URLAuthenticationChallenge,
        _ disposition: URLSession.AuthChallengeDisposition,
        _ credential: URLCredential?
    ) {
        guard let sender = challenge.sender else { return }
        let sending = Transferring((sender, challenge))
        current.loading?.loader.perform {
            let (sender, challenge) = sending.value
            switch (disposition, credential) {
            case (.useCredential, let credential?): sender.use(credential, for: challenge)
            case (.cancelAuthenticationChallenge, _): sender.cancel(challenge)
            case (.rejectProtectionSpace, _): sender.rejectProtectionSpaceAndContinue(with: challenge)
            default: sender.performDefaultHandling(for: challenge)
            }
        }
    }
}

/// Requests whose URLs contain their content (RFC 2397). Foundation's `URLSession` never ends a task whose `data:` URL
/// is malformed.
extension Exchange {
    /// Delivers the content of a `data:` URL. If the URL is malformed, fails.
    func loadDataURL(_ url: URL) {
        _ = task.leaveQueue()
        do throws(DataURL.Defect) {
            let data = try DataURL(url.absoluteString)
            begin(
                URLResponse(
                    url: url,
                    mimeType: data.essence,
                    expectedContentLength: data.content.count,
                    textEncodingName: data.charset
                )
            )
            if let error = received.deliver(Data(data.content)) { fail(error) } else { end(.success) }
        } catch {
            fail(.engine(.badURL, error.sentence, url: url))
        }
    }
}
#endif
