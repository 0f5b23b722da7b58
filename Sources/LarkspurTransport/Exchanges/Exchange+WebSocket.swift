#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// Transfers that open the connection of a WebSocket.
extension Exchange {
    /// Sets up a transfer that only opens the connection. The driver of the exchange then sends the request on this
    /// connection.
    func prepareUpgrade(
        of handle: EasyHandle,
        _ connection: WebSocketConnection,
        _ request: [UInt8],
        isAuthenticatedByConnection: Bool
    ) throws(URLError) {
        guard let poll = group.connections.support?.poll else { return }
        guard !isAuthenticatedByConnection else {
            throw .engine(
                .userAuthenticationRequired,
                "The server of a WebSocket asks for NTLM or Negotiate, which its handshake cannot have.",
                url: self.destination.url
            )
        }
        handle.connectOnly()
        webSocket = WebSocketDriver(
            carrier: self,
            connection: connection,
            handle: handle,
            poll: poll,
            request: request
        )
    }
}

extension Exchange: WebSocketCarrier {
    var url: URL? { destination.url }
    var now: LoopTime { group.now }
    var response: HTTPURLResponse? { transfer.response?.http }
    var isAnswered: Bool { transfer.response != nil || transaction.failure != nil }
    var isContentComplete: Bool { received.incoming.framed.isComplete }

    func note(_ failure: URLError) { transaction.note(failure) }

    func readLater() { task.post(.goOn) }

    func noteDeadline() {
        if !transaction.isFinished { group.deadlines.advance(deadline, of: self) }
    }

    func webSocketEnded() { end(.success) }
}
#endif
