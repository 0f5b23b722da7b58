#if canImport(FoundationNetworking)
/// The state of one request and its response: a value whose methods receive events and return the actions to perform.
///
/// It has no I/O, no lock and no clock. Each request of a task has a transaction of its own, so that it contains
/// nothing of an earlier response.
struct Transaction {
    /// A decision of the delegate that the transaction needs to continue.
    indirect enum Question {
        /// The redirect to follow; `keepsContent` is true if the next request has the content of this one.
        case redirect(to: URLRequest, keepsContent: Bool)
        case challenge(AuthenticationState.Recipient, CredentialDemand, URLAuthenticationChallenge)
    }

    /// A 401 or 407 response that libcurl may be about to answer on its own.
    ///
    /// It is an object, as it is large and rare, and every transaction has room for one.
    final class Refusal: Sendable {
        let recipient: AuthenticationState.Recipient
        let head: ResponseHead

        init(recipient: AuthenticationState.Recipient, head: ResponseHead) {
            self.recipient = recipient
            self.head = head
        }
    }

    /// The destination of the content that arrives.
    enum Disposition {
        case deliver
        /// Buffered until the delegate has decided whether the response is used.
        case buffer(Question)
        /// Buffered until libcurl has answered the refusal, or the transfer has ended.
        case bufferUnlessAnswered(Refusal)
        /// Read to preserve the connection, and discarded.
        case discard(Successor)
    }

    /// The next step after a response that is not used.
    enum Successor: Equatable {
        case sameRequest
        case storedResponse
    }

    enum Phase {
        /// The request waits for a connection, or for a stream with its content.
        case waiting
        /// The cache is looking for a stored response.
        case lookingUp
        /// The transfer is under way, without a final response yet.
        case awaitingResponse
        /// The transfer is under way, with the content of the response.
        case receiving(Disposition)
        /// The transfer has ended before the delegate's decision. `failure` counts only if the response is accepted.
        case asking(Question, failure: URLError?)
        /// The transfer has ended before its content was consumed.
        case draining
        /// A stored response is being delivered.
        case replaying
        /// A `URLProtocol` loads the request; its challenge, if there is one, waits for the delegate.
        case loading(URLAuthenticationChallenge?)
        case finished
    }

    /// The consequence of a response's header section.
    enum Consequence {
        case deliver
        case ask(Question)
        case awaitAnswer(Refusal)
        /// The same request is sent again, at once or when the content has been read.
        case sendAgain(readsContent: Bool)
        /// A stored response replaces this one, at once or when the content has been read.
        case replay(readsContent: Bool)
        case fail(URLError)
    }

    /// The way in which a request is sent again.
    enum Repetition: Equatable {
        case same
        /// The request on a new connection.
        case onNewConnection
        /// The request with a new stream as its content.
        case withNewStream
    }

    /// The end of a transfer.
    struct TransferEnd {
        /// The failure of the transfer; nil if it has succeeded.
        var failure: URLError?
        /// Whether the content of the request could not be read.
        var isContentUnreadable = false
        /// The way in which a transfer that failed is repeated; nil if it is not.
        var repetition: Repetition?
    }

    /// The decision about a question.
    enum Decision {
        /// The response is the last one, and its content is delivered.
        case accept
        case follow(URLRequest, keepsContent: Bool)
        case sendAgain
        case ask(Question)
        case fail(URLError)
    }

    enum Action {
        /// Gives the response to the task.
        case deliver
        case deliverBuffered
        case dropBuffered
        case ask(Question)
        /// Determines the consequence of a refusal that libcurl has not answered.
        case settle(Refusal)
        /// Stops the transfer, from within libcurl.
        case stop
        /// Applies the pauses of the transfer.
        case pause
        /// Continues decoding and the transfer.
        case goOn
        /// Ends the task when all content is decoded.
        case drain
        case enqueue
        case leaveQueue
        case send(Repetition)
        case follow(URLRequest, keepsContent: Bool)
        case replay
        /// Ends the task, unless a stored response can replace the failure.
        case fail(URLError)
    }

    /// The step for a chunk of content.
    enum ContentStep {
        case deliver, buffer, discard, refuse
        case settle(Refusal)
    }

