#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// Transfers that open a WebSocket.
extension Exchange {
    /// Has the transfer make a connection only, on which the exchange's driver then sends the request.
    func prepareUpgrade(
        of handle: EasyHandle,
        _ connection: WebSocketConnection,
        _ request: [UInt8],
        isAuthenticatedByConnection: Bool
    ) throws(URLError) {
        guard let poll = loop.poll else { return }
        guard !isAuthenticatedByConnection else {
            throw .engine(
                .userAuthenticationRequired,
                "The server of a WebSocket asks for NTLM or Negotiate, which its handshake cannot have.",
                url: self.destination.url
            )
        }
        handle.connectOnly()
        webSocket = WebSocketDriver(
            exchange: self,
            connection: connection,
            handle: handle,
            poll: poll,
            request: request
        )
    }

    /// Whether nothing more is to be received for now.
    var pausesReceiving: Bool { isSuspended || sink.incoming.isPaused }

    /// Gives the place at the host back: an open WebSocket is none of its connections for requests.
    func leaveHostForGood() { host.take()?.release(nil) }

    /// Notes the next deadline, unless the connection was lost and the exchange with it.
    func noteDeadline() {
        if !transaction.isFinished { loop.note(deadline, of: self) }
    }
}
#endif
