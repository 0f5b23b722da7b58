#if canImport(FoundationNetworking)
internal import CLibcurl

/// Connections that turn out to be of no use, and requests that are sent again on a new one.
extension Exchange {
    /// Whether the connection that libcurl has chosen is one that gets no more requests; then it is closed as soon as
    /// may be.
    var hasRetiredConnection: Bool {
        guard let handle = transfer.handle, let connection = handle.connection,
            loop.retiredConnections.contains(connection)
        else { return false }
        handle.closesConnection = true
        return true
    }

    /// Sees to it that the connection of the transfer gets no more requests.
    func retireConnection() {
        guard let handle = transfer.handle else { return }
        // Where the transfer is still under way; else libcurl has kept the connection already.
        handle.closesConnection = true
        if let connection = handle.connection { loop.retiredConnections.insert(connection) }
    }

    /// Whether the request goes once more, on a new connection: all that came of it is the failure of a connection that
    /// it shared with others, or that had been used before.
    func repeatsOnNewConnection(after result: Int32, of handle: EasyHandle) -> Bool {
        guard transaction.failure == nil, transfer.response == nil, !history.hasRepeated, loop.settings.offersHTTP2,
            request.url?.isSecure == true, ConnectionFault.isFault(result), handle.usesKnownConnection,
            resendDecision == .resend
        else { return false }
        if case .stream = content.body { return false }
        return true
    }
}

/// The results of libcurl's with which a connection, and not only one of its streams, is over.
enum ConnectionFault {
    static func isFault(_ result: Int32) -> Bool {
        [CURLE_HTTP2, CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR].contains(result)
    }
}
#endif
