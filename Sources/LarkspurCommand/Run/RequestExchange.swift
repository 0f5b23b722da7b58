import HTTPSyntax
import Larkspur
import Synchronization

/// A request and its response. The response is passed to a receiver while it arrives.
struct RequestExchange: Sendable {
    /// The result of an exchange.
    struct Outcome: Sendable {
        let response: HTTPURLResponse?
        let error: LarkspurError?
        /// The error of the output that has ended the exchange; nil if there was none.
        let outputFailure: Sink.Failure?
        let timeline: Timeline
        let hasTooManyRedirects: Bool
    }

    /// The receiver of a response. Its methods are called one after the other.
    protocol Receiver: Sendable {
        /// Receives a redirect that is followed, and the request to its target.
        func redirect(_ response: HTTPURLResponse, to request: URLRequest) throws(Sink.Failure)
        /// Receives the head of the response. Returns false to skip the content.
        func begin(_ response: HTTPURLResponse) throws(Sink.Failure) -> Bool
        /// Receives a chunk of the content. Returns false to skip the rest.
        func receive(_ data: Data) throws(Sink.Failure) -> Bool
    }

    let manager: SessionManager
    let composed: ComposedRequest
    let followsRedirects: Bool
    let maximumRedirects: Int

    /// Sends the request, and waits for the end of the response.
    func run(_ receiver: some Receiver, onUpload: SessionManager.ProgressHandler? = nil) async -> Outcome {
        let failure = Mutex<Sink.Failure?>(nil)
        let isSatisfied = Atomic(false)
        let redirects = RedirectCounter(follows: followsRedirects, limit: maximumRedirects)
        let isOnlyHead = composed.request.httpMethod == "HEAD"
        /// Calls the receiver. Returns whether the exchange continues. A failure of the receiver ends the exchange.
        @Sendable func attempt(_ call: () throws(Sink.Failure) -> Bool) -> Bool {
            do throws(Sink.Failure) {
                if try call() { return true }
                isSatisfied.store(true, ordering: .releasing)
            } catch {
                failure.withLock { $0 = $0 ?? error }
            }
            return false
        }
        var hooks = SessionHooks()
        hooks.willPerformHTTPRedirection = { task, response, next in
            guard redirects.follow() else { return nil }
            let goesOn = attempt { () throws(Sink.Failure) in
                try receiver.redirect(response, to: next)
                return true
            }
            return goesOn ? next : nil
        }
        hooks.responseDisposition = { _, response in
            guard let response = response as? HTTPURLResponse, !redirects.hasExceeded else { return .cancel }
            let goesOn = attempt { () throws(Sink.Failure) in try receiver.begin(response) }
            // A response to HEAD has no content, so its transfer ends without a cancellation.
            return goesOn || isOnlyHead && failure.withLock({ $0 }) == nil ? .allow : .cancel
        }
        hooks.needNewBodyStream = { [composed] _ in composed.body.makeStream() }
        if let credentials = composed.credentials?.challengeCredentials {
            hooks.challengeDisposition = Self.answer(credentials)
        }
        let options = CallOptions(hooks: hooks, validation: .anything, uploadProgress: onUpload)
        return await withCheckedContinuation { continuation in
            manager.dataTask(with: composed.complete, options: options).responseStream { task, data in
                if !attempt({ () throws(Sink.Failure) in try receiver.receive(data) }) { task.cancel() }
            } completionHandler: { result in
                let wasEnded = isSatisfied.load(ordering: .acquiring)
                let error = result.error
                let outcome = Outcome(
                    response: result.httpResponse,
                    error: wasEnded && error?.code == .cancelled ? nil : error,
                    outputFailure: failure.withLock { $0 },
                    timeline: result.timeline,
                    hasTooManyRedirects: redirects.hasExceeded
                )
                continuation.resume(returning: outcome)
            }
        }
    }

    /// Uses the credentials for the first challenge of a server. Credentials that were refused are not sent again.
    private static func answer(
        _ credentials: URLCredential
    ) -> @Sendable (SessionTask, URLAuthenticationChallenge) -> ChallengeDisposition {
        { _, challenge in
            challenge.previousFailureCount == 0 && !challenge.protectionSpace.isProxy()
                ? .useCredential(credentials) : .performDefaultHandling
        }
    }
}
