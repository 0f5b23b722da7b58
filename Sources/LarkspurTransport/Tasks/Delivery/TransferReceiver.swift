/// The receiver of the events of one transfer. The code that uses a session implements it.
///
/// A ``CurlURLSession`` calls the receiver directly on the loop's thread, so the methods must not block. Other sessions
/// call their delegate, and the delegate's methods find the receiver by the task's identifier. Only one method is
/// called at a time. The last call reports the end of the transfer.
package protocol TransferReceiver: AnyObject, Sendable {
    /// Receives the notification that the request has waited a second for a place at its host. Only a
    /// ``CurlURLSession`` that calls receivers directly reports this.
    func waits(_ wait: ConnectionWait)

    /// Receives the head of a response, and decides how the content is delivered.
    func receive(_ response: ReceivedResponse) -> TransferAnswer<URLSession.ResponseDisposition>

    /// Receives an interim response (a status of 100 to 199, but not 101), which comes before the head of a response.
    /// Only a ``CurlURLSession`` that calls receivers directly reports interim responses.
    func receiveInterim(_ response: ReceivedResponse)

    /// Receives a chunk of content.
    /// - Parameter hold: Returns an object. While the object exists, the chunk counts as not consumed. If `hold` is not
    ///   called, the chunk counts as consumed when the method returns.
    func receive(_ data: Data, hold: () -> (any Sendable)?)

    /// Receives the notification that all of the content has arrived while content of the request is still being sent.
    /// All other transfers report only their end.
    func contentEnded()

    /// Receives the progress of the request's content: the number of bytes that were just sent, the number of all bytes
    /// sent, and the expected number (−1 if it is unknown).
    func sent(_ count: Int64, total: Int64, expected: Int64)

    /// Receives the progress of a download: the number of bytes that were just written, the number of all bytes
    /// written, and the expected number (−1 if it is unknown).
    func wrote(_ count: Int64, total: Int64, expected: Int64)

    /// Receives the notification that a download continues at an offset. `expected` is the number of bytes of the whole
    /// download (−1 if it is unknown).
    func resumed(at offset: Int64, expected: Int64)

    /// Receives the file of a download. The session removes the file when the method returns.
    func receiveFile(at location: URL)

    /// Decides about a redirect. Returns the request to send, or nil if the redirect itself is the final response.
    func redirect(_ response: HTTPURLResponse, to request: URLRequest) -> TransferAnswer<URLRequest?>

    /// Decides how a challenge is handled.
    func answer(_ challenge: URLAuthenticationChallenge) -> TransferAnswer<ChallengeDecision>

    /// Creates a stream of the request's content, and passes it to a closure on any thread.
    func makeBodyStream(_ completion: @escaping @Sendable (InputStream?) -> Void)

    /// Whether the receiver has to be asked whether a response is stored. Default: true.
    var decidesAboutCaching: Bool { get }

    /// The decision whether a response is stored. It must be valid even after the end of the transfer. The reason is
    /// that it also decides about the response with which the session refreshes a stored response.
    var cachingDecision: CachingDecision { get }

    /// Receives the notification that a data task has become a download. Returns the receiver of the further events.
    func becomeDownload(
        _ downloadTask: URLSessionDownloadTask,
        of task: URLSessionDataTask,
        in session: URLSession
    ) -> any TransferReceiver

    /// Receives the notification that the transfer has ended. The error is nil if the transfer has succeeded.
    func end(with error: (any Error)?)
}

extension TransferReceiver {
    /// Returns true: the receiver always has to be asked whether a response is stored.
    package var decidesAboutCaching: Bool { true }

    /// Does nothing.
    package func waits(_ wait: ConnectionWait) {}
}

/// Decides whether a response is stored. The decision is the response to store, or nil to store none.
///
/// The parameter creates the proposed response, and is called only if a hook needs the response. If no decision is
/// needed, the result is nil, and the response is stored as proposed.
package typealias CachingDecision =
    @Sendable (_ proposal: () -> CachedURLResponse?) -> TransferAnswer<CachedURLResponse?>?

/// The disposition of a challenge, and the credential if there is one.
package typealias ChallengeDecision = (URLSession.AuthChallengeDisposition, URLCredential?)

/// A decision that is made immediately, or later by other code.
package enum TransferAnswer<Value: Sendable>: Sendable {
    case now(Value)
    /// The closure starts the decision. When the decision is made, the closure passes it to its argument, which is also
    /// a closure. If the task ends before the decision, the argument is not called.
    case later(@Sendable (@escaping @Sendable (Value) -> Void) -> Void)

    /// Passes the decision to a closure. This happens immediately, or when the decision is made.
    package func give(_ body: @escaping @Sendable (Value) -> Void) {
        switch self {
        case .now(let value): body(value)
        case .later(let decide): decide(body)
        }
    }
}

/// The caller's options for one transfer, in addition to its request.
package struct TransferOptions: Sendable {
    /// The maximum time in which a connection must be established, in seconds; nil for no limit. The time includes name
    /// resolution and the TLS handshake.
    package var connectTimeout: TimeInterval?
    /// Whether all of the request's content is sent even if the response has a status of 300 or more.
    package var keepsSending = false

    package init(connectTimeout: TimeInterval? = nil, keepsSending: Bool = false) {
        self.connectTimeout = connectTimeout
        self.keepsSending = keepsSending
    }
}

/// The kinds of transfers, with the content to upload if the request does not contain it.
package enum TransferContent: Sendable {
    /// A request whose response is delivered in chunks.
    case data
    /// A request whose response is written to a file.
    case download
    /// An upload of the `httpBody` of the request.
    case uploadOfBody
    case uploadOfData(Data)
    case uploadOfFile(URL)
    /// An upload of a stream that the receiver creates.
    case uploadOfStream
    /// An upload of content that is produced while it is sent. Only the engine supports this.
    case uploadOfProduced(ProducedBody)
}
