#if canImport(FoundationNetworking)
/// The request of a WebSocket's handshake. The driver reports the response to the carrier in the same way as libcurl.
/// When the transfer ends, the carrier discards the driver.
protocol WebSocketCarrier: EasyHandleClient {
    /// The URL of the request, for errors.
    var url: URL? { get }
    /// The time of the loop's turn.
    var now: LoopTime { get }
    var isSuspended: Bool { get }
    /// Whether receiving is paused.
    var pausesReceiving: Bool { get }
    /// The latest response; nil before it has arrived.
    var response: HTTPURLResponse? { get }
    /// Whether the request has failed, or has a response whose content will be received.
    var isAnswered: Bool { get }
    /// Whether all content of the response has arrived.
    var isContentComplete: Bool { get }

    /// Records that a byte was sent or received.
    func touch()

    /// Records the reason why the response is not valid.
    func note(_ failure: URLError)

    /// Makes the driver continue to read after other connections have had their turn.
    func readLater()

    /// Releases the place at the host, because an open WebSocket does not count towards the limit of connections.
    func leaveHostForGood()

    /// Records the next deadline. Does nothing if the connection was lost and the carrier has ended.
    func noteDeadline()

    /// Ends the task, because the WebSocket has ended. The channel has already recorded the end.
    func webSocketEnded()
}
#endif
