/// The receiver of the events of one transfer. The code that uses a session implements it.
///
/// A ``CurlURLSession`` calls the receiver directly, on the loop's thread, so the methods must not block. Other
/// sessions call their delegate, and the delegate's methods find the receiver by the task's identifier. The calls come
/// one after the other. The last call reports the end of the transfer.
package protocol TransferReceiver: AnyObject, Sendable {
    /// Is notified that the request has waited a second for a place at its host. Only a ``CurlURLSession`` that calls
    /// receivers directly reports this.
    func waits(_ wait: ConnectionWait)

    /// Receives the head of a response, and decides what happens to the content.
    func receive(_ response: ReceivedResponse) -> TransferAnswer<URLSession.ResponseDisposition>

    /// Receives an interim response (a status of 100 to 199, but not 101), which comes before the head of a response.
    /// Only a ``CurlURLSession`` that calls receivers directly reports interim responses.
    func receiveInterim(_ response: ReceivedResponse)

    /// Receives a chunk of content.
    /// - Parameter hold: Returns an object. As long as the object exists, the chunk counts as not consumed. If `hold`
    ///   is not called, the chunk counts as consumed when the method returns.
    func receive(_ data: Data, hold: () -> (any Sendable)?)

    /// Is notified that all of the content has arrived, while content of the request is still being sent. Other
    /// transfers only report their end.
    func contentEnded()

    /// Receives the progress of the request's content: the number of bytes that were just sent, the number of all bytes
    /// sent, and the expected number (−1 if it is unknown).
    func sent(_ count: Int64, total: Int64, expected: Int64)

    /// Receives the progress of a download: the number of bytes that were just written, the number of all bytes
    /// written, and the expected number (−1 if it is unknown).
    func wrote(_ count: Int64, total: Int64, expected: Int64)

    /// Is notified that a download continues at an offset. `expected` is the number of bytes of the whole download (−1
    /// if it is unknown).
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

    /// The decision whether a response is stored. It stays valid when the transfer has ended, because it also decides
    /// about the response by which the session refreshes a stored one.
    var cachingDecision: CachingDecision { get }

    /// Is notified that a data task has become a download. Returns the receiver of the further events.
    func becomeDownload(
        _ downloadTask: URLSessionDownloadTask,
        of task: URLSessionDataTask,
        in session: URLSession
    ) -> any TransferReceiver

    /// Is notified that the transfer has ended: with an error, or with nil after a success.
    func end(with error: (any Error)?)
}

extension TransferReceiver {
    /// Whether the receiver has to be asked whether a response is stored: always.
    package var decidesAboutCaching: Bool { true }

    /// Does nothing.
    package func waits(_ wait: ConnectionWait) {}
}

/// Decides whether a response is stored. The decision is the response to store, or nil to store none.
///
/// The parameter creates the proposed response, and is called only if a hook needs the response. The result is nil if
/// there is nothing to decide; the response is then stored as proposed.
package typealias CachingDecision =
    @Sendable (_ proposal: () -> CachedURLResponse?) -> TransferAnswer<CachedURLResponse?>?

/// The disposition of a challenge, and the credential if there is one.
package typealias ChallengeDecision = (URLSession.AuthChallengeDisposition, URLCredential?)

/// A decision that is made immediately, or later by other code.
package enum TransferAnswer<Value: Sendable>: Sendable {
    case now(Value)
    /// The closure starts the decision. When the decision is made, the closure passes it to its argument, which is a
    /// closure too. If the task ends first, the argument is not called.
    case later(@Sendable (@escaping @Sendable (Value) -> Void) -> Void)

    /// Passes the decision to a closure, immediately or when it is made.
    package func give(_ body: @escaping @Sendable (Value) -> Void) {
        switch self {
        case .now(let value): body(value)
        case .later(let decide): decide(body)
        }
    }
}

/// What a caller asks of one transfer, besides its request.
package struct TransferOptions: Sendable {
    /// The maximum time in which a connection must be established, including name resolution and the TLS handshake, in
    /// seconds; nil for no limit.
    package var connectTimeout: TimeInterval?
    /// Whether the content of the request is sent to its end even if the response has a status of 300 or more.
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
    /// An upload of content that is produced while it is sent. Only the engine can send it.
    case uploadOfProduced(ProducedBody)
}
