/// The upper side of the seam between a session and the code that uses it: it receives what happens in one transfer.
///
/// A ``CurlURLSession`` calls the receiver of a transfer directly, on the loop's thread, where nothing may block. For
/// any other session the methods of its delegate do so, which find the receiver by the identifier of the task. The
/// calls come one after the other, and the last one is that of the end.
package protocol TransferReceiver: AnyObject, Sendable {
    /// Receives the head of a response, and decides about its content.
    func receive(_ response: ReceivedResponse) -> TransferAnswer<URLSession.ResponseDisposition>

    /// Receives a chunk of content.
    /// - Parameter hold: Returns an object whose release tells the session that the chunk has been consumed. Without
    ///   it the chunk counts as consumed when the method returns.
    func receive(_ data: Data, hold: () -> (any Sendable)?)

    /// Learns how much of the request's content was sent: now, in all, and how much is expected (−1 if unknown).
    func sent(_ count: Int64, total: Int64, expected: Int64)

    /// Learns how much of a download was written: now, in all, and how much is expected (−1 if unknown).
    func wrote(_ count: Int64, total: Int64, expected: Int64)

    /// Learns that a download continues at an offset, and how much is expected in all (−1 if unknown).
    func resumed(at offset: Int64, expected: Int64)

    /// Receives the file of a download, which the session removes when the method has returned.
    func receiveFile(at location: URL)

    /// Decides about a redirect: the request to send, or nil to take the redirect as the response.
    func redirect(_ response: HTTPURLResponse, to request: URLRequest) -> TransferAnswer<URLRequest?>

    /// Answers a challenge.
    func answer(_ challenge: URLAuthenticationChallenge) -> TransferAnswer<ChallengeDecision>

    /// Makes a stream of the request's content, and passes it to a closure on any thread.
    func makeBodyStream(_ completion: @escaping @Sendable (InputStream?) -> Void)

    /// Decides about storing a response: the one to store, or nil for none.
    /// - Parameter proposal: Makes the proposed response, if somebody wants to see it.
    /// - Returns: Nil if nobody decides, so that the response is stored as proposed.
    func cache(_ proposal: () -> CachedURLResponse?) -> TransferAnswer<CachedURLResponse?>?

    /// Learns that a data task has become a download, and returns the receiver of the rest.
    func becomeDownload(
        _ downloadTask: URLSessionDownloadTask,
        of task: URLSessionDataTask,
        in session: URLSession
    ) -> any TransferReceiver

    /// Learns that the transfer has ended, with its error or nil.
    func complete(with error: (any Error)?)
}

/// The answer to a challenge.
package typealias ChallengeDecision = (URLSession.AuthChallengeDisposition, URLCredential?)

/// A decision that is made at once, or later by other code.
package enum TransferAnswer<Value: Sendable>: Sendable {
    case now(Value)
    /// The closure has the decision made, and passes it on. If the task ends instead, nothing is passed on.
    case later(@Sendable (@escaping @Sendable (Value) -> Void) -> Void)

    /// Passes the decision to a closure, at once or when it is made.
    package func give(_ body: @escaping @Sendable (Value) -> Void) {
        switch self {
        case .now(let value): body(value)
        case .later(let decide): decide(body)
        }
    }
}

/// The kinds of transfer, with the content of the request if it does not stand in the request.
package enum TransferContent: Sendable {
    /// A request whose response is delivered in chunks.
    case data
    /// A request whose response is written to a file.
    case download
    /// An upload of the `httpBody` of the request.
    case uploadOfBody
    case uploadOfData(Data)
    case uploadOfFile(URL)
    /// An upload whose content is a stream, which the receiver makes.
    case uploadOfStream
}
