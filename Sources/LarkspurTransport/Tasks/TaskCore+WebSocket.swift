#if canImport(FoundationNetworking)
extension TaskCore: HandshakeTask {
    var currentRequest: URLRequest? { withStorage { $0.record.currentRequest } }

    func post(_ order: WebSocketChannel.Order) { session.loop.post(.webSocket(self, order)) }

    func reportOpening(_ subprotocol: String?) {
        report { $0.urlSession($1, webSocketTask: $2, didOpenWithProtocol: subprotocol) }
    }

    func reportClosing(_ frame: WebSocketTask.CloseFrame) {
        report {
            $0.urlSession(
                $1,
                webSocketTask: $2,
                didCloseWith: frame.foundationCode,
                reason: Data(frame.reason.utf8)
            )
        }
    }

    private func report(
        _ call: @escaping @Sendable (any URLSessionWebSocketDelegate, URLSession, URLSessionWebSocketTask) -> Void
    ) {
        guard plan.kind == .webSocket else { return }
        session.delivery.afterwards(through: session.loop) { [self] in
            guard let listener, let task = listener.task as? URLSessionWebSocketTask,
                let delegate = listener.delegates.task as? any URLSessionWebSocketDelegate
            else { return }
            call(delegate, listener.session, task)
        }
    }

    /// The error of a task of URLSession's WebSocket API whose connection was lost or refused. The transfer itself has
    /// no error in this case. Nil for other tasks.
    var webSocketFailure: URLError? {
        guard plan.kind == .webSocket, let channel = plan.webSocket?.channel else { return nil }
        if let failure = channel.failure { return foundationError(failure) }
        let response = withStorage { $0.record.response }?.http
        return response?.statusCode == 101 ? nil : foundationError(WebSocketError.refused(response, nil))
    }

    /// Returns the error that a task of URLSession's WebSocket API reports. All errors are `URLError`s, as with
    /// FoundationNetworking. After the connection has been closed, their code is `networkConnectionLost`.
    func foundationError(_ error: any Error) -> URLError {
        if let error = error as? URLError { return error }
        let isRefused = (error as? WebSocketError)?.kind == .refused
        let code: URLError.Code = isRefused ? .badServerResponse : .networkConnectionLost
        return plan.defect ?? .engine(code, error.localizedDescription, url: plan.originalRequest?.url)
    }
}

extension WebSocketTask.CloseFrame {
    /// The code of the close frame in FoundationNetworking's API. For a code that its enumeration does not have, such
    /// as 1012 or 4000, the result is `unsupportedData`, as with FoundationNetworking.
    var foundationCode: URLSessionWebSocketTask.CloseCode {
        guard let code else { return .noStatusReceived }
        return URLSessionWebSocketTask.CloseCode(rawValue: code.rawValue) ?? .unsupportedData
    }
}
#endif
