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
        /// The requests of all attempts, including redirects and authentication.
        var transactions: [TransactionMetrics]
        /// The delay before the next attempt, and the reason for it; nil if the outcome is final.
        var repetition: (delay: Duration, reason: String)?
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
    /// The repetition after temporary failures; nil for none.
    let retries: Retries?

    /// Sends the request, and waits for the end of the response. After a temporary failure, sends the request again.
    func run(_ receiver: some Receiver) async -> Outcome {
        let start = ContinuousClock.now
        var transactions: [TransactionMetrics] = []
        var count = 1
        while true {
            var outcome = await attempt(receiver, number: count, since: start)
            transactions += outcome.transactions
            outcome.transactions = transactions
            guard let (delay, reason) = outcome.repetition else { return outcome }
            retries?.report(reason, after: delay, attempt: count)
            do { try await Task.sleep(for: delay) } catch { return outcome }
            count += 1
        }
    }

    /// Returns the decision to repeat the request; nil if the result is final.
    private func repetition(
        after result: Result<HTTPURLResponse, LarkspurError>,
        attempt: Int,
        since start: ContinuousClock.Instant
    ) -> (delay: Duration, reason: String)? {
        retries?.policy.delay(
            after: result,
            of: composed.request,
            count: attempt,
            elapsed: start.duration(to: .now),
            canRepeat: composed.body.canRepeat
        )
    }

    private func attempt(_ receiver: some Receiver, number: Int, since start: ContinuousClock.Instant) async -> Outcome
    {
        let failure = Mutex<Sink.Failure?>(nil)
        let isSatisfied = Atomic(false)
        let hasBegun = Atomic(false)
        let repetition = Mutex<(delay: Duration, reason: String)?>(nil)
        let redirects = RedirectCounter(follows: followsRedirects, limit: maximumRedirects)
        let isOnlyHead = composed.request.httpMethod == "HEAD"
        /// Calls the receiver. Returns whether the exchange continues. A failure of the receiver ends the exchange.
        @Sendable func call(_ body: () throws(Sink.Failure) -> Bool) -> Bool {
            do throws(Sink.Failure) {
                if try body() { return true }
                isSatisfied.store(true, ordering: .releasing)
            } catch {
                failure.withLock { $0 = $0 ?? error }
            }
            return false
        }
        var hooks = SessionHooks()
        hooks.willPerformHTTPRedirection = { task, response, next in
            guard redirects.follow() else { return nil }
            let goesOn = call { () throws(Sink.Failure) in
                try receiver.redirect(response, to: next)
                return true
            }
            return goesOn ? next : nil
        }
        hooks.responseDisposition = { _, response in
            guard let response = response as? HTTPURLResponse, !redirects.hasExceeded else { return .cancel }
            // A response after which the request is repeated is not printed, and its content is not read.
            if let next = self.repetition(after: .success(response), attempt: number, since: start) {
                repetition.withLock { $0 = next }
                return .cancel
            }
            hasBegun.store(true, ordering: .releasing)
            let goesOn = call { () throws(Sink.Failure) in try receiver.begin(response) }
            // A response to HEAD has no content, so its transfer ends without a cancellation.
            return goesOn || isOnlyHead && failure.withLock({ $0 }) == nil ? .allow : .cancel
        }
        hooks.needNewBodyStream = { [composed] _ in composed.body.makeStream() }
        if let credentials = composed.credentials?.challengeCredentials {
            hooks.challengeDisposition = Self.answer(credentials)
        }
        let options = CallOptions(hooks: hooks, validation: .anything)
        return await withCheckedContinuation { continuation in
            manager.dataTask(with: composed.complete, options: options).responseStream { task, data in
                if !call({ () throws(Sink.Failure) in try receiver.receive(data) }) { task.cancel() }
            } completionHandler: { result in
                let wasEnded = isSatisfied.load(ordering: .acquiring)
                let error = result.error
                var next = repetition.withLock { $0 }
                if next == nil, let error, !hasBegun.load(ordering: .acquiring), failure.withLock({ $0 }) == nil {
                    next = self.repetition(after: .failure(error), attempt: number, since: start)
                }
                let outcome = Outcome(
                    response: result.httpResponse,
                    error: wasEnded && error?.code == .cancelled ? nil : error,
                    outputFailure: failure.withLock { $0 },
                    timeline: result.timeline,
                    hasTooManyRedirects: redirects.hasExceeded,
                    transactions: result.timeline.transactions,
                    repetition: next
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
