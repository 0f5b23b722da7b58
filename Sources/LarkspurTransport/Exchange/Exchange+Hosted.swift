#if canImport(FoundationNetworking)
/// Requests that a class of the caller's loads.
extension Exchange {
    /// The loading of the request by a class of the caller's, if one claims it; notes the request as both show it.
    func makeHosted() -> HostedProtocol? {
        let fields = reactor.settings.additionalFields(for: request, of: task)
        let request = fields.isEmpty ? request : request.adding(fields)
        if !fields.isEmpty { task.setCurrentRequest(request) }
        let classes = reactor.settings.protocols
        return classes.isEmpty ? nil : HostedProtocol(for: task, request: request.streaming(body), classes: classes)
    }

    func receive(_ report: HostedProtocol.Report, from source: HostedProtocol) {
        guard stage == .hosted, source === hosted else { return }
        switch report {
        case .unclaimed:
            hosted = nil
            load()
        case .response(let response):
            task.setResponse(response, expected: response.expectedContentLength)
            if task.isPiecewise { reactor.deliver(.response(response), to: task) }
        case .data(let data):
            if let error = deliver(data) { finish(error) }
        case .redirect(let next, let response):
            // What it reports beside this, such as the cancellation of a transfer of its own, does not count.
            source.stop()
            hosted = nil
            touch()
            let next = reactor.settings.withholdingSecrets(from: next, of: task)
            guard redirects < Self.redirectLimit else {
                return finish(
                    .engine(
                        .httpTooManyRedirects,
                        "More than \(Self.redirectLimit) redirects followed one another.",
                        url: request.url
                    )
                )
            }
            question = .redirect(keepsBody: true)
            hostedResponse = response
            if let response = response as? HTTPURLResponse {
                reactor.note(deadline)
                reactor.deliver(.redirect(response, next), to: task)
            } else {
                receive(.redirect(next))
            }
        case .challenge(let challenge):
            question = .hostedChallenge(challenge)
            reactor.deliver(.challenge(challenge), to: task)
        case .finished:
            // Nothing more may be taken from the class, and stopping is what it expects.
            finish(nil as (any Error)?)
        case .failed(let error): finish(error)
        }
    }

    /// Hands the delegate's decision to the class.
    func answer(
        _ challenge: URLAuthenticationChallenge,
        _ disposition: URLSession.AuthChallengeDisposition,
        _ credential: URLCredential?
    ) {
        guard let sender = challenge.sender else { return }
        let sending = Transferring((sender, challenge))
        hosted?.perform {
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
#endif
