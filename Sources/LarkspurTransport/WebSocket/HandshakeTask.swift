#if canImport(FoundationNetworking)
/// The task that makes the handshake of a WebSocket, and has its connection afterwards.
protocol HandshakeTask: AnyObject, Sendable {
    /// The request that was sent last, after redirects.
    var currentRequest: URLRequest? { get }

    func resume()

    /// Resumes the task if nobody has done so yet.
    func resumeIfNew()

    func cancel()

    /// Gives an order to the loop.
    func post(_ order: WebSocketChannel.Order)
}
#endif
