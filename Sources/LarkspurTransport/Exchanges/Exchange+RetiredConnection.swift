#if canImport(FoundationNetworking)
internal import CLibcurl
import HTTPSyntax

/// Connections that turn out to be unusable, and requests that are repeated on a new connection.
extension Exchange {
    /// Whether libcurl has chosen a retired connection. If so, reading this property also makes libcurl close the
    /// connection.
    var hasRetiredConnection: Bool {
        guard let handle = transfer.handle, let connection = handle.connection,
            transfer.shard?.retiredConnections.contains(connection) == true
        else { return false }
        handle.connectionUse.closesConnection = true
        return true
    }

    /// Retires the connection of the transfer, so that it gets no more requests.
    func retireConnection() {
        guard let handle = transfer.handle else { return }
        // This has to happen during the transfer, because libcurl returns the connection to its cache at the end of the
        // transfer.
        handle.connectionUse.closesConnection = true
        if let connection = handle.connection { transfer.shard?.retiredConnections.insert(connection) }
    }

    /// Returns the way in which a failed transfer is repeated; nil if it is not repeated. This requires that nothing
    /// arrived, and that the request may be sent twice, or that the server has not processed it.
    func repetition(after result: Int32, of handle: EasyHandle) -> Transaction.Repetition? {
        guard transaction.failure == nil, transfer.response == nil, history.mayRepeat,
            isLeftToEngine(after: result) || hasLostConnection(after: result, of: handle), resendDecision == .resend
        else { return nil }
        history.noteRepetition(overHTTP1: transfer.sending.needsHTTP1)
        return content.isStreamed ? .withNewStream : .same
    }

    /// The error of a request that is not repeated although its content has to be sent again.
    var repetitionFailure: URLError {
        guard transfer.response == nil else {
            return .unrepeatableContent(after: transfer.response?.http, url: destination.url)
        }
        guard resendDecision == .resend else { return ResendDecision.error(for: request) }
        return .engine(
            .networkConnectionLost,
            "The request was sent \(TaskHistory.repetitionLimit + 1) times, and each time the connection was lost or the server refused the request.",
            url: destination.url
        )
    }

    /// Whether libcurl has asked for the content from its beginning, or was stopped before it sent the content again.
    func isLeftToEngine(after result: Int32) -> Bool {
        transfer.sending.isLeftToEngine || result == CURLE_SEND_FAIL_REWIND
    }

    /// Whether the transfer has lost a connection that was shared with other transfers or had been used before.
    ///
    /// If the connection is lost while content is sent, libcurl does not send the request again. Without content, it
    /// does so over HTTP/1.1, and over HTTP/2 for some faults.
    private func hasLostConnection(after result: Int32, of handle: EasyHandle) -> Bool {
        guard handle.usesKnownConnection || transfer.sending.isRefused && result == CURLE_HTTP2_STREAM else {
            return false
        }
        if content.reader != nil, Self.lossResults.contains(result) { return true }
        return destination.isSecure && group.settings.offersHTTP2
            && ConnectionFault.isFault(result, message: handle.errorMessage)
    }

    /// The results of libcurl that mean a lost connection.
    private static let lossResults = [CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR]

    /// Whether the connection was lost while content was sent, after a response that is complete. The server needs no
    /// more of the content then, and the response stands.
    func isAnsweredWhole(after result: Int32) -> Bool {
        Self.lossResults.contains(result) && content.reader != nil && transfer.response != nil
            && received.incoming.framed.hasEnded
    }
}

/// The results of libcurl that mean the failure of a whole connection and not only of a stream.
enum ConnectionFault {
    /// - Parameter message: libcurl's message.
    static func isFault(_ result: Int32, message: @autoclosure () -> String) -> Bool {
        switch result {
        case CURLE_HTTP2, CURLE_HTTP3, CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR: true
        // After a GOAWAY with an error code, libcurl 8.23 fails the streams that the server has not processed. Earlier
        // versions send their requests again. A stream that the server has reset is "reset by server".
        case CURLE_HTTP2_STREAM: message().holds(" reset by curl ")
        default: false
        }
    }
}
#endif
