#if canImport(FoundationNetworking)
/// The phases of a transaction, and the actions and consequences of its events.
extension Transaction {
    /// A decision of the delegate that the transaction needs to continue.
    indirect enum Question {
        /// The redirect to follow; `keepsContent` is true if the next request has the same content.
        case redirect(to: URLRequest, keepsContent: Bool)
        case challenge(AuthenticationState.Recipient, CredentialDemand, URLAuthenticationChallenge)
    }

    /// A 401 or 407 response that libcurl may handle without the engine.
    ///
    /// It is an object because it is large and rare. As a value, it would make every transaction larger.
    final class Refusal: Sendable {
        let recipient: AuthenticationState.Recipient
        let head: ResponseHead

        init(recipient: AuthenticationState.Recipient, head: ResponseHead) {
            self.recipient = recipient
            self.head = head
        }
    }

    /// The destination of arriving content.
    enum Disposition {
        case deliver
        /// Buffered until the delegate has decided whether the response is used.
        case buffer(Question)
        /// Buffered until libcurl has handled the refusal, or the transfer has ended.
        case bufferUnlessAnswered(Refusal)
        /// Read to preserve the connection, and discarded.
        case discard(Successor)
    }

    /// The next step after a response that is not delivered.
    enum Successor: Equatable {
        case sameRequest
        case storedResponse
    }

    enum Phase {
        /// The request waits for a connection, or for a stream with its content.
        case waiting
        /// The cache is looking for a stored response.
        case lookingUp
        /// The session's resolver is looking for the addresses of the host.
        case resolving
        /// The transfer is running, and has no final response yet.
        case awaitingResponse
        /// The transfer is running, and receives the content of the response.
        case receiving(Disposition)
        /// The transfer has ended, but the delegate has not decided yet. If the response is accepted, `failure` is
        /// reported.
        case asking(Question, failure: URLError?)
        /// The transfer has ended, but some of its content has not been consumed yet. `failure` is the failure of the
        /// transfer, and is reported after this content.
        case draining(failure: URLError?)
        /// A stored response is being delivered.
        case replaying
        /// A `URLProtocol` loads the request. If the `URLProtocol` has reported a challenge, the challenge waits for
        /// the delegate.
        case loading(URLAuthenticationChallenge?)
        case ended
    }

    /// The consequence of a response's header section.
    enum Consequence {
        case deliver
        case ask(Question)
        case awaitAnswer(Refusal)
        /// The request is sent again, immediately or after the content was read.
        case sendAgain(readsContent: Bool)
        /// A stored response replaces this response, immediately or after the content was read.
        case replay(readsContent: Bool)
        case fail(URLError)
    }

    /// The way in which a request is sent again.
    enum Repetition: Equatable {
        case same
        /// The same request with a new stream as its content.
        case withNewStream
    }

    /// The end of a transfer.
    struct TransferEnd {
        /// The failure of the transfer; nil if it has succeeded.
        var failure: URLError?
        /// Whether the content of the request could not be read.
        var isContentUnreadable = false
        /// The way in which a failed transfer is repeated; nil if it is not repeated.
        var repetition: Repetition?
    }

    /// The delegate's decision about a question.
    enum Decision {
        /// The response is the task's response, and its content is delivered.
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
        /// Determines the consequence of a refusal that libcurl has not handled.
        case settle(Refusal)
        /// Stops the transfer: the callback that performs the action tells libcurl to stop.
        case stop
        /// Applies the current pauses to the transfer.
        case pause
        /// Continues with decoding and with the transfer.
        case goOn
        /// Ends the task as soon as all content is decoded.
        case drain
        case enqueue
        case leaveQueue
        case send(Repetition)
        case follow(URLRequest, keepsContent: Bool)
        case replay
        /// Ends the task with a failure, unless a stored response can replace it.
        case fail(URLError)
    }

    /// The handling of a chunk of content.
    enum ContentStep {
        case deliver, buffer, discard, refuse
        case settle(Refusal)
    }
}
#endif
