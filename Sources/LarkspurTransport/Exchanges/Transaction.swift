#if canImport(FoundationNetworking)
/// The state of one request and its response: a value whose methods receive events and return the actions to perform.
///
/// It has no I/O, no lock and no clock. Each request of a task has a new transaction, so nothing has to be reset.
struct Transaction {
    private(set) var phase = Phase.waiting
    /// The reason why the transfer was stopped from within libcurl. The reason is known before the transfer ends.
    private(set) var failure: URLError?
    /// The URL of the request, for errors.
    private let url: URL?

    init(url: URL?) { self.url = url }

    var isTransferring: Bool {
        switch phase {
        case .awaitingResponse, .receiving: true
        default: false
        }
    }

    var isFinished: Bool {
        if case .ended = phase { true } else { false }
    }

    /// The failure of a transfer whose content is still being delivered; nil if there is none.
    var pendingFailure: URLError? {
        if case .draining(let failure) = phase { failure } else { nil }
    }

    /// Whether the task fails after a time without a byte.
    ///
    /// The timer runs while a delegate decides about a redirect, so that a delegate that never decides cannot block the
    /// task. While a delegate decides about a challenge, the timer stops when the transfer ends, because a user may
    /// have to enter a password.
    /// - Parameter isPaused: Whether the consumer of the task pauses the transfer.
    func runsIdleTimer(isPaused: Bool) -> Bool {
        switch phase {
        case .resolving, .asking(.redirect, _), .receiving(.buffer(.redirect)): true
        case .awaitingResponse, .receiving: !isPaused
        default: false
        }
    }

    // MARK: Before the response

    mutating func beginLookUp() { phase = .lookingUp }

    /// Ends the look-up in the cache. Returns false if its result is no longer needed.
    mutating func endLookUp() -> Bool {
        guard case .lookingUp = phase else { return false }
        phase = .waiting
        return true
    }

    mutating func beginResolving() { phase = .resolving }

    /// Ends the look-up of addresses. Returns false if they are no longer needed.
    mutating func endResolving() -> Bool {
        guard case .resolving = phase else { return false }
        phase = .waiting
        return true
    }

    mutating func beginLoading() { phase = .loading(nil) }

    /// Records that the `URLProtocol` does not load the request.
    mutating func endLoading() { phase = .waiting }

    mutating func receive(_ challenge: URLAuthenticationChallenge) { phase = .loading(challenge) }

    /// Takes the pending challenge of a `URLProtocol`; nil if there is none.
    mutating func takeChallenge() -> URLAuthenticationChallenge? {
        guard case .loading(let challenge?) = phase else { return nil }
        phase = .loading(nil)
        return challenge
    }

    /// Records that a `URLProtocol` has reported a redirect. The redirect waits for the delegate's decision.
    mutating func receiveRedirect(to next: URLRequest) {
        phase = .asking(.redirect(to: next, keepsContent: true), failure: nil)
    }

    mutating func beginTransfer() { phase = .awaitingResponse }

    /// Records that a transfer could not begin.
    mutating func abandonTransfer() { phase = .waiting }

    // MARK: The response

    /// Records the header section of a final response. The consequence of the response must be reported next, unless
    /// the returned actions stop the transfer.
    mutating func beginResponse() -> [Action] {
        switch phase {
        case .awaitingResponse: return []
        case .receiving(.bufferUnlessAnswered):
            // libcurl has sent the request again with credentials, and this is the new response.
            phase = .awaitingResponse
            return [.dropBuffered]
        default:
            // In the middle of a response, libcurl has sent the request again (HTTP_1_1_REQUIRED).
            note(
                .engine(
                    .networkConnectionLost,
                    "The server broke off the response and asked for the request once more.",
                    url: url
                )
            )
            return [.stop]
        }
    }

    /// Receives the consequence of a response, or of a refusal that libcurl does not handle.
    mutating func receive(_ consequence: Consequence) -> [Action] {
        var hasEnded = false
        if case .draining = phase { hasEnded = true }
        switch consequence {
        case .deliver:
            if hasEnded { return [.deliver, .drain] }
            phase = .receiving(.deliver)
            return [.deliver]
        case .ask(let question):
            phase = hasEnded ? .asking(question, failure: nil) : .receiving(.buffer(question))
            return [.ask(question)]
        case .awaitAnswer(let refusal):
            phase = .receiving(.bufferUnlessAnswered(refusal))
            return []
        case .sendAgain(let readsContent):
            if hasEnded { return [.send(.same)] }
            phase = .receiving(.discard(.sameRequest))
            return readsContent ? [] : [.stop]
        case .replay(let readsContent):
            phase = .receiving(.discard(.storedResponse))
            return readsContent ? [] : [.stop]
        case .fail(let error):
            note(error)
            return hasEnded ? [.fail(error)] : [.stop]
        }
    }