    private(set) var phase = Phase.waiting
    /// The reason why the transfer is stopped from within libcurl, known before the transfer has ended.
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
        if case .finished = phase { true } else { false }
    }

    /// Whether the content is buffered undecoded.
    var isBuffering: Bool {
        switch phase {
        case .receiving(.buffer), .receiving(.bufferUnlessAnswered): true
        default: false
        }
    }

    /// Whether the task fails after a time without a byte.
    ///
    /// A delegate that decides about a redirect has the same time as the network; one that chooses a credential may ask
    /// a person.
    /// - Parameter isPaused: Whether the task's consumer pauses the transfer.
    func runsIdleTimer(isPaused: Bool) -> Bool {
        switch phase {
        case .asking(.redirect, _), .receiving(.buffer(.redirect)): true
        case .awaitingResponse, .receiving: !isPaused
        default: false
        }
    }

    // MARK: Before the response

    mutating func beginLookUp() { phase = .lookingUp }

    /// Ends the look-up; returns false if the cache's result is no longer awaited.
    mutating func endLookUp() -> Bool {
        guard case .lookingUp = phase else { return false }
        phase = .waiting
        return true
    }

    mutating func beginLoading() { phase = .loading(nil) }

    /// Records that the `URLProtocol` does not load the request, or has redirected it.
    mutating func endLoading() { phase = .waiting }

    mutating func receive(_ challenge: URLAuthenticationChallenge) { phase = .loading(challenge) }

    /// Returns the pending challenge of a `URLProtocol`, once.
    mutating func takeChallenge() -> URLAuthenticationChallenge? {
        guard case .loading(let challenge?) = phase else { return nil }
        phase = .loading(nil)
        return challenge
    }

    /// Records a redirect of a `URLProtocol`, which waits for the delegate.
    mutating func receiveRedirect(to next: URLRequest) {
        phase = .asking(.redirect(to: next, keepsContent: true), failure: nil)
    }

    mutating func beginTransfer() { phase = .awaitingResponse }

    /// Records that a transfer could not begin.
    mutating func abandonTransfer() { phase = .waiting }

    // MARK: The response

    /// Records the header section of a final response, whose consequence is received next unless the transfer stops.
    mutating func beginResponse() -> [Action] {
        switch phase {
        case .awaitingResponse: return []
        case .receiving(.bufferUnlessAnswered):
            // libcurl has answered the refusal.
            phase = .awaitingResponse
            return [.dropBuffered]
        default:
            // libcurl has sent the request again in the middle of the response (HTTP_1_1_REQUIRED).
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

    /// Receives the consequence of a response, or of a refusal that libcurl has not answered.
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

    /// Records that the response cannot be used, which is reported when the transfer has ended; the first reason
    /// counts.
    mutating func note(_ failure: URLError) { self.failure = self.failure ?? failure }

    // MARK: The end of the transfer

    mutating func endTransfer(_ end: TransferEnd) -> [Action] {
        switch phase {
        // However the transfer ends, its response is not used.
        case .receiving(.discard(.storedResponse)): return [.replay]
        case .receiving(.discard(.sameRequest)): return [.send(.same)]
        // The header section was needed; the end of the content counts only if the response is accepted.
        case .receiving(.buffer(let question)) where !end.isContentUnreadable:
            phase = .asking(question, failure: end.failure)
            return []
        default: break
        }
        if let repetition = end.repetition { return [.send(repetition)] }
        if let failure = end.failure { return [.fail(failure)] }
        switch phase {
        case .receiving(.bufferUnlessAnswered(let refusal)):
            phase = .draining
            return [.settle(refusal)]
        case .receiving:
            phase = .draining
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

    /// Records that the transfer has ended because a proxy refuses a tunnel to the server.
    mutating func endTransfer(refusedBy refusal: Refusal) -> [Action] {
        phase = .draining
        return [.settle(refusal)]
    }

    // MARK: The delegate's decision

    /// The question that waits for a decision.
    var question: Question? {
        switch phase {
        case .receiving(.buffer(let question)), .asking(let question, _): question
        default: nil
        }
    }

    mutating func receive(_ decision: Decision) -> [Action] {
        let hasEnded: Bool
        switch phase {
        case .receiving(.buffer): hasEnded = false
        case .asking(_, let failure):
            hasEnded = true
            self.failure = failure
        default: return []
        }
        switch decision {
        case .accept:
            phase = hasEnded ? .draining : .receiving(.deliver)
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
        case .lookingUp, .asking, .loading, .finished: []
        }
    }

    func suspend() -> [Action] {
        switch phase {
        case .waiting: [.leaveQueue]
        case .awaitingResponse, .receiving: [.pause]
        case .lookingUp, .asking, .draining, .replaying, .loading, .finished: []
        }
    }

    // MARK: The end

    /// Replaces whatever has arrived with a stored response.
    mutating func beginReplay() {
        phase = .replaying
        failure = nil
    }

    /// Finishes the transaction; returns false if it had already finished.
    mutating func finish() -> Bool {
        if case .finished = phase { return false }
        phase = .finished
        return true
    }
}
#endif
