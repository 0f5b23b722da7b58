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

    /// Whether the request is repeated on a new connection. This requires that nothing arrived, and that the failed
    /// connection was shared with other transfers or had been used before.
    func repeatsOnNewConnection(after result: Int32, of handle: EasyHandle) -> Bool {
        guard transaction.failure == nil, transfer.response == nil, !history.hasRepeated, destination.isSecure,
            group.settings.offersHTTP2, ConnectionFault.isFault(result, message: handle.errorMessage),
            handle.usesKnownConnection, transfer.sending.isRefused || resendDecision == .resend
        else { return false }
        return !content.isStreamed
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