    /// Receives a chunk of content.
    mutating func receiveContent() -> ContentStep {
        guard failure == nil else { return .refuse }
        switch phase {
        case .receiving(.deliver): return .deliver
        case .receiving(.buffer): return .buffer
        case .receiving(.discard): return .discard
        case .receiving(.bufferUnlessAnswered(let refusal)): return .settle(refusal)
        default:
            note(.engine(.badServerResponse, "The server sends content before a response.", url: url))
            return .refuse
        }
    }

    /// Records that the response cannot be used. The failure is reported when the transfer has ended. If there are
    /// several failures, only the first one is reported.
    mutating func note(_ failure: URLError) { self.failure = self.failure ?? failure }

    // MARK: The end of the transfer

    mutating func endTransfer(_ end: TransferEnd) -> [Action] {
        switch phase {
        // A stored response replaces this response, however the transfer ends.
        case .receiving(.discard(.storedResponse)): return [.replay]
        case .receiving(.discard(.sameRequest)): return [.send(.same)]
        // Until now, only the header section was needed. If the response is accepted, the end of its content is needed
        // too.
        case .receiving(.buffer(let question)) where !end.isContentUnreadable:
            phase = .asking(question, failure: end.failure)
            return []
        default: break
        }
        if let repetition = end.repetition { return [.send(repetition)] }
        if let failure = end.failure {
            // Content that arrived before the failure may not be decoded yet, because its consumer is slow.
            guard case .receiving(.deliver) = phase, self.failure == nil else { return [.fail(failure)] }
            phase = .draining(failure: failure)
            return [.drain]
        }
        switch phase {
        case .receiving(.bufferUnlessAnswered(let refusal)):
            phase = .draining(failure: nil)
            return [.settle(refusal)]
        case .receiving:
            phase = .draining(failure: nil)
            return [.drain]
        default:
            return [
                .fail(
                    .engine(
                        .networkConnectionLost,
                        "The server closed the connection without a response.",
                        url: url
                    )
                )
            ]
        }
    }

    /// Records that the transfer has ended because a proxy has refused the tunnel to the server.
    mutating func endTransfer(refusedBy refusal: Refusal) -> [Action] {
        phase = .draining(failure: nil)
        return [.settle(refusal)]
    }

    // MARK: The delegate's decision

    /// The question that waits for the delegate's decision; nil if there is none.
    var question: Question? {
        switch phase {
        case .receiving(.buffer(let question)), .asking(let question, _): question
        default: nil
        }
    }

    mutating func receive(_ decision: Decision) -> [Action] {
        let hasEnded: Bool
        var failure: URLError?
        switch phase {
        case .receiving(.buffer): hasEnded = false
        case .asking(_, let ended):
            hasEnded = true
            failure = ended
        default: return []
        }
        switch decision {
        case .accept:
            phase = hasEnded ? .draining(failure: failure) : .receiving(.deliver)
            return [.deliver, .deliverBuffered, hasEnded ? .drain : .goOn]
        case .follow(let next, let keepsContent): return [.follow(next, keepsContent: keepsContent)]
        case .sendAgain: return [.send(.same)]
        case .ask(let question):
            phase = hasEnded ? .asking(question, failure: failure) : .receiving(.buffer(question))
            return [.ask(question)]
        case .fail(let error): return [.fail(error)]
        }
    }

    // MARK: Suspension

    func resume() -> [Action] {
        switch phase {
        case .waiting: [.enqueue]
        case .awaitingResponse, .receiving, .draining, .replaying: [.goOn]
        case .lookingUp, .resolving, .asking, .loading, .ended: []
        }
    }

    func suspend() -> [Action] {
        switch phase {
        case .waiting: [.leaveQueue]
        case .awaitingResponse, .receiving: [.pause]
        case .lookingUp, .resolving, .asking, .draining, .replaying, .loading, .ended: []
        }
    }

    // MARK: The end

    /// Replaces the response with a stored one, in any phase.
    mutating func beginReplay() {
        phase = .replaying
        failure = nil
    }

    /// Ends the transaction; returns false if it had ended before.
    mutating func end() -> Bool {
        if case .ended = phase { return false }
        phase = .ended
        return true
    }
}
#endif
