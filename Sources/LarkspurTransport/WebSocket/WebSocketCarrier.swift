#if canImport(FoundationNetworking)
/// The request of a WebSocket's handshake, which is told of the response as libcurl would tell. It leaves its driver
/// when its transfer ends.
protocol WebSocketCarrier: EasyHandleClient {
    /// The URL of the request, for errors.
    var url: URL? { get }
    /// The time of the loop's turn.
    var now: LoopTime { get }
    var isSuspended: Bool { get }
    /// Whether nothing more is to be received for now.
    var pausesReceiving: Bool { get }
    /// The last response; nil before it has come.
    var response: HTTPURLResponse? { get }
    /// Whether the request has a response whose content is to be received, or has failed.
    var isAnswered: Bool { get }
    /// Whether the content of the response has arrived as a whole.
    var isContentComplete: Bool { get }

    /// Records that a byte was sent or received.
    func touch()

    /// Records the reason why the response is not valid.
    func note(_ failure: URLError)

    /// Has the driver read on after other connections have had their turn.
    func readLater()

    /// Gives the place at the host back: an open WebSocket is none of its connections for requests.
    func leaveHostForGood()

    /// Records the next deadline, unless the connection was lost and the carrier with it.
    func noteDeadline()

    /// Ends the task: the WebSocket has ended, and its channel knows how.
    func webSocketEnded()
}
#endif
